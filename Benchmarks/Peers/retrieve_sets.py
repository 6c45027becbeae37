"""Searches judged sets with the command `roost`, as a user does, and prints nDCG@10 of the hybrid search, of each of its
two lists, and of the sum of both scores, each divided by its maximum. Also prints the 95% interval of the difference
between the hybrid search and that sum over random samples of the queries (bootstrap), the share of judged answers that
the default output omits as noise, and the share of unique titles whose entry comes first: for each row of a set with
titles, the title is a query for the whole text.

Usage: retrieve_sets.py ROOST STORES [SETS…] [--questions FILE --notes FOLDER]

Each of SETS is a folder (judged_sets.py describes it); without SETS, all shared sets. STORES is a folder that keeps the
stores, so that a second call need not embed again. FILE has questions about FOLDER in the format of
Fixtures/Questions/questions.jsonl."""
import argparse, collections, json, math, os, random
from judged_sets import SETS, Store, notes_set, shared, shared_set

parser = argparse.ArgumentParser()
parser.add_argument("roost"); parser.add_argument("stores"); parser.add_argument("sets", nargs="*")
parser.add_argument("--questions"); parser.add_argument("--notes"); parser.add_argument("--model", default="minilm")
options = parser.parse_args()

def gain(order, relevant):
    gains = [hit["key"] in relevant for hit in order[:10]]
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(relevant))))
    return sum(found / math.log2(rank + 2) for rank, found in enumerate(gains)) / ideal

def interval(differences):
    """The 2.5th and the 97.5th percentile of the mean difference over random samples of the queries."""
    choose = random.Random(1)
    means = sorted(sum(choose.choices(differences, k=len(differences))) / len(differences) for _ in range(2000))
    return means[50], means[1949]

def merged(hits):
    """The order by the sum of both scores, each divided by its maximum."""
    text = lambda hit: hit["explanation"].get("textScore", 0)
    maximum = max((text(hit) for hit in hits), default=0) or 1
    cosine = max((hit["similarity"] for hit in hits), default=0) or 1
    return sorted(hits, key=lambda hit: -(max(0, hit["similarity"]) / cosine + text(hit) / maximum))

def titles(path):
    """The number of unique titles of a set, and of those whose entry comes first."""
    rows = [json.loads(line) for line in open(os.path.join(path, "data.jsonl"), encoding="utf-8")]
    count = collections.Counter(row["title"].casefold() for row in rows)
    # The texts begin with their titles as headings.
    store = Store(options.roost, os.path.join(options.stores, os.path.basename(path) + "-titles"),
                  [dict(id=str(number), text=row["text"]) for number, row in enumerate(rows)], model=options.model)
    unique = [(number, row) for number, row in enumerate(rows) if count[row["title"].casefold()] == 1]
    found = store.search([dict(text=row["title"]) for _, row in unique], "--exact-words", limit=1)
    return len(unique), sum(hits[:1] != [] and hits[0]["key"] == str(number) for (number, _), hits in zip(unique, found))

table = collections.defaultdict(list)
folders = options.sets or [shared(name) for name in SETS]
for folder in folders:
    name = os.path.basename(folder.rstrip("/"))
    store, queries, relevant = shared_set(options.roost, options.stores, folder, options.model)
    raw = ["--exact-words", "--exact"]
    hybrid = store.search(queries, "--all", "--explain", *raw)
    orders = {
        "hybrid": hybrid, "vectors": store.search(queries, "--mode", "vector", *raw),
        "words": store.search(queries, "--mode", "text", *raw),
        "weighted sum": [merged(hits) for hits in hybrid],
    }
    shown = store.search(queries, *raw)
    judged = omitted = 0
    for query, all_hits, hits in zip(queries, hybrid, shown):
        found = relevant[query["id"]] & {hit["key"] for hit in all_hits[:10]}
        judged += len(found); omitted += len(found - {hit["key"] for hit in hits})
    gains = {kind: [gain(hits, relevant[query["id"]]) for query, hits in zip(queries, result)]
             for kind, result in orders.items()}
    figures = {kind: sum(values) / len(queries) for kind, values in gains.items()}
    low, high = interval([ours - theirs for ours, theirs in zip(gains["hybrid"], gains["weighted sum"])])
    for kind, figure in figures.items(): table[kind].append(figure)
    print(f"{name:16s} queries {len(queries):4d}  " + "  ".join(f"{kind} {figure:.4f}" for kind, figure in figures.items())
          + f"  hybrid - sum [{low:+.4f}, {high:+.4f}]  omitted {omitted}/{judged} = {omitted / max(1, judged):.4f}", flush=True)
print(f"{'mean':16s}               " + "  ".join(f"{kind} {sum(v) / len(v):.4f}" for kind, v in table.items()))
for folder in folders:
    if os.path.exists(os.path.join(folder, "data.jsonl")):
        unique, first = titles(folder)
        print(f"{os.path.basename(folder)}: {first} of {unique} unique titles first = {first / unique:.4f}")

if options.questions:
    store, queries, relevant = notes_set(options.roost, options.stores, options.notes, options.questions, options.model)
    first = three = none = 0
    for query, hits in zip(queries, store.search(queries)):
        found = [hit["key"] for hit in hits]
        if not relevant[query["id"]]:
            none += not found
            if found: print("  found for", query["text"], "|", found[0], hits[0]["score"])
            continue
        rank = next((rank for rank, key in enumerate(found) if key in relevant[query["id"]]), 999) + 1
        first += rank == 1; three += rank <= 3
        if rank > 1: print(f"  rank {rank}: {query['text']} | first {found[:1]}")
    unanswerable = sum(not relevant[query["id"]] for query in queries)
    print(f"questions: first {first}, among three {three} of {len(queries) - unanswerable}; "
          f"nothing close {none} of {unanswerable}")
