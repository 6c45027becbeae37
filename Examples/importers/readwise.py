#!/usr/bin/env python3
"""Imports highlights of Readwise: the CSV file of its export."""

import importing
import markup


def read(path, rows):
    for name, text in rows.files(path, ".csv"):
        with rows.reading(name):
            for line in markup.table(text):
                # Shortened lines have no value in their last columns.
                if None in line or None in line.values():
                    rows.fault(f"{name}, the highlight {(line.get('Highlight') or '')[:40]!r}", "a column is missing")
                else:
                    write(line, rows)


def write(line, rows):
    title, highlight, note = line["Book Title"], line["Highlight"], line.get("Note")
    tags = f"{line.get('Tags', '')},{line.get('Document tags', '')}".split(",")
    date = line.get("Highlighted at") or None
    rows.write(
        (title, highlight), highlight + (f"\n\nNote: {note}" if note and highlight else note or ""), title=title,
        author=line.get("Book Author"), date=date, tags=[tag.strip() for tag in tags if tag.strip()],
        url=line.get("Source URL") or line.get("URL"), location=line.get("Location"))


importing.main(read)
