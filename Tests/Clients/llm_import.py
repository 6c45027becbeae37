"""Imports a database of embeddings that llm wrote, and compares the entries with llm's texts and vectors.

    llm_import.py ROOST

A second import changes nothing, and JSON Lines bring the same entries into another store.
"""
import json
import math
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


def roost(*arguments, stdin=""):
    result = subprocess.run([ROOST, *arguments], input=stdin, capture_output=True, text=True)
    assert result.returncode == 0, (arguments, result)
    return result


class Recorded(llm.EmbeddingModel):
    """A model of llm with the vectors of Roost's lexical embedder, in another length."""

    model_id = "recorded"

    def embed_batch(self, items):
        lines = roost("embed", "--model", "lexical", "--format", "jsonl", stdin="\n".join(
            item.replace("\n", " ") for item in items)).stdout
        for line in lines.splitlines():
            yield [3 * value for value in json.loads(line)["embedding"]]


def exported(store):
    lines = roost("export", "entries", "--format", "jsonl", "--with-embeddings", "--store", store).stdout
    return [json.loads(line) for line in lines.splitlines()]


def main():
    database = sqlite_utils.Database("embeddings.db")
    notes = llm.Collection("my notes", database, model=Recorded())
    notes.embed_multi_with_metadata(
        [(key, text, {"n": number, "tags": ["x"]}) for number, (key, text) in enumerate(TEXTS.items())],
        store=True)
    notes.embed("no text", "a text that llm does not store")
    expected = {row["id"]: llm.decode(row["embedding"]) for row in database["embeddings"].rows}

    roost("init", "s", "--model", "lexical")
    first = roost("import", "embeddings.db", "--store", "s")
    assert first.stdout == "4 new, 0 updated, 0 unchanged\n", first
    assert "imported 4 vectors" in first.stderr, first
    assert "skipped 1 vector without a text" in first.stderr, first
    again = roost("import", "embeddings.db", "--store", "s")
    assert again.stdout == "0 new, 0 updated, 4 unchanged\n", again

    entries = exported("s")
    assert {entry.get("key"): entry["content"] for entry in entries} == TEXTS, entries
    for entry in entries:
        vector = expected[entry["key"]]
        length = math.sqrt(sum(value * value for value in vector))
        assert max(abs(a - b / length) for a, b in zip(entry["embeddings"], vector)) < 1e-5, entry
        assert entry["source"].endswith("embeddings.db#my%20notes"), entry
        assert entry["tags"] == ["x"] and "n" in entry["metadata"], entry

    with open("entries.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)
    roost("init", "other", "--model", "lexical")
    roost("import", "entries.jsonl", "--store", "other")
    assert exported("other") == entries
    similar = json.loads(roost("llm", "similar", "my notes", "-c", "swifts", "-n1", "-d", "s").stdout)
    assert similar["id"] == "notes/1.md", similar
    print(f"{len(entries)} entries of llm are equal in two stores")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
