#!/usr/bin/env python3
"""Measures a hybrid query from the start of the process to its end, for one or several programs.

    Benchmarks/start_time.py [ROOST ...] [--entries 100000] [--runs 31] [--store DIR]

Without --store, makes a store with the installed model and texts of nine words from Fixtures/notes, which takes some
minutes. Each program has a copy of the store and of the models, because another version may have to build indexes or
records of models again. The programs run in turn, so that other work affects all of them. Prints the median, the
minimum and the maximum of each program, and the ratio of its median to that of the first one; the same for the
processor time, which other work affects less.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

QUERY = ["query", "birds that return in spring", "-n3"]


def fill(roost, store, entries):
    """Creates a store and ingests its texts."""
    notes = sorted((pathlib.Path(__file__).parent.parent / "Fixtures" / "notes").rglob("*.md"))
    words = re.findall(r"\w{3,}", " ".join(note.read_text(encoding="utf-8") for note in notes))
    generator = random.Random(1)
    subprocess.run([roost, "init", store, "-q"], check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for number in range(entries):
            start = generator.randrange(len(words) - 9)
            text = " ".join([str(number)] + words[start:start + 9])
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")
        file.flush()
        subprocess.run([roost, "ingest", file.name, "--store", store, "-q"], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roost", nargs="*", default=[".build/release/roost"])
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--store")
    options = parser.parse_args()
    programs = [os.path.realpath(path) for path in options.roost]
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or os.path.join(folder, "store")
        if not options.store:
            fill(programs[0], store, options.entries)
        environments = []
        for number, program in enumerate(programs):
            copy = shutil.copytree(store, os.path.join(folder, f"copy-{number}"))
            models = os.environ.get("ROOST_MODELS") or os.path.expanduser("~/.local/share/roost/models")
            models = shutil.copytree(models, os.path.join(folder, f"models-{number}"))
            environments.append(dict(os.environ, ROOST_STORE=copy, ROOST_MODELS=models))
            if not subprocess.check_output([program, *QUERY], env=environments[-1]).strip():
                raise SystemExit(f"{program} found nothing in {store}")
        kinds = ("duration", "processor time")
        times = [{kind: [] for kind in kinds} for _ in programs]
        # The first round fills the caches of the system.
        for number in range(options.runs + 1):
            for program, environment, found in zip(programs, environments, times):
                before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
                subprocess.run([program, *QUERY], env=environment, stdout=subprocess.DEVNULL, check=True)
                duration, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
                used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                if number > 0:
                    for kind, seconds in zip(kinds, (duration, used)):
                        found[kind].append(1000 * seconds)
        for program, found in zip(programs, times):
            for kind in kinds:
                median, first = statistics.median(found[kind]), statistics.median(times[0][kind])
                print(f"{program}: {kind}: median {median:.0f} ms, {min(found[kind]):.0f} to "
                      f"{max(found[kind]):.0f} ms, {median / first:.2f} of the first")


main()
