"""Compares the texts of documents with those of pypdfium2, python-docx, EbookLib and Python's email package.

Prints for each document the share of the other library's words that our text contains in the same order.

Usage: ROOST_DOCUMENT_TEXTS=TEXTS swift test --filter DocumentTextsTests
       python3 documents.py Fixtures/Documents/files TEXTS
Requires pypdfium2, python-docx and EbookLib.
"""

import difflib
import email
import email.policy
import mailbox
import re
import sys
import warnings
from html.parser import HTMLParser
from pathlib import Path

import docx
import pypdfium2
from ebooklib import ITEM_DOCUMENT, epub

warnings.filterwarnings("ignore")


class Text(HTMLParser):
    """The text of HTML without that of the head and of styles."""

    def __init__(self):
        super().__init__()
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, _):
        self.hidden += tag in ("head", "style", "script")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("head", "style", "script")

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def html(source):
    parser = Text()
    parser.feed(source)
    return " ".join(parser.parts)


def pdf(path):
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(str(path))]
    # A mark stands for a hyphen at the end of a line.
    return re.sub("[\ufffe\x02]\\s*", "", "\n".join(pages))


def word(path):
    parts = []
    for item in docx.Document(str(path)).iter_inner_content():
        if hasattr(item, "rows"):
            parts += [cell.text for row in item.rows for cell in row.cells]
        else:
            parts.append(item.text)
    return "\n".join(parts)


def book(path):
    volume = epub.read_epub(str(path))
    items = [volume.get_item_with_id(name) for name, _ in volume.spine]
    chapters = [item for item in items if item.get_type() == ITEM_DOCUMENT and not isinstance(item, epub.EpubNav)]
    return "\n".join(html(chapter.get_content().decode()) for chapter in chapters)


def body(message):
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    content = part.get_content()
    return html(content) if part.get_content_subtype() == "html" else content


def mail(path):
    return body(email.message_from_bytes(path.read_bytes(), policy=email.policy.default))


def box(path):
    parse = lambda file: email.message_from_binary_file(file, policy=email.policy.default)
    return "\n".join(body(message).replace("\n>From", "\nFrom") for message in mailbox.mbox(path, factory=parse))


def words(text):
    return re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|\w+", text.lower())


READERS = {".pdf": pdf, ".docx": word, ".epub": book, ".eml": mail, ".mbox": box}
files, texts = Path(sys.argv[1]), Path(sys.argv[2])
recalls = {}
for path in sorted(files.iterdir()):
    reader, ours = READERS.get(path.suffix), texts / (path.name + ".txt")
    if not reader or not ours.exists():
        continue
    try:
        expected = words(reader(path))
    except Exception as error:  # The other library does not read the document.
        print(f"{path.name:28} {type(error).__name__} in the other library")
        continue
    matcher = difflib.SequenceMatcher(None, expected, words(ours.read_text()), autojunk=False)
    found = sum(block.size for block in matcher.get_matching_blocks())
    if expected:
        recalls.setdefault(path.suffix, []).append(found / len(expected))
        print(f"{path.name:28} {len(expected):6} words  recall {found / len(expected):.3f}")
for suffix, values in sorted(recalls.items()):
    print(f"{suffix:8} {len(values):3} documents  mean recall {sum(values) / len(values):.3f}  minimum {min(values):.3f}")
