#!/usr/bin/env python3
"""Imports pages and journals of Logseq: the folder of a graph in Markdown. A journal keeps its day."""

import pathlib
import re
import urllib.parse

import importing
import markup

PROPERTY = re.compile(r"\s*(?:- )?([\w-]+):: ?(.*)")
DATES = {"created", "created-at", "date", "updated", "updated-at"}


def read(path, rows):
    for name, text in rows.files(path, ".md"):
        place = pathlib.PurePosixPath(name)
        if {"bak", ".recycle", "version-files"} & set(place.parts):
            rows.skip("a copy that Logseq keeps")
            continue
        with rows.reading(name):
            write(name, place, text, rows)


def write(name, place, text, rows):
    lines, fields, inside = [], {}, True
    for line in text.split("\n"):
        match = PROPERTY.fullmatch(line)
        inside = inside and (match is not None or not line.strip(" -"))
        if match and inside:
            fields[match[1].lower()] = match[2].strip()
        elif not match:
            # The properties of a block, such as its id, are not part of its text.
            lines.append(line)
    text = "\n".join(lines)
    title = fields.pop("title", None) or urllib.parse.unquote(place.stem.replace("___", "/"))
    day = importing.when(place.stem, "%Y_%m_%d", "%Y-%m-%d")
    if "journals" in place.parts and day != place.stem:
        fields["date"] = title = day
    tags = [tag.strip().strip("#[]") for tag in fields.pop("tags", "").split(",")]
    tags += markup.tags_in(text)
    for key in DATES & fields.keys():
        if re.fullmatch(r"\d{13}", fields[key]):
            fields[key] = importing.instant(int(fields[key]) // 1000)
    for old, new in (("created-at", "created"), ("updated-at", "updated"), ("id", "logseq-id"), ("text", "logseq-text")):
        if old in fields:
            fields[new] = fields.pop(old)
    rows.write(name, text, title=title, tags=[tag for tag in dict.fromkeys(tags) if tag], **fields)


importing.main(read)
