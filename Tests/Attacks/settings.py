"""Attacks on the settings of a user, and on the causes that errors name."""

import json
import os
import resource
import signal
import stat
import subprocess

from harness import expect

SETTINGS = {
    "limit": "7", "provider": "json", "label-model": "a", "s3-region": "eu-north-1", "remote-key-file": "/a",
    "label-key-file": "/b",
}


def configuration(other):
    return os.path.join(other.home, ".config", "roost", "config.json")


def settings(attacker, seed):
    """Settings are private, are not lost when several processes write, and damage to them is reported."""
    for mode in (0o644, 0o666, 0o600):
        def private(mode=mode):
            with attacker.scratch() as other:
                path = configuration(other)
                os.makedirs(os.path.dirname(path))
                with open(path, "w", encoding="utf-8") as file:
                    file.write("{}")
                os.chmod(path, mode)
                other.succeed("config", "limit", "5")
                expect(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "others can read the settings")
        yield f"settings with the mode {mode:o}", private

    def concurrent():
        with attacker.scratch() as other:
            running = [
                subprocess.Popen(
                    [other.roost, "config", name, value], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, env=other.environment())
                for name, value in SETTINGS.items()]
            for process in running:
                process.wait(60 * other.patience)
            with open(configuration(other), encoding="utf-8") as file:
                expect(len(json.load(file)) == len(SETTINGS), "a setting was lost")
    yield "settings that six processes write", concurrent

    damaged = ('{"limit":"\\ud800"}', "{", "[]", "", "null", '{"limit":[]}', '{"limit":"9223372036854775808"}', "\0", "\xff")
    for text in damaged:
        def reported(text=text):
            with attacker.scratch() as other:
                path = configuration(other)
                os.makedirs(os.path.dirname(path))
                with open(path, "w", encoding="latin-1") as file:
                    file.write(text)
                store = other.path("store")
                for command in (["config"], ["config", "limit"], ["add", "a note"], ["query", "note"]):
                    other.run(*command, "--store", store) if command[0] != "config" else other.run(*command)
        yield f"settings with {text!r}", reported


def full_disks(attacker, seed):
    """A limit on the size of files stops a writer with the actual cause; the store stays readable."""
    for provider, limit in (("sqlite", 150_000), ("sqlite", 400_000), ("json", 60_000), ("json", 200_000)):
        def attack(provider=provider, limit=limit):
            store = attacker.path("store")
            attacker.succeed("init", store, "--provider", provider, "--model", "lexical")
            attacker.succeed("add", "a note that stays", "--store", store)
            rows = "".join(json.dumps({"id": n, "text": f"swift {n} " * 40}) + "\n" for n in range(400))
            source = attacker.write("t.jsonl", rows)

            def limited():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            done = subprocess.run(
                [attacker.roost, "ingest", source, "--store", store], capture_output=True, check=False,
                stdin=subprocess.DEVNULL, preexec_fn=limited, env=attacker.environment(),
                timeout=60 * attacker.patience)
            expect(done.returncode > 0, f"status {done.returncode}")
            # SQLite does not pass the error number of the system on.
            causes = (b"file size", b"too large", b"disk I/O error")
            expect(any(cause in done.stderr for cause in causes), f"another cause is named: {done.stderr[-300:]}")
            attacker.succeed("doctor", "--store", store)
            found = attacker.succeed("query", "stays", "--mode", "text", "--store", store)
            expect(b"stays" in found.output, "a committed note is missing")
        yield f"{provider}: files of at most {limit} bytes", attack


def unrecorded_undo(attacker, seed):
    """A command whose undo cannot be recorded succeeds, and reports it."""
    for provider in ("sqlite", "json"):
        def attack(provider=provider):
            store = attacker.path("store")
            attacker.succeed("init", store, "--provider", provider, "--model", "lexical")
            # A file in place of the folder of the records.
            with open(os.path.join(store, "undo"), "wb"):
                pass
            outcome = attacker.succeed("add", "a swift", "--store", store)
            expect(b"cannot be undone" in outcome.error, f"not reported: {outcome.text[-300:]}")
        yield f"{provider}: undo that cannot be recorded", attack


ATTACKS = {"settings": settings, "full disks": full_disks, "unrecorded undo": unrecorded_undo}
