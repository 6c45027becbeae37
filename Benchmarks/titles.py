"""Measures how often a query that is the title of a note finds this note first.

Writes the notes of $ROOST_EVAL/clustering/til-jbranchaud as files that are named by their titles, without the line of
the title, ingests them, and queries each title that only one note has.

Usage: titles.py [--roost PROGRAM] [--model NAME] [--list]
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import tempfile


def notes():
    """Returns pairs of a title that can be the name of a file and a body, one for each title that occurs once."""
    data = pathlib.Path(os.environ["ROOST_EVAL"]) / "clustering/til-jbranchaud/data.jsonl"
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    counts = collections.Counter(row["title"].lower() for row in rows)
    for row in rows:
        title, lines = row["title"], row["text"].split("\n")
        if counts[title.lower()] > 1 or "/" in title or title.startswith("."):
            continue
        start = 1 if lines[0].startswith("# ") else 0
        yield title, "\n".join(lines[start:]).strip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--roost", default=".build/release/roost")
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--list", action="store_true", help="print the titles whose note is not first, and its rank")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store, vault = ["--store", f"{folder}/store"], pathlib.Path(folder) / "vault"
        vault.mkdir()
        known = dict(notes())
        for title, body in known.items():
            (vault / f"{title}.md").write_text(body)
        queries = pathlib.Path(folder) / "queries"
        queries.write_text("\n".join(known) + "\n")

        def roost(*arguments):
            return subprocess.run([options.roost, *arguments, *store], check=True, capture_output=True, text=True).stdout

        roost("init", "--model", options.model)
        roost("ingest", str(vault))
        answers = [json.loads(line) for line in roost("query", "--batch", str(queries), "-n", "10").splitlines()]
        ranks = {}
        for answer in answers:
            names = [pathlib.Path(hit["path"]).stem for hit in answer["hits"]]
            ranks[answer["query"]] = names.index(answer["query"]) + 1 if answer["query"] in names else 0
    first = sum(rank == 1 for rank in ranks.values())
    if options.list:
        for title, rank in ranks.items():
            if rank != 1:
                print(rank or "-", title, sep="\t")
    print(f"{first} of {len(known)} titles find their note first ({first / len(known):.1%})")


main()
