"""Writes the PDF documents among the fixtures.

Usage: pdf.py FOLDER. Requires reportlab, pikepdf and the fonts DejaVu (fonts-dejavu-core).
"""

import sys
from pathlib import Path

import pikepdf
from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

from texts import CHAPTERS, HEBREW, JAPANESE

rl_config.invariant = 1
folder = Path(sys.argv[1])
WIDTH, HEIGHT = A4
styles = getSampleStyleSheet()


def header(page, document):
    page.setFont("Helvetica", 9)
    page.drawString(72, HEIGHT - 40, "The garden book" if document.page % 2 else "Mara Lindqvist")
    page.drawCentredString(WIDTH / 2, 30, f"{document.page}")


def flow(name, columns=1, repeat=1, running=True):
    document = BaseDocTemplate(
        str(folder / name), pagesize=A4, title="Water in the garden", author="Mara Lindqvist", keywords="garden, water")
    gap = 24
    width = (WIDTH - 144 - gap * (columns - 1)) / columns
    frames = [Frame(72 + i * (width + gap), 72, width, HEIGHT - 144, showBoundary=0) for i in range(columns)]
    document.addPageTemplates(PageTemplate(frames=frames, onPage=header if running else lambda *_: None))
    story = []
    for number in range(repeat):
        for heading, paragraphs in CHAPTERS:
            story.append(Paragraph(heading, styles["Heading2"]))
            # Each paragraph differs, so that none looks like a running header.
            story += [Paragraph(f"Note {number}. {text}", styles["BodyText"]) for text in paragraphs]
    document.build(story)


def lines(name, pages, title="Lines"):
    page = canvas.Canvas(str(folder / name), pagesize=A4)
    page.setTitle(title)
    for content in pages:
        y = HEIGHT - 72
        for line in content:
            page.drawString(72, y, line)
            y -= 14
        page.showPage()
    page.save()


def vertical(name, upright=True):
    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3", isVertical=not upright))
    page = canvas.Canvas(str(folder / name), pagesize=A4)
    page.setFont("HeiseiMin-W3", 14)
    for number, line in enumerate(JAPANESE):
        if upright:
            page.drawString(72, HEIGHT - 72 - 20 * number, line)
        else:
            page.drawString(WIDTH - 72 - 24 * number, HEIGHT - 72, line)
    page.save()


def right_to_left(name):
    pdfmetrics.registerFont(TTFont("DejaVu", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"))
    page = canvas.Canvas(str(folder / name), pagesize=A4)
    page.setFont("DejaVu", 14)
    for number, line in enumerate(HEBREW):
        # The page contains the letters from left to right as they are seen.
        page.drawRightString(WIDTH - 72, HEIGHT - 72 - 20 * number, line[::-1])
    page.save()


def scanned(name, with_text=False):
    page = canvas.Canvas(str(folder / name), pagesize=A4)
    for number in range(3):
        page.rect(72, 72, 300, 400, fill=1)
        if with_text and number == 1:
            page.drawString(72, 700, "Only the second page has text.")
        page.showPage()
    page.save()


flow("report.pdf", repeat=4)
flow("columns.pdf", columns=2, repeat=3)
flow("plain.pdf", running=False)
flow("long.pdf", repeat=60)
lines("hyphens.pdf", [[
    "The rain falls on the roof and runs through the gut-", "ter into the barrel, which is a well-",
    "known way to collect water. A well-known saying is short.", "It ends before the pre- and post-",
    "war years.",
]])
lines("contents.pdf", [["# not a heading", "> not a quotation", "- first item of a list", "- second item"]])
lines("slides.pdf", [
    [f"Topic {n}", f"First point {n} about the rain", f"Second point {n} about the rain", f"Third point {n} on roofs", f"{n}"]
    for n in range(1, 9)
])
lines("compounds.pdf", [["The state-of-", "the-art pumps are well-", "suited for comprehen-", "sively cleaned barrels."]])
vertical("japanese.pdf")
vertical("vertical.pdf", upright=False)
right_to_left("right-to-left.pdf")
scanned("scanned.pdf")
scanned("partly-scanned.pdf", with_text=True)
with pikepdf.open(folder / "plain.pdf") as document:
    permissions = pikepdf.Permissions(extract=True)
    document.save(folder / "encrypted.pdf", encryption=pikepdf.Encryption(owner="owner", user="user", R=6))
    document.save(folder / "restricted.pdf", encryption=pikepdf.Encryption(owner="owner", user="", R=6, allow=permissions))
data = (folder / "plain.pdf").read_bytes()
(folder / "truncated.pdf").write_bytes(data[: len(data) // 3])
(folder / "without-table.pdf").write_bytes(data[: data.rindex(b"xref", 0, data.rindex(b"startxref"))])
(folder / "empty.pdf").write_bytes(b"")
(folder / "not-a.pdf").write_bytes(b"This is text.\n")
