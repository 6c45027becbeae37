"""Kills processes of a `roost` executable at random moments, and checks that no acknowledged write is lost.

usage: kills.py ROOST [--kills N] [--minutes N] [--seed N] [--verbose]

Each round gives one store, in SQLite or JSON, to several processes at once: commands that add, edit and remove entries
and read files, a watcher, an agent server, an HTTP server, imports of conversations, and maintenance. All of them are
killed again and again. Then every acknowledged text must be in the store exactly once, every acknowledged removal must
have happened, `roost doctor` must find no damage, and no temporary file may be left.
"""

import argparse
import collections
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Success; another process held the store for too long; ended by SIGKILL.
EXPECTED = (0, 75, -signal.SIGKILL)
WORDS = "heron pond maple engine violin comet bread harbor lantern glacier saffron anvil meadow tunnel".split()
TEMPORARY = re.compile(r"\.tmp$")


class Round:
    """One store with its processes, and what they acknowledged."""

    def __init__(self, options, number, totals):
        self.roost, self.totals, self.verbose = options.roost, totals, options.verbose
        self.random = random.Random(options.seed * 1000 + number)
        self.provider = ("sqlite", "json")[number % 2]
        self.folder = tempfile.mkdtemp(prefix="roost-kills-")
        self.store = os.path.join(self.folder, "store")
        self.lock = threading.Lock()
        self.present, self.unsure, self.gone, self.failures = set(), set(), set(), []
        self.end, self.count = 0.0, 0
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        self.environment = {
            "HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
            "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), "NO_PROXY": "127.0.0.1"}

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def text(self, kind):
        """Returns a text that no other write has, which the writes may store from now on."""
        with self.lock:
            self.count += 1
            text = f"{kind}{self.count} " + " ".join(self.random.choices(WORDS, k=8))
            self.unsure.add(text)
        return text

    def acknowledge(self, *texts):
        with self.lock:
            self.totals["acknowledged"] += len(set(texts) - self.present)
            self.unsure.difference_update(texts)
            self.present.update(texts)

    def start(self, *arguments, store=None, **options):
        return subprocess.Popen(
            [self.roost, *arguments], env={**self.environment, "ROOST_STORE": store or self.store}, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def finish(self, process, arguments, patience, allowed=()):
        """Waits for a process and kills it after a time. Returns its status and output."""
        try:
            output, error = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            output, error = process.communicate()
            self.totals["kills"] += 1
        if process.returncode not in (*EXPECTED, *allowed):
            message = error.decode("utf-8", "replace").strip()[-300:]
            self.fail(f"{' '.join(arguments)[:80]} ended with {process.returncode}: {message}")
        return process.returncode, output

    def run(self, *arguments, patience=None, store=None, allowed=()):
        """Runs a command, which is killed after a random time unless a time is given."""
        if patience is None:
            patience = self.random.uniform(0, 1) ** 2 * self.random.choice((0.2, 0.6, 2))
        return self.finish(self.start(*arguments, store=store), arguments, patience, allowed)

    def fail(self, message):
        with self.lock:
            self.failures.append(f"{self.provider}: {message}")

    def is_running(self):
        return time.monotonic() < self.end

    # The processes. Each function runs until the round ends.

    def adds(self):
        ids = {}
        while self.is_running():
            if ids and self.random.random() < 0.3:
                text = self.random.choice(list(ids))
                with self.lock:
                    self.present.discard(text)
                    self.unsure.add(text)
                status, _ = self.run("remove", "--yes", ids.pop(text))
                if status == 0:
                    with self.lock:
                        self.unsure.discard(text)
                        self.gone.add(text)
                        self.totals["acknowledged"] += 1
                continue
            text = self.text("add")
            status, output = self.run("add", text)
            if status == 0:
                self.acknowledge(text)
                ids[text] = output.decode().split()[-1]

    def write(self, lines, *names):
        with open(self.path(*names), "w", encoding="utf-8") as file:
            file.writelines(lines)

    def ingests(self):
        os.mkdir(self.path("ingested"))
        rows = []
        while self.is_running():
            text = self.text("file")
            self.write([text], "ingested", text.split()[0] + ".txt")
            rows += [self.text("row") for _ in range(5)]
            lines = [json.dumps({"id": row.split()[0], "text": row}) + "\n" for row in rows]
            self.write(lines, "ingested", "rows.jsonl")
            if self.run("ingest", self.path("ingested"))[0] == 0:
                self.acknowledge(text, *rows)

    def watches(self):
        os.mkdir(self.path("watched"))
        text = self.text("watch")
        self.write([text], "watched", "first.md")
        if self.run("ingest", self.path("watched"), patience=60)[0] == 0:
            self.acknowledge(text)
        while self.is_running():
            process = self.start("sync", "--watch")
            until = time.monotonic() + self.random.uniform(0.3, 3)
            while time.monotonic() < until:
                text = self.text("watch")
                self.write([text], "watched", text.split()[0] + ".md")
                time.sleep(0.1)
            self.finish(process, ["sync", "--watch"], 0)

    def remembers(self):
        while self.is_running():
            process = self.start("mcp", stdin=subprocess.PIPE)
            killer = threading.Timer(self.random.uniform(0.2, 3), process.kill)
            killer.start()
            try:
                for number in range(1000):
                    text = self.text("agent")
                    message = {
                        "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
                            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                      "io.modelcontextprotocol/clientCapabilities": {}},
                            "name": "remember", "arguments": {"text": text}}}
                    process.stdin.write(json.dumps(message).encode() + b"\n")
                    process.stdin.flush()
                    answer = json.loads(process.stdout.readline())
                    if not answer["result"].get("isError"):
                        self.acknowledge(text)
            except (OSError, ValueError):
                pass  # The process was killed.
            killer.join()
            self.totals["kills"] += 1
            process.stdin = None
            self.finish(process, ["mcp"], 10)

    def posts(self):
        token = self.run("serve", "--print-token", patience=60)[1].decode().strip()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        while self.is_running():
            process = self.start("serve", "--port", "0", "--log", "info")
            killer = threading.Timer(self.random.uniform(0.5, 4), process.kill)
            killer.start()
            try:
                line = process.stderr.readline() + process.stderr.readline()
                port = re.search(rb"http://127\.0\.0\.1:(\d+)", line)
                while port:
                    text = self.text("post")
                    connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=10)
                    connection.request("POST", "/api/v1/entries", json.dumps({"text": text}), headers)
                    if connection.getresponse().status in (200, 201):
                        self.acknowledge(text)
            except (OSError, http.client.HTTPException):
                pass  # The process was killed.
            killer.join()
            self.totals["kills"] += 1
            self.finish(process, ["serve"], 10)

    def chats(self):
        lines, texts = [], []
        while self.is_running():
            for _ in range(4):
                date = f"2026-01-01T{len(texts) // 60 % 24:02}:{len(texts) % 60:02}:00Z"
                texts.append(self.text("chat"))
                message = {"role": "user", "content": texts[-1], "timestamp": date, "id": texts[-1].split()[0]}
                lines.append(json.dumps(message) + "\n")
            self.write(lines, "chat.jsonl")
            if self.run("chat", "import", self.path("chat.jsonl"), "--session", "one")[0] == 0:
                self.acknowledge(*texts)

    def maintains(self):
        backup = self.path("backup")
        self.run("backup", "create", "--to", backup, patience=60)
        for number in range(1_000_000):
            if not self.is_running():
                return
            target = self.path(f"target-{number}")
            command = self.random.choice([
                ["recluster"], ["index"], ["doctor"], ["doctor", "--compact"], ["query", "heron"],
                ["backup", "create", "--to", backup], ["export", "clusters", "-o", target + ".json"],
                ["edit", "--where", "title exists", "--add-tag", "x"],
                ["backup", "restore", "latest", "--to", backup, "--into", target], ["copy", self.store, target]])
            status, _ = self.run(*command)
            # The same command succeeds after a kill, unless it had finished (73), or an entry that the interrupted
            # copy contains was removed meanwhile (78).
            if status < 0 and target in command and self.run(*command, patience=60, allowed=(73, 78))[0] == 73:
                self.run("doctor", patience=60, store=target)

    def check(self):
        """Compares the store with the acknowledged writes."""
        self.run("sync", "--yes", patience=120)
        # A killed compaction leaves an unfinished generation of files, which the next one removes.
        self.run("doctor", "--compact", patience=120)
        if self.run("doctor", patience=120)[0] != 0:
            self.fail("doctor found damage")
        status, output = self.run("export", "entries", "-o", "-", patience=120)
        found = collections.Counter()
        for line in output.splitlines():
            entry = json.loads(line)
            found[entry.get("content", entry.get("text"))] += 1
        for text in self.present - found.keys():
            self.fail(f"lost: {text}")
        for text in self.gone & found.keys():
            self.fail(f"removed but present: {text}")
        for text, count in found.items():
            if count > 1:
                self.fail(f"stored {count} times: {text}")
            if text not in self.present and text not in self.unsure:
                self.fail(f"nobody wrote: {text}")
        for folder, _, names in os.walk(self.store):
            for name in filter(TEMPORARY.search, names):
                self.fail(f"left: {os.path.join(folder, name)}")

    def play(self, seconds):
        self.run("init", "--provider", self.provider, patience=60)
        self.end = time.monotonic() + seconds
        actors = (self.adds, self.ingests, self.watches, self.remembers, self.posts, self.chats, self.maintains)
        threads = [threading.Thread(target=self.guard, args=(actor,)) for actor in actors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.check()
        if not self.failures:
            shutil.rmtree(self.folder, ignore_errors=True)
        return self.failures

    def guard(self, actor):
        try:
            actor()
        except Exception as error:  # A fault of the test must not pass as success.
            self.fail(f"{actor.__name__}: {type(error).__name__}: {error}")


def main():
    parser = argparse.ArgumentParser(prog="Scripts/kills", description=__doc__.split("\n\n")[0])
    parser.add_argument("roost")
    parser.add_argument("--kills", type=int, default=500, help="end after this number of kills")
    parser.add_argument("--minutes", type=float, default=10, help="end after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print a line for each round")
    options = parser.parse_args()
    totals, failures, number = collections.Counter(), [], 0
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end and totals["kills"] < options.kills:
        failures += Round(options, number, totals).play(seconds=15)
        number += 1
        if options.verbose:
            print(f"round {number}: {dict(totals)}, {len(failures)} violations", flush=True)
    for failure in failures:
        print("  " + failure.encode("ascii", "backslashreplace").decode())
    print(f"{totals['kills']} kills in {number} rounds, {totals['acknowledged']} acknowledged writes, "
          f"{len(failures)} violations")
    return 1 if failures or totals["acknowledged"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
