"""Attacks a `roost` executable with hostile stores, files, texts, servers and arguments, and prints a table.

usage: attack.py ROOST [--seed N] [--only CLASS] [--jobs N] [--patience FACTOR] [--list] [--verbose]

The exit status is 1 if an attack succeeded.
"""

import argparse
import concurrent.futures
import inspect
import os
import sys
import time

import agents
import inputs
import limits
import models
import restores
import rows
import screens
import secretfiles
import services
import settings
import storage
import stores
import values
from harness import Attacker, Failed, Skipped

MODULES = (
    stores, storage, restores, values, inputs, rows, limits, models, services, agents, screens, secretfiles, settings)
# Servers that answer slowly mostly wait, so their class starts first.
FIRST = ("endless answers",)
# The attacks of these classes measure time, so no others run at the same time.
ALONE = ("large texts",)
CLASSES = {name: attacks for module in MODULES for name, attacks in module.ATTACKS.items()}


def run(name, options, failures):
    """Runs the attacks of a class, prints a line of the table, and returns the number of attacks."""
    attacker = Attacker(options.roost)
    start, count, failed, skipped = time.monotonic(), 0, 0, 0
    try:
        for title, attack in CLASSES[name](attacker, options.seed):
            count += 1
            if options.verbose:
                print(f"  {title}".encode("ascii", "backslashreplace").decode(), flush=True)
            try:
                attack()
            except Skipped as reason:
                skipped += 1
                if options.verbose:
                    print(f"    skipped: {reason}")
            except (Failed, OSError, LookupError, TypeError, ValueError) as error:
                failed += 1
                failures.append((title, f"{type(error).__name__}: {error}"))
    except Failed as error:
        failed += 1
        failures.append((f"{name}: preparation", str(error)))
    finally:
        attacker.close()
    print(f"{name:<20}{count:>8}{failed:>8}{skipped:>9}{time.monotonic() - start:>9.1f}", flush=True)
    return count


def main():
    parser = argparse.ArgumentParser(prog="Scripts/attack")
    parser.add_argument("roost")
    parser.add_argument("--seed", type=int, default=1, help="the seed of random damage")
    parser.add_argument("--only", choices=CLASSES, action="append", metavar="CLASS", help="a class; repeatable")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1),
                        help="the classes that run at the same time (many of them wait more than they compute)")
    parser.add_argument("--patience", type=float, default=1, help="the factor of all time limits, for busy machines")
    parser.add_argument("--list", action="store_true", help="list the classes")
    parser.add_argument("--verbose", action="store_true", help="print the name of each attack")
    options = parser.parse_args()
    if options.list:
        for name, attacks in CLASSES.items():
            print(f"{name:<20}{inspect.getdoc(attacks)}")
        return 0
    Attacker.patience = options.patience
    failures, start = [], time.monotonic()
    print(f"{'class':<20}{'attacks':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}")
    names = sorted(options.only or CLASSES, key=lambda name: name not in FIRST)
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        count = sum(pool.map(lambda name: run(name, options, failures), [n for n in names if n not in ALONE]))
    count += sum(run(name, options, failures) for name in names if name in ALONE)
    print(f"{'all':<20}{count:>8}{len(failures):>8}{'':>9}{time.monotonic() - start:>9.1f}")
    for title, message in failures:
        print(f"FAILED {title}: {message}".encode("ascii", "backslashreplace").decode())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
