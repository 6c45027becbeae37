"""Runs the checks of the official conformance suite of the Model Context Protocol that concern features of Roost.

usage: mcp_conformance.py ROOST [CHECKS]

The checks have the identifiers of the suite. CHECKS lists all identifiers; each of them must be checked here or be
listed with the reason why it does not apply.
"""

import base64
import contextlib
import http.client
import json
import re
import sys

import http_server

META = "io.modelcontextprotocol/"
VERSION = "2026-07-28"
LISTS = {
    "sep-2549-tools-list-caching-hints": "tools/list",
    "sep-2549-resources-list-caching-hints": "resources/list",
    "sep-2549-resources-templates-list-caching-hints": "resources/templates/list",
}
NO_CAPABILITY = "no operation needs a capability of the client"
NO_PROMPTS = "prompts are not declared"
NO_SUBSCRIPTIONS = "subscriptions are not declared"
NO_PARAMETER = "no tool has arguments in header fields"
NOT_APPLICABLE = {
    "sep-2575-missing-capability-http-400": NO_CAPABILITY,
    "sep-2575-server-rejects-undeclared-capability": NO_CAPABILITY,
    "tools-call-elicitation": NO_CAPABILITY, "tools-call-sampling": NO_CAPABILITY,
    **{f"sep-2575-server-{name}": NO_SUBSCRIPTIONS for name in (
        "sends-prompts-list-changed-on-subscription", "sends-tools-list-changed-on-subscription",
        "sends-subscription-ack", "honors-notification-filter", "tags-subscription-id")},
    "resources-subscribe": NO_SUBSCRIPTIONS, "resources-unsubscribe": NO_SUBSCRIPTIONS,
    **{name: NO_PROMPTS for name in (
        "prompts-list", "prompts-get-simple", "prompts-get-with-args", "sep-2549-prompts-list-caching-hints",
        "sep-2575-server-declares-prompts-in-discover")},
    "resources-read-binary": "all resources are texts", "tools-call-with-logging": "logging is not declared",
    **{f"tools-call-{kind}": "tools return texts" for kind in ("audio", "image", "embedded-resource", "mixed-content")},
    **{f"prompts-get-{kind}": NO_PROMPTS for kind in ("embedded-resource", "with-image")},
    **{f"sep-2243-server-{name}": NO_PARAMETER for name in (
        "custom-setup", "no-string-param", "no-xmcp-tool", "reject-invalid-param-chars", "reject-param-mismatch",
        "validate-param-match")},
    **{name: "concerns schemas of a test server" for name in (
        "json-schema-2020-12", "json-schema-2020-12-error", "json-schema-2020-12-preservation",
        "json-schema-2020-12-tool-found", "sep-2106-anchor-keyword-preserved",
        "sep-2106-composition-keywords-preserved", "sep-2106-conditional-keywords-preserved")},
}


