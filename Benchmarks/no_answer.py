"""Measures the noise level: how many questions that a store cannot answer get hits, and how many judged answers among
the ten best hits the noise level omits.

Usage: no_answer.py ROOST STORES

Benchmarks/questions has 50 questions each for a programmer's notes, Fixtures/notes, abstracts and conversations, half of
them near the subject of the store. The judged answers are those of the shared sets and of Fixtures/Questions. STORES is
a folder that keeps the stores."""
import os, sys

base = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(base, "Peers"))
from judged_sets import SETS, notes_set, shared, shared_set

program, stores = sys.argv[1:3]
fixtures = os.path.join(base, "../Fixtures")
FILES = {"til": "til", "notes": "notes", "scifact-train": "abstracts", "locomo-3": "conversations"}

def questions(name):
    """The questions of a file, those near the subject first."""
    groups = []
    for line in open(os.path.join(base, "questions", name + ".txt"), encoding="utf-8"):
        if line.startswith("#"): groups.append([])
        elif line.strip(): groups[-1].append(dict(text=line.strip()))
    return groups

sums = [0, 0, 0, 0]
for name in [*SETS, "notes"]:
    if name == "notes":
        store, queries, relevant = notes_set(
            program, stores, os.path.join(fixtures, "notes"), os.path.join(fixtures, "Questions/questions.jsonl"))
    else:
        store, queries, relevant = shared_set(program, stores, shared(name))
    queries = [query for query in queries if relevant[query["id"]]]
    judged = omitted = 0
    # The number of hits does not change the noise level, but candidates need some depth to be equal.
    for query, hits, shown in zip(queries, store.search(queries, "--all"), store.search(queries)):
        answers = {hit["key"] for hit in hits[:10]} & relevant[query["id"]]
        judged += len(answers); omitted += len(answers - {hit["key"] for hit in shown})
    line = f"{name:14s} judged answers omitted {omitted:3d}/{judged:4d} = {omitted / judged:.4f}"
    if name in FILES:
        found = [[hits for hits in store.search(group) if hits] for group in questions(FILES[name])]
        sums[0] += sum(map(len, found)); sums[1] += sum(map(len, questions(FILES[name])))
        lengths = sorted(len(hits) for group in found for hits in group) or [0]
        line += f"  questions with hits: near {len(found[0])}, far {len(found[1])}; median length {lengths[len(lengths) // 2]}"
    sums[2] += omitted; sums[3] += judged
    print(line, flush=True)
print(f"questions with hits {sums[0]}/{sums[1]} = {sums[0] / sums[1]:.3f}; "
      f"judged answers omitted {sums[2]}/{sums[3]} = {sums[2] / sums[3]:.4f}")
