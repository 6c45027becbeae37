"""Attacks on backup repositories: damage, locks, and concurrent restores."""

import json
import os
import random
import shutil
import subprocess
import time

from harness import expect
from values import clock_library


def many(count):
    return "".join(json.dumps({"id": n, "text": f"note {n} of swifts"}) + "\n" for n in range(count))


def repository_of(attacker, count):
    """Creates a store with a backup, and returns the paths of both."""
    store, repository = attacker.path("store"), attacker.path("repository")
    attacker.succeed("init", store, "--model", "lexical")
    attacker.succeed("ingest", attacker.write("t.jsonl", many(count)), "--store", store)
    attacker.succeed("backup", "create", "--store", store, "--to", repository)
    return store, repository


def files_of(folder):
    return sorted(os.path.join(below, name) for below, _, names in os.walk(folder) for name in names)


def overwrite(path, data):
    os.chmod(path, 0o600)
    with open(path, "wb") as file:
        file.write(data)


def backups(attacker, seed):
    """Bytes of a backup change: `verify` reports it, and nothing wrong is restored."""
    generator = random.Random(seed)
    store, template = repository_of(attacker, 40)
    right = attacker.succeed("list", "--json", "-n", "1000", "--store", store).output
    names = [os.path.relpath(name, template) for name in files_of(template) if os.path.getsize(name)]
    for number in range(24):
        name = names[number % len(names)]

        def attack(name=name, number=number):
            copy, restored = attacker.path("repository"), attacker.path("restored")
            shutil.copytree(template, copy)
            path = os.path.join(copy, name)
            with open(path, "rb") as file:
                data = bytearray(file.read())
            if number % 5 == 4:
                del data[generator.randrange(len(data)):]
            else:
                for _ in range(generator.choice([1, 8, 64])):
                    data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
            overwrite(path, data)
            attacker.run("backup", "list", "--to", copy)
            verified = attacker.run("backup", "verify", "--read-data", "--to", copy)
            outcome = attacker.run("backup", "restore", "latest", "--into", restored, "--to", copy)
            if outcome.status == 0:
                found = attacker.succeed("list", "--json", "-n", "1000", "--store", restored).output
                expect(found == right, "the restored entries differ")
            else:
                expect(verified.status != 0, "verify accepts a snapshot that cannot be restored")
                expect(not os.path.exists(os.path.join(restored, "store.json")), "a partial store was left")
        yield f"backup with damaged {name[:24]} ({number})", attack


def partial_restores(attacker, seed):
    """With `--allow-damaged`, the intact part of a snapshot is restored, and the loss is reported."""
    _, template = repository_of(attacker, 400)
    packs = [path for path in files_of(template) if "pack" in os.path.relpath(path, template)]
    pack = max(packs, key=os.path.getsize)
    for share in (0.1, 0.3, 0.5, 0.67, 0.9):
        def attack(share=share):
            copy, restored = attacker.path("repository"), attacker.path("restored")
            shutil.copytree(template, copy)
            path = os.path.join(copy, os.path.relpath(pack, template))
            with open(path, "rb") as file:
                data = bytearray(file.read())
            data[int(len(data) * share)] ^= 1
            overwrite(path, data)
            arguments = ["backup", "restore", "latest", "--to", copy]
            attacker.refuse(65, "", *arguments, "--into", attacker.path("refused"))
            outcome = attacker.run(*arguments, "--into", restored, "--allow-damaged")
            expect(outcome.status == 65, f"status {outcome.status}: {outcome.text[-300:]}")
            attacker.succeed("doctor", "--store", restored)
        yield f"partial restore after damage at {share:.0%} of the largest pack", attack


def foreign_locks(attacker, seed):
    """Locks of other machines are respected until they expire, and unreadable ones cause no crash."""
    store, repository = repository_of(attacker, 3)
    locks = os.path.join(repository, "locks")
    os.makedirs(locks, exist_ok=True)
    path = os.path.join(locks, "00000000-0000-4000-8000-000000000000")
    now = int(time.time())
    held = {"of another machine": {"renewed": now}, "with a negative process": {"renewed": now, "process": -1}}
    expired = {
        "of the past": {"renewed": now - 3600}, "of the future": {"renewed": now + 10 ** 9},
        "with a huge time": {"renewed": (1 << 63) - 1}, "without a time": {"renewed": None},
    }
    for name, changes in (held | expired).items():
        def attack(name=name, changes=changes):
            lock = {"isExclusive": True, "host": "elsewhere", "system": "x", "process": 7} | changes
            with open(path, "w", encoding="utf-8") as file:
                json.dump(lock, file)
            verify = ["backup", "verify", "--to", repository, "--store", store]
            if name in held:
                attacker.refuse(75, "half an hour", *verify)
                os.remove(path)
            attacker.succeed(*verify)
        yield f"lock {name}", attack


def concurrent_restores(attacker, seed):
    """Of several restores into one folder, exactly one succeeds, and its result is complete."""
    _, repository = repository_of(attacker, 1500)
    for number in range(3):
        def attack():
            target = attacker.path("restored")
            running = [
                subprocess.Popen(
                    [attacker.roost, "backup", "restore", "latest", "--into", target, "--to", repository],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    cwd=attacker.folder, env=attacker.environment())
                for _ in range(3)]
            statuses = [process.wait(60 * attacker.patience) for process in running]
            expect(statuses.count(0) == 1, f"statuses {statuses}")
            expect(attacker.entries(target) == 1500, "the restored store is incomplete")
        yield f"three restores into one folder ({number})", attack


def clocks_ahead(attacker, seed):
    """A snapshot of a machine whose clock ran ahead is not the latest one if its revision is older."""
    def attack():
        library = clock_library(attacker)
        store, repository = repository_of(attacker, 3)
        attacker.variables = {"CLOCK_AT": "4000000000", "LD_PRELOAD": library}
        attacker.succeed("add", "a note of the future", "--store", store)
        attacker.succeed("backup", "create", "--store", store, "--to", repository)
        attacker.variables = {}
        attacker.succeed("add", "a later note", "--store", store)
        attacker.succeed("backup", "create", "--store", store, "--to", repository)
        restored = attacker.path("restored")
        attacker.succeed("backup", "restore", "latest", "--into", restored, "--to", repository)
        expect(attacker.entries(restored) == 5, "an older snapshot was restored")
    yield "latest of two snapshots, of which the older one has a later time", attack


ATTACKS = {
    "backups": backups, "partial restores": partial_restores, "foreign locks": foreign_locks,
    "concurrent restores": concurrent_restores, "latest snapshots": clocks_ahead,
}
