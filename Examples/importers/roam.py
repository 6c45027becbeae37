#!/usr/bin/env python3
"""Imports pages of Roam Research: a file or archive of an export as JSON. Each page becomes an entry."""

import json

import importing
import markup


def read(path, rows):
    for name, text in rows.files(path, ".json"):
        with rows.reading(name):
            for number, page in enumerate(json.loads(text), 1):
                with rows.reading(f"{name}, page {number}"):
                    write(page, rows)


def write(page, rows):
    title, key = page["title"], page.get("uid")
    lines = list(outline(page.get("children", []), ""))
    text = "\n".join(lines)
    # The uid of a daily note is its day.
    day = importing.when(key or "", "%m-%d-%Y")
    created = page.get("create-time") or 0
    rows.write(
        key or title, text, title=title,
        date=day if day != (key or "") else importing.instant(created // 1000),
        updated=importing.instant((page.get("edit-time") or 0) // 1000),
        tags=markup.tags_in(text), author=page.get("create-email"))


def outline(blocks, indentation):
    for block in blocks:
        yield f"{indentation}- {block['string']}"
        yield from outline(block.get("children", []), indentation + "  ")


importing.main(read)
