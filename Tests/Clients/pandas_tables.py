"""Reads the CSV of `roost export entries` with pandas, and compares it with JSON Lines.

    pandas_tables.py ROOST
"""
import json
import os
import subprocess
import sys
import tempfile

import pandas

ROOST = os.path.realpath(sys.argv[1])
TEXTS = ["Tee in 東京", "=SUM(1) is\na formula", 'green tea, "steeped"', "'quoted", "emoji 🐦 and\ttab"]


def roost(*arguments):
    environment = dict(os.environ, ROOST_STORE="store")
    subprocess.run([ROOST, *arguments, "-q"], check=True, stdout=subprocess.DEVNULL, env=environment)


def compare(row, entry):
    """Compares a row of CSV with an entry of JSON Lines."""
    assert row["id"] == entry["id"], (row, entry)
    assert json.loads(row["metadata"]) == entry.get("metadata", {}), (row, entry)


def main():
    roost("init", "store", "--model", "lexical")
    for number, text in enumerate(TEXTS):
        roost("add", "--tag", f"t{number}", "--tag", "ü", "--meta", f"n={number}", text)
    roost("export", "entries", "-o", "rows.jsonl")
    roost("export", "entries", "-o", "rows.csv", "--with-embeddings")
    with open("rows.jsonl", encoding="utf-8") as file:
        entries = [json.loads(line) for line in file]
    assert sorted(entry["content"] for entry in entries) == sorted(TEXTS), entries

    table = pandas.read_csv("rows.csv", keep_default_na=False)
    assert len(table) == len(entries), table
    for row, entry in zip(table.to_dict("records"), entries):
        compare(row, entry)
        # A cell that a spreadsheet would run as a formula begins with an apostrophe.
        assert row["content"] in (entry["content"], "'" + entry["content"]), (row, entry)

    print(f"{len(entries)} entries are equal in CSV and JSON Lines")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
