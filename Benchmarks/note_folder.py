"""Writes a folder of short Markdown notes with different texts, up to 1,000 in each of its subfolders.

Usage: python3 note_folder.py FOLDER COUNT
"""

import sys
from pathlib import Path

WORDS = "swift nest river account ledger oboe chord dough oven trail ridge comet lens seed frost query lock".split()


def main():
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        subfolder = folder / f"{number // 1000:04}"
        if number % 1000 == 0:
            subfolder.mkdir(parents=True, exist_ok=True)
        first, second, third = (WORDS[number // len(WORDS) ** place % len(WORDS)] for place in range(3))
        (subfolder / f"{number % 1000:03}.md").write_text(
            f"# Note {number}\n\nAbout {first} and {second}, {third} number {number}.\n")


main()
