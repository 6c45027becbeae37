#!/usr/bin/env python3
"""Imports highlights and notes of a Kindle: the file 'My Clippings.txt'."""

import re

import importing

HEADER = re.compile(r"(.*?)(?: \(([^()]*(?:\([^()]*\)[^()]*)*)\))?", re.S)
FORMATS = (
    "%A, %B %d, %Y %I:%M:%S %p", "%A, %d %B %Y %H:%M:%S", "%A, %d %B %Y %I:%M:%S %p", "%A, %B %d, %Y, %I:%M %p",
    "%A, %d %B %y %H:%M:%S")


def read(path, rows):
    for name, text in rows.files(path, ".txt"):
        parts = text.split("==========")
        for number, part in enumerate(parts, 1):
            lines = part.strip("\n\ufeff ").split("\n")
            if not lines[0].strip():
                continue
            if len(lines) < 2 or not lines[1].startswith("- "):
                rows.fault(f"{name}, clipping {number}", "it has no line with a location and a date")
            elif number == len(parts):
                # Each clipping ends with a line; the file was cut.
                rows.fault(f"{name}, clipping {number}", "it does not end")
            else:
                write(lines, rows)


def write(lines, rows):
    title, author = HEADER.fullmatch(lines[0].strip()).groups()
    where, _, added = lines[1][2:].rpartition("|")
    text = "\n".join(lines[2:]).strip()
    if not text:
        return rows.skip("bookmarks")
    date = re.sub(r"^\s*Added on ", "", added).strip()
    rows.write(
        (lines[0].strip(), where.strip(), text), text, title=title, author=author,
        date=importing.when(date, *FORMATS), location=where.strip())


importing.main(read)
