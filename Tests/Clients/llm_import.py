"""Imports a database of embeddings that llm wrote, and compares the entries with llm's texts.

    llm_import.py ROOST

A second import changes nothing, and JSON Lines bring the same entries into another store.
"""
import json
import os
import subprocess
import sys
import tempfile

import llm
import sqlite_utils

ROOST = os.path.realpath(sys.argv[1])
TEXTS = {
    "notes/1.md": "the swifts return in May", "notes/2.md": "green tea, \"steeped\"\nfor two minutes",
    "3": "Tee in 東京 🐦", "": "a text with an empty id",
}


def roost(*arguments):
    result = subprocess.run([ROOST, *arguments], capture_output=True, text=True)
    assert result.returncode == 0, (arguments, result)
    return result


class Lengths(llm.EmbeddingModel):
    """A model of llm whose vectors are the lengths of the texts."""

    model_id = "lengths"

    def embed_batch(self, items):
        for item in items:
            yield [float(len(item)), 1.0]


def exported(store):
    lines = roost("export", "entries", "--format", "jsonl", "--with-embeddings", "--store", store).stdout
    return [json.loads(line) for line in lines.splitlines()]


def main():
    database = sqlite_utils.Database("embeddings.db")
    notes = llm.Collection("my notes", database, model=Lengths())
    notes.embed_multi_with_metadata(
        [(key, text, {"n": number, "tags": ["x"]}) for number, (key, text) in enumerate(TEXTS.items())],
        store=True)
    notes.embed("no text", "a text that llm does not store")

    roost("init", "s", "--model", "lexical")
    first = roost("import", "embeddings.db", "--store", "s")
    assert first.stdout == "4 new, 0 updated, 0 unchanged\n", first
    assert "skipped 1 vector without a text" in first.stderr, first
    again = roost("import", "embeddings.db", "--store", "s")
    assert again.stdout == "0 new, 0 updated, 4 unchanged\n", again

    lines = exported("s")
    entries = lines[1:]
    assert {entry.get("key"): entry["content"] for entry in entries} == TEXTS, entries
    for entry in entries:
        assert entry["source"].endswith("embeddings.db#my%20notes"), entry
        assert entry["tags"] == ["x"] and "n" in entry["metadata"], entry

    with open("entries.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    roost("init", "other", "--model", "lexical")
    roost("import", "entries.jsonl", "--store", "other")
    assert exported("other") == lines
    print(f"{len(entries)} entries of llm are equal in two stores")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
