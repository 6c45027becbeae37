"""Validates every message of `roost mcp` and of /mcp of `roost serve` against the published JSON Schema of its
revision.

usage: mcp_schema.py ROOST SCHEMA_FOLDER

ROOST is the executable, SCHEMA_FOLDER contains one schema per revision (2026-07-28.json, ...). Needs the package
jsonschema.
"""

import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import http_server
import jsonschema

RESULTS = {
    "initialize": "InitializeResult", "ping": "EmptyResult", "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult", "tools/call": "CallToolResult", "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult",
}
STATELESS = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {}}


class Server:
    """A running server, with a validator for each type of its revision."""

    def __init__(self, version, schema):
        self.version, self.schema, self.checked, self.next_id = version, schema, 0, 0
        self.types = "$defs" if "$defs" in schema else "definitions"

    def check(self, type_name, value):
        schema = {self.types: self.schema[self.types], "$ref": f"#/{self.types}/{type_name}"}
        if "$schema" in self.schema:
            schema["$schema"] = self.schema["$schema"]
        jsonschema.validate(value, schema)
        self.checked += 1

    def request(self, method, **params):
        self.next_id += 1
        if self.version == STATELESS:
            meta = params.setdefault("_meta", {})
            meta["io.modelcontextprotocol/protocolVersion"] = STATELESS
            meta["io.modelcontextprotocol/clientCapabilities"] = {}
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
        for answer in self.answers(message):
            if "method" not in answer:
                break
            self.check("ServerNotification", answer)
        assert answer["id"] == self.next_id, answer
        if "error" in answer:
            name = next(n for n in ("JSONRPCErrorResponse", "JSONRPCError") if n in self.schema[self.types])
            self.check(name, answer)
            return answer["error"]
        self.check(RESULTS[method], answer["result"])
        return answer["result"]


class StandardInput(Server):
    """A server that is connected by standard input and output."""

    def __init__(self, roost, store, version, schema):
        super().__init__(version, schema)
        self.process = subprocess.Popen(
            [roost, "mcp", "--store", store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answers(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while True:
            yield json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


class HTTP(Server):
    """A server that is connected over HTTP."""

    def __init__(self, address, token, version, schema):
        super().__init__(version, schema)
        self.address, self.token = address, token

    def open(self, message):
        headers = {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream", "Mcp-Method": message["method"]}
        params = message["params"]
        name = params.get("uri" if message["method"] == "resources/read" else "name")
        if name is not None:
            headers["Mcp-Name"] = name
        if message["method"] != "initialize":
            headers["MCP-Protocol-Version"] = self.version
        request = urllib.request.Request(self.address + "/mcp", json.dumps(message).encode(), headers)
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            return error

    def answers(self, message):
        with self.open(message) as response:
            if response.headers["Content-Type"] == "application/json":
                yield json.load(response)
                return
            for line in response:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])


def exercise(server):
    """Calls every method and every tool, also with invalid arguments."""
    if server.version == STATELESS:
        server.request("server/discover")
    else:
        server.request(
            "initialize", protocolVersion=server.version, capabilities={},
            clientInfo={"name": "check", "version": "1"})
        server.request("ping")
    server.request("tools/list")
    server.request("resources/templates/list")

    def call(name, **arguments):
        result = server.request(
            "tools/call", name=name, arguments=arguments, _meta={"progressToken": f"{name}-token"})
        assert "isError" in result, result
        value = json.loads(result["content"][0]["text"]) if not result["isError"] else None
        if value is not None and server.version >= "2025-06-18":
            assert value == result["structuredContent"], result
        return value

    texts = ["The swift is back above the roof.", "Tomatoes need water.", "The gearbox needs new oil."]
    stored = [call("remember", text=text) for text in texts]
    assert all(item["id"] for item in stored), stored
    found = call("search", query="swift above the roof", limit=2)["results"]
    assert found[0]["id"] == stored[0]["id"], found
    assert call("fetch", id=found[0]["id"])["text"] == texts[0]
    call("update", id=stored[1]["id"], addTags=["garden"])
    call("recluster", dryRun=True)
    call("recluster")
    call("clusters")
    call("remember_messages", messages=[{"role": "user", "content": "My dentist is in Hill Street."}])
    assert call("search", query="Where is my dentist?")["results"]
    call("forget", ids=[stored[2]["id"]])
    listed = call("search")["results"]
    assert stored[0]["id"] in [item["id"] for item in listed], listed
    for arguments in ({"query": 1}, {"query": "x", "unknown": 2}):
        assert call("search", **arguments) is None
    assert "code" in server.request("tools/call", name="nonsense", arguments={})
    server.request("resources/list")
    server.request("resources/read", uri="roost://entry/" + stored[0]["id"])
    assert "code" in server.request("resources/read", uri="roost://entry/none")


def main():
    roost, folder = sys.argv[1:]
    for name in sorted(os.listdir(folder)):
        version = name.removesuffix(".json")
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            schema = json.load(file)
        with tempfile.TemporaryDirectory() as home:
            stdio = StandardInput(roost, os.path.join(home, "store"), version, schema)
            exercise(stdio)
            stdio.close()
        with http_server.server(roost) as (address, token):
            http = HTTP(address, token, version, schema)
            exercise(http)
        print(f"{version}: {stdio.checked} messages over stdio and {http.checked} over HTTP are valid")


if __name__ == "__main__":
    main()
