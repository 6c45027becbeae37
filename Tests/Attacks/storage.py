"""Attacks on the files in which a store keeps its data: damage, exchanged files, held locks, read-only media."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import time

from harness import Skipped, expect

PAGE = 4096
# Commands that only read, which must neither wait for a writer nor write.
READING = (
    ["query", "roofs", "--mode", "text"], ["list"], ["status"], ["export", "entries"], ["export", "clusters"], ["doctor"],
    ["list", "--where", "kind=k3"])


def metadata_store(attacker, provider):
    """Creates a store whose entries have metadata, and returns its path."""
    store = attacker.path("store")
    rows = "".join(
        json.dumps({"id": n, "text": f"note {n} about roofs", "year": 1900 + n % 50, "kind": f"k{n % 5}"}) + "\n"
        for n in range(120))
    attacker.succeed("init", store, "--provider", provider, "--model", "lexical")
    attacker.succeed("ingest", attacker.write("notes.jsonl", rows), "--store", store)
    attacker.succeed("doctor", "--compact", "--store", store)
    return store


def answers(attacker, store):
    """Returns the statuses and results of two commands, of which one uses look-up tables."""
    found = attacker.run("list", "--where", "kind=k3", "--json", "-n", "1000", "--store", store)
    exported = attacker.run("export", "entries", "--format", "jsonl", "--store", store)
    return (found.status, found.output), (exported.status, exported.output)


def check_damage(attacker, template, name, data, expected):
    """Replaces a file in a copy of a store; each answer must be the expected one, or be refused as corrupt."""
    copy = attacker.path("damaged")
    shutil.copytree(template, copy)
    with open(os.path.join(copy, name), "wb") as file:
        file.write(data)
    for (status, output), (_, right) in zip(answers(attacker, copy), expected):
        expect(status == 65 or status == 0 and output == right, f"a wrong answer with status {status}")
    shutil.rmtree(copy)


def pages(attacker, seed):
    """Bits, pages and lengths of the database change: the answer is correct, or the damage is reported."""
    generator = random.Random(seed)
    store = metadata_store(attacker, "sqlite")
    expected = answers(attacker, store)
    with open(os.path.join(store, "roost.sqlite"), "rb") as file:
        data = file.read()
    count = len(data) // PAGE

    def page(number):
        return data[PAGE * number:PAGE * (number + 1)]

    cases = []
    for number in range(max(32, count)):
        offset = (number % count) * PAGE + generator.randrange(PAGE)
        changed = bytearray(data)
        changed[offset] ^= 1 << generator.randrange(8)
        cases.append((f"bit of byte {offset}", bytes(changed)))
    for number in range(1, count - 1, max(1, count // 10)):
        head, tail = data[:PAGE * number], data[PAGE * (number + 1):]
        cases += [
            (f"page {number} exchanged with the next", head + page(number + 1) + page(number) + tail[PAGE:]),
            (f"page {number} repeated", head + page(number) + page(number) + tail),
            (f"page {number} removed", head + tail), (f"page {number} zeroed", head + bytes(PAGE) + tail),
        ]
    for name, changed in cases:
        yield f"database: {name}", lambda changed=changed: check_damage(
            attacker, store, "roost.sqlite", changed, expected)


def journals(attacker, seed):
    """Bits of the files of a JSON store change: the answer is correct, or the damage is reported."""
    generator = random.Random(seed)
    store = metadata_store(attacker, "json")
    expected = answers(attacker, store)
    names = sorted(
        os.path.relpath(os.path.join(folder, name), store) for folder, _, names in os.walk(store) for name in names)
    for name in names:
        with open(os.path.join(store, name), "rb") as file:
            data = file.read()
        # A changed `store.json` can name another file, and the lock has no contents that matter.
        if not data or name in ("lock", "store.json") or name.startswith("undo/") or name.endswith("lock"):
            continue
        for number in range(4):
            changed = bytearray(data)
            changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
            yield f"{name}: changed bit ({number})", lambda name=name, changed=bytes(changed): check_damage(
                attacker, store, name, changed, expected)


def undo_records(attacker, seed):
    """A changed bit in the last undo record makes the undo fail, and changes nothing."""
    generator = random.Random(seed)
    store = metadata_store(attacker, "sqlite")
    attacker.succeed("add", "one more", "--store", store)
    records = os.path.join(store, "undo")
    path = os.path.join(records, max(os.listdir(records), key=lambda name: int(name.split(".")[0])))
    with open(path, "rb") as file:
        data = file.read()
    for _ in range(12):
        offset, bit = generator.randrange(len(data)), 1 << generator.randrange(8)

        def attack(offset=offset, bit=bit):
            changed = bytearray(data)
            changed[offset] ^= bit
            with open(path, "wb") as file:
                file.write(changed)
            outcome = attacker.run("undo", "--store", store)
            expect(outcome.status != 0, "a changed record was undone")
            expect(attacker.entries(store) == 121, "the undo changed the entries")
        yield f"undo record: changed bit at {offset}", attack


def identities(attacker, seed):
    """Storages that do not belong to their manifest are refused, and reported by `doctor`."""
    for provider in ("sqlite", "json"):
        other = "json" if provider == "sqlite" else "sqlite"
        mine, foreign = metadata_store(attacker, provider), metadata_store(attacker, provider)

        def storage(store, provider=provider):
            return [os.path.join(store, name) for name in os.listdir(store)
                    if name.startswith("roost.sqlite" if provider == "sqlite" else "Storage")]

        def remove(store, storage=storage):
            for path in storage(store):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)

        def exchange(store, foreign=foreign, storage=storage, remove=remove):
            remove(store)
            for path in storage(foreign):
                target = os.path.join(store, os.path.basename(path))
                shutil.copytree(path, target) if os.path.isdir(path) else shutil.copy(path, target)

        def rename(store, provider=provider, other=other):
            path = os.path.join(store, "store.json")
            with open(path, encoding="utf-8") as file:
                manifest = json.load(file)
            manifest["provider"] = other
            with open(path, "w", encoding="utf-8") as file:
                json.dump(manifest, file)

        for name, change in {"another store's": exchange, "no": remove, "a wrongly named": rename}.items():
            def attack(mine=mine, change=change):
                copy = attacker.path("store")
                shutil.copytree(mine, copy)
                change(copy)
                attacker.refuse(65, "", "list", "--store", copy)
                attacker.refuse(65, "", "add", "a note", "--store", copy)
                attacker.refuse(65, "", "doctor", "--store", copy)
            yield f"{provider}: manifest with {name} storage", attack


def held_locks(attacker, seed):
    """Commands that read do not wait for a process that holds the writers' lock."""
    for provider in ("sqlite", "json"):
        store = metadata_store(attacker, provider)
        for command in READING:
            def attack(command=command, store=store):
                with open(os.path.join(store, "lock"), "r+b") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    attacker.succeed(*command, "--store", store, limit=10)
            yield f"{provider}: {' '.join(command)} while the lock is held", attack


