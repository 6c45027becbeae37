"""Searches judged sets with the command `roost`, as a user does, and prints nDCG@10 of the hybrid search, of each of its
two lists, and of the sum of both scores, each divided by its maximum. Also prints the 95% interval of the difference
between the hybrid search and that sum over random samples of the queries (bootstrap), and the share of judged answers
that the default output omits as noise.

Usage: retrieve_sets.py ROOST STORES SETS… [--questions FILE --notes FOLDER]

Each of SETS is a folder with corpus.jsonl, queries.jsonl and qrels.tsv, or with data.jsonl, whose titles then become
queries for the texts without their titles. A query with a `conversation` searches only that conversation, and questions
without an answer (category 5) are left out. STORES is a folder that keeps the stores, so that a second call need not
embed again. FILE has questions about FOLDER in the format of Fixtures/Questions/questions.jsonl."""
import argparse, collections, json, math, os, random, re, subprocess, tempfile

parser = argparse.ArgumentParser()
parser.add_argument("roost"); parser.add_argument("stores"); parser.add_argument("sets", nargs="*")
parser.add_argument("--questions"); parser.add_argument("--notes"); parser.add_argument("--model", default="minilm")
options = parser.parse_args()
CANDIDATES = "100"

def roost(store, *words, input=None):
    result = subprocess.run([options.roost, *words, "--store", store], capture_output=True, text=True, input=input)
    if result.returncode not in (0, 1): raise SystemExit(result.stderr)
    return result.stdout

def answers(store, texts, *words):
    """The results of all queries, in order."""
    lines = roost(store, "query", "--batch", "-", "-n", CANDIDATES, *words, input="\n".join(texts) + "\n")
    return [json.loads(line)["hits"] for line in lines.splitlines()]

def read(folder):
    """The rows of the corpus, the queries, and the relevant rows of each query."""
    path = lambda name: os.path.join(folder, name)
    load = lambda name: [json.loads(line) for line in open(path(name), encoding="utf-8")]
    if os.path.exists(path("data.jsonl")):
        rows = [dict(row, text=re.sub(r"\A\s*#[^\n]*\n", "", row["text"]).strip()) for row in load("data.jsonl")]
        # The ids of the set contain words of the titles, so they are replaced with numbers.
        rows = [dict(row, id=str(number)) for number, row in enumerate(rows) if row["text"]]
        queries = [dict(id=row["id"], text=row["title"]) for row in rows]
        rows = [dict(id=row["id"], text=row["text"]) for row in rows]
        return rows, queries, {row["id"]: {row["id"]} for row in rows}
    relevant = collections.defaultdict(set)
    for line in list(open(path("qrels.tsv")))[1:]:
        query, row, grade = line.split("\t")
        if float(grade) > 0: relevant[query].add(row)
    queries = [query for query in load("queries.jsonl") if relevant[query["id"]] and query.get("category") != 5]
    keep = ("id", "text", "title", "conversation")
    return [{key: row[key] for key in keep if row.get(key)} for row in load("corpus.jsonl")], queries, relevant

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

def search(store, queries, *words):
    """The hits of all queries; the queries of a conversation search only that conversation."""
    groups = collections.defaultdict(list)
    for index, query in enumerate(queries): groups[query.get("conversation")].append(index)
    results = [None] * len(queries)
    for conversation, indices in groups.items():
        where = ["--where", f"conversation={conversation}"] if conversation else []
        texts = [" ".join(queries[index]["text"].split()) for index in indices]
        for index, hits in zip(indices, answers(store, texts, *words, *where)): results[index] = hits
    for hits in results:
        for hit in hits: hit["key"] = keys[hit["id"]]
    return results

table = collections.defaultdict(list)
for folder in options.sets:
    name = os.path.basename(folder.rstrip("/")); store = os.path.join(options.stores, name)
    rows, queries, relevant = read(folder)
    if not os.path.exists(os.path.join(store, "store.json")):
        with tempfile.TemporaryDirectory() as scratch:
            corpus = os.path.join(scratch, "corpus.jsonl")
            with open(corpus, "w", encoding="utf-8") as file:
                for row in rows: file.write(json.dumps(row) + "\n")
            roost(store, "init", "--model", options.model)
            roost(store, "ingest", "--quiet", corpus)
    exported = roost(store, "export", "entries", "--format", "jsonl").splitlines()
    keys = {row["id"]: row["key"].removeprefix("id:") for row in map(json.loads, exported) if "key" in row}
    raw = ["--exact-words", "--exact"]
    hybrid = search(store, queries, "--all", "--explain", *raw)
    orders = {
        "hybrid": hybrid, "vectors": search(store, queries, "--mode", "vector", *raw),
        "words": search(store, queries, "--mode", "text", *raw),
        "weighted sum": [merged(hits) for hits in hybrid],
    }
    shown = search(store, queries, *raw)
    judged = omitted = 0
    for query, all_hits, hits in zip(queries, hybrid, shown):
        complete = {hit["key"] for hit in all_hits}; present = {hit["key"] for hit in hits}
        found = relevant[query["id"]] & complete
        judged += len(found); omitted += len(found - present)
    gains = {kind: [gain(hits, relevant[query["id"]]) for query, hits in zip(queries, result)]
             for kind, result in orders.items()}
    figures = {kind: sum(values) / len(queries) for kind, values in gains.items()}
    low, high = interval([ours - theirs for ours, theirs in zip(gains["hybrid"], gains["weighted sum"])])
    for kind, figure in figures.items(): table[kind].append(figure)
    print(f"{name:16s} queries {len(queries):4d}  " + "  ".join(f"{kind} {figure:.4f}" for kind, figure in figures.items())
          + f"  hybrid - sum [{low:+.4f}, {high:+.4f}]  omitted {omitted}/{judged} = {omitted / max(1, judged):.4f}", flush=True)
if options.sets:
    print(f"{'mean':16s}               " + "  ".join(f"{kind} {sum(v) / len(v):.4f}" for kind, v in table.items()))

if options.questions:
    store = os.path.join(options.stores, "notes")
    if not os.path.exists(os.path.join(store, "store.json")):
        roost(store, "init", "--model", options.model)
        roost(store, "ingest", "--quiet", options.notes)
    questions = [json.loads(line) for line in open(options.questions, encoding="utf-8")]
    base = os.path.abspath(options.notes) + os.sep
    keys = {row["id"]: row["key"][3:] if row["key"].startswith("id:") else row["source"].split(base)[-1]
            for row in map(json.loads, roost(store, "export", "entries", "--format", "jsonl").splitlines())
            if "key" in row}
    first = three = none = 0
    for question, hits in zip(questions, search(store, [dict(text=q["question"]) for q in questions])):
        found = [hit["key"] for hit in hits]
        if not question["answers"]:
            none += not found
            if found: print("  found for", question["question"], "|", found[0], hits[0]["score"])
            continue
        rank = next((rank for rank, key in enumerate(found) if key in question["answers"]), 999) + 1
        first += rank == 1; three += rank <= 3
        if rank > 1: print(f"  rank {rank}: {question['question']} | first {found[:1]}")
    unanswerable = sum(not question["answers"] for question in questions)
    print(f"questions: first {first}, among three {three} of {len(questions) - unanswerable}; "
          f"nothing close {none} of {unanswerable}")
