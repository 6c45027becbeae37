"""Measures the memory that the readers of documents need for large and hostile files.

Writes a file of each kind into a temporary folder, and prints the peak memory and the duration of `roost ingest
--dry-run`, which reads and divides the file, but does not embed it. The exit status is 1 if a file needs more than
300 MB.

Usage: python3 reader_memory.py ROOST [KIND...]
"""

import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

MEGABYTE = 1 << 20
MAXIMUM = 300


def repeated(unit, megabytes, start="", end=""):
    """Returns a text of about a number of megabytes."""
    return start + unit * (int(megabytes * MEGABYTE) // len(unit.encode())) + end


def table(columns, row, rows):
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + row * rows


def word_document(path):
    """Writes a Word file whose text has 60 MB of XML and cannot be compressed well."""
    source = random.Random(1)
    namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    paragraphs = "".join(
        f"<w:p><w:r><w:t>word{source.randrange(10 ** 6)} and {source.randrange(10 ** 9)}</w:t></w:r></w:p>"
        for _ in range(60 * MEGABYTE // 70))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", "<Relationships/>")
        archive.writestr("word/document.xml", f"<w:document {namespace}><w:body>{paragraphs}</w:body></w:document>")


IMAGE = '{"cell_type":"code","source":"x","outputs":[{"data":{"image/png":"' + "A" * 500_000 + '"}}]},'
LINK = "<p>some words here <a href=x>link</a></p>"

# The contents of the files by their names, or functions that write them.
KINDS = {
    "mixed.xml": lambda: repeated('<i a="b">text <b>bold</b></i>', 60, "<r>", "</r>"),
    "values.xml": lambda: repeated("<i>v</i>", 60, "<r>", "</r>"),
    "texts.xml": lambda: repeated("a " * 4_000_000 + "<!-- -->", 60, "<r>", "</r>"),
    "paragraph.xml": lambda: repeated("<b>bold and </b>", 60, "<r>x", "</r>"),
    "numbers.json": lambda: repeated("1,", 62, "[", "1]"),
    "arrays.json": lambda: repeated("[1],", 62, "[", "1]"),
    "objects.json": lambda: repeated('{"id":1},', 62, "[", "1]"),
    "value.json": lambda: repeated("word ", 62, '{"a":"', '"}'),
    "words.json": lambda: repeated('"w",', 62, '{"a":[', '"w"],"b":1}'),
    "name.json": lambda: repeated("n", 62, '{"', '":1}'),
    "records.json": lambda: repeated(
        '  {\n    "title": "A title here",\n    "text": "some words and more of them"\n  },\n', 62, "[\n", "1]"),
    "cells.ipynb": lambda: repeated(
        '{"cell_type":"markdown","source":["word word\\n"]},', 62, '{"cells":[', '{"source":"x"}]}'),
    "lines.ipynb": lambda: repeated('"a",', 62, '{"cells":[{"cell_type":"markdown","source":[', '"x"]}]}'),
    "images.ipynb": lambda: repeated(IMAGE, 60, '{"cells":[', '{"cell_type":"markdown","source":"x"}]}'),
    "columns.md": lambda: table(400, "|a\n", 600_000),
    "table.md": lambda: table(500, "|" + "a|" * 500 + "\n", 2000),
    "list.md": lambda: repeated("- a\n", 2),
    "numbered.md": lambda: repeated("1. a\n", 2),
    "nested lists.md": lambda: repeated("- " * 60 + "a\n", 2),
    "quotations.md": lambda: repeated(">" * 60 + "a\n\n", 2),
    "headings.md": lambda: repeated("# a\n", 2),
    "callouts.md": lambda: repeated("> [!note] a\n> b\n\n", 2),
    "wiki links.md": lambda: repeated("[[a|b]] ![[c#d]] ", 2),
    "links.md": lambda: repeated("[a](b)", 2),
    "tags.md": lambda: repeated("#a/b ", 2),
    "emphasis.md": lambda: repeated("*a ", 2),
    "large.md": lambda: repeated("# a\n\n", 64),
    "blocks.html": lambda: repeated(LINK, 31, "<html><body>", "</body></html>"),
    "paragraph.html": lambda: repeated("word ", 31, "<html><body><p>", "</p></body></html>"),
    "image.html": lambda: repeated(
        "A", 31, "<html><p>Words with a <a href=x>link</a></p><img src='data:,", "'><p>More words.</p></html>"),
    "headers.eml": lambda: repeated("X-A: b\n", 60, "From: a@b\nSubject: s\n", "\nbody"),
    "text.eml": lambda: repeated("some words in a line\n", 60, "From: a@b\nSubject: s\n\n"),
    "text.docx": word_document,
    "functions.swift": lambda: repeated("func a() { let b = 1 }\n", 2),
}


def main():
    roost, kinds = sys.argv[1], sys.argv[2:] or list(KINDS)
    has_failed = False
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path = Path(folder) / kind
            if KINDS[kind] is word_document:
                word_document(path)
            else:
                path.write_text(KINDS[kind]())
            start = time.monotonic()
            command = [roost, "ingest", "--dry-run", "--store", folder + "/none", str(path)]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            message = process.stderr.read().strip().splitlines()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            megabytes = usage.ru_maxrss / 1024
            has_failed |= megabytes > MAXIMUM
            result = f"status {process.returncode}: {message[-1]}" if process.returncode and message else ""
            print(f"{kind:18} {path.stat().st_size / MEGABYTE:6.1f} MB  {megabytes:6.1f} MB of memory  "
                  f"{time.monotonic() - start:6.2f} s  {result}".rstrip(), flush=True)
            path.unlink()
    sys.exit(has_failed)


main()
