"""Attacks on the agent server `roost mcp`: malformed messages, and requests beyond its permissions."""

import json
import os

from harness import expect

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
}
PING = b'{"jsonrpc":"2.0","id":"last","method":"ping"}\n'
ODD = (None, True, -1, 1 << 63, 1e308, "", "x" * 100_000, "\0", "\x1b[2J", [], {}, [[[]]], {"a": {"b": []}})


def request(method, parameters, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": META, **parameters}}


def call(tool, **arguments):
    return request("tools/call", {"name": tool, "arguments": arguments})


def converse(attacker, store, message, *options):
    """Sends a message and a ping to a server, and returns its answers; the server must answer the ping."""
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    outcome = attacker.run("mcp", "--store", store, *options, input=data + b"\n" + PING)
    answers = [json.loads(line) for line in outcome.output.splitlines()]
    expect(
        any(a.get("id") == "last" and "result" in a for a in answers if isinstance(a, dict)),
        f"the server stopped answering: {outcome.text[-300:]}")
    return answers


def messages(attacker, seed):
    """Malformed messages get errors, and the server keeps answering."""
    store = attacker.store()
    bad = {
        "no JSON": b"{", "an array": b"[]", "a number": b"1", "deep nesting": b"[" * 100_000,
        "deep objects": b'{"a":' * 100_000, "a long line": b"x" * (17 << 20), "NUL": b"\0\0\0",
        "invalid UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', "a byte order mark": b"\xef\xbb\xbf{}",
        "a huge id": b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', "a fraction as id": b'{"jsonrpc":"2.0","id":0.5,"method":"ping"}',
        "an object as id": b'{"jsonrpc":"2.0","id":{},"method":"ping"}', "no method": b'{"jsonrpc":"2.0","id":1}',
        "a number as method": b'{"jsonrpc":"2.0","id":1,"method":1}', "no version": b'{"id":1,"method":"ping"}',
        "parameters as an array": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
        "the same id twice": json.dumps(call("clusters")).encode() + b"\n" + json.dumps(call("clusters")).encode(),
        "a cancellation of nothing": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}',
        "a batch": b"[" + b",".join([PING.strip()] * 5000) + b"]",
    }
    for name, message in bad.items():
        yield f"agent server: {name}", lambda message=message: converse(attacker, store, message)

    def flood():
        calls = [json.dumps(request("tools/list", {}, n)) for n in range(200)]
        outcome = attacker.run("mcp", "--store", store, input="\n".join(calls).encode())
        # Requests beyond the limit get an error, and each request gets exactly one answer.
        ids = sorted(json.loads(line)["id"] for line in outcome.output.splitlines())
        expect(outcome.status == 0 and ids == list(range(200)), f"{len(ids)} answers to 200 requests")
    yield "agent server: two hundred requests", flood

    for method in (
        "initialize", "tools/list", "tools/call", "resources/list", "resources/read", "server/discover", "x" * 10_000,
    ):
        for value in (None, [], {"name": []}, {"name": "x", "uri": "x", "cursor": "x"}, {"cursor": -1, "uri": {}}):
            def attack(method=method, value=value):
                message = request(method, {}) if value is None else request(method, value if isinstance(value, dict) else {})
                if isinstance(value, list):
                    message["params"] = value
                converse(attacker, store, message)
            yield f"agent server: {method[:20]} with {json.dumps(value)}", attack


def tool_arguments(attacker, seed):
    """Arguments of tools with wrong types, sizes and names get errors, and the server keeps answering."""
    store = attacker.store()
    arguments = {
        "search": ("query", "limit", "tags", "where", "cluster", "since", "budget", "cursor", "unknown"),
        "fetch": ("id", "offset", "budget"), "clusters": ("cluster", "cursor"),
        "remember": ("text", "title", "tags", "metadata"), "remember_messages": ("messages", "user"),
        "update": ("id", "text", "metadata", "addTags"), "forget": ("ids", "confirm"), "recluster": ("clusters",),
    }
    required = {
        "search": {"query": "birds"}, "remember": {"text": "a text", "dryRun": True},
        "fetch": {"id": "x"}, "update": {"id": "x"},
    }
    for tool, names in arguments.items():
        for name in names:
            def attack(tool=tool, name=name):
                calls = [call(tool, **{**required.get(tool, {}), name: value}) for value in ODD]
                for number, message in enumerate(calls):
                    message["id"] = number
                data = b"\n".join(json.dumps(message).encode() for message in calls)
                answers = converse(attacker, store, data)
                expect(len(answers) == len(calls) + 1, f"{len(answers)} answers to {len(calls)} calls")
                expect(attacker.entries(store) >= 3, "entries were removed")
            yield f"agent server: {tool} with odd values of {name}", attack


