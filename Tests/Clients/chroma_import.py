"""Imports folders that Chroma wrote, and damaged ones.

usage: chroma_import.py ROOST
"""

import json
import math
import os
import pickle
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


def write_sample(tool, folder):
    """Writes a collection with vectors of the lexical model; returns the texts and vectors by id."""
    texts = [text(number) for number in range(COUNT)]
    lines = tool.run("embed", "--model", "lexical", "--format", "jsonl", stdin="\n".join(texts)).stdout
    vectors = [json.loads(line)["embedding"] for line in lines.splitlines()]
    client = chromadb.PersistentClient(folder)
    notes = client.create_collection(
        "my-notes", embedding_function=None,
        configuration={"hnsw": {"space": "cosine", "sync_threshold": 100, "batch_size": 50}})
    expected = {}
    for start in range(0, COUNT, 50):
        part = range(start, min(COUNT, start + 50))
        notes.add(
            ids=["key%d" % number for number in part], embeddings=[vectors[number] for number in part],
            documents=[texts[number] for number in part],
            metadatas=[{"n": number, "half": number / 2, "even": number % 2 == 0} for number in part])
        expected.update({"key%d" % number: (texts[number], vectors[number]) for number in part})
    notes.delete(ids=["key1", "key229"])
    notes.update(ids=["key2"], documents=[texts[5]], embeddings=[vectors[5]])
    notes.upsert(ids=["key229"], documents=[texts[6]], embeddings=[[3 * value for value in vectors[6]]])
    expected.update(key2=(texts[5], vectors[5]), key229=(texts[6], vectors[6]))
    del expected["key1"]
    other = client.create_collection("other", embedding_function=None)
    other.add(ids=["a", "b"], embeddings=[[1, 2, 3], [4, 5, 6]], documents=["first text", "second text"])
    notes.add(ids=["no text"], embeddings=[vectors[0]])
    return expected


def exported(tool, store):
    lines = tool.run("export", "entries", "--format", "jsonl", "--with-embeddings", "--store", store).stdout
    return [json.loads(line) for line in lines.splitlines()]


def check_import(tool, folder, expected):
    tool.run("init", "s", "--model", "lexical")
    first = tool.run("import", folder, "--store", "s")
    assert first.stdout == "%d new, 0 updated, 0 unchanged\n" % (len(expected) + 2), first
    assert "imported %d vectors" % len(expected) in first.stderr, first
    assert "skipped 1 vector " in first.stderr, first
    again = tool.run("import", os.path.join(folder, "chroma.sqlite3"), "--store", "s")
    assert again.stdout == "0 new, 0 updated, %d unchanged\n" % (len(expected) + 2), again
    notes = {entry["key"]: entry for entry in exported(tool, "s") if entry["source"].endswith("#my%2Dnotes")}
    assert notes.keys() == expected.keys()
    for key, (content, vector) in expected.items():
        entry = notes[key]
        norm = math.sqrt(sum(value * value for value in vector))
        assert entry["content"] == content, entry
        assert max(abs(a - b / norm) for a, b in zip(entry["embeddings"], vector)) < 1e-5, key
    assert notes["key8"]["metadata"] == {"n": 8, "half": 4, "even": True}, notes["key8"]["metadata"]
    tool.run("doctor", "--store", "s")
    collections = tool.run("llm", "collections", "-d", "s").stdout
    assert "my-notes" in collections and "other" in collections, collections


class Harmful:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, ("touch '%s'" % self.path,)


def check_damage(tool, folder):
    index = next(name for name in os.listdir(folder) if os.path.exists(
        os.path.join(folder, name, "index_metadata.pickle")))
    marker = os.path.join(tool.home, "executed")

    def damaged(name, change, part):
        copy = tempfile.mkdtemp(dir=tool.home)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        change(os.path.join(copy, index, name) if name else os.path.join(copy, "chroma.sqlite3"))
        result = tool.run("import", copy, "--store", "new", status=65)
        assert part in result.stderr and not result.stdout, (name, result)
        assert not os.path.exists(os.path.join(tool.home, "new")), name
        shutil.rmtree(copy)

    def write(path, data):
        with open(path, "wb") as file:
            file.write(data)

    def set_bytes(path, offset, data):
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(data)

    def sql(path, statement):
        with sqlite3.connect(path) as database:
            database.execute(statement)

    for name in ["header.bin", "data_level0.bin", "index_metadata.pickle"]:
        damaged(name, lambda path: os.truncate(path, os.path.getsize(path) // 2), name)
        damaged(name, lambda path: write(path, b""), name)
    for offset in [4, 20, 28, 36, 44]:
        damaged("header.bin", lambda path: set_bytes(path, offset, b"\xff" * 8), ".bin")
    damaged("header.bin", lambda path: set_bytes(path, 20, (1 << 39).to_bytes(8, "little")), "truncated")
    damaged("index_metadata.pickle", lambda path: write(path, pickle.dumps(Harmful(marker))), "pickle")
    damaged("index_metadata.pickle", lambda path: write(path, pickle.dumps({"id_to_label": {"a": "b"}})), "pickle")
    assert not os.path.exists(marker), "the file was executed"
    damaged(None, lambda path: sql(path, "UPDATE segments SET id = '../../etc' WHERE id = '%s'" % index), "invalid id")
    damaged(None, lambda path: sql(path, "UPDATE embeddings_queue SET encoding = 'x'"), "Float32")
    damaged(None, lambda path: sql(path, "ALTER TABLE max_seq_id RENAME TO other_name"), "cannot import")
    damaged(None, lambda path: set_bytes(path, 5000, os.urandom(100_000)), "cannot import")
    # Only the texts of a folder with a damaged index can be imported.
    write(os.path.join(folder, index, "header.bin"), b"")
    result = tool.run("import", folder, "--store", "s", "--ignore-vectors")
    assert "--ignore-vectors was given" in result.stderr, result


def main():
    with tempfile.TemporaryDirectory() as home:
        tool = Tool(os.path.abspath(sys.argv[1]), home)
        folder = os.path.join(home, "chroma")
        expected = write_sample(tool, folder)
        check_import(tool, folder, expected)
        check_damage(tool, folder)
    print("all imports have the expected results")


main()
