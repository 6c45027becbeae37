#!/usr/bin/env python3
"""Measures `roost query` and `roost status`, from process start, on a store with the rows of one JSON Lines file.

    Benchmarks/row_file.py [ROOST] [--rows 20000] [--runs 11]

Prints the median wall time and processor time of each command. A query must not read the source file, so the
file is removed after the ingest.
"""
import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import tempfile
import time

WORDS = ("swift roof bread oven boat sea harbour garden bicycle coffee telescope ledger river mountain "
         "violin database index query storage backup cluster vector passage token").split()


def run(command, environment):
    """Returns the wall time and the processor time of a command in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roost", nargs="?", default=".build/release/roost")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    roost = os.path.realpath(options.roost)
    generator = random.Random(1)
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home)
        source = os.path.join(home, "rows.jsonl")
        with open(source, "w") as file:
            for number in range(options.rows):
                text = " ".join(generator.choices(WORDS, k=generator.randint(8, 60)))
                file.write(json.dumps({"id": str(number), "text": text, "number": number}) + "\n")
        store = ["--store", os.path.join(home, "store"), "-q"]
        subprocess.run([roost, "init", store[1], "--model", "lexical", "-q"], env=environment, check=True)
        subprocess.run([roost, "ingest", source, *store], env=environment, check=True, stdout=subprocess.DEVNULL)
        os.remove(source)
        for name, command in [("query", ["query", "swift", "on", "the", "roof", "-n5"]), ("status", ["status"])]:
            times = [run([roost, *command, *store], environment) for _ in range(options.runs)]
            wall, processor = (statistics.median(column) * 1000 for column in zip(*times))
            print(f"{name}: {wall:.0f} ms, {processor:.0f} ms of processor time")


main()
