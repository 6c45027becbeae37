"""Writes the pages of news in the tests of newspaper4k in the format of webpages.py: truth.jsonl and html/ID.html.gz.

Usage: python3 webpage_news.py newspaper4k-0.9.6.tar.gz FOLDER
The archive is the source distribution on PyPI. The expected texts contain neither titles nor captions. Afterwards:
    Scripts/benchmark web-pages FOLDER
    python3 webpages.py FOLDER trafilatura
"""
import gzip
import json
import sys
import tarfile
from pathlib import Path


def main(archive, folder):
    (folder / "html").mkdir(parents=True)
    with tarfile.open(archive) as tar, open(folder / "truth.jsonl", "w", encoding="utf-8") as truth:
        names = {Path(name).name: name for name in tar.getnames() if "/tests/data/" in name}
        for name in sorted(names):
            page, text = Path(name), Path(name).with_suffix(".txt").name
            if page.suffix != ".html" or text not in names:
                continue
            with gzip.open(folder / "html" / (page.stem + ".html.gz"), "wb") as file:
                file.write(tar.extractfile(names[name]).read())
            row = {
                "id": page.stem, "type": "article", "url": "https://example.org/" + page.stem,
                "text": tar.extractfile(names[text]).read().decode("utf-8")}
            truth.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
