#!/usr/bin/env python3
"""Imports notes of Evernote: files with the extension .enex."""

import io
import xml.etree.ElementTree

import importing
import markup


def read(path, rows):
    for name, text in rows.files(path, ".enex"):
        # A file that ends too early still has the notes before its end.
        with rows.reading(name):
            for _, element in xml.etree.ElementTree.iterparse(io.StringIO(text)):
                if element.tag == "note":
                    write(element, rows)
                    element.clear()


def write(note, rows):
    def value(name):
        return (note.findtext(name) or "").strip() or None

    title, created = value("title"), date(value("created"))
    text = markup.text(note.findtext("content") or "")
    rows.write(
        (created, title), text or title, title=title, created=created, updated=date(value("updated")),
        tags=[tag.text for tag in note.findall("tag") if tag.text], author=value("note-attributes/author"),
        url=value("note-attributes/source-url"))


def date(text):
    found = text and importing.when(text, "%Y%m%dT%H%M%SZ")
    return found + "Z" if found and found != text else found


importing.main(read)
