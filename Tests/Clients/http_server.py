"""Starts `roost serve` for tests with clients."""

import contextlib
import os
import re
import subprocess
import tempfile


@contextlib.contextmanager
def server(roost, *options):
    """Yields the address and the token of a server over a new store."""
    with tempfile.TemporaryDirectory() as home:
        token_file = os.path.join(home, "token")
        arguments = [roost, "serve", "--token-file", token_file]
        token = subprocess.run(
            [*arguments, "--print-token"], check=True, capture_output=True, text=True).stdout.strip()
        store = os.path.join(home, "store")
        subprocess.run([roost, "init", store, "--quiet"], check=True)
        process = subprocess.Popen(
            [*arguments, "--store", store, "--port", "0", "--log", "error", *options],
            stderr=subprocess.PIPE, text=True)
        try:
            for line in process.stderr:
                found = re.search(r"http://127\.0\.0\.1:\d+", line)
                if found:
                    break
            else:
                raise RuntimeError("the server did not start")
            yield found.group(0), token
        finally:
            process.terminate()
            rest = process.communicate(timeout=60)[1]
            assert process.returncode == 0, (process.returncode, rest)
