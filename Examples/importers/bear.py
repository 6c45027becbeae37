#!/usr/bin/env python3
"""Imports notes of Bear: a backup (.bear2bk), or a folder of an export as TextBundle or Markdown."""

import json

import importing
import markup

TEXTS = (".md", ".markdown", ".txt")


def read(path, rows):
    facts = {}
    for name, text in rows.files(path, "/info.json"):
        if name.endswith("/info.json"):
            with rows.reading(name):
                facts[name.rsplit("/", 1)[0]] = json.loads(text).get("net.shinyfrog.bear") or {}
    for name, text in rows.files(path, *TEXTS):
        folder = name.rpartition("/")[0]
        note = facts.get(folder, {})
        if note.get("trashed"):
            rows.skip("in the trash")
            continue
        first = text.strip().split("\n", 1)[0]
        rows.write(
            note.get("uniqueIdentifier") or name, text, title=first.lstrip("# ").strip(),
            created=note.get("creationDate"), updated=note.get("modificationDate"), tags=markup.tags_in(text),
            archived=note.get("archived"))


importing.main(read)