def permissions(attacker, seed):
    """A server with limits reveals and changes nothing outside of them."""
    store = attacker.path("store")
    folder = attacker.path("notes")
    os.mkdir(folder)
    source = attacker.write("diary.jsonl", '{"id":"1","text":"the heron is secret"}\n')
    attacker.succeed("ingest", source, "--store", store, "--tag", "diary7")
    attacker.succeed("add", "a public note about work", "--tag", "work", "--store", store)
    attacker.succeed("recluster", "--store", store)
    listed = json.loads(attacker.succeed("list", "--json", "--tag", "diary7", "--store", store).output)
    secret = (listed if isinstance(listed, list) else listed["entries"])[0]["id"]
    converse(attacker, store, call(
        "remember_messages", messages=[{"role": "user", "content": "the heron code of ben"}], user="ben"))
    limits = {
        "--tag work": ["--tag", "work"], "--folder": ["--folder", folder], "--scope": ["--scope", "ann/default/default"],
        "--tag and --read-only": ["--tag", "work", "--read-only"],
        "--tag and --scope": ["--tag", "work", "--scope", "ann/default/default"],
    }
    calls = {
        "search": call("search", query="heron"), "search with a tag": call("search", query="heron", tags=["diary7"]),
        "search with a condition": call("search", query="heron", where=["tag=diary7"]),
        "search without words": call("search", query="secret code -public"),
        "fetch": call("fetch", id=secret), "fetch of an address": call("fetch", id=f"roost://entry/{secret}"),
        "search for the message of another user": call("search", query="heron", where=["user=ben"]),
        "clusters": call("clusters"), "forget": call("forget", ids=[secret], confirm=True),
        "update": call("update", id=secret, addTags=["work"]),
        "an entry": request("resources/read", {"uri": f"roost://entry/{secret}"}),
        "a source": request("resources/read", {"uri": "roost://source/file%3A%2F%2F" + source.lstrip("/")}),
        "a file": request("resources/read", {"uri": "file:///etc/passwd"}),
        "a path in a source": request("resources/read", {"uri": "roost://source/..%2F..%2Fetc%2Fpasswd"}),
        "resources": request("resources/list", {}),
    }
    for limit, options in limits.items():
        for name, message in calls.items():
            def attack(options=options, message=message):
                before = attacker.succeed("export", "entries", "--store", store).output
                def answers_to(text):
                    answers = converse(attacker, store, json.loads(text), *options)
                    return json.dumps(sorted(answers, key=lambda answer: str(answer.get("id"))))
                asked = json.dumps(message)
                answers = answers_to(asked)
                for word in ("secret", "code of ben", "diary7", "root:"):
                    expect(word not in answers or word in asked, f"revealed: {answers[:300]}")
                # An answer can repeat the tag of the call, but must be that for a tag that no entry has.
                if "diary7" in asked:
                    other = answers_to(asked.replace("diary7", "absent")).replace("absent", "diary7")
                    expect(other == answers, f"revealed: {answers[:300]}")
                expect(attacker.succeed("export", "entries", "--store", store).output == before, "an entry changed")
            yield f"agent server with {limit}: {name}", attack

    for tool in ("remember", "remember_messages", "update", "forget", "recluster"):
        def refused(tool=tool):
            answers = converse(attacker, store, call(tool, text="x", ids=[secret], id=secret), "--read-only")
            expect(all("error" in a for a in answers if a.get("id") == 1), f"{tool} was offered")
        yield f"agent server with --read-only: {tool}", refused

    def message_entry():
        answers = converse(attacker, store, call("remember", text="a new text", metadata={"kind": "message"}))
        expect('"isError": true' in json.dumps(answers), "an entry was disguised as a message")
    yield "agent server: entry that looks like a message", message_entry


ATTACKS = {"agent messages": messages, "agent arguments": tool_arguments, "agent permissions": permissions}
