"""Attacks by servers and by agents: responses of embedding servers, and messages to the agent server."""

import http.server
import json
import threading

from harness import expect

VECTORS = {
    "vectors that are too long": [[2500.0] * 4], "vectors that are not finite": [[1e39] * 4], "zero vectors": [[0.0] * 4],
    "no vectors": [], "vectors of another dimension": [[1.0] * 3], "text instead of numbers": [["x"] * 4],
    "a null": [None], "nested vectors": [[[1.0]]],
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
                vectors = [[0.5, 0.5, 0.5, 0.5]] * len(texts) if outer.requests <= 2 else answer * len(texts)
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
        def attack(name=name, answer=answer):
            server = Server(answer)
            try:
                attacker.run("config", "endpoint", server.url)
                store = attacker.path("store")
                attacker.run("init", "--model", "remote:m", "--store", store)
                source = attacker.write("a.jsonl", "".join(f'{{"text":"note {i}"}}\n' for i in range(8)))
                attacker.run("ingest", source, "--store", store)
                report = attacker.run("doctor", "--store", store)
                expect(report.status == 0, f"doctor reports damage: {report.text[:200]}")
                result = attacker.run("query", "note", "--json", "--store", store)
                for hit in (json.loads(result.output) if result.output.strip() else {}).get("hits", []):
                    expect(-1.01 <= hit["score"] <= 1.01, f"a score is {hit['score']}")
            finally:
                server.close()
        yield f"server with {name}", attack


def agents(attacker, seed):
    """Malformed messages to the agent server get errors, and the server keeps answering."""
    store = attacker.store()
    ping = b'{"jsonrpc":"2.0","id":"last","method":"ping"}\n'
    messages = {
        "no JSON": b"{", "an array": b"[]", "a number": b"1", "deep nesting": b"[" * 100_000, "a long line": b"x" * (17 << 20),
        "NUL": b"\0\0\0", "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', "a huge id": b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
        "an object as id": b'{"jsonrpc":"2.0","id":{},"method":"ping"}', "no method": b'{"jsonrpc":"2.0","id":1}',
        "an unknown tool": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
    }
    for name, message in messages.items():
        def attack(name=name, message=message):
            outcome = attacker.run("mcp", "--store", store, input=message + b"\n" + ping)
            answers = [json.loads(line) for line in outcome.output.splitlines()]
            expect(any(a.get("id") == "last" and "result" in a for a in answers), f"the server stopped answering: {outcome.text[:200]}")
        yield f"agent server: {name}", attack


ATTACKS = {"embedding servers": embedding_servers, "agents": agents}
