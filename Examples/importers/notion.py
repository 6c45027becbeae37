#!/usr/bin/env python3
"""Imports pages of Notion: the folder or archive of an export as Markdown and CSV."""

import re

import importing

PROPERTY = re.compile(r"([^\W\d][^:\n]{0,40}): (.*)")
DATES = {"created": "created", "created time": "created", "date": "date", "last edited time": "updated"}
FORMATS = ("%B %d, %Y %I:%M %p", "%B %d, %Y", "%Y/%m/%d %H:%M", "%Y/%m/%d")


def read(path, rows):
    for name, text in rows.files(path, ".md", ".csv", ".zip"):
        if name.endswith(".zip"):
            rows.fault(name, "it is an archive in an archive; unpack it first")
        elif name.endswith(".csv"):
            rows.skip("tables, whose pages are separate files")
        else:
            with rows.reading(name):
                write(name, text, rows)


def write(name, text, rows):
    stem = name.rsplit("/", 1)[-1][:-3]
    identifier = re.search(r"[0-9a-f]{32}$", stem)
    lines = text.split("\n")
    title = lines.pop(0)[2:].strip() if text.startswith("# ") else re.sub(r" ?[0-9a-f]{32}$", "", stem)
    while lines and not lines[0].strip():
        lines.pop(0)
    fields, tags = {}, []
    while lines and (match := PROPERTY.fullmatch(lines[0])):
        key, value = match[1].lower(), match[2].strip()
        lines.pop(0)
        if key == "tags":
            tags = [tag.strip() for tag in value.split(",")]
        elif key in DATES:
            fields[DATES[key]] = importing.when(value, *FORMATS)
        else:
            fields[{"created by": "author"}.get(key, key)] = value
    for reserved in ("id", "text", "title"):
        fields.pop(reserved, None)
    rows.write(
        identifier[0] if identifier else name, "\n".join(lines).strip() or title, title=title, tags=tags, **fields)


importing.main(read)