class Client:
    """Sends messages with any header fields."""

    def __init__(self, address, token):
        self.host, self.token, self.next_id, self.passed = address.removeprefix("http://"), token, 0, set()

    def post(self, message, headers):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        fields = {
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream"}
        fields |= {name: value for name, value in headers.items() if value is not None}
        connection.request("POST", "/mcp", json.dumps(message).encode(), fields)
        return connection.getresponse()

    def send(self, method, params=None, headers=None, meta=None):
        """Returns the status and all messages of the answer to a self-contained request."""
        self.next_id += 1
        params = dict(params or {})
        params["_meta"] = {
            META + "protocolVersion": VERSION, META + "clientCapabilities": {}} if meta is None else meta
        fields = {"MCP-Protocol-Version": VERSION, "Mcp-Method": method}
        name = params.get("uri" if method == "resources/read" else "name")
        if name is not None:
            fields["Mcp-Name"] = name
        response = self.post(
            {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}, fields | (headers or {}))
        body = response.read().decode()
        if response.headers["Content-Type"] == "text/event-stream":
            messages = [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: ")]
        else:
            messages = [json.loads(body)] if body else []
        return response.status, messages

    def result(self, method, params=None, **options):
        status, messages = self.send(method, params, **options)
        assert status == 200 and "result" in messages[-1], (method, status, messages)
        return messages[-1]["result"]

    def refuses(self, status, code, method, params=None, **options):
        found, messages = self.send(method, params, **options)
        assert found == status and messages[0]["error"]["code"] == code, (method, found, messages)
        return messages[0]

    @contextlib.contextmanager
    def check(self, *names):
        try:
            yield
        except AssertionError as error:
            raise AssertionError(f"failed: {', '.join(names)}") from error
        self.passed |= set(names)


def stateless(client):
    with client.check("sep-2575-server-implements-discover", "server-stateless"):
        discovery = client.result("server/discover")
        assert VERSION in discovery["supportedVersions"] and discovery["resultType"] == "complete", discovery
    with client.check("sep-2575-discover-capabilities-match-handlers"):
        for name in ("tools", "resources"):
            assert name in discovery["capabilities"], discovery
            assert name in client.result(name + "/list")
        assert "logging" not in discovery["capabilities"]
        for method in ("completion/complete", "prompts/list", "subscriptions/listen"):
            client.refuses(404, -32601, method)
    with client.check("sep-2575-server-identifies-in-result-meta"):
        for method in ("server/discover", "tools/list"):
            assert client.result(method)["_meta"][META + "serverInfo"]["name"] == "roost"
    with client.check("sep-2575-request-meta-client-info-optional"):
        info = {META + "clientInfo": {"name": "x", "version": "1"}}
        client.result("tools/list", meta={
            META + "protocolVersion": VERSION, META + "clientCapabilities": {}, **info})
    with client.check("sep-2575-http-server-method-not-found-404", "sep-2575-http-server-error-jsonrpc-id"):
        for method in ("nonsense", "initialize", "ping", "logging/setLevel", "resources/subscribe"):
            assert client.refuses(404, -32601, method)["id"] == client.next_id
    with client.check("sep-2575-http-server-meta-invalid-400"):
        client.refuses(400, -32602, "tools/list", meta={META + "protocolVersion": VERSION})
        client.refuses(400, -32602, "tools/list", meta={})
    with client.check("sep-2575-http-server-header-mismatch-400", "sep-2243-server-reject-error-code"):
        client.refuses(400, -32020, "tools/list", headers={"MCP-Protocol-Version": "2025-11-25"})
        client.refuses(400, -32020, "tools/list", headers={"Mcp-Method": "tools/call"})
    with client.check("sep-2575-http-server-unsupported-version-400", "sep-2575-server-unsupported-version-error"):
        error = client.refuses(
            400, -32022, "tools/list", headers={"MCP-Protocol-Version": "2099-01-01"},
            meta={META + "protocolVersion": "2099-01-01", META + "clientCapabilities": {}})["error"]
        assert VERSION in error["data"]["supported"] and error["data"]["requested"] == "2099-01-01", error


def streams(client):
    meta = {META + "protocolVersion": VERSION, META + "clientCapabilities": {}, "progressToken": "p"}
    with client.check("tools-call-with-progress", "sep-2575-http-server-no-independent-requests-on-stream",
                      "sep-2575-server-no-log-without-loglevel"):
        _, messages = client.send("tools/call", {"name": "recluster", "arguments": {}}, meta=meta)
        assert [m["method"] for m in messages[:-1]] == ["notifications/progress"] * (len(messages) - 1), messages
        assert len(messages) > 1 and messages[-1]["id"] == client.next_id
        assert all("id" not in message for message in messages[:-1])
        progress = [message["params"]["progress"] for message in messages[:-1]]
        assert progress == sorted(set(progress)), progress


def caching(client, uri):
    results = {name: client.result(method) for name, method in LISTS.items()}
    results["sep-2549-resources-read-caching-hints"] = client.result("resources/read", {"uri": uri})
    for name, result in results.items():
        with client.check(
                name, "sep-2549-caching-connection", "sep-2549-ttl-non-negative", "sep-2549-cache-scope-valid"):
            assert isinstance(result["ttlMs"], int) and result["ttlMs"] >= 0, result
            assert result["cacheScope"] in ("public", "private"), result
    assert "ttlMs" not in client.result("tools/call", {"name": "clusters", "arguments": {}})


def transport(client):
    call = {"name": "clusters", "arguments": {}}
    with client.check("localhost-host-rebinding-rejected"):
        for headers in ({"Host": "evil.example.com"}, {"Origin": "http://evil.example.com"}):
            assert client.send("tools/list", headers=headers)[0] == 403, headers
    with client.check("localhost-host-valid-accepted", "sep-2243-server-standard-setup"):
        port = client.host.split(":")[1]
        for headers in ({"Host": f"localhost:{port}"}, {"Origin": f"http://localhost:{port}"}):
            assert client.send("tools/list", headers=headers)[0] == 200, headers
    with client.check("sep-2243-header-name-case-insensitive"):
        client.result("tools/list", headers={"Mcp-Method": None, "MCP-METHOD": "tools/list"})
    with client.check("sep-2243-server-accepts-whitespace-header-value"):
        client.result("tools/call", call, headers={"Mcp-Name": "  clusters  "})
    with client.check("sep-2243-server-decode-base64"):
        client.result("tools/call", call, headers={"Mcp-Name": f"=?base64?{base64.b64encode(b'clusters').decode()}?="})
    with client.check("sep-2243-server-reject-invalid-headers"):
        for headers in (
                {"Mcp-Name": "search"}, {"Mcp-Name": None}, {"Mcp-Method": None}, {"MCP-Protocol-Version": None}):
            client.refuses(400, -32020, "tools/call", call, headers=headers)
    with client.check("server-initialize", "server-session-id-visible-ascii"):
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            response = client.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}, {})
            assert all(0x21 <= ord(c) <= 0x7E for c in response.headers.get("Mcp-Session-Id", ""))
            assert json.load(response)["result"]["protocolVersion"] == version


