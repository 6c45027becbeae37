"""Measures the processor time of the compilers for each module while a command runs, such as a build.

usage: compile_times.py COMMAND [ARGUMENT ...]

Reads /proc every 0.3 s, so it misses compilers that run for less; measure only one build at a time. Prints the
duration, and the seconds of each compiler and module, the longest first. Needs Linux.
"""

import collections
import os
import re
import subprocess
import sys
import time

COMPILERS = ("swift", "clang", "ld", "as")
INTERVAL = 0.3


def module(arguments):
    """Returns the name of the compiler and of the module that it compiles."""
    name = os.path.basename(arguments[0]).decode()
    if b"-module-name" in arguments[:-1]:
        return f"{name} {arguments[arguments.index(b'-module-name') + 1].decode()}"
    for argument in arguments:
        found = re.search(rb"/([A-Za-z0-9_]+)\.build/", argument)
        if found:
            return f"{name} {found[1].decode()}"
    return name


def sample(times):
    """Records the processor time of each compiler that runs."""
    ticks = os.sysconf("SC_CLK_TCK")
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                arguments = file.read().split(b"\0")
            if not os.path.basename(arguments[0]).decode().startswith(COMPILERS):
                continue
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                text = file.read()
            fields = text[text.rindex(")") + 2:].split()
            times[process, fields[19]] = (module(arguments), (int(fields[11]) + int(fields[12])) / ticks)
        except (OSError, ValueError, IndexError):
            continue  # The process has ended.


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    times = {}
    start = time.monotonic()
    command = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
    while command.poll() is None:
        sample(times)
        time.sleep(INTERVAL)
    totals = collections.Counter()
    for name, seconds in times.values():
        totals[name] += seconds
    print(f"{time.monotonic() - start:8.1f} duration\n{sum(totals.values()):8.1f} processor time of the compilers")
    for name, seconds in totals.most_common():
        print(f"{seconds:8.1f} {name}")
    sys.exit(command.returncode)


if __name__ == "__main__":
    main()
