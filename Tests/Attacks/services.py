"""Attacks by embedding servers, whose answers contain hostile vectors."""

import http.server
import json
import threading

from harness import expect

VECTORS = {
    "vectors that are too long": [[2500.0] * 4], "vectors that are not finite": [[1e39] * 4], "zero vectors": [[0.0] * 4],
    "no vectors": [], "vectors of another dimension": [[1.0] * 3], "text instead of numbers": [["x"] * 4],
    "a null": [None], "nested vectors": [[[1.0]]], "short vectors": [[1e-30] * 4], "vectors of huge numbers": [[1e308] * 4],
    "vectors of many dimensions": [[0.001] * 100_000], "empty vectors": [[]], "an object": [{"0": 1.0}],
    "subnormal numbers": [[1e-44] * 4], "too many vectors": [[0.5] * 4] * 3,
}


class Server:
    """An embedding server whose first answer, the probe, is sound, and whose later answers are hostile."""

    def __init__(self, answer):
        self.requests = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                texts = [texts] if isinstance(texts, str) else texts
                outer.requests += 1
                vectors = [[0.5, 0.5, 0.5, 0.5]] * len(texts) if outer.requests <= 1 else answer * len(texts)
                body = json.dumps({
                    "object": "list", "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1},
                    "data": [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)],
                }).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def embedding_servers(attacker, seed):
    """Vectors of a remote model are checked and normalized; bad ones are refused, and nothing is stored."""
    for name, answer in VECTORS.items():
        def attack(answer=answer):
            server = Server(answer)
            try:
                with attacker.scratch() as other:
                    other.variables = {"ROOST_REMOTE_ENDPOINT": server.url}
                    store = other.path("store")
                    other.succeed("init", "--model", "remote:m", "--store", store)
                    rows = "".join(f'{{"text":"note {i}"}}\n' for i in range(8))
                    outcome = other.run("ingest", other.write("a.jsonl", rows), "--store", store)
                    expect(server.requests > 1, f"the server was not asked: {outcome.text[-200:]}")
                    other.succeed("doctor", "--store", store)
                    exported = other.succeed("export", "entries", "--with-embeddings", "--store", store)
                    for entry in map(json.loads, exported.output.splitlines()[1:]):
                        square = sum(x * x for x in entry["embeddings"])
                        expect(abs(square - 1) < 1e-3, f"the square of a length is {square}")
                    other.run("query", "note", "--json", "--store", store)
                    other.run("recluster", "--store", store)
            finally:
                server.close()
        yield f"server with {name}", attack


ATTACKS = {"embedding servers": embedding_servers}
