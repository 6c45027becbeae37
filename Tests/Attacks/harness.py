"""Runs `roost` with hostile input and judges the outcome.

A command passes if it ends by itself within its time limit, neither crashes nor traps, uses little memory, and writes
no control character to a terminal. Attacks add their own checks.
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

TIME_LIMIT = 20.0
MEMORY_LIMIT = 1 << 30
# Escape sequences that set colors, which Roost itself writes to terminals.
STYLES = re.compile(rb"\x1b\[[0-9;]*m")
# C0 controls except tab, line feed and carriage return; DEL; and, in UTF-8, C1 controls and bidirectional controls.
CONTROLS = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]")

# A line that hostile values try to forge with a line feed.
FORGED = b"\nFORGED"


class Failed(Exception):
    """An attack succeeded: the message describes it."""


class Skipped(Exception):
    """An attack cannot run here: the message gives the reason."""


class Outcome:
    def __init__(self, status, output, error):
        self.status, self.output, self.error = status, output, error

    @property
    def text(self):
        return (self.output + self.error).decode("utf-8", "replace")


class Attacker:
    """A scratch folder with a home folder without models, and the executable to attack."""

    # The factor by which time limits are multiplied, for busy machines.
    patience = 1.0

    def __init__(self, roost):
        self.roost = roost
        self.folder = tempfile.mkdtemp(prefix="roost-attack-")
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home)
        self.count = 0
        self.variables = {}

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def scratch(self):
        """Returns another attacker with an empty folder and an empty home folder, for one attack."""
        return Scratch(self.roost)

    def path(self, name):
        """Returns an unused path."""
        self.count += 1
        return os.path.join(self.folder, f"{self.count}-{name}")

    def write(self, name, data):
        """Writes a file and returns its path."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    def environment(self):
        return {
            "HOME": self.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "PAGER": "cat",
            "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), "NO_PROXY": "127.0.0.1",
            "SWIFT_BACKTRACE": "enable=no", **self.variables,
        }

    def run(self, *arguments, input=b"", cwd=None, limit=TIME_LIMIT, may_use=MEMORY_LIMIT, prefix=()):
        """Runs a command with files as its standard streams. The prefix is a program that starts `roost`."""
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as output, \
                tempfile.TemporaryFile() as error:
            source.write(input)
            source.seek(0)
            process = subprocess.Popen(
                [*prefix, self.roost, *arguments], stdin=source, stdout=output, stderr=error, cwd=cwd or self.folder,
                env=self.environment())
            status, peak = self.wait(process, arguments, limit)
            output.seek(0)
            error.seek(0)
            outcome = Outcome(status, output.read(), error.read())
        self.judge(arguments, outcome)
        if peak > may_use:
            raise Failed(f"{self.describe(arguments)} used {peak >> 20} MB")
        return outcome

    def succeed(self, *arguments, **options):
        """Runs a command that must succeed."""
        outcome = self.run(*arguments, **options)
        expect(outcome.status == 0, f"{self.describe(arguments)} failed: {outcome.text[-300:]}")
        return outcome

    def refuse(self, status, words, *arguments, **options):
        """Runs a command that must end with a status and a message that contains the words."""
        outcome = self.run(*arguments, **options)
        expect(
            outcome.status == status and words in outcome.text,
            f"{self.describe(arguments)} ended with {outcome.status}, not {status}: {outcome.text[-300:]}")
        return outcome

    def entries(self, store):
        """Returns the number of entries of a store."""
        return json.loads(self.succeed("status", "--json", "--store", store).output)["stamp"]["entryCount"]

    def wait(self, process, arguments, limit):
        """Waits for a process and returns its status and its peak memory in bytes."""
        end = time.monotonic() + limit * self.patience
        pause, peak = 0.001, 0
        while True:
            # The usage that `wait4` returns includes the memory of this process at the fork.
            peak = max(peak, self.peak_memory(process.pid))
            pid, status = os.waitpid(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, peak
            if time.monotonic() > end:
                process.kill()
                process.wait()
                raise Failed(f"{self.describe(arguments)} did not end within {limit:.0f} s")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)

    @staticmethod
    def peak_memory(pid):
        """Returns the peak memory of a running process in bytes; 0 if it is unknown."""
        try:
            with open(f"/proc/{pid}/status", encoding="ascii") as file:
                found = re.search(r"VmHWM:\s*(\d+) kB", file.read())
        except OSError:
            return 0
        return int(found[1]) << 10 if found else 0

    def run_in_terminal(self, *arguments, limit=TIME_LIMIT):
        """Runs a command in a pseudo-terminal and checks that it writes no control characters."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(self.roost, [self.roost, *arguments], self.environment())
        # A person who is asked whether to download the model declines.
        os.write(terminal, b"n\n")
        output = b""
        end = time.monotonic() + limit * self.patience
        while True:
            ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                os.close(terminal)
                raise Failed(f"{self.describe(arguments)} did not end within {limit:.0f} s in a terminal")
            try:
                chunk = os.read(terminal, 1 << 16)
            except OSError:
                break
            if not chunk:
                break
            output += chunk
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        outcome = Outcome(os.waitstatus_to_exitcode(status), output, b"")
        self.judge(arguments, outcome)
        if FORGED in output and arguments[0] not in ("show", "export"):
            raise Failed(f"{self.describe(arguments)} printed a line that a text forged")
        found = CONTROLS.search(STYLES.sub(b"", output))
        if found:
            around = output[max(0, found.start() - 30):found.end() + 30]
            raise Failed(f"{self.describe(arguments)} wrote a control character to the terminal: {around!r}")
        return outcome

    def judge(self, arguments, outcome):
        if outcome.status < 0 or outcome.status >= 128 and outcome.status != 130:
            last = outcome.error.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise Failed(f"{self.describe(arguments)} crashed with status {outcome.status}: {''.join(last)[:200]}")

    @staticmethod
    def describe(arguments):
        return "roost " + " ".join(repr(a)[:60] if not a.isascii() or len(a) > 60 else a for a in arguments)

    def store(self, provider="sqlite", notes=("one note about birds", "another about trees", "rain in spring")):
        """Creates a store with some notes, an index and clusters, and returns its path."""
        path = self.path("store")
        text = "".join('{"id":"%d","text":"%s","year":%d}\n' % (i, n, 2020 + i) for i, n in enumerate(notes))
        source = self.write("notes.jsonl", text)
        for arguments in (
            ["init", "--provider", provider], ["ingest", source], ["index"], ["recluster"],
        ):
            outcome = self.run(*arguments, "--store", path)
            if outcome.status != 0:
                raise Failed(f"cannot prepare a store: {outcome.text[:200]}")
        return path


class Scratch(Attacker):
    """An attacker that removes its folder when a `with` block ends."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def expect(condition, message):
    if not condition:
        raise Failed(message)
