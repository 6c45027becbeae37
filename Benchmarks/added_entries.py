"""Measures how much unrelated entries change the scores of hits: adds 1,000 titles of medical articles to a copy of the
store of each set, and compares the scores of the five best hits of each query before and after.

Usage: added_entries.py ROOST STORES

STORES is a folder that keeps the stores."""
import json, os, random, shutil, sys

base = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(base, "Peers"))
from judged_sets import Store, notes_set, shared, shared_set

program, stores = sys.argv[1:3]
fixtures = os.path.join(base, "../Fixtures")
path = os.path.join(os.environ.get("ROOST_EVAL", "../shared/eval"), "clustering/ohsumed-titles/data.jsonl")
titles = [json.loads(line)["text"] for line in open(path, encoding="utf-8")]
titles = [dict(id=f"added-{number}", text=text) for number, text in enumerate(random.Random(1).sample(titles, 1000))]
QUERIES, HITS = 100, 5

for name in ["notes", "cisi", "cranfield", "til"]:
    if name == "notes":
        store, queries, relevant = notes_set(
            program, stores, os.path.join(fixtures, "notes"), os.path.join(fixtures, "Questions/questions.jsonl"))
    else: store, queries, relevant = shared_set(program, stores, shared(name))
    queries = [query for query in queries if relevant[query["id"]]]
    queries = random.Random(1).sample(queries, min(QUERIES, len(queries)))
    larger = os.path.join(stores, os.path.basename(store.path) + "-added")
    if not os.path.exists(larger):
        shutil.copytree(store.path, larger)
        Store(program, larger).add(titles)
    before = store.search(queries, "--all", limit=HITS)
    after = [{hit["id"]: hit["score"] for hit in hits} for hits in Store(program, larger).search(queries, "--all")]
    changes = sorted((found[hit["id"]] - hit["score"] for hits, found in zip(before, after) for hit in hits
                      if hit["id"] in found), key=abs)
    print(f"{name:10s} entries {len(store.keys):4d} + 1000: mean change of a score {sum(changes) / len(changes):+.4f}, "
          f"95th percentile {abs(changes[len(changes) * 95 // 100]):.4f}, maximum {abs(changes[-1]):.4f}", flush=True)
