"""Writes the office documents and books among the fixtures, and those for damaged and hostile input.

Usage: office.py FOLDER. Requires python-docx, python-pptx, openpyxl, odfpy and EbookLib.
"""

import io
import sys
import zipfile
from datetime import datetime
from pathlib import Path

import docx
import openpyxl
import pptx
from ebooklib import epub
from odf import opendocument, table, text
from odf.style import Style

from texts import CHAPTERS, COLUMNS, HEBREW, JAPANESE, PARAGRAPHS, ROWS

folder = Path(sys.argv[1])
moment = datetime(2025, 3, 14, 9, 30)


def properties(document, title):
    core = document.core_properties
    core.title, core.author, core.keywords = title, "Mara Lindqvist", "garden, water"
    core.created = core.modified = moment


def word(name, build, title=""):
    document = docx.Document()
    build(document)
    properties(document, title)
    document.save(folder / name)


def word_report(document):
    document.add_heading("The garden in a dry summer", 0)
    for number, (heading, paragraphs) in enumerate(CHAPTERS):
        document.add_heading(heading, 1 + number % 2)
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
    for item in ("Barrel of 200 litres", "Hose of 20 metres", "Lid against mosquitoes"):
        document.add_paragraph(item, style="List Bullet")
    for item in ("Clean the gutter", "Fill the barrel"):
        document.add_paragraph(item, style="List Number")
    grid = document.add_table(rows=0, cols=len(COLUMNS))
    for row in [COLUMNS] + ROWS:
        for cell, value in zip(grid.add_row().cells, row):
            cell.text = str(value)
    paragraph = document.add_paragraph("A paragraph with a comment.")
    document.add_comment(paragraph.runs, text="Check this number.", author="Mara", initials="M")


def word_right_to_left(document):
    document.add_heading(HEBREW[0], 1)
    for paragraph in HEBREW[1:]:
        document.add_paragraph(paragraph)


def word_vertical(document):
    document.add_heading(JAPANESE[0], 1)
    for paragraph in JAPANESE[1:]:
        document.add_paragraph(paragraph)


def word_columns(document):
    section = document.sections[0]._sectPr
    columns = section.find(docx.oxml.ns.qn("w:cols"))
    columns.set(docx.oxml.ns.qn("w:num"), "2")
    for _, paragraphs in CHAPTERS:
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)


def word_long(document):
    for number in range(400):
        document.add_paragraph(f"Entry {number}: " + PARAGRAPHS[number % len(PARAGRAPHS)])


