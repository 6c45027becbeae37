"""Attacks with texts, files, queries and arguments."""

import json
import os
import socket
import stat

from harness import expect

HOSTILE = [
    "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\u202egnp.exe", "\u2066x\u2069", "a\rb", "\x00", "\x7f", "\x08" * 20,
    "=HYPERLINK(\"http://evil.example\")", "@SUM(1+1)", "+1", "-1+2", "\tx",
    "<script>alert(1)</script>", "%n%n%n", "${HOME}", "$(id)", "'; DROP TABLE entries; --",
]


def tables(attacker, seed):
    """A cell that a spreadsheet would execute is escaped in CSV files."""
    for value in ("=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1"):
        def attack(value=value):
            store = attacker.store(notes=(json.dumps(value)[1:-1] + " birds", "trees"))
            text = attacker.run("export", "clusters", "--format", "csv", "--store", store).output.decode()
            for cell in text.replace('"', "").replace("\r\n", "\n").split(","):
                expect(not cell.startswith(value[:2]), f"the cell {cell[:20]!r} would be executed")
        yield f"CSV cell {value!r}", attack


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

    def unreadable(folder):
        path = os.path.join(folder, "closed.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write("closed")
        os.chmod(path, stat.S_IWUSR)

    def socket_in(folder):
        server = socket.socket(socket.AF_UNIX)
        server.bind(os.path.relpath(os.path.join(folder, "s.md")))
        server.close()

    secret = attacker.write("secret.txt", "the password is swordfish")
    other = attacker.path("other")
    os.mkdir(other)
    secret_in_folder = os.path.join(other, "secret.md")
    with open(secret_in_folder, "w", encoding="utf-8") as file:
        file.write("the password is swordfish")
    kinds = {
        "a named pipe": lambda f: os.mkfifo(os.path.join(f, "pipe.md")),
        "a loop of links": lambda f: os.symlink(f, os.path.join(f, "loop")),
        "a link to a device": lambda f: os.symlink("/dev/zero", os.path.join(f, "zero.md")),
        "a dangling link": lambda f: os.symlink("nowhere", os.path.join(f, "gone.md")),
        "a link out of the folder": lambda f: os.symlink(secret, os.path.join(f, "link.md")),
        "a sparse file": sparse,
        "a name that is not UTF-8": lambda f: open(os.path.join(f.encode(), b"\xff.md"), "wb").close(),
        "an unreadable file": unreadable,
        "a relative link out of the folder": lambda f: os.symlink(
            os.path.relpath(secret, f), os.path.join(f, "link.md")),
        "a linked folder": lambda f: os.symlink(os.path.dirname(secret_in_folder), os.path.join(f, "notes")),
        "a chain of links": lambda f: (
            os.symlink(secret, os.path.join(f, "a.link")), os.symlink("a.link", os.path.join(f, "b.md"))),
        "a pipe in place of .gitignore": lambda f: os.mkfifo(os.path.join(f, ".gitignore")),
        "a folder in place of .gitignore": lambda f: os.mkdir(os.path.join(f, ".gitignore")),
        "a link in place of .gitignore": lambda f: os.symlink("/dev/zero", os.path.join(f, ".gitignore")),
        "a socket": socket_in, "deep folders": lambda f: os.makedirs(os.path.join(f, *("d" * 200))),
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

    def follow():
        store = attacker.path("store")
        folder = folder_with(lambda f: (
            os.symlink(secret, os.path.join(f, "link.md")), os.symlink(secret, os.path.join(f, "again.md")),
            os.mkdir(os.path.join(f, "d")), os.symlink("..", os.path.join(f, "d", "up"))))
        attacker.succeed("ingest", folder, "--follow", "--store", store)
        expect(attacker.entries(store) == 2, "--follow did not ingest both files once")
    yield "links that --follow allows", follow


def queries(attacker, seed):
    """Odd queries give a result or a message, and never return all entries of a store without a match."""
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


# Commands that must refuse an empty argument at their end.
EMPTY = (
    "query", "list --source", "list --tag", "list --cluster", "remove", "remove --source", "remove --yes --source",
    "ingest", "ingest --files-from", "ingest n --exclude", "ingest n --glob", "ingest n --tag", "ingest n --text-column",
    "show", "similar", "add", "add x --tag", "import", "export entries -o", "export clusters -o", "backup create --to",
    "backup create --password-file", "backup create --key-file", "backup restore latest --into", "backup list --to",
    "cluster show", "edit --add-tag", "copy", "chat import", "edit", "export entries --where", "list --since", "mcp --tag")
EMPTY_WITHOUT_STORE = ("init", "config", "config model", "config --unset", "model add", "list --store", "add x --store")


def arguments(attacker, seed):
    """Empty and extreme arguments are refused and change nothing; removing many entries needs a confirmation."""
    store = attacker.store()
    cases = [[*case.split(), "", "--store", store] for case in EMPTY]
    cases += [[*case.split(), ""] for case in EMPTY_WITHOUT_STORE]
    cases += [["list", option, "--store", store] for option in ("--source=", "--tag=", "--cluster=", "--where=")]
    for case in cases:
        def attack(case=case):
            attacker.refuse(64, "", *case, cwd=attacker.home)
            expect(attacker.entries(store) == 3, "the entries changed")
        yield f"empty argument: {' '.join(repr(a) if not a else a for a in case if a not in (store, '--store'))}", attack

    for value in ("4611686018427387904", "9223372036854775807", "9223372036854775808", "-1", "1e9"):
        for command in ("recluster --clusters", "query birds -n", "query birds --offset"):
            def extreme(command=command, value=value):
                attacker.run(*command.split(), value, "--store", store)
                expect(attacker.entries(store) == 3, "the entries changed")
            yield f"{command} {value}", extreme

    def many():
        large = attacker.path("store")
        source = attacker.write("many.jsonl", "".join(f'{{"id":{n},"text":"text {n}"}}\n' for n in range(21)))
        attacker.succeed("ingest", source, "--store", large)
        attacker.refuse(64, "--yes", "remove", "--source", source, "--store", large)
        attacker.refuse(0, "would remove 21", "remove", "--source", source, "--store", large, "--dry-run")
        expect(attacker.entries(large) == 21, "entries were removed without a confirmation")
        attacker.refuse(0, "removed 21", "remove", "--source", source, "--store", large, "--yes")
    yield "removal of 21 entries", many


ATTACKS = {"tables": tables, "files": files, "queries": queries, "arguments": arguments}
