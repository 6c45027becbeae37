"""Reads the formats of texts in exports, for the importers of this folder: HTML, tables and tags."""

import csv
import html.parser
import io
import re

import importing

BLOCKS = {"p", "div", "li", "ul", "ol", "tr", "br", "h1", "h2", "h3", "h4", "blockquote", "pre", "table", "hr"}
HIDDEN = {"script", "style", "title", "head"}


class TextParser(html.parser.HTMLParser):
    """Collects the text of a document, with a line for each block and the addresses of links."""

    def __init__(self):
        super().__init__()
        # Each line is a list of its parts: strings that grow would need quadratic time.
        self.lines, self.hidden, self.addresses = [[]], 0, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.hidden += tag in HIDDEN
        if tag in BLOCKS:
            self.lines.append(["- "] if tag == "li" else [])
        if tag == "en-todo":
            self.lines[-1].append("[x] " if attributes.get("checked") == "true" else "[ ] ")
        if tag == "a":
            self.addresses.append(attributes.get("href") or "")

    def handle_endtag(self, tag):
        self.hidden -= tag in HIDDEN and self.hidden > 0
        if tag == "a" and self.addresses:
            address = self.addresses.pop()
            if address.startswith("http") and address not in self.lines[-1][-1:]:
                self.lines[-1].append(f" ({address})")
        if tag in BLOCKS:
            self.lines.append([])

    def handle_data(self, data):
        if not self.hidden:
            self.lines[-1].append(" ".join(data.split("\n")))


def text(source):
    """Returns the text of a document in HTML."""
    parser = TextParser()
    parser.feed(source)
    parser.close()
    lines = ["".join(parts) for parts in parser.lines]
    return "\n".join(line.strip() for line in lines if line.strip(" -"))


def tags_in(text):
    """Returns the tags in a text: #tag, #nested/tag and #[[tag of words]]."""
    found = re.findall(r"(?<!\S)#(?:\[\[([^\]\n]+)\]\]|([^\W\d][\w/-]*))", text)
    return list(dict.fromkeys(words or word for words, word in found))


def table(text):
    """Returns the rows of a table in CSV. A line ends only with a line feed, not with the other separators of Unicode."""
    csv.field_size_limit(importing.MAXIMUM_FILE_SIZE)
    return csv.DictReader(io.StringIO(text, newline=""), strict=True)
