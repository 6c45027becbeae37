"""Attacks on store folders: damaged and hostile manifests, indexes, archives and links."""

import json
import os
import random
import shutil

from harness import Skipped, expect

# Numbers that overflow, are negative, or would allocate all memory.
NUMBERS = [-1, 0, 1 << 16, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 62, (1 << 63) - 1, 1 << 63, 1e308, -1e308]
READERS = [["status"], ["query", "birds"], ["doctor"], ["list"]]


def numeric_paths(value, path=()):
    """Returns the paths of all numbers in a JSON value."""
    if isinstance(value, bool):
        return []
    if isinstance(value, (int, float)):
        return [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in numeric_paths(item, (*path, key))]


def replaced(value, path, new):
    value = json.loads(json.dumps(value))
    target = value
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = new
    return value


def manifests(attacker, seed):
    """Every number in the manifest is replaced by extreme values."""
    template = attacker.store()
    with open(os.path.join(template, "store.json"), "rb") as file:
        manifest = json.load(file)
    for path in numeric_paths(manifest):
        for number in NUMBERS:
            def attack(path=path, number=number):
                with open(os.path.join(template, "store.json"), "w", encoding="utf-8") as file:
                    json.dump(replaced(manifest, path, number), file)
                for command in READERS:
                    attacker.run(*command, "--store", template)
            yield f"manifest {'.'.join(map(str, path))} = {number}", attack


def flipped_bytes(attacker, seed):
    """Random bytes of the files of a store are changed. Commands may fail, but must not crash."""
    generator = random.Random(seed)
    for provider in ("sqlite", "json"):
        template = attacker.store(provider)
        files = sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(template) for name in names
            if name != "lock" and os.path.getsize(os.path.join(folder, name)) > 0)
        for number in range(30):
            name = files[number % len(files)]

            def attack(name=name):
                copy = attacker.path("store")
                shutil.copytree(template, copy)
                path = os.path.join(copy, os.path.relpath(name, template))
                with open(path, "rb") as file:
                    data = bytearray(file.read())
                for _ in range(generator.choice([1, 1, 4, 40])):
                    data[generator.randrange(len(data))] = generator.randrange(256)
                if generator.random() < 0.2:
                    del data[generator.randrange(len(data)):]
                with open(path, "wb") as file:
                    file.write(data)
                for command in READERS:
                    attacker.run(*command, "--store", copy)
                shutil.rmtree(copy)
            yield f"{provider}: damaged {os.path.relpath(name, template)} ({number})", attack


def archives(attacker, seed):
    """Numbers and dates in exported entries are replaced by extreme values, and passages split characters."""
    store = attacker.store(notes=("ein Müller übt", "another about trees"))
    exported = attacker.succeed("export", "entries", "--store", store, "--with-embeddings").output
    # The first line states the version and the embedding space.
    archive = [json.loads(line) for line in exported.splitlines()]
    archive[1]["passages"] = [
        {"ordinal": 0, "range": [0, 6], "tokens": 3, "vector": archive[1]["embeddings"]},
        {"ordinal": 1, "range": [6, 15], "tokens": 3, "vector": archive[1]["embeddings"]},
    ]
    variants = [("a passage that splits a character", archive)]
    for key, values in {
        "schemaVersion": NUMBERS, "embeddings": [[], [1e39] * 512, [0] * 512, ["x"], [1.0]],
    }.items():
        for value in values:
            changed = json.loads(json.dumps(archive))
            changed[0 if key == "schemaVersion" else 1][key] = value
            variants.append((f"{key} = {str(value)[:30]}", changed))
    for number in NUMBERS:
        for path in (["passages", 0, "tokens"], ["passages", 0, "ordinal"], ["passages", 1, "range", 1]):
            changed = json.loads(json.dumps(archive))
            changed[1] = replaced(changed[1], path, number)
            variants.append((f"{path} = {number}", changed))
    for date in ("+11500-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "1600-01-01T00:00:00Z", "", "never"):
        changed = json.loads(json.dumps(archive))
        changed[1]["createdAt"] = date
        variants.append((f"createdAt = {date}", changed))
    for name, value in variants:
        def attack(name=name, value=value):
            path = attacker.path("store")
            attacker.run("init", "--store", path)
            source = attacker.write("archive.jsonl", "".join(json.dumps(line) + "\n" for line in value))
            attacker.run("import", source, "--store", path)
            for command in [*READERS, ["recluster"], ["export", "entries"]]:
                attacker.run(*command, "--store", path)
            report = attacker.run("doctor", "--store", path)
            expect(report.status == 0, f"doctor reports damage after an accepted import: {report.text[:200]}")
        yield f"archive with {name}", attack


def foreign_links(attacker, seed):
    """A store folder that consists of links, or that others can write to, is not found by walking upward."""
    victim = attacker.store()
    elsewhere = attacker.path("elsewhere")
    os.mkdir(elsewhere)

    def link(*names, target=None):
        def change(folder):
            path = os.path.join(folder, ".roost", *names)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)
            os.symlink(target or os.path.join(victim, *names), path)
        return change

    def mode(value, *names):
        return lambda folder: os.chmod(os.path.join(folder, *names), value)

    def owner(*names):
        def change(folder):
            if os.getuid() != 0:
                raise Skipped("changing an owner requires root")
            os.chown(os.path.join(folder, *names), 65534, -1, follow_symlinks=False)
        return change

    kinds = {
        "link in place of the folder": link(target=victim),
        **{f"link in place of {name}": link(name) for name in (
            "store.json", "roost.sqlite", "roost.sqlite-wal", "roost.sqlite-shm", "roost.sqlite-mark", "lock",
            "undo", "index")},
        **{f"link in place of {'/'.join(names)}": link(*names, target=elsewhere) for names in (
            ("backups",), ("backups", "repository"), ("backups", "repository", "packs"), ("originals",),
            ("originals", "ab"), ("index", "deep", "folder"), ("reembed",), ("Storage",))},
        "dangling link": link("roost.sqlite-journal", target="/nonexistent/x"),
        "named pipe": lambda folder: os.mkfifo(os.path.join(folder, ".roost", "pipe")),
        "folder that all can write to": mode(0o777, ".roost"), "parent that all can write to": mode(0o777),
        **{f"{name} that all can write to": mode(0o666, ".roost", name) for name in (
            "store.json", "roost.sqlite", "lock")},
        "foreign folder": owner(".roost"), "foreign manifest": owner(".roost", "store.json"),
        "foreign database": owner(".roost", "roost.sqlite"), "foreign parent": owner(),
        "deep folders": lambda folder: os.makedirs(os.path.join(folder, ".roost", *("d" * 30))),
    }
    for kind, change in kinds.items():
        def attack(kind=kind, change=change):
            folder = attacker.path("project")
            inner = os.path.join(folder, "inner")
            os.makedirs(inner, mode=0o700)
            if kind == "link in place of the folder":
                os.symlink(victim, os.path.join(folder, ".roost"))
            else:
                shutil.copytree(victim, os.path.join(folder, ".roost"))
                change(folder)
            before = attacker.run("status", "--store", victim).output
            outcome = attacker.run("add", "a secret thought", cwd=inner)
            expect(outcome.status == 78, f"status {outcome.status} instead of 78: {outcome.text[-200:]}")
            expect(not os.listdir(elsewhere), "a file was written through the link")
            after = attacker.run("status", "--store", victim).output
            expect(before == after, "the other store was changed")
        yield f"walking upward to a store with a {kind}", attack


ATTACKS = {
    "manifests": manifests, "damaged files": flipped_bytes, "archives": archives, "links": foreign_links,
}