def features(client, uri):
    with client.check("tools-list", "tools-name-format"):
        for tool in client.result("tools/list")["tools"]:
            assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool["name"]) and tool["inputSchema"]["type"] == "object", tool
    with client.check("tools-call-simple-text"):
        content = client.result("tools/call", {"name": "clusters", "arguments": {}})["content"]
        assert [part["type"] for part in content] == ["text"], content
    with client.check("tools-call-error"):
        assert client.result("tools/call", {"name": "fetch", "arguments": {"id": "none"}})["isError"]
    with client.check("resources-list"):
        for resource in client.result("resources/list")["resources"]:
            assert resource["uri"] and resource["name"], resource
    with client.check("resources-read-text", "resources-templates-read"):
        templates = client.result("resources/templates/list")["resourceTemplates"]
        assert "roost://entry/{id}" in [template["uriTemplate"] for template in templates]
        contents = client.result("resources/read", {"uri": uri})["contents"]
        assert contents[0]["uri"] == uri and contents[0]["text"], contents
    with client.check("sep-2164-resource-not-found", "sep-2164-error-code", "sep-2164-no-empty-contents",
                      "sep-2164-data-uri"):
        _, messages = client.send("resources/read", {"uri": "roost://entry/none"})
        error = messages[0]["error"]
        assert error["code"] == -32602 and error["data"]["uri"] == "roost://entry/none" and "result" not in messages[0]


def main():
    with http_server.server(sys.argv[1]) as (address, token):
        client = Client(address, token)
        for number in range(8):
            for text in (f"tomato soil garden seeds {number}", f"engine piston gearbox oil {number}"):
                stored = client.result("tools/call", {
                    "name": "remember", "arguments": {"text": text}})
        uri = "roost://entry/" + stored["structuredContent"]["id"]
        stateless(client)
        streams(client)
        caching(client, uri)
        transport(client)
        features(client, uri)
    assert not client.passed & set(NOT_APPLICABLE)
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            known = {line.strip() for line in file if line.startswith("  ")}
        missing = known - client.passed - set(NOT_APPLICABLE)
        assert not missing, sorted(missing)
    print(f"{len(client.passed)} checks passed; {len(NOT_APPLICABLE)} do not apply")


main()
