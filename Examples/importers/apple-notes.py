#!/usr/bin/env python3
"""Imports notes of Apple Notes: the folder of iCloud's archive, or of an export as Markdown, text or HTML."""

import pathlib

import importing
import markup

TABLE = "Notes Details.csv"
FORMATS = ("%Y-%m-%d %H:%M:%S", "%A %B %d,%Y %I:%M %p %Z", "%Y-%m-%dT%H:%M:%SZ")


def read(path, rows):
    details = {}
    for name, text in rows.files(path, TABLE):
        if name.endswith(TABLE):
            with rows.reading(name):
                for line in markup.table(text):
                    if None in line.values():
                        rows.fault(f"{name}, the note {line['Title']}", "a column is missing")
                    details[line["Title"]] = line
    for name, text in rows.files(path, ".txt", ".md", ".html"):
        place = pathlib.PurePosixPath(name)
        # The archive has a folder for each note; other exports have those of the app.
        folders = [part for part in place.parts[:-1] if part not in ("Notes", place.stem)]
        facts = details.get(place.stem, {})
        if (facts.get("Deleted") or "").lower() in ("yes", "true"):
            rows.skip("deleted")
            continue
        rows.write(
            name, markup.text(text) if place.suffix == ".html" else text, title=place.stem,
            created=date(facts.get("Created On")), updated=date(facts.get("Modified On")),
            tags=list(dict.fromkeys(folders + markup.tags_in(text))))


def date(text):
    return text and importing.when(text, *FORMATS)


importing.main(read)
