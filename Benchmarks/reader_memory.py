"""Measures the memory that the readers of documents need for large and hostile files.

Writes a file of each kind into a temporary folder, and prints the peak memory and the duration of `roost ingest
--dry-run`, which reads and divides the file, but does not embed it. The exit status is 1 if a file needs more than
300 MB.

Usage: python3 reader_memory.py ROOST [KIND...]
"""

import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

MEGABYTE = 1 << 20
MAXIMUM = 300


def repeated(unit, megabytes, start="", end=""):
    """Returns a text of about a number of megabytes."""
    return start + unit * (int(megabytes * MEGABYTE) // len(unit.encode())) + end


def table(columns, row, rows):
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + row * rows


def words(seed, form, megabytes):
    """Returns numbered texts in a form, which cannot be compressed well, of about a number of megabytes."""
    source = random.Random(seed)
    size = len(form.format("word123456 and 123456789"))
    return "".join(
        form.format(f"word{source.randrange(10 ** 6)} and {source.randrange(10 ** 9)}")
        for _ in range(megabytes * MEGABYTE // size))


def archive(parts, kind=None):
    """Returns a function that writes a ZIP archive with parts, which are functions that return texts."""
    def write(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            if kind:
                archive.writestr("mimetype", kind, zipfile.ZIP_STORED)
            for name, text in parts.items():
                archive.writestr(name, text())
    return write


def element(name, namespaces, content):
    """Returns a function that returns an XML document."""
    attributes = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in namespaces.items())
    return lambda: f"<{name}{attributes}>{content()}</{name}>"


def constant(text):
    return lambda: text


SENTENCE = "The {} stands in a sentence with several more words, as in most documents that people write."

OFFICE = "http://schemas.openxmlformats.org/"
MAIN, DRAWING = OFFICE + "wordprocessingml/2006/main", OFFICE + "drawingml/2006/main"
SHEET, SLIDES = OFFICE + "spreadsheetml/2006/main", OFFICE + "presentationml/2006/main"
RELATIONS = OFFICE + "officeDocument/2006/relationships"
OPEN = "urn:oasis:names:tc:opendocument:xmlns:"


def relationships(targets):
    """Returns a part with relationships: the types and targets by their identifiers."""
    lines = "".join(f'<Relationship Id="{identifier}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
                    for identifier, (kind, target) in targets.items())
    return f'<Relationships xmlns="{OFFICE}package/2006/relationships">{lines}</Relationships>'


WORD = archive({
    "[Content_Types].xml": constant("<Types/>"), "_rels/.rels": constant("<Relationships/>"),
    "word/document.xml": element("w:document", {"w": MAIN}, lambda: (
        "<w:body>" + words(1, "<w:p><w:r><w:t>{}</w:t></w:r></w:p>", 60) + "</w:body>"))})
WORKBOOK = archive({
    "[Content_Types].xml": constant("<Types/>"),
    "_rels/.rels": constant(relationships({"r1": ("officeDocument", "xl/workbook.xml")})),
    "xl/_rels/workbook.xml.rels": constant(relationships({"r1": ("worksheet", "worksheets/sheet1.xml")})),
    "xl/workbook.xml": constant(
        f'<workbook xmlns="{SHEET}" xmlns:r="{RELATIONS}"><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets>'
        "</workbook>"),
    "xl/worksheets/sheet1.xml": lambda: (
        f'<worksheet xmlns="{SHEET}"><sheetData>'
        + words(2, '<row><c t="inlineStr"><is><t>{}</t></is></c></row>', 60) + "</sheetData></worksheet>")})
PRESENTATION = archive({
    "[Content_Types].xml": constant("<Types/>"),
    "_rels/.rels": constant(relationships({"r1": ("officeDocument", "ppt/presentation.xml")})),
    "ppt/_rels/presentation.xml.rels": constant(
        relationships({f"r{n}": ("slide", f"slides/slide{n}.xml") for n in range(60)})),
    "ppt/presentation.xml": constant(
        f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{RELATIONS}"><p:sldIdLst>'
        + "".join(f'<p:sldId r:id="r{n}"/>' for n in range(60)) + "</p:sldIdLst></p:presentation>"),
    **{f"ppt/slides/slide{n}.xml": (lambda n: element("p:sld", {"p": SLIDES, "a": DRAWING}, lambda: (
        "<p:cSld><p:spTree><p:sp><p:txBody>" + words(n, "<a:p><a:r><a:t>{}</a:t></a:r></a:p>", 1)
        + "</p:txBody></p:sp></p:spTree></p:cSld>")))(n) for n in range(60)}})
OPEN_TEXT = archive({
    "content.xml": element("office:document-content", {"office": OPEN + "office:1.0", "text": OPEN + "text:1.0"},
                           lambda: ("<office:body><office:text>" + words(4, "<text:p>{}</text:p>", 60)
                                    + "</office:text></office:body>"))},
    "application/vnd.oasis.opendocument.text")
BOOK = archive({
    "META-INF/container.xml": constant(
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'),
    "book.opf": lambda: (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        + "".join(f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(60))
        + "</manifest><spine>" + "".join(f'<itemref idref="c{n}"/>' for n in range(60)) + "</spine></package>"),
    **{f"c{n}.xhtml": (lambda n: lambda: (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body>' + words(n, "<p>{}</p>", 1) + "</body></html>"))(n)
       for n in range(60)}}, "application/epub+zip")


def portable_document(path):
    """Writes a PDF file of 3,000 pages with 50 lines each."""
    source, objects = random.Random(5), []
    count = 3000
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects += ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count {count}/Kids[{kids}]>>",
                "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for page in range(count):
        lines = "".join(
            f"(line {line} of page {page} has the word{source.randrange(10 ** 6)} and more words) Tj T*\n"
            for line in range(50))
        stream = f"BT /F1 10 Tf 14 TL 50 780 Td {lines} ET"
        objects += [f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {5 + 2 * page} 0 R"
                    "/Resources<</Font<</F1 3 0 R>>>>>>", f"<</Length {len(stream)}>>stream\n{stream}\nendstream"]
    with open(path, "wb") as file:
        file.write(b"%PDF-1.4\n")
        offsets = []
        for number, body in enumerate(objects, 1):
            offsets.append(file.tell())
            file.write(f"{number} 0 obj{body}endobj\n".encode())
        start = file.tell()
        file.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
        file.writelines(f"{offset:010} 00000 n \n".encode() for offset in offsets)
        file.write(f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode())


IMAGE = '{"cell_type":"code","source":"x","outputs":[{"data":{"image/png":"' + "A" * 500_000 + '"}}]},'
LINK = "<p>some words here <a href=x>link</a></p>"

# The contents of the files by their names, or functions that write them.
KINDS = {
    "records.json": lambda: repeated(
        '  {\n    "title": "A title here",\n    "text": "some words and more of them"\n  },\n', 62, "[\n", "1]"),
    "cells.ipynb": lambda: repeated(
        '{"cell_type":"markdown","source":["word word\\n"]},', 31, '{"cells":[', '{"cell_type":"markdown","source":"x"}]}'),
    "lines.ipynb": lambda: repeated('"a",', 31, '{"cells":[{"cell_type":"markdown","source":[', '"x"]}]}'),
    "images.ipynb": lambda: repeated(IMAGE, 31, '{"cells":[', '{"cell_type":"markdown","source":"x"}]}'),
    "columns.md": lambda: table(400, "|a\n", 600_000),
    "table.md": lambda: table(500, "|" + "a|" * 500 + "\n", 2000),
    "list.md": lambda: repeated("- a\n", 2),
    "numbered.md": lambda: repeated("1. a\n", 2),
    "nested lists.md": lambda: repeated("- " * 60 + "a\n", 2),
    "quotations.md": lambda: repeated(">" * 60 + "a\n\n", 2),
    "headings.md": lambda: repeated("# a\n", 2),
    "callouts.md": lambda: repeated("> [!note] a\n> b\n\n", 2),
    "wiki links.md": lambda: repeated("[[a|b]] ![[c#d]] ", 2),
    "links.md": lambda: repeated("[a](b)", 2),
    "tags.md": lambda: repeated("#a/b ", 2),
    "emphasis.md": lambda: repeated("*a ", 2),
    "large.md": lambda: repeated("# a\n\n", 64),
    "blocks.html": lambda: repeated(LINK, 31, "<html><body>", "</body></html>"),
    "paragraph.html": lambda: repeated("word ", 31, "<html><body><p>", "</p></body></html>"),
    "image.html": lambda: repeated(
        "A", 31, "<html><p>Words with a <a href=x>link</a></p><img src='data:,", "'><p>More words.</p></html>"),
    "headers.eml": lambda: repeated("X-A: b\n", 60, "From: a@b\nSubject: s\n", "\nbody"),
    "text.eml": lambda: repeated("some words in a line\n", 60, "From: a@b\nSubject: s\n\n"),
    "messages.mbox": lambda: repeated(
        "From a@b Thu Jan  1 00:00:00 2026\nFrom: a@b\nSubject: s\n\n" + "some words in a line\n" * 40 + "\n", 60),
    "text.docx": WORD,
    "rows.xlsx": WORKBOOK,
    "slides.pptx": PRESENTATION,
    "text.odt": OPEN_TEXT,
    "chapters.epub": BOOK,
    "pages.pdf": portable_document,
    "lines.txt": lambda: words(6, "{}\n", 60),
    "paragraphs.txt": lambda: words(7, "{}\n\n", 60),
    "rows.csv": lambda: "text,number\n" + words(8, '"' + SENTENCE + '",1\n', 60),
    "rows.jsonl": lambda: words(9, '{{"text":"' + SENTENCE + '"}}\n', 60),
    "short rows.csv": lambda: "text,number\n" + words(17, "{},1\n", 60),
    "short rows.jsonl": lambda: words(18, '{{"text":"{}"}}\n', 60),
    "cues.srt": lambda: words(16, "1\n00:00:01,000 --> 00:00:02,000\n" + SENTENCE + "\n\n", 60),
    "functions.swift": lambda: repeated("func a() { let b = 1 }\n", 2),
}

WRITERS = {"text.docx", "rows.xlsx", "slides.pptx", "text.odt", "chapters.epub", "pages.pdf"}


def main():
    roost, kinds = sys.argv[1], sys.argv[2:] or list(KINDS)
    has_failed = False
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path = Path(folder) / kind
            if kind in WRITERS:
                KINDS[kind](path)
            else:
                path.write_text(KINDS[kind]())
            start = time.monotonic()
            command = [roost, "ingest", "--dry-run", "--store", folder + "/none", str(path)]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            message = process.stderr.read().strip().splitlines()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            megabytes = usage.ru_maxrss / 1024
            has_failed |= megabytes > MAXIMUM
            result = f"status {process.returncode}: {message[-1]}" if process.returncode and message else ""
            print(f"{kind:18} {path.stat().st_size / MEGABYTE:6.1f} MB  {megabytes:6.1f} MB of memory  "
                  f"{time.monotonic() - start:6.2f} s  {result}".rstrip(), flush=True)
            path.unlink()
    sys.exit(has_failed)


main()
