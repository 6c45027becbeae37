"""Imports folders that Chroma wrote, and damaged ones.

usage: chroma_import.py ROOST
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import chromadb

COUNT = 230
WORDS = ["swift", "roof", "tea", "bread", "oven", "comet", "planet", "bike", "garden", "seed", "rain"]


def text(number):
    return "note %d about %s and %s" % (number, WORDS[number % 11], WORDS[number // 11 % 11])


class Tool:
    def __init__(self, program, home):
        self.program, self.home = program, home

    def run(self, *arguments, stdin="", status=0):
        result = subprocess.run(
            [self.program, *arguments], input=stdin, capture_output=True, text=True, cwd=self.home,
            env={"HOME": self.home, "PATH": os.environ["PATH"]})
        assert result.returncode == status, (arguments, result)
        return result


def write_sample(folder):
    """Writes a collection with several changes; returns the texts by id."""
    texts = [text(number) for number in range(COUNT)]
    client = chromadb.PersistentClient(folder)
    notes = client.create_collection(
        "my-notes", embedding_function=None,
        configuration={"hnsw": {"space": "cosine", "sync_threshold": 100, "batch_size": 50}})
    expected = {}
    for start in range(0, COUNT, 50):
        part = range(start, min(COUNT, start + 50))
        notes.add(
            ids=["key%d" % number for number in part], embeddings=[[number, 1, 2] for number in part],
            documents=[texts[number] for number in part],
            metadatas=[{"n": number, "half": number / 2, "even": number % 2 == 0} for number in part])
        expected.update({"key%d" % number: texts[number] for number in part})
    notes.delete(ids=["key1", "key229"])
    notes.update(ids=["key2"], documents=[texts[5]], embeddings=[[4, 5, 6]])
    notes.upsert(ids=["key229"], documents=[texts[6]], embeddings=[[1, 2, 3]])
    expected.update(key2=texts[5], key229=texts[6])
    del expected["key1"]
    other = client.create_collection("other", embedding_function=None)
    other.add(ids=["a", "b"], embeddings=[[1, 2, 3], [4, 5, 6]], documents=["first text", "second text"])
    notes.add(ids=["no text"], embeddings=[[1, 2, 3]])
    return expected


def check_import(tool, folder, expected):
    tool.run("init", "s", "--model", "lexical")
    first = tool.run("import", folder, "--store", "s")
    assert first.stdout == "%d new, 0 updated, 0 unchanged\n" % (len(expected) + 2), first
    assert "skipped 1 vector " in first.stderr, first
    again = tool.run("import", os.path.join(folder, "chroma.sqlite3"), "--store", "s")
    assert again.stdout == "0 new, 0 updated, %d unchanged\n" % (len(expected) + 2), again
    lines = tool.run("export", "entries", "--format", "jsonl", "--store", "s").stdout.splitlines()
    notes = {entry["key"]: entry for entry in map(json.loads, lines) if entry["source"].endswith("#my%2Dnotes")}
    assert {key: entry["content"] for key, entry in notes.items()} == expected
    assert notes["key8"]["metadata"] == {"n": 8, "half": 4, "even": True}, notes["key8"]["metadata"]
    tool.run("doctor", "--store", "s")


def check_damage(tool, folder):
    def damaged(change):
        copy = tempfile.mkdtemp(dir=tool.home)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        change(os.path.join(copy, "chroma.sqlite3"))
        result = tool.run("import", copy, "--store", "new", status=65)
        assert "cannot import" in result.stderr and not result.stdout, result
        assert not os.path.exists(os.path.join(tool.home, "new"))
        shutil.rmtree(copy)

    def set_bytes(path, offset, data):
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(data)

    def sql(path, statement):
        with sqlite3.connect(path) as database:
            database.execute(statement)

    damaged(lambda path: sql(path, "ALTER TABLE databases RENAME TO other_name"))
    damaged(lambda path: set_bytes(path, 5000, os.urandom(100_000)))


def main():
    with tempfile.TemporaryDirectory() as home:
        tool = Tool(os.path.abspath(sys.argv[1]), home)
        folder = os.path.join(home, "chroma")
        expected = write_sample(folder)
        check_import(tool, folder, expected)
        check_damage(tool, folder)
    print("all imports have the expected results")


main()
