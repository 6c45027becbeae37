"""Writes the pages in the tests of a project in the format of webpages.py: truth.jsonl and html/ID.html.gz.

Usage: python3 webpage_news.py newspaper4k-0.9.6.tar.gz FOLDER
The archive is a source distribution on PyPI. These are supported:
    newspaper4k-0.9.6    23 pages of news in ten languages; the texts contain neither titles nor captions
    trafilatura-1.0.0    83 pages, mostly of blogs and news in German; phrases that the main content must and must
                         not contain; most of these phrases are exact, but some belong to comments of readers
    gne-0.4.3            68 pages of news in Chinese, without texts; damaged ones have no ranges
    domdown-0.3.6        33 pages of 2025 and 2026 about computer security, most of them from blogs; the texts are
                         those that its reader writes and its authors keep as examples, with titles and bylines
webpage_ranges.json states the main content of the pages without texts, as ranges of words. The ranges are the blocks
that two readers (trafilatura 2.3.1 and Roost) agree on, corrected by hand: leads of articles were added, and
captions are unknown. Titles and comments of readers are not content, as in the other sets of articles. Afterwards:
    Scripts/benchmark web-pages FOLDER
    python3 webpages.py FOLDER trafilatura
"""
import ast
import gzip
import json
import re
import sys
import tarfile
from pathlib import Path


def newspaper(files):
    """The pages with a text of the same name."""
    files = {Path(name).name: data for name, data in files.items() if "/tests/data/" in name}
    for name in sorted(files):
        text = files.get(Path(name).with_suffix(".txt").name)
        if name.endswith(".html") and text is not None:
            yield Path(name).stem, files[name], {"text": text.decode("utf-8")}


def phrases(test):
    """The phrases in the assertions of a test, by page: `'PHRASE' in result and 'PHRASE' not in result`."""
    tree, pages, found = ast.parse(test), {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "MOCK_PAGES":
            pages = ast.literal_eval(node.value)

    def visit(statements, page):
        for node in statements:
            if isinstance(node, ast.If):
                page = visit(node.body, page)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and node.value.args:
                page = getattr(node.value.args[0], "value", page)
            elif isinstance(node, ast.Assert):
                for part in ast.walk(node.test):
                    if isinstance(part, ast.Compare) and isinstance(part.left, ast.Constant):
                        kind = "required" if isinstance(part.ops[0], ast.In) else "forbidden"
                        found.setdefault(page, {"required": [], "forbidden": []})[kind].append(part.left.value)
        return page

    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == "test_extract":
            visit(function.body, None)
    return {pages[page]: (page, values) for page, values in found.items()}


def trafilatura(files):
    """The pages of the test with phrases."""
    test = next(data for name, data in files.items() if name.endswith("tests/realworld_tests.py"))
    known = phrases(test.decode("utf-8"))
    for name, data in sorted(files.items()):
        if Path(name).parent.name == "cache" and Path(name).name in known:
            url, values = known[Path(name).name]
            yield Path(name).stem, data, {"url": url, **values}


def gne(files):
    """The pages of the tests; the folder is the name of the site."""
    for name, data in sorted(files.items()):
        path = Path(name)
        if path.suffix == ".html" and path.parts[1] in ("tests", "visiable_test"):
            suffix = "v" if path.parts[1] == "visiable_test" else ""
            yield f"{path.parent.name}-{path.stem}{suffix}", data, {"url": f"https://{path.parent.name}.example/"}


def domdown(files):
    """The pages of the examples, with their Markdown without front matter, images and addresses."""
    for name, data in sorted(files.items()):
        path = Path(name)
        if path.suffix == ".html" and path.parts[1:4] == ("tests", "real", "html"):
            text = files[str(path.parent.parent / "raw" / (path.stem + ".md"))].decode("utf-8")
            text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
            text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
            text = re.sub(r"\]\([^)\s]*(?:\s+\"[^\"]*\")?\)", " ", text)
            yield path.stem[:60], data, {"url": "https://" + path.stem.split("_")[0] + "/", "text": text}


def main(archive, folder):
    (folder / "html").mkdir(parents=True)
    read = {"newspaper4k": newspaper, "trafilatura": trafilatura, "gne": gne, "domdown": domdown}
    read = read[Path(archive).name.split("-")[0]]
    with tarfile.open(archive) as tar:
        files = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
    with open(folder / "truth.jsonl", "w", encoding="utf-8") as truth:
        for name, page, values in read(files):
            with gzip.open(folder / "html" / (name + ".html.gz"), "wb") as file:
                file.write(page)
            row = {"id": name, "type": "article", "url": "https://example.org/" + name, "text": ""}
            row |= {"required": [], "forbidden": []} | values
            truth.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
