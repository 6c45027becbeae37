"""Compares the texts of documents with those of pypdfium2, python-docx, EbookLib and Python's email package.

Prints for each well-formed document the share of the other library's words that our text contains in the same order.
Both texts are compared without hyphens between letters, because pypdfium2 removes each hyphen at the end of a line,
also that of "well-known". Lines with the number of a page, and hidden text of messages, are not expected.

Files that are damaged, encrypted, hostile or without text are listed with the reason, and are not compared.

Usage: ROOST_DOCUMENT_TEXTS=TEXTS swift test --filter DocumentTextsTests
       python3 documents.py Fixtures/Documents/files TEXTS
       python3 documents.py Fixtures/Documents/files --write Fixtures/Documents/words.json
The last form writes the words of the other libraries, at most the first 2,000 of each document, which
DocumentTextsTests compares with our texts. Requires pypdfium2, python-docx and EbookLib.
"""

import difflib
import email
import email.policy
import json
import mailbox
import re
import runpy
import sys
import warnings
from html.parser import HTMLParser
from pathlib import Path

import docx
import pypdfium2
from ebooklib import ITEM_DOCUMENT, epub

warnings.filterwarnings("ignore")


# The documents without a well-formed text, and the reasons.
EXCLUDED = {
    "bomb.docx": "a part expands to 40 MB",
    "damaged.eml": "truncated",
    "empty.docx": "empty",
    "empty.eml": "empty",
    "empty.epub": "its list of chapters is empty",
    "empty.pdf": "empty",
    "encrypted.docx": "encrypted",
    "encrypted.eml": "encrypted",
    "encrypted.epub": "encrypted",
    "encrypted.pdf": "encrypted",
    "entities.epub": "declares entities of XML, which a reader should not expand",
    "external.docx": "declares entities of XML",
    "nested.eml": "2,000 nested parts without ends",
    "not-a.pdf": "not a PDF file",
    "not-well-formed.epub": "a chapter is not well-formed XML",
    "scanned.pdf": "only images",
    "truncated.docx": "truncated",
    "truncated.epub": "truncated",
    "truncated.pdf": "truncated",
    "undeclared.eml": "its character set is not declared (RFC 2045, 5.2); Python replaces all letters outside of ASCII",
    "without-table.pdf": "truncated",
}

# The files that the other library reads incorrectly, and the names of their texts in texts.py: pypdfium2 reads the
# lines of vertical writing from left to right, and omits the first one.
SOURCES = {"vertical.pdf": "JAPANESE"}

MAXIMUM_WORDS = 2000
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Text(HTMLParser):
    """The text of HTML without that of the head, of styles, and of hidden elements."""

    def __init__(self):
        super().__init__()
        self.parts, self.hidden = [], []

    def handle_starttag(self, tag, attributes):
        style = re.sub(r"\s", "", dict(attributes).get("style") or "").lower()
        is_hidden = tag in ("head", "style", "script") or re.search(r"display:none|max-height:0(?![.\d]*[1-9])", style)
        if tag not in VOID and (self.hidden or is_hidden):
            self.hidden.append(tag)

    def handle_endtag(self, tag):
        if tag in self.hidden:
            while self.hidden.pop() != tag:
                pass

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def html(source):
    parser = Text()
    parser.feed(source)
    return " ".join(parser.parts)


def pdf(path):
    pages = []
    for number, page in enumerate(pypdfium2.PdfDocument(str(path)), 1):
        lines = page.get_textpage().get_text_range().splitlines()
        pages.append("\n".join(line for line in lines if line.strip() != str(number)))
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
    joined = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", "", text.lower())
    return re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u4e00-\u9fff]+", joined)


READERS = {".pdf": pdf, ".docx": word, ".epub": book, ".eml": mail, ".mbox": box}


def expected_words(files):
    """Returns the words of the other library for each well-formed document."""
    texts = runpy.run_path(str(files.parent / "texts.py"))
    result = {}
    for path in sorted(files.iterdir()):
        reader = READERS.get(path.suffix)
        if reader and path.name not in EXCLUDED:
            source = SOURCES.get(path.name)
            result[path.name] = words("\n".join(texts[source]) if source else reader(path))
    return result


def compare(expected, texts):
    """Prints the share of the words of each document that our text contains in the same order."""
    recalls = {}
    for name, theirs in expected.items():
        file = texts / (name + ".txt")
        ours = words(file.read_text()) if file.exists() else []
        matcher = difflib.SequenceMatcher(None, theirs, ours, autojunk=False)
        recall = sum(block.size for block in matcher.get_matching_blocks()) / len(theirs)
        recalls.setdefault(Path(name).suffix, []).append(recall)
        note = f"  compared with texts.py ({SOURCES[name]})" if name in SOURCES else ""
        print(f"{name:28} {len(theirs):6} words  recall {recall:.3f}{note}")
    for suffix, values in sorted(recalls.items()):
        mean = sum(values) / len(values)
        print(f"{suffix:8} {len(values):3} documents  mean recall {mean:.3f}  minimum {min(values):.3f}")
    print("not compared:")
    for name, reason in EXCLUDED.items():
        print(f"{name:28} {reason}")


def main():
    files = Path(sys.argv[1])
    expected = expected_words(files)
    if sys.argv[2] == "--write":
        texts = {name: " ".join(theirs[:MAXIMUM_WORDS]) for name, theirs in expected.items()}
        Path(sys.argv[3]).write_text(json.dumps(texts, ensure_ascii=False, indent=1) + "\n")
    else:
        compare(expected, Path(sys.argv[2]))


main()
