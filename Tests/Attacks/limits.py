"""Attacks on memory and time: large texts, sparse files, and servers that answer slowly or without end."""

import http.server
import os
import random
import socket
import threading
import time

from harness import Failed, expect

MEGABYTE = 1 << 20


def words(generator, count):
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(generator.choice(letters) for _ in range(generator.randint(2, 10))) for _ in range(count)]


def large_texts(attacker, seed):
    """A large text is ingested with little memory, and a query of its store takes at most a second."""
    generator = random.Random(seed)
    vocabulary = words(generator, 40_000)

    def prose(size):
        parts, length = [], 0
        while length < size:
            parts.append(" ".join(generator.choices(vocabulary, k=80)) + ".\n")
            length += len(parts[-1])
        return "".join(parts)

    # The limit of memory is that of a text of 100 MB; smaller ones keep the run short.
    texts = {
        "prose of 24 MB": lambda: prose(24 * MEGABYTE), "one line of 12 MB": lambda: prose(12 * MEGABYTE).replace("\n", " "),
        "one word of 12 MB": lambda: "x" * (12 * MEGABYTE), "line feeds of 12 MB": lambda: "\n" * (12 * MEGABYTE) + "a",
        "12 MB of combining marks": lambda: "e" + "\u0301" * (6 * MEGABYTE),
    }
    for name, text in texts.items():
        def attack(text=text):
            store = attacker.path("store")
            source = attacker.write("large.txt", text() + "\n\nthe kestrel hovers\n")
            attacker.succeed("init", store, "--model", "lexical")
            attacker.succeed("ingest", source, "--store", store, limit=90, may_use=400 << 20)
            start = time.monotonic()
            found = attacker.succeed("query", "kestrel hovers", "--store", store, may_use=600 << 20)
            seconds = time.monotonic() - start
            expect(b"kestrel" in found.output, "the end of the text was not found")
            expect(seconds <= attacker.patience, f"the query took {seconds:.1f} s")
        yield f"text: {name}", attack

    def refused():
        store = attacker.store()
        attacker.run("add", "-", "--store", store, input=b"x" * (9 * MEGABYTE))
        expect(attacker.entries(store) == 3, "a text over the limit was added")
    yield "added text of 9 MB", refused


def sparse_files(attacker, seed):
    """Sparse and binary files are recognized from their first blocks."""
    for name, head in {
        "text": b"text\n", "nothing": b"", "zeros": bytes(10), "a program": b"\x7fELF\x02\x01\x01", "UTF-16": b"\xff\xfea\0b\0",
    }.items():
        def attack(head=head):
            store, folder = attacker.path("store"), attacker.path("folder")
            os.mkdir(folder)
            with open(os.path.join(folder, "a.txt"), "wb") as file:
                file.write(head)
                file.truncate(1 << 30)
            outcome = attacker.run("ingest", folder, "--store", store, may_use=100 << 20)
            expect("a.txt" in outcome.text, f"the file was not reported: {outcome.text[-200:]}")
        yield f"file of 1 GB that begins with {name}", attack


def serve(answer):
    """Starts a server that calls a function with each connection, and returns its socket."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(50)

    def handle(connection):
        try:
            connection.recv(65536)
            answer(connection)
        except OSError:
            pass
        finally:
            connection.close()

    def loop():
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=handle, args=(connection,), daemon=True).start()
    threading.Thread(target=loop, daemon=True).start()
    return listener


def endless_answers(attacker, seed):
    """Answers that are slow, too long, cut off or malformed end with an error within a time limit."""
    start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    def drip(connection):
        connection.sendall(start + b"Content-Length: 100000\r\n\r\n")
        while True:
            connection.sendall(b" ")
            time.sleep(0.5)

    def flood(connection):
        connection.sendall(start + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b" " * MEGABYTE + b"\r\n"
        while True:
            connection.sendall(chunk)

    def headers(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"X-Header: " + b"x" * 4096 + b"\r\n")

    def fixed(data):
        return lambda connection: connection.sendall(data)

    answers = {
        "one byte at a time": drip, "a body without end": flood, "headers without end": headers,
        "a body that is cut off": fixed(start + b"Content-Length: 100\r\n\r\n{"), "no answer": fixed(b""),
        "no HTTP": fixed(b"\0\xff" * 1000), "a negative length": fixed(start + b"Content-Length: -1\r\n\r\n{}"),
        "a huge length": fixed(start + b"Content-Length: 9223372036854775807\r\n\r\n{}"),
        "two lengths": fixed(start + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
        "a redirect": fixed(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"),
        "deep nesting": fixed(start + b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000),
    }
    for name, answer in answers.items():
        def attack(answer=answer, slow=answer is drip):
            listener = serve(answer)
            try:
                with attacker.scratch() as other:
                    other.variables = {"ROOST_REMOTE_ENDPOINT": f"http://127.0.0.1:{listener.getsockname()[1]}/v1"}
                    outcome = other.run("model", "embed", "x", "--model", "remote:x", limit=120 if slow else 60)
                    expect(outcome.status != 0, "the answer was accepted")
            finally:
                listener.close()
        yield f"server that sends {name}", attack


def endless_listings(attacker, seed):
    """A listing of an object store that repeats its continuation token ends with an error."""
    for name, token in {"the same token": lambda n: "x", "alternating tokens": lambda n: f"x{n % 2}", "no token": lambda n: ""}.items():
        def attack(token=token):
            count = 0

            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    nonlocal count
                    count += 1
                    found = "list-type" in self.path
                    body = (
                        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>"
                        f"{token(count)}</NextContinuationToken></ListBucketResult>"
                        if found else "<Error><Code>NoSuchKey</Code></Error>").encode()
                    self.send_response(200 if found else 404)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

                def do_HEAD(self):
                    self.send_response(404)
                    self.end_headers()

                def log_message(self, *arguments):
                    pass

            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                with attacker.scratch() as other:
                    store = other.store()
                    other.variables = {
                        "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y",
                        "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{server.server_port}"}
                    outcome = other.run("backup", "create", "--to", "s3://bucket/p", "--store", store, limit=30)
                    expect(outcome.status != 0, "the listing was accepted")
                    if count > 1000:
                        raise Failed(f"{count} requests were sent")
            finally:
                server.shutdown()
                server.server_close()
        yield f"listing with {name}", attack


ATTACKS = {
    "large texts": large_texts, "sparse files": sparse_files, "endless answers": endless_answers,
    "endless listings": endless_listings,
}
