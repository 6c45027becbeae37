"""Attacks a `roost` executable with hostile stores, files, texts and arguments, and prints a table.

usage: attack.py ROOST [--seed N] [--only CLASS] [--verbose]

The exit status is 1 if an attack succeeded.
"""

import argparse
import sys
import time

import inputs
import services
import stores
from harness import Attacker, Failed

CLASSES = {**stores.ATTACKS, **inputs.ATTACKS, **services.ATTACKS}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("roost")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=CLASSES, action="append")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    failures = []
    print(f"{'class':<20}{'attacks':>8}{'failed':>8}{'seconds':>9}")
    for name in options.only or CLASSES:
        attacker = Attacker(options.roost)
        start, count, failed = time.monotonic(), 0, 0
        try:
            for title, attack in CLASSES[name](attacker, options.seed):
                count += 1
                if options.verbose:
                    print(f"  {title}", flush=True)
                try:
                    attack()
                except (Failed, KeyError, TypeError, ValueError) as error:
                    failed += 1
                    failures.append((title, f"{error}"))
        except Failed as error:
            failed += 1
            failures.append((f"{name}: preparation", str(error)))
        finally:
            attacker.close()
        print(f"{name:<20}{count:>8}{failed:>8}{time.monotonic() - start:>9.1f}", flush=True)
    for title, message in failures:
        print(f"FAILED {title}: {message}".encode("ascii", "backslashreplace").decode())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