def read_only_media(attacker, seed):
    """Commands that read work on a read-only mount, and report it; nothing changes."""
    def mount(store, *arguments):
        script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" || exit 99; exec "$@"'
        return attacker.run(*arguments, "--store", store, prefix=["unshare", "--mount", "/bin/sh", "-c", script, store])

    def contents(store):
        return {
            path: open(path, "rb").read() for folder, _, names in os.walk(store) for name in names
            for path in [os.path.join(folder, name)]}

    possible = subprocess.run(
        ["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0
    for provider in ("sqlite", "json"):
        store = metadata_store(attacker, provider)
        kill_writer(attacker, store)
        for command in (*READING, ["backup", "create", "--to", attacker.path("backup")]):
            def attack(command=command, store=store):
                if not possible:
                    raise Skipped("mounting requires root")
                before = contents(store)
                outcome = mount(store, *command)
                expect(outcome.status == 0, f"{command} ended with {outcome.status}: {outcome.text[-300:]}")
                expect("read-only" in outcome.text or command[0] in ("backup", "doctor"), f"{command} did not report the mode")
                expect(contents(store) == before, f"{command} changed the store")
            yield f"{provider}: {' '.join(command[:2])} on a read-only mount", attack

        def write(store=store):
            if not possible:
                raise Skipped("mounting requires root")
            outcome = mount(store, "add", "a word")
            expect(outcome.status not in (0, 99), "a note was added to a read-only store")
        yield f"{provider}: add on a read-only mount", write


def kill_writer(attacker, store):
    """Kills a process while it writes, so that it leaves its log or journal."""
    process = subprocess.Popen(
        [attacker.roost, "ingest", "-", "--store", store], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env=attacker.environment())
    try:
        for number in range(400):
            process.stdin.write(f"line {number} of many\n".encode())
            process.stdin.flush()
            time.sleep(0.001)
    except BrokenPipeError:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()


ATTACKS = {
    "pages": pages, "journals": journals, "undo records": undo_records, "identities": identities,
    "held locks": held_locks, "read-only media": read_only_media,
}
