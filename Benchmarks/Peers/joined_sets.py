"""Joins texts of a judged set to long texts, to measure how searches find one part of a long text.

Usage: joined_sets.py SET OUT [--share 0.5] [--sizes 20] [--seed 1]

SET is a folder of retrieve_sets.py, and OUT becomes one. A share of the texts, in random order, is joined in groups,
each with one of the given sizes; the other texts stay as they are. A long text is relevant to a query if one of its
parts is."""
import argparse, json, os, random, re

parser = argparse.ArgumentParser()
parser.add_argument("set"); parser.add_argument("out")
parser.add_argument("--share", type=float, default=0.5); parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--sizes", type=int, nargs="+", default=[20])
options = parser.parse_args()

def load(name):
    with open(os.path.join(options.set, name), encoding="utf-8") as file: return [json.loads(line) for line in file]

if os.path.exists(os.path.join(options.set, "data.jsonl")):
    rows = [dict(id=str(number), query=row["title"], text=re.sub(r"\A\s*#[^\n]*\n", "", row["text"]).strip())
            for number, row in enumerate(load("data.jsonl"))]
    rows = [row for row in rows if row["text"]]
    queries = [dict(id=row["id"], text=row.pop("query")) for row in rows]
    relevant = [(row["id"], row["id"]) for row in rows]
else:
    rows, queries = load("corpus.jsonl"), load("queries.jsonl")
    with open(os.path.join(options.set, "qrels.tsv"), encoding="utf-8") as file:
        lines = [line.split("\t") for line in list(file)[1:]]
    relevant = [(query, row) for query, row, grade in lines if float(grade) > 0]

choose = random.Random(options.seed)
choose.shuffle(rows)
first = round(len(rows) * (1 - options.share))
joined = [{key: row[key] for key in ("id", "text", "title") if row.get(key)} for row in rows[:first]]
rest = rows[first:]
place = {}
while rest:
    size = choose.choice(options.sizes)
    part, rest = rest[:size], rest[size:]
    name = f"joined-{len(joined)}"
    texts = [row["text"] if row["text"].startswith(row.get("title") or "") else f"{row['title']}\n{row['text']}"
             for row in part]
    joined.append(dict(id=name, text="\n\n".join(texts)))
    place.update((row["id"], name) for row in part)

os.makedirs(options.out, exist_ok=True)

def write(name, lines):
    with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)

write("corpus.jsonl", map(json.dumps, joined))
write("queries.jsonl", map(json.dumps, queries))
pairs = sorted({(query, place.get(row, row)) for query, row in relevant})
write("qrels.tsv", ["query\trow\tgrade"] + [f"{query}\t{row}\t1" for query, row in pairs])
