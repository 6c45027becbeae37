"""Measures how often a question in the language of the notes finds the right one of 20 notes first.

Reads Fixtures/Languages/questions: 20 notes and 20 questions in each of eight languages.

Usage: languages.py [--roost PROGRAM] [--model NAME]
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures/Languages/questions"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--roost", default=".build/release/roost")
    parser.add_argument("--model", default="minilm")
    options = parser.parse_args()
    total = questions = 0
    for file in sorted(SAMPLES.glob("*.json")):
        sample = json.loads(file.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            base, store = pathlib.Path(folder), ["--store", f"{folder}/store"]
            rows = [{"id": str(number), "text": note} for number, note in enumerate(sample["notes"])]
            (base / "notes.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
            (base / "questions").write_text("\n".join(sample["questions"]) + "\n", encoding="utf-8")

            def roost(*arguments):
                return subprocess.run(
                    [options.roost, *arguments, *store], check=True, capture_output=True, text=True).stdout

            roost("init", "--model", options.model)
            roost("ingest", str(base / "notes.jsonl"))
            lines = roost("query", "--batch", str(base / "questions"), "-n", "1").splitlines()
        first = 0
        for note, line in zip(sample["notes"], lines, strict=True):
            hits = json.loads(line)["hits"]
            first += bool(hits) and hits[0]["text"] == note
        print(f"{sample['language']:<10} {first} of {len(lines)}")
        total, questions = total + first, questions + len(lines)
    print(f"{total} of {questions} questions find their note first ({total / questions:.1%})")


main()
