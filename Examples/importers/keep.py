#!/usr/bin/env python3
"""Imports notes of Google Keep: the folder or archive of Google Takeout."""

import json

import importing

KEYS = {"textContent", "listContent", "createdTimestampUsec", "userEditedTimestampUsec"}


def read(path, rows):
    for name, text in rows.files(path, ".json"):
        with rows.reading(name):
            note = json.loads(text)
            # Takeout has JSON files of other services, such as lists, and photos with a title.
            if not isinstance(note, dict) or not KEYS & note.keys():
                rows.skip("not a note")
            elif note.get("isTrashed"):
                rows.skip("in the trash")
            else:
                write(name, note, rows)


def write(name, note, rows):
    lines = [note.get("textContent") or ""]
    lines += [f"- [{'x' if item.get('isChecked') else ' '}] {item['text']}" for item in note.get("listContent", [])]
    links = [link["url"] for link in note.get("annotations", []) if link.get("url")]
    created, updated = note.get("createdTimestampUsec"), note.get("userEditedTimestampUsec")
    title = note.get("title")
    rows.write(
        str(created or name), "\n".join(lines).strip() or title, title=title,
        created=importing.instant((created or 0) // 1_000_000),
        updated=importing.instant((updated or 0) // 1_000_000),
        tags=[label["name"] for label in note.get("labels", [])], url=links[0] if links else None,
        archived=note.get("isArchived"))


importing.main(read)
