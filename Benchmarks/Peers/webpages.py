"""Measures the extraction of the main content of web pages by other libraries.

Prints the mean F1 of the words, as multisets, for all pages and for each type of page.

Usage: python3 webpages.py FOLDER LIBRARY…
FOLDER contains truth.jsonl and html/ID.html.gz. The libraries are trafilatura, readability and justext.
Requires the packages trafilatura, readability-lxml, justext and lxml_html_clean from PyPI.
"""

import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path


def words(text):
    return Counter(re.findall(r"\w+", (text or "").lower()))


def agreement(found, expected):
    found, expected = words(found), words(expected)
    total = sum(found.values()) + sum(expected.values())
    return 2 * sum((found & expected).values()) / total if total else 1.0


def extractor(name):
    """Returns a function from HTML to the text of its main content."""
    if name == "trafilatura":
        import trafilatura

        return lambda html: trafilatura.extract(html, include_comments=True) or ""
    if name == "readability":
        import lxml.html
        from readability import Document

        return lambda html: lxml.html.fromstring(Document(html).summary()).text_content()
    if name == "justext":
        import justext

        stop_words = justext.get_stoplist("English")

        def text(html):
            paragraphs = justext.justext(html.encode(), stop_words)
            return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)

        return text
    sys.exit(f"unknown library {name}")


def main(folder, names):
    pages = [json.loads(line) for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in names:
        extract, measures = extractor(name), defaultdict(list)
        for page in pages:
            html = gzip.open(folder / "html" / (page["id"] + ".html.gz")).read().decode("utf-8", "replace")
            try:
                found = extract(html)
            except Exception as error:  # A page that a library cannot read counts as empty.
                print(name, page["id"], repr(error)[:80], file=sys.stderr)
                found = ""
            measures[page["type"]].append(agreement(found, page["text"]))
        every = [value for values in measures.values() for value in values]
        print(f"{name}: all {sum(every) / len(every):.3f}")
        for kind, values in sorted(measures.items()):
            print(f"    {kind:16} {sum(values) / len(values):.3f}  {len(values)}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
