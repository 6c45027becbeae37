"""Measures the dates and authors of web pages that Roost reads.

Usage:
    python3 webpage_dates.py htmldate-1.0.1.tar.gz FOLDER   writes the 65 pages in the tests of htmldate as truth.jsonl
                                                            and html/ID.html.gz; the archive is on PyPI
    python3 webpage_dates.py FOLDER ROOST                   compares; FOLDER can also be documents/wcxb-dev
A date is right if it differs by at most one day from the one stated (because of time zones), or is one of several that
the test accepts for different options. The date of a change counts if the page has no other one. Most pages of htmldate
were collected because their dates are hard to find, and some are lists without a date of their own. `unstated` counts
the pages with a result where the truth states none: some pages have a date that the truth omits.
"""
import ast
import collections
import datetime
import gzip
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path


def write(archive, folder):
    """Writes the pages of htmldate's tests with the dates that the tests expect."""
    with tarfile.open(archive) as files:
        contents = {m.name: files.extractfile(m).read() for m in files if m.isfile()}
    test = next(data for name, data in contents.items() if name.endswith("tests/unit_tests.py"))
    caches = {Path(name).name: data for name, data in contents.items() if "/tests/cache/" in name}
    tree, pages, dates = ast.parse(test), {}, collections.defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "MOCK_PAGES":
            pages = ast.literal_eval(node.value)
        if not isinstance(node, ast.Assert) or not isinstance(node.test, ast.Compare):
            continue
        call = node.test.left
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "find_date":
            page = call.args[0]
            is_page = isinstance(page, ast.Call) and getattr(page.func, "id", "") == "load_mock_page"
            if is_page and "outputformat" not in {keyword.arg for keyword in call.keywords}:
                dates[page.args[0].value].add(node.test.comparators[0].value)
    (folder / "html").mkdir(parents=True, exist_ok=True)
    with open(folder / "truth.jsonl", "w", encoding="utf-8") as truth:
        for number, (url, expected) in enumerate(dates.items()):
            data = caches.get(pages.get(url))
            if data is not None:
                name = f"{number:03}"
                (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(data))
                row = {"id": name, "url": url, "date": sorted(filter(None, expected))}
                truth.write(json.dumps(row) + "\n")


def entries(folder, roost):
    """The entries that Roost makes of the pages, by id."""
    with tempfile.TemporaryDirectory() as name:
        pages, store = Path(name, "pages"), str(Path(name, "store"))
        pages.mkdir()
        for file in (folder / "html").iterdir():
            (pages / file.name.removesuffix(".gz")).write_bytes(gzip.decompress(file.read_bytes()))
        subprocess.run([roost, "ingest", pages, "--store", store], check=True, capture_output=True)
        rows = subprocess.run(
            [roost, "export", "entries", "--format", "jsonl", "--store", store], check=True, capture_output=True).stdout
        started = datetime.date.today().isoformat()
        for line in rows.splitlines():
            entry = json.loads(line)
            values = [entry.get(key, "")[:10] for key in ("createdAt", "updatedAt")]
            author = entry["metadata"].get("author", "")
            author = author if isinstance(author, str) else ", ".join(author)
            yield Path(entry["source"]).stem, [value for value in values if value and value != started], author


def is_near(date, other):
    days = [datetime.date.fromisoformat(value[:10]) for value in (date, other)]
    return abs((days[0] - days[1]).days) <= 1


def kind(expected, found, is_right):
    if expected:
        return "right" if found and is_right else "wrong" if found else "missing"
    return "unstated" if found else "none"


def measure(folder, roost):
    found = {name: (dates, author) for name, dates, author in entries(folder, roost)}
    counts = {"date": collections.Counter(), "author": collections.Counter()}
    for line in open(folder / "truth.jsonl", encoding="utf-8"):
        row = json.loads(line)
        dates, author = found.get(row["id"], ([], ""))
        expected = row.get("date") or []
        expected = expected if isinstance(expected, list) else [expected]
        considered = dates if len(expected) > 1 else dates[:1]
        is_right = any(is_near(date, other) for date in considered for other in expected)
        counts["date"][kind(expected, dates, is_right)] += 1
        if "author" in row:
            names = [(row["author"] or "").lower(), author.lower()]
            counts["author"][kind(names[0], names[1], names[0] in names[1] or names[1] in names[0])] += 1
    for field, count in counts.items():
        if count:
            print(field, dict(sorted(count.items())))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1].endswith(".tar.gz"):
        write(sys.argv[1], Path(sys.argv[2]))
    else:
        measure(Path(sys.argv[1]), sys.argv[2])
