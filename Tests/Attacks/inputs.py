"""Attacks with texts, files, queries and arguments."""

import json
import os
import stat

from harness import expect

HOSTILE = [
    "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\u202egnp.exe", "\u2066x\u2069", "a\rb", "\x00", "\x7f", "\x08" * 20,
    "=HYPERLINK(\"http://evil.example\")", "@SUM(1+1)", "+1", "-1+2", "\tx",
    "<script>alert(1)</script>", "%n%n%n", "${HOME}", "$(id)", "'; DROP TABLE entries; --",
]


def terminals(attacker, seed):
    """Hostile values in every field of an entry are shown by every command in a terminal."""
    for number, value in enumerate(HOSTILE):
        def attack(value=value, number=number):
            store = attacker.path("store")
            row = {"id": f"row{number}", "text": f"note {value} about birds", "title": value, f"key{value}": value}
            source = attacker.write(f"notes{number}.jsonl", json.dumps(row) + "\n")
            attacker.run_in_terminal("ingest", source, "--store", store)
            attacker.run("add", f"# {value}\nbirds", "--tag", "x" + value.replace("\0", ""), "--store", store) \
                if "\0" not in value else None
            listed = json.loads(attacker.run("list", "--json", "--store", store).output)
            entries = listed if isinstance(listed, list) else listed["entries"]
            for command in (
                ["query", "birds"], ["query", "birds", "--explain"], ["list"], ["stats"], ["recluster"],
                ["cluster", "list"], ["export", "entries"], ["export", "clusters"], ["doctor", "-v"],
                ["show", entries[0]["id"]], ["query", value.replace("\0", " ") or "x"], ["duplicates"],
            ):
                attacker.run_in_terminal(*command, "--store", store)
        yield f"terminal: {value!r}", attack


def tables(attacker, seed):
    """A cell that a spreadsheet would execute is escaped in CSV files."""
    for value in ("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1"):
        def attack(value=value):
            store = attacker.store(notes=(json.dumps(value)[1:-1] + " birds", "trees"))
            text = attacker.run("export", "clusters", "--format", "csv", "--store", store).output.decode()
            for cell in text.replace('"', "").replace("\r\n", "\n").split(","):
                expect(not cell.startswith(value[:2]), f"the cell {cell[:20]!r} would be executed")
        yield f"CSV cell {value!r}", attack


def lines(attacker, seed):
    """A bad line is skipped and reported with its number; the other lines are ingested."""
    bad = {
        "a long key": json.dumps({"text": "x", "k" * 5000: 1}),
        "deep nesting": '{"text":"x","a":' + "[" * 5000 + "]" * 5000 + "}",
        "moderate nesting": '{"text":"x","a":' + "[" * 100 + "]" * 100 + "}",
        "a lone surrogate": '{"text":"\\ud800"}', "no object": "[1,2]", "no JSON": "{text", "a huge number": '{"text":"x","n":1e999}',
        "no text": '{"id":"1"}', "an empty text": '{"text":"  "}', "NUL": '{"text":"a\\u0000b","id":"nul"}',
    }
    for name, line in bad.items():
        def attack(name=name, line=line):
            store = attacker.path("store")
            source = attacker.write("rows.jsonl", f'{{"id":"1","text":"first"}}\n{line}\n{{"id":"3","text":"third"}}\n')
            outcome = attacker.run("ingest", source, "--store", store)
            entries = json.loads(attacker.run("stats", "--json", "--store", store).output)["stamp"]["entryCount"]
            expect(entries >= 2, f"only {entries} entries after a line with {name}: {outcome.text[:200]}")
            if entries == 2:
                expect("2" in outcome.text and "rows.jsonl" in outcome.text, f"the line is not named: {outcome.text[:200]}")
        yield f"line with {name}", attack


