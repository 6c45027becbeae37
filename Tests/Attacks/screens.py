"""Attacks with control characters and markup in every text that Roost shows."""

import json
import os

from harness import expect

HOSTILE = (
    "\x1b]0;owned\x07", "\x1b]52;c;aGk=\x07", "\x1b[2J", "\x9b31m", "\x9d0;x\x9c", "\u202egnp.exe", "\u2066x\u2069", "a\rb",
    "a\nFORGED", "a\r\nFORGED", "\u2028FORGED", "\x00", "\x7f", "\x08" * 20, "e" + "\u0301" * 500, "\U000e0041\U000e0042",
    "\x1b", "\x9b", "\x85FORGED",
)
MARKUP = (
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "-->",
    "`${alert(1)}`", "](javascript:alert(1))", "\u2028alert(1)", "/*DATA*/", "&lt;script&gt;",
)


def terminals(attacker, seed):
    """Hostile values in texts, titles, keys, tags and names of sources, shown by every command in a terminal."""
    for number, value in enumerate(HOSTILE):
        def attack(value=value, number=number):
            store = attacker.path("store")
            row = {"id": f"row{number}{value}", "text": f"note {value} about birds", "title": value, f"key{value}": value,
                   "tags": [value]}
            source = attacker.write(f"notes{number}.jsonl", json.dumps(row) + "\n{broken " + json.dumps(value) + "\n")
            attacker.run_in_terminal("ingest", source, "--store", store)
            if "\0" not in value:
                attacker.run_in_terminal("add", f"# {value}\nbirds", "--tag", "x" + value, "--store", store)
            listed = json.loads(attacker.run("list", "--json", "--store", store).output)
            entries = listed if isinstance(listed, list) else listed["entries"]
            for command in (
                ["query", "birds"], ["query", "birds", "--explain"], ["query", "birds", "--json"], ["list"],
                ["list", "--json"], ["status"], ["recluster"], ["cluster", "list"], ["export", "entries"],
                ["export", "clusters"], ["export", "clusters", "--format", "csv"], ["doctor", "-v"],
                ["show", entries[0]["id"]], ["show", entries[0]["id"], "--json"],
                ["query", value.replace("\0", " ") or "x"], ["similar", "--duplicates"],
            ):
                attacker.run_in_terminal(*command, "--store", store)
        yield f"terminal: {value[:20]!r}", attack


def names(attacker, seed):
    """Hostile values in names of files, columns, settings, stores and backups, and in arguments."""
    for value in HOSTILE:
        if "\0" in value:
            continue

        def attack(value=value):
            with attacker.scratch() as other:
                store, docs = other.path("store"), other.path("docs")
                os.mkdir(docs)
                name = value[:80]
                for suffix, text in ((".md", "one " + value), (".csv", f'"{value}",text\n1,2\n3\n'), (".jsonl", "{broken")):
                    with open(os.path.join(docs, name + suffix), "w", encoding="utf-8") as file:
                        file.write(text)
                tag = ["--tag", "t" + value]
                backup = other.path("b" + value[:40])
                for command in (
                    ["ingest", docs, "--store", store, *tag], ["ingest", docs, "--store", store, "--text-column", value],
                    ["list", "--store", store], ["query", "one", "--store", store],
                    ["list", "--store", other.path(name)], ["show", value, "--store", store],
                    ["list", *tag, "--store", store], ["list", "--where", value, "--store", store],
                    ["config", value, value], ["config", "label-model", value], ["config"],
                    ["backup", "create", "--to", backup, *tag, "--store", store], ["backup", "list", "--to", backup],
                    ["model", "add", value], ["import", value, "--store", store], [value],
                    ["cluster", "show", value, "--store", store],
                    ["init", other.path("s"), "--model", value],
                ):
                    other.run_in_terminal(*command)
        yield f"names: {value[:20]!r}", attack


def pages(attacker, seed):
    """Markup in texts and titles stays data in the HTML map."""
    for value in MARKUP:
        def attack(value=value):
            store = attacker.path("store")
            rows = "".join(
                json.dumps({"id": f"{value}{n}", "text": f"{value} note {n} about birds", "title": value}) + "\n"
                for n in range(4))
            attacker.succeed("ingest", attacker.write("n.jsonl", rows), "--store", store)
            attacker.succeed("recluster", "--clusters", "1", "--store", store)
            listed = json.loads(attacker.succeed("export", "clusters", "--store", store).output)
            attacker.run("cluster", "label", "--store", store, "--", listed["clusters"][0]["id"], value)
            page = attacker.succeed("export", "clusters", "--format", "html", "--store", store).output.decode()
            expect(page.count("<script") == page.count("</script") <= 2, "a script element was inserted")
            data = page.split('type="application/json">')[1].split("</script>")[0]
            expect("<" not in data, "markup was inserted")
            expect("default-src 'none'" in page, "the page has no content security policy")
            expect("\u2028" not in page, "a line separator is not escaped in the script")
        yield f"HTML map with {value[:30]!r}", attack


ATTACKS = {"terminals": terminals, "names": names, "maps": pages}
