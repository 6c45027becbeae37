#!/usr/bin/env python3
"""Imports items of Zotero: the CSV file of an export of a library or collection."""

import re

import importing
import markup


def read(path, rows):
    for name, text in rows.files(path, ".csv"):
        with rows.reading(name):
            for line in markup.table(text):
                if None in line.values():
                    rows.fault(f"{name}, the item {line.get('Key')}", "a column is missing")
                else:
                    write(line, rows)


def write(line, rows):
    title = line["Title"]
    notes = markup.text(line.get("Notes", "")) if line.get("Notes") else ""
    tags = ";".join(line.get(name, "") for name in ("Manual Tags", "Automatic Tags")).split(";")
    doi = line.get("DOI")
    # A date such as 2024-03-00 has no day.
    date = re.sub(r"(-00)+$", "", (line.get("Date") or line.get("Publication Year", "")).split(" ")[0])
    rows.write(
        line["Key"], "\n\n".join(part for part in (title, line.get("Abstract Note"), notes) if part), title=title,
        author=line.get("Author"), date=date, updated=line.get("Date Modified"),
        tags=[tag.strip() for tag in tags if tag.strip()],
        url=line.get("Url") or (doi and f"https://doi.org/{doi}"), publication=line.get("Publication Title"))


importing.main(read)
