"""Judged sets in stores of Roost, for retrieve_sets.py and no_answer.py.

A set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv, or with data.jsonl, whose titles then become queries
for the texts without their titles. A query with a `conversation` searches only that conversation, and questions without
an answer (category 5) are left out."""
import collections, json, os, re, subprocess, tempfile

SETS = ["adi", "cisi", "cranfield", "locomo-3", "til", "scifact-train"]

def shared(name):
    """Returns the folder of a shared set."""
    eval = os.environ.get("ROOST_EVAL", "../shared/eval")
    return os.path.join(eval, "clustering/til-jbranchaud" if name == "til" else os.path.join("retrieval", name))

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

class Store:
    """A store of a set or of a folder, which is created if it does not exist."""
    def __init__(self, program, path, rows=None, notes=None, model="minilm"):
        self.program, self.path = program, path
        if not os.path.exists(os.path.join(path, "store.json")):
            self.roost("init", "--model", model)
            if notes: self.roost("ingest", "--quiet", notes)
            else: self.add(rows)
        base = os.path.abspath(notes) + os.sep if notes else None
        self.keys = {row["id"]: row["source"].split(base)[-1] if base and not row["key"].startswith("id:")
                     else row["key"].removeprefix("id:")
                     for row in map(json.loads, self.roost("export", "entries", "--format", "jsonl").splitlines())
                     if "key" in row}

    def roost(self, *words, input=None):
        result = subprocess.run([self.program, *words, "--store", self.path], capture_output=True, text=True, input=input)
        if result.returncode not in (0, 1): raise SystemExit(result.stderr)
        return result.stdout

    def add(self, rows):
        with tempfile.TemporaryDirectory() as scratch:
            corpus = os.path.join(scratch, "corpus.jsonl")
            with open(corpus, "w", encoding="utf-8") as file:
                for row in rows: file.write(json.dumps(row) + "\n")
            self.roost("ingest", "--quiet", corpus)

    def search(self, queries, *words, limit=100):
        """The hits of all queries; the queries of a conversation search only that conversation."""
        groups = collections.defaultdict(list)
        for index, query in enumerate(queries): groups[query.get("conversation")].append(index)
        results = [None] * len(queries)
        for conversation, indices in groups.items():
            where = ["--where", f"conversation={conversation}"] if conversation else []
            texts = "\n".join(" ".join(queries[index]["text"].split()) for index in indices) + "\n"
            lines = self.roost("query", "--batch", "-", "-n", str(limit), *words, *where, input=texts).splitlines()
            for index, line in zip(indices, lines): results[index] = json.loads(line)["hits"]
        for hits in results:
            for hit in hits: hit["key"] = self.keys.get(hit["id"])
        return results

def shared_set(program, stores, path, model="minilm"):
    """The store of a set, its queries, and their relevant rows."""
    rows, queries, relevant = read(path)
    name = os.path.basename(path.rstrip("/"))
    return Store(program, os.path.join(stores, name), rows, model=model), queries, relevant

def notes_set(program, stores, notes, questions, model="minilm"):
    """The same for a folder of notes and questions in the format of Fixtures/Questions/questions.jsonl. The questions
    without answers have no relevant rows."""
    questions = [json.loads(line) for line in open(questions, encoding="utf-8")]
    queries = [dict(id=str(number), text=row["question"]) for number, row in enumerate(questions)]
    relevant = {str(number): set(row["answers"]) for number, row in enumerate(questions)}
    return Store(program, os.path.join(stores, "notes"), notes=notes, model=model), queries, relevant
