"""Attacks on the files of installed models."""

import os
import random
import shutil

from harness import Failed, Skipped, expect

FIXTURE = os.path.join(os.path.dirname(__file__), "..", "..", "Fixtures", "Models", "tiny-bert")


def installed(other):
    """Installs the small model in the home folder, creates a store, and returns both paths."""
    if not os.path.isdir(FIXTURE):
        raise Skipped("the model in Fixtures is missing")
    source = os.path.join(other.folder, "tiny")
    shutil.copytree(FIXTURE, source, ignore=shutil.ignore_patterns(".roost*", "expected.jsonl"))
    other.succeed("model", "add", source)
    store = other.path("store")
    other.succeed("init", "--store", store, "--model", "tiny")
    other.succeed("add", "a swift", "--store", store)
    for folder, _, names in os.walk(other.home):
        if "model.safetensors" in names:
            return folder, store
    raise Failed("the model was not installed")


def files_with_the_same_times(path, change):
    """Changes a file in place, and restores its modification time."""
    times = os.stat(path)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    with open(path, "r+b") as file:
        file.write(change(data))
        file.truncate()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def swap_words(data):
    lines = bytes(data).split(b"\n")
    lines[-3], lines[-4] = lines[-4], lines[-3]
    return b"\n".join(lines)


def damaged_models(attacker, seed):
    """No vector is stored that a damaged model computed: weights, vocabulary and configurations change."""
    generator = random.Random(seed)

    def flip(fraction):
        def change(data):
            # The header of the weights is in the first bytes; the numbers follow.
            at = min(len(data) - 1, int(len(data) * fraction))
            data[at] ^= 1 << generator.randrange(8)
            return data
        return change

    cases = {f"a changed bit at {share:.0%} of the weights": ("model.safetensors", flip(share))
             for share in (0, 0.02, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1)}
    cases |= {
        "truncated weights": ("model.safetensors", lambda data: data[:-100]),
        "empty weights": ("model.safetensors", lambda data: b""),
        "an exchanged vocabulary": ("vocab.txt", swap_words),
        "a vocabulary without its last word": ("vocab.txt", lambda data: bytes(data).rstrip(b"\n").rpartition(b"\n")[0]),
        "an empty vocabulary": ("vocab.txt", lambda data: b""),
        "fewer attention heads": ("config.json", lambda data: bytes(data).replace(b'heads": 4', b'heads": 2')),
        "another activation": ("config.json", lambda data: bytes(data).replace(b'"gelu"', b'"relu"')),
        "another epsilon": ("config.json", lambda data: bytes(data).replace(b"1e-12", b"1e-02")),
        "huge layers": ("config.json", lambda data: bytes(data).replace(b'size": 32', b'size": 9223372036854775807')),
        "no letter case": ("tokenizer_config.json", lambda data: bytes(data).replace(b"true", b"false")),
        "a short limit": ("sentence_bert_config.json", lambda data: bytes(data).replace(b"40", b"4")),
        "another pooling": ("1_Pooling/config.json", lambda data: bytes(data).replace(b"true", b"1").replace(
            b"false", b"true").replace(b"1", b"false")),
        "no JSON": ("modules.json", lambda data: b"{"),
    }
    for name, (file, change) in cases.items():
        def attack(file=file, change=change):
            with attacker.scratch() as other:
                folder, store = installed(other)
                files_with_the_same_times(os.path.join(folder, file), change)
                outcome = other.run("add", "a Heron of the river", "--store", store)
                expect(outcome.status != 0, "a vector of the damaged model was stored")
                expect("not installed" not in outcome.text, f"a wrong cause is named: {outcome.text[-200:]}")
                expect(other.run("doctor", "--models", "--store", store).status != 0, "doctor did not report it")
        yield f"model with {name}", attack


def absent_models(attacker, seed):
    """A model folder without valid files is reported as damaged."""
    for text in ("damaged", "{}", "[]", '{"model_type":"bert"}', "", "\0" * 100):
        def attack(text=text):
            with attacker.scratch() as other:
                folder, store = installed(other)
                for name in ("config.json", "model.safetensors", "vocab.txt"):
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                        file.write(text)
                outcome = other.run("add", "a heron", "--store", store)
                expect(outcome.status != 0, "an entry was added")
                expect("not installed" not in outcome.text, f"a wrong cause is named: {outcome.text[-200:]}")
        yield f"model of files with {text[:20]!r}", attack


ATTACKS = {"damaged models": damaged_models, "absent models": absent_models}
