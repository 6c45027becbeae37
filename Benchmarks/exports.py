"""Measures exports and lists of a store, for one or more versions of the program.

Usage: python3 exports.py STORE ROOST [ROOST...]
       python3 exports.py --rows COUNT ROOST [ROOST...]
       python3 exports.py --text MEGABYTES ROOST [ROOST...]

The first form exports and lists the entries of a store, such as that of `Scripts/benchmark query-times --store`. The
second form ingests rows of 21 words with the model `lexical` and the first program, exports and lists them. The third
form ingests a file of words, builds the index, and exports. All print the size of the output, the times to the first
byte and to the end, and the peak memory. The programs run alternately.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time

EXPORTS = (["export", "entries"], ["export", "entries", "--format", "csv"], ["list", "--json"], ["list"],
           ["export", "entries", "--with-embeddings"], ["export", "entries", "--with-embeddings", "--format", "csv"])
WORDS = "/usr/share/common-licenses/GPL-3"


def measure(program, arguments, folder):
    command = [program, *arguments]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder)
    size, first = 0, 0
    while block := os.read(process.stdout.fileno(), 1 << 20):
        first = first or time.monotonic() - start
        size += len(block)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    print(f"{' '.join(arguments[:5]):56} {size / 1e6:6.0f} MB, first byte {first * 1e3:4.0f} ms, "
          f"{time.monotonic() - start:5.1f} s, peak memory {usage.ru_maxrss / 1e3:4.0f} MB  {program}", flush=True)


def write_text(path, megabytes):
    words, generator = open(WORDS, encoding="utf-8").read().split(), random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1e6:
            file.write("\n\n".join(" ".join(generator.choices(words, k=120)) for _ in range(100)) + "\n\n")


def write_rows(path, count):
    words, generator = open(WORDS, encoding="utf-8").read().split(), random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            text = " ".join(generator.choices(words, k=20)) + f" {number}"
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")


def create_store(program, store, folder):
    subprocess.run([program, "init", "--model", "lexical", "-q", *store], cwd=folder, check=True)


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 2 or arguments[0].startswith("--") and len(arguments) < 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        if arguments[0] == "--rows":
            write_rows(os.path.join(folder, "rows.jsonl"), int(arguments[1]))
            programs, store = [os.path.abspath(program) for program in arguments[2:]], ["--store", "store"]
            create_store(programs[0], store, folder)
            measure(programs[0], ["ingest", "--once", "rows.jsonl", *store], folder)
            for command in (["export", "entries"], ["list", "--json"]):
                for program in programs:
                    measure(program, [*command, *store], folder)
            return
        if arguments[0] != "--text":
            store = os.path.abspath(arguments[0])
            for command in EXPORTS:
                for program in arguments[1:]:
                    measure(os.path.abspath(program), [*command, "--store", store], folder)
            # NumPy's format needs a file, and its table another one.
            for program in arguments[1:]:
                measure(os.path.abspath(program),
                        ["export", "entries", "-o", "vectors.npy", "--store", store], folder)
            return
        write_text(os.path.join(folder, "words.txt"), float(arguments[1]))
        for number, program in enumerate(map(os.path.abspath, arguments[2:])):
            store = ["--store", f"store{number}"]
            create_store(program, store, folder)
            for command in (["ingest", "words.txt"], ["index"], ["export", "entries"]):
                measure(program, [*command, *store], folder)


if __name__ == "__main__":
    main()
