"""Measures the peak memory of exports of entries with their vectors, for one or more programs.

usage: export_memory.py STORE PROGRAM [PROGRAM ...]

Prints the size of each file, and the peak memory and the duration of each program. The programs run alternately.
"""

import os
import subprocess
import sys
import tempfile
import time

FORMATS = ("csv", "jsonl", "npy")


def export(program, store, file):
    """Returns the peak memory in bytes and the duration in seconds of an export."""
    command = [program, "export", "entries", "--store", store, "--with-embeddings", "-q", "-o", file]
    start = time.monotonic()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{program} failed")
    return usage.ru_maxrss * 1024, time.monotonic() - start


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    store, programs = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        for extension in FORMATS:
            # The export to NumPy also writes a CSV file of the same name.
            file = os.path.join(folder, f"{extension}-entries.{extension}")
            for program in programs:
                memory, duration = export(program, store, file)
                size = os.path.getsize(file)
                print(f"{extension:8} {size / 1e6:6.0f} MB, peak memory {memory / 1e6:4.0f} MB, {duration:5.1f} s"
                      f"  {program}", flush=True)


if __name__ == "__main__":
    main()