def replace_parts(source, target, parts):
    """Copies an archive and replaces or adds parts."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.pop(name, None) or old.read(name))
        for name, data in parts.items():
            new.writestr(name, data)


def word_notes():
    """Adds footnotes, a text box, deleted and inserted text, which python-docx cannot write."""
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = (
        "<w:p><w:r><w:t>The barrel is full</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><w:t>.</w:t></w:r></w:p>"
        "<w:p><w:del><w:r><w:delText>removed words</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>inserted words</w:t></w:r></w:ins></w:p>"
        "<w:p><w:r><w:txbxContent><w:p><w:r><w:t>Text in a box</w:t></w:r></w:p></w:txbxContent></w:r></w:p>"
    )
    document = f"<w:document xmlns:w='{namespace}'><w:body>{body}</w:body></w:document>"
    notes = (
        f"<w:footnotes xmlns:w='{namespace}'><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>"
        "<w:footnote w:id='2'><w:p><w:r><w:t>Measured in June.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    relationships = (
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
        "<Relationship Id='rId1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
        "footnotes' Target='footnotes.xml'/></Relationships>"
    )
    parts = {
        "word/document.xml": document,
        "word/footnotes.xml": notes,
        "word/_rels/document.xml.rels": relationships,
    }
    replace_parts(folder / "report.docx", folder / "footnotes.docx", parts)


def presentation():
    deck = pptx.Presentation()
    for heading, paragraphs in CHAPTERS:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(paragraphs)
        slide.notes_slide.notes_text_frame.text = f"Say this about: {heading}"
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Numbers"
    size = pptx.util.Inches(1)
    grid = slide.shapes.add_table(1 + len(ROWS), len(COLUMNS), size, size, 6 * size, size).table
    for index, row in enumerate([COLUMNS] + ROWS):
        for column, value in enumerate(row):
            grid.cell(index, column).text = str(value)
    properties(deck, "Water for the garden")
    deck.save(folder / "slides.pptx")


def workbook():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Barrels"
    for row in [COLUMNS] + ROWS:
        sheet.append(row)
    second = book.create_sheet("Days")
    second.append(["Day", "Full"])
    second.append([datetime(2025, 6, 1), True])
    second.append([datetime(2025, 6, 2, 18, 15), False])
    book.properties.title, book.properties.creator = "Barrels and days", "Mara Lindqvist"
    book.properties.created = book.properties.modified = moment
    book.save(folder / "table.xlsx")


def open_text():
    document = opendocument.OpenDocumentText()
    bold = Style(name="Heading", family="paragraph")
    document.styles.addElement(bold)
    for heading, paragraphs in CHAPTERS:
        document.text.addElement(text.H(outlinelevel=2, text=heading))
        for paragraph in paragraphs:
            document.text.addElement(text.P(text=paragraph))
    items = text.List()
    for item in ("Barrel", "Hose"):
        entry = text.ListItem()
        entry.addElement(text.P(text=item))
        items.addElement(entry)
    document.text.addElement(items)
    note = text.Note(noteclass="footnote")
    note.addElement(text.NoteCitation(text="1"))
    body = text.NoteBody()
    body.addElement(text.P(text="Measured in June."))
    note.addElement(body)
    paragraph = text.P(text="The barrel is full")
    paragraph.addElement(note)
    document.text.addElement(paragraph)
    grid = table.Table(name="Barrels")
    for row in [COLUMNS] + ROWS:
        line = table.TableRow()
        for value in row:
            cell = table.TableCell()
            cell.addElement(text.P(text=str(value)))
            line.addElement(cell)
        grid.addElement(line)
    document.text.addElement(grid)
    document.save(str(folder / "report.odt"))


def open_spreadsheet():
    document = opendocument.OpenDocumentSpreadsheet()
    grid = table.Table(name="Barrels")
    for row in [COLUMNS] + ROWS:
        line = table.TableRow()
        for value in row:
            cell = table.TableCell()
            cell.addElement(text.P(text=str(value)))
            line.addElement(cell)
        line.addElement(table.TableCell(numbercolumnsrepeated=16000))
        grid.addElement(line)
    empty = table.TableRow(numberrowsrepeated=1048570)
    empty.addElement(table.TableCell(numbercolumnsrepeated=16000))
    grid.addElement(empty)
    document.spreadsheet.addElement(grid)
    document.save(str(folder / "table.ods"))


def book(name, chapters, direction="ltr", language="en", headings=True):
    volume = epub.EpubBook()
    volume.set_identifier("garden-" + name)
    volume.set_title(chapters[0][0] if direction == "rtl" else "The garden book")
    volume.set_language(language)
    volume.set_direction(direction)
    volume.add_author("Mara Lindqvist")
    volume.add_metadata("DC", "date", "2024-05-01")
    volume.add_metadata("DC", "subject", "Gardening")
    items = []
    for number, (heading, paragraphs) in enumerate(chapters):
        chapter = epub.EpubHtml(title=heading, file_name=f"chapter{number}.xhtml", lang=language)
        title = f"<h1>{heading}</h1>" if headings else ""
        chapter.content = title + "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        volume.add_item(chapter)
        items.append(chapter)
    volume.toc = items
    volume.add_item(epub.EpubNcx())
    volume.add_item(epub.EpubNav())
    # The order of the spine is not that of the names.
    volume.spine = ["nav"] + items[1:] + items[:1]
    epub.write_epub(str(folder / name), volume)


def epub_variants():
    source = folder / "book.epub"
    with zipfile.ZipFile(source) as archive:
        chapter = next(name for name in archive.namelist() if name.endswith("chapter1.xhtml"))
        content = archive.read(chapter).decode()
        package = next(name for name in archive.namelist() if name.endswith(".opf"))
    broken = content.replace("</p>", "", 1).replace("</body>", "")
    replace_parts(source, folder / "not-well-formed.epub", {chapter: broken})
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    encryption = (
        f"<encryption xmlns='{container}'><EncryptedData xmlns='http://www.w3.org/2001/04/xmlenc#'>"
        f"<CipherData><CipherReference URI='{chapter}'/></CipherData></EncryptedData></encryption>"
    )
    replace_parts(source, folder / "encrypted.epub", {"META-INF/encryption.xml": encryption})
    entities = "<!DOCTYPE html [" + "<!ENTITY a 'aaaaaaaaaa'>" + "".join(
        f"<!ENTITY {new} '{('&' + old + ';') * 10}'>" for old, new in zip("abcdefgh", "bcdefghi")
    ) + "]><html><body><p>&i;</p></body></html>"
    replace_parts(source, folder / "entities.epub", {chapter: entities})
    empty = "<package xmlns='http://www.idpf.org/2007/opf'><manifest/><spine/></package>"
    replace_parts(source, folder / "empty.epub", {package: empty})
    inner = io.BytesIO(source.read_bytes())
    replace_parts(source, folder / "nested.epub", {"EPUB/inner.epub": inner.getvalue(), "../evil.txt": b"no"})
    (folder / "truncated.epub").write_bytes(source.read_bytes()[:-400])


def word_variants():
    source = folder / "report.docx"
    (folder / "truncated.docx").write_bytes(source.read_bytes()[:-300])
    (folder / "empty.docx").write_bytes(b"")
    inner = {"word/embeddings/inner.docx": source.read_bytes()}
    replace_parts(source, folder / "nested.docx", inner)
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    head = f"<w:document xmlns:w='{namespace}'><w:body><w:p><w:r><w:t>".encode()
    replace_parts(source, folder / "bomb.docx", {"word/document.xml": head + b" " * (40 << 20)})
    external = b"<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>" + head + b"&e;</w:t></w:r></w:p></w:body></w:document>"
    replace_parts(source, folder / "external.docx", {"word/document.xml": external})
    signature = bytes.fromhex("D0CF11E0A1B11AE1")
    (folder / "encrypted.docx").write_bytes(signature + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(64))
    (folder / "older.doc").write_bytes(signature + bytes(600))


def word_hidden_text():
    """A document without properties: a title by its style, a hidden run, and hundreds of links."""
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    run = lambda text, properties="": f"<w:r>{properties}<w:t xml:space='preserve'>{text}</w:t></w:r>"
    link = f"<w:hyperlink w:anchor='a'>{run('link ')}</w:hyperlink>"
    body = (
        f"<w:p><w:pPr><w:pStyle w:val='Title'/></w:pPr>{run('Report on rain')}</w:p>"
        f"<w:p>{run('Visible ')}{run('secret', '<w:rPr><w:vanish/></w:rPr>')}{run('words')}</w:p><w:p>{link * 300}</w:p>"
    )
    document = f"<w:document xmlns:w='{namespace}'><w:body>{body}</w:body></w:document>"
    source = folder / "report.docx"
    parts = {"word/document.xml": document.encode(), "docProps/core.xml": b"<coreProperties/>"}
    replace_parts(source, folder / "hidden-text.docx", parts)


def presentation_with_template_title():
    document = pptx.Presentation()
    slide = document.slides.add_slide(document.slide_layouts[0])
    slide.shapes.title.text, slide.placeholders[1].text = "Rain and roofs", "A talk"
    document.core_properties.title = "PowerPoint Presentation"
    document.save(folder / "template-title.pptx")


def wide_workbook():
    book = openpyxl.Workbook()
    book.active.title = "Wide"
    book.active["A1"], book.active["ZZ9"] = "near", "far"
    book.save(folder / "wide.xlsx")


word("report.docx", word_report, "Report on water")
word("right-to-left.docx", word_right_to_left)
word("vertical.docx", word_vertical)
word("columns.docx", word_columns)
word("long.docx", word_long)
word_notes()
word_variants()
presentation()
workbook()
open_text()
open_spreadsheet()
book("book.epub", CHAPTERS)
book("right-to-left.epub", [(HEBREW[0], HEBREW[1:])], "rtl", "he")
book("vertical.epub", [(JAPANESE[0], JAPANESE[1:])], "rtl", "ja")
book("without-headings.epub", CHAPTERS, headings=False)
book("long.epub", [(f"Day {n}", PARAGRAPHS * 4) for n in range(60)])
epub_variants()
word_hidden_text()
presentation_with_template_title()
wide_workbook()
