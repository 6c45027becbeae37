"""Measures `roost serve` with wrk on the loopback interface.

usage: serve.py ROOST [--entries N] [--seconds S] [--folder DIR]

Prints the rate and the 99th percentile of searches by vector, at full load and at about half of it, of searches by
words and of reads of an entry; the memory before and after the load and with 1,000 idle connections; and the time of
`roost mcp` from its start to the first answer. ROOST is an optimized build. Needs wrk. The store consists of generated
sentences and uses the default model. With --folder, the store (DIR/store) and the bodies of the searches by vector
(DIR/vectors.jsonl) are kept, so that `Scripts/benchmark search-rate` can run the same searches without a server; an
existing store is used.
"""

import argparse
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

WORDS = "river stone window garden engine letter winter copper signal market forest harbor paper candle bridge"
WRK = """
local file = io.open("{file}", "r")
local bodies = {{}}
for line in file:lines() do bodies[#bodies + 1] = line end
local index = math.random(#bodies)
wrk.headers["Authorization"] = "Bearer {token}"
wrk.headers["Content-Type"] = "application/json"
request = function()
  index = index % #bodies + 1
  if "{method}" == "GET" then return wrk.format("GET", "{path}" .. bodies[index]) end
  return wrk.format("POST", "{path}", nil, bodies[index])
end
"""


class Server:
    """A running server over a store."""

    def __init__(self, roost, store):
        self.token = subprocess.run(
            [roost, "serve", "--print-token"], check=True, capture_output=True, text=True).stdout.strip()
        self.process = subprocess.Popen(
            [roost, "serve", "--store", store, "--port", "0", "--log", "error"], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                return
        sys.exit("the server did not start")

    def send(self, path, body=None, kind="application/json"):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=body,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.read()

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024

    def load(self, name, method, path, bodies, folder, connections, seconds):
        lines = os.path.join(folder, "bodies")
        with open(lines, "w", encoding="utf-8") as file:
            file.write("\n".join(bodies) + "\n")
        script = os.path.join(folder, "load.lua")
        with open(script, "w", encoding="utf-8") as file:
            file.write(WRK.format(file=lines, token=self.token, method=method, path=path))
        text = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
             f"http://127.0.0.1:{self.port}"], check=True, capture_output=True, text=True).stdout
        rate = re.search(r"Requests/sec:\s+([\d.]+)", text).group(1)
        slowest = re.search(r"^\s+99%\s+(\S+)", text, re.MULTILINE).group(1)
        errors = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
        print(f"{name}, {connections} connections: {rate}/s, 99th percentile {slowest}"
              + (f", {errors.group(1)} errors" if errors else ""), flush=True)


def fill(server, count):
    words, choose = WORDS.split(), random.Random(1)
    for start in range(0, count, 5000):
        lines = [
            json.dumps({"content": " ".join(choose.choices(words, k=12)) + f" {start + index}"})
            for index in range(min(5000, count - start))]
        server.send("/api/v1/ingest", "\n".join(lines).encode(), "application/x-ndjson")


def vectors(server, count):
    choose, words = random.Random(2), WORDS.split()
    model = json.loads(server.send("/v1/models"))["data"][0]["id"]
    bodies = []
    for _ in range(count):
        text = " ".join(choose.choices(words, k=4))
        answer = server.send("/v1/embeddings", json.dumps({"model": model, "input": text}).encode())
        vector = json.loads(answer)["data"][0]["embedding"]
        bodies.append(json.dumps({"vector": vector, "limit": 10}))
    return bodies


def cold_start(roost, store):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "status", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}}}
    start = time.monotonic()
    process = subprocess.Popen([roost, "mcp", "--store", store], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    duration = time.monotonic() - start
    process.stdin.close()
    process.wait()
    return duration * 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("roost")
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--folder")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is missing; install the Debian package wrk")
    with tempfile.TemporaryDirectory() as folder:
        kept = options.folder or folder
        os.makedirs(kept, exist_ok=True)
        store = os.path.join(kept, "store")
        is_new = not os.path.exists(store)
        if is_new:
            subprocess.run([options.roost, "init", store, "--quiet"], check=True)
        server = Server(options.roost, store)
        if is_new:
            start = time.monotonic()
            fill(server, options.entries)
            print(f"ingest: {options.entries / (time.monotonic() - start):.0f} entries/s")
            subprocess.run([options.roost, "index", "--store", store], check=True, capture_output=True)
        bodies = vectors(server, 200)
        with open(os.path.join(kept, "vectors.jsonl"), "w", encoding="utf-8") as file:
            file.write("\n".join(bodies) + "\n")
        page = json.loads(server.send("/api/v1/entries?limit=200"))
        ids = [entry["id"] for entry in page["entries"]]
        texts = [json.dumps({"query": entry["text"][:40], "mode": "text"}) for entry in page["entries"]]
        server.load("warm-up", "POST", "/api/v1/search", bodies, folder, 4, 2)
        print(f"memory before the load: {server.memory():.0f} MB")
        for connections in (8, 1):
            server.load("search by vector", "POST", "/api/v1/search", bodies, folder, connections, options.seconds)
        server.load("search by words", "POST", "/api/v1/search", texts, folder, 8, options.seconds)
        server.load("read an entry", "GET", "/api/v1/entries/", ids, folder, 8, options.seconds)
        server.load("liveness", "GET", "/livez", ["?"], folder, 8, options.seconds)
        before = server.memory()
        print(f"memory after the load: {before:.0f} MB")
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(1000)]
        time.sleep(1)
        print(f"1,000 idle connections: {server.memory() - before:.1f} MB")
        for connection in idle:
            connection.close()
        server.process.terminate()
        server.process.communicate(timeout=60)
        starts = sorted(cold_start(options.roost, store) for _ in range(7))
        print(f"roost mcp, start to first answer: median {starts[3]:.0f} ms")


main()
