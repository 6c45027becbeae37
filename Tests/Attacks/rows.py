"""Attacks with rows of JSON Lines and CSV files, and with imports that `doctor` would report."""

import json
import os

from harness import expect

LEXICAL = {
    "dimension": 512, "documentPrefix": "", "isNormalized": True, "model": "lexical", "pooling": "hashed n-grams",
    "queryPrefix": "", "revision": "lexical-1",
}

# Bad lines, and words of the message that reports them.
BAD = {
    "a long key": (json.dumps({"text": "x", "k" * 5000: 1}), "4096"),
    "nesting of 70 levels": ('{"text":"x","a":' + "[" * 70 + "]" * 70 + "}", "deeper than 64"),
    "nesting of 900 levels": ('{"text":"x","a":' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
    "nesting of 50,000 levels": ('{"text":"x","a":' + "[" * 50_000 + "]" * 50_000 + "}", "nested too deeply"),
    "a lone surrogate": ('{"text":"\\ud800"}', "surrogate"),
    "reversed surrogates": ('{"text":"\\udc00\\ud800"}', "surrogate"),
    "an array": ("[1,2]", ""), "no JSON": ("{text", ""), "a truncated object": ('{"text":', ""),
    "a huge number": ('{"text":"x","n":1e999}', "out of range"), "no text": ('{"id":"1"}', ""),
    "an empty text": ('{"text":"  "}', ""), "a number as text": ('{"text":1}', ""), "a null": ("null", ""),
    "invalid UTF-8": (b'{"text":"\xff"}', ""), "an overlong encoding": (b'{"text":"\xc0\x80"}', ""),
}


def lines(attacker, seed):
    """A bad line is skipped and reported with its number; the other lines are ingested."""
    for name, (line, words) in BAD.items():
        def attack(line=line, words=words):
            store, folder = attacker.path("store"), attacker.path("folder")
            os.mkdir(folder)
            with open(os.path.join(folder, "rows.jsonl"), "wb") as file:
                bad = line if isinstance(line, bytes) else line.encode()
                file.write(b'{"id":"1","text":"first"}\n' + bad + b'\n{"id":"3","text":"third"}\n')
            with open(os.path.join(folder, "other.md"), "wb") as file:
                file.write(b"A good note.\n")
            outcome = attacker.succeed("ingest", folder, "--store", store)
            entries = attacker.entries(store)
            expect(entries >= 3, f"only {entries} entries: {outcome.text[-300:]}")
            if entries == 3:
                expect("rows.jsonl, line 2" in outcome.text, f"the line is not named: {outcome.text[-300:]}")
                expect(words in outcome.text, f"the cause is not named: {outcome.text[-300:]}")
        yield f"line with {name}", attack


def values(attacker, seed):
    """Values of any type in a row are stored or refused with a message; the other rows are ingested."""
    odd = (
        "0", "-1", "4294967296", "9223372036854775808", "1e308", "0.5", "true", "null", "[]", "{}", '{"a":{}}',
        "[[[[]]]]", "tru", '"\\ud800"', '"\\u0000"', '"\\u001b[2J"', '"' + "x" * 100_000 + '"',
        json.dumps({str(n): n for n in range(2000)}))
    for value in odd:
        def attack(value=value):
            store = attacker.path("store")
            source = attacker.write("rows.jsonl", f'{{"text":"one"}}\n{{"text":{value}}}\n{{"text":"x","m":{value}}}\n')
            attacker.succeed("ingest", source, "--store", store)
            expect(attacker.entries(store) >= 1, "the good row was not ingested")
            attacker.succeed("doctor", "--store", store)
        yield f"row with the value {value[:30]}", attack


def tables_of_rows(attacker, seed):
    """Tables with missing fields and repeated columns; rows that become unreadable keep their entries."""
    def fields():
        store = attacker.path("store")
        source = attacker.write("t.csv", "text,n\none,1\ntwo\nthree,3\n")
        outcome = attacker.succeed("ingest", source, "--store", store)
        expect("line 3" in outcome.text and attacker.entries(store) == 2, outcome.text[-300:])
    yield "row without a field", fields

    for header in ("text,year,tag,year", "text,text", "a,b,c,text,b"):
        yield f"repeated column in {header}", lambda header=header: attacker.refuse(
            65, "", "ingest", attacker.write("t.csv", header + "\n" + ",".join("1234"[:header.count(",") + 1]) + "\n"),
            "--store", attacker.path("store"))

    for broken in ('{"id":2,"text":"tw', '{"id":2,"text":"\\ud800"}', '{"id":2,"text":"x","' + "k" * 5000 + '":1}'):
        def keeps(broken=broken):
            store, source = attacker.path("store"), attacker.write("t.jsonl", '{"id":1,"text":"one"}\n{"id":2,"text":"two"}\n')
            attacker.succeed("ingest", source, "--store", store)
            with open(source, "w", encoding="utf-8") as file:
                file.write('{"id":1,"text":"one"}\n' + broken + "\n")
            attacker.run("ingest", source, "--store", store)
            expect(attacker.entries(store) == 2, "a row that cannot be read removed its entry")
        yield f"row that became {broken[:30]}", keeps


def imports(attacker, seed):
    """Passages and vectors that `doctor` would report are refused by `import`, and nothing is imported."""
    unit = [1.0] + [0.0] * 511
    good = {"id": "8a3f1e52-0000-4000-8000-000000000001", "content": "one Grüße", "embeddings": unit}
    bad = {
        "a split character": {"passages": [{"range": [0, 7], "tokens": 1}]},
        "a split character at the start": {"passages": [{"range": [7, 9], "tokens": 1}]},
        "a passage outside of the text": {"passages": [{"range": [0, 90], "tokens": 1}]},
        "a reversed passage": {"passages": [{"range": [3, 0], "tokens": 1}]},
        "a negative passage": {"passages": [{"range": [-1, 3], "tokens": 1}]},
        "negative tokens": {"passages": [{"range": [0, 3], "tokens": -5}]},
        "an infinite vector": {"embeddings": [1e39] + unit[1:]},
        "no id": {"id": "x"},
    }

    def run(changes, store):
        source = attacker.write("i.jsonl", json.dumps({"schemaVersion": 1, "space": LEXICAL}) + "\n"
                                + json.dumps(good | changes) + "\n")
        return attacker.run("import", source, "--store", store)

    for name, changes in bad.items():
        def attack(changes=changes):
            store = attacker.store()
            outcome = run(changes, store)
            expect(outcome.status == 65, f"status {outcome.status}: {outcome.text[-300:]}")
            expect(attacker.entries(store) == 3, "a part was imported")
        yield f"import with {name}", attack

    accepted = {
        # The text is embedded again, which the command reports.
        "a vector of another dimension": {"embeddings": [1.0]}, "an empty vector": {"embeddings": []},
        "a long vector": {"embeddings": [2500.0] + unit[1:]},
        "two passages": {"passages": [{"range": [0, 3], "tokens": 1}, {"range": [3, 11], "tokens": 2}]},
        "huge token counts": {"passages": [
            {"range": [0, 3], "tokens": (1 << 63) - 1}, {"range": [3, 11], "tokens": (1 << 63) - 1}]},
    }
    for name, changes in accepted.items():
        def follow(changes=changes):
            store = attacker.store()
            if run(changes, store).status == 0:
                for command in (["doctor"], ["status"], ["export", "entries"]):
                    attacker.succeed(*command, "--store", store)
        yield f"doctor after an import with {name}", follow


ATTACKS = {"lines": lines, "values": values, "tables of rows": tables_of_rows, "imports": imports}