def files(attacker, seed):
    """Devices, pipes, loops of links, sparse files and links out of the folder do no harm."""
    def folder_with(make):
        folder = attacker.path("folder")
        os.mkdir(folder)
        with open(os.path.join(folder, "good.md"), "w", encoding="utf-8") as file:
            file.write("# Birds\nThe swift is back.\n")
        make(folder)
        return folder

    def sparse(folder):
        with open(os.path.join(folder, "sparse.txt"), "wb") as file:
            file.truncate(1 << 30)

    secret = attacker.write("secret.txt", "the password is swordfish")
    kinds = {
        "a named pipe": lambda f: os.mkfifo(os.path.join(f, "pipe.md")),
        "a loop of links": lambda f: os.symlink(f, os.path.join(f, "loop")),
        "a link to a device": lambda f: os.symlink("/dev/zero", os.path.join(f, "zero.md")),
        "a dangling link": lambda f: os.symlink("nowhere", os.path.join(f, "gone.md")),
        "a link out of the folder": lambda f: os.symlink(secret, os.path.join(f, "link.md")),
        "a sparse file": sparse,
        "a name that is not UTF-8": lambda f: open(os.path.join(f.encode(), b"\xff.md"), "wb").close(),
        "an unreadable file": lambda f: os.chmod(attacker.write("x", ""), stat.S_IWUSR),
    }
    for name, make in kinds.items():
        def attack(name=name, make=make):
            store = attacker.path("store")
            outcome = attacker.run("ingest", folder_with(make), "--store", store, may_use=600 << 20)
            found = attacker.run("query", "swordfish password", "--mode", "text", "--store", store)
            expect(b"swordfish" not in found.output, "a file outside the folder was ingested")
            found = attacker.run("query", "swift", "--mode", "text", "--store", store)
            expect(found.status == 0, f"the good file was not ingested: {outcome.text[:200]}")
        yield f"folder with {name}", attack


def queries(attacker, seed):
    """Odd queries give a result or a message, and never all entries of a store that does not match."""
    store = attacker.store()
    odd = HOSTILE + [
        '"', '""', '"a', "-", "--", "---", "-birds", "-birds -trees", "*", "a*", '*"*', ":", "title:", "path:*", "tag:\"",
        "AND OR NOT", "(((", "\\", "the of and", "🐦", "鳥", "นก", "é", "e\u0301", "x" * 100_000, "a " * 20_000, "-" * 5_000,
    ]
    for query in odd:
        if "\0" in query:
            continue

        def attack(query=query):
            for mode in ("hybrid", "text", "vector"):
                attacker.run("query", "--store", store, "--mode", mode, "--", query)
            attacker.run("query", "--store", store, "-", input=query.encode())
        yield f"query {query[:20]!r}", attack


def arguments(attacker, seed):
    """Empty and extreme arguments are refused and change nothing."""
    store = attacker.store()

    def entries():
        return json.loads(attacker.run("stats", "--json", "--store", store).output)["stamp"]["entryCount"]

    cases = [
        ["remove", "--source", ""], ["remove", "--source", "", "--yes"], ["ingest", ""], ["remove", ""],
        ["show", ""], ["add", ""], ["cluster", "show", ""], ["tag", "", "x"], ["export", "entries", "--where", ""],
    ]
    for value in ("4611686018427387904", "9223372036854775807", "9223372036854775808", "-1", "0", "1e9", ""):
        cases += [["recluster", "--clusters", value], ["query", "birds", "-n", value], ["query", "birds", "--offset", value]]
    for case in cases:
        def attack(case=case):
            before = entries()
            outcome = attacker.run(*case, "--store", store, cwd=attacker.home)
            if "" in case:
                expect(outcome.status != 0, f"{attacker.describe(case)} was accepted")
            after = entries()
            expect(before == after, f"{attacker.describe(case)} changed the entries")
        yield f"arguments {' '.join(repr(a) for a in case)}", attack


ATTACKS = {
    "terminals": terminals, "tables": tables, "lines": lines, "files": files, "queries": queries,
    "arguments": arguments,
}
