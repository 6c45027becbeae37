"""Runs a program while `roost serve` runs, and exits with its status.

usage: with_server.py ROOST PROGRAM [ARGUMENT ...]

In the arguments, {address} and {token} stand for those of the server; {{ and }} stand for braces.
"""

import subprocess
import sys

from http_server import server


def main():
    roost, *command = sys.argv[1:]
    with server(roost) as (address, token):
        arguments = [part.format(address=address, token=token) for part in command]
        status = subprocess.run(arguments, check=False).returncode
    sys.exit(status)


main()
