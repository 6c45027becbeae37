#!/usr/bin/env python3
"""Imports references in BibTeX: files with the extension .bib, as Zotero, JabRef and Mendeley write them."""

import re
import unicodedata

import importing

ENTRY = re.compile(r"@(\w+)\s*\{")
FIELD = re.compile(r"[\s,]*([\w-]+)\s*=\s*")
MARKS = dict(zip("`'^\"~=.uvHcr", "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u030a"))
ACCENT = re.compile(r"\\([`'^\"~=.])\{?\\?([A-Za-z])\}?|\\([uvHcr])(?: |\{)\\?([A-Za-z])\}?")
LETTERS = {r"\ss": "ß", r"\ae": "æ", r"\AE": "Æ", r"\oe": "œ", r"\o": "ø", r"\O": "Ø", r"\aa": "å", r"\l": "ł"}
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def read(path, rows):
    for name, text in rows.files(path, ".bib"):
        for match in ENTRY.finditer(text):
            if match[1].lower() in ("comment", "string", "preamble"):
                rows.skip("comments and abbreviations")
                continue
            key, start, fields = None, match.end(), {}
            with rows.reading(f"{name}, {text[match.start():start + 40].split(chr(10))[0]}"):
                key, start = re.compile(r"\s*([^,\s}]+)\s*").match(text, start)[1], text.index(",", start)
                while field := FIELD.match(text, start):
                    value, start = value_at(text, field.end())
                    fields[field[1].lower()] = plain(value)
                if not re.compile(r"[\s,]*\}").match(text, start):
                    raise ValueError("the entry does not end")
                write(key, fields, rows)


def value_at(text, start):
    """Returns the value that begins at an index, and the index after it."""
    if text[start] not in '{"':
        word = re.compile(r"[^,}\s]*").match(text, start)
        return word[0], word.end()
    depth, end = 0, "}" if text[start] == "{" else '"'
    for index in range(start, len(text)):
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0 and index > start and text[index] == end:
            return text[start + 1:index], index + 1
        if text[index] == "@" and text[index - 1] == "\n" and ENTRY.match(text, index):
            break
    raise ValueError("a value does not end")


def plain(value):
    """Returns a value without the commands of LaTeX."""
    for command, letter in LETTERS.items():
        value = re.sub(re.escape(command) + r"(?![A-Za-z])(?:\{\})? ?", letter, value)
    value = ACCENT.sub(lambda match: (match[2] or match[4]) + MARKS[match[1] or match[3]], value)
    value = re.sub(r"\\([&%$#_])", r"\1", value).replace("~", " ").replace("--", "–")
    return " ".join(unicodedata.normalize("NFC", re.sub(r"[{}]", "", value)).split())


def write(key, fields, rows):
    year, month = fields.get("year"), fields.get("month", "").lower()[:3]
    date = fields.get("date", "").split("/")[0] or year
    if year and month in MONTHS and "date" not in fields:
        date = f"{year}-{MONTHS.index(month) + 1:02}"
    parts = [fields.get(name) for name in ("title", "abstract", "annote", "note")]
    tags = re.split("[,;]", fields.get("keywords", ""))
    doi = fields.get("doi")
    rows.write(
        key, "\n\n".join(part for part in parts if part), title=fields.get("title"),
        author=fields.get("author", "").replace(" and ", "; "), date=date,
        tags=[tag.strip() for tag in tags if tag.strip()],
        url=fields.get("url") or (doi and f"https://doi.org/{doi}"),
        publication=fields.get("journal") or fields.get("booktitle") or fields.get("journaltitle"))


importing.main(read)
