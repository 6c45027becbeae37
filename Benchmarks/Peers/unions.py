"""Measures how much the clusters of a collection change if another collection is in the same store.

Usage: unions.py BENCHMARKS WORK SETS… [--size 1000]

BENCHMARKS is the program of `Scripts/build --benchmarks`. Each of SETS is a folder with data.jsonl (rows with `text` and
`label`). WORK is a folder that keeps the vectors, so that a second call need not embed again. For each set alone, and for
each pair, the groups and the topics are compared with the labels (adjusted mutual information). The loss is the difference
between alone and in a pair, of the better of the two scales, and of the groups only."""
import argparse, itertools, json, os, random, subprocess
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score as ami

parser = argparse.ArgumentParser()
parser.add_argument("benchmarks"); parser.add_argument("work"); parser.add_argument("sets", nargs="+")
parser.add_argument("--size", type=int, default=1000)
options = parser.parse_args()

def benchmark(*words): subprocess.run([options.benchmarks, *words], check=True, capture_output=True)

def load(folder):
    """The vectors and labels of a sample of a set."""
    name = os.path.basename(folder.rstrip("/")); work = os.path.join(options.work, f"{name}-{options.size}")
    with open(os.path.join(folder, "data.jsonl"), encoding="utf-8") as file: rows = [json.loads(line) for line in file]
    rows = [row for row in rows if row["text"].strip()]
    rows = random.Random(name).sample(rows, min(options.size, len(rows)))
    if not os.path.exists(os.path.join(work, "base.npy")):
        os.makedirs(work, exist_ok=True)
        with open(os.path.join(work, "lines.txt"), "w", encoding="utf-8") as file:
            for row in rows: print(" ".join(row["text"].split()), file=file)
        benchmark("embed-lines", "--lines", os.path.join(work, "lines.txt"), "--out", work, "--queries", "0")
    return np.load(os.path.join(work, "base.npy")), np.array([str(row["label"]) for row in rows])

def scales(vectors):
    """The groups and topics of vectors; outliers are groups of their own."""
    order = np.random.default_rng(0).permutation(len(vectors))
    base, out = os.path.join(options.work, "union.npy"), os.path.join(options.work, "union.txt")
    np.save(base, vectors[order]); benchmark("cluster-vectors", "--base", base, "--out", out)
    found = np.empty((len(vectors), 2), int); found[order] = np.loadtxt(out)[:, [0, 2]].astype(int)
    outliers = found[:, 0] < 0; found[outliers] = (found.max() + 1 + np.arange(outliers.sum()))[:, None]
    return found

sets = {os.path.basename(folder.rstrip("/")): load(folder) for folder in options.sets}
alone, losses, of_groups = {}, [], []
for names in [(name,) for name in sets] + list(itertools.combinations(sets, 2)):
    found = scales(np.concatenate([sets[name][0] for name in names])); start = 0
    for name in names:
        labels = sets[name][1]; part = found[start:start + len(labels)]; start += len(labels)
        groups, topics = (ami(labels, part[:, scale]) for scale in (0, 1))
        if len(names) == 1: alone[name] = max(groups, topics), groups
        else:
            losses.append((alone[name][0] - max(groups, topics), name, " + ".join(names)))
            of_groups.append(alone[name][1] - groups)
        print(f"{name} in {' + '.join(names)}: groups {groups:.3f}, topics {topics:.3f}", flush=True)
print(f"better scale alone {np.mean([both for both, _ in alone.values()]):.3f}; mean loss "
      f"{np.mean([loss[0] for loss in losses]):.3f}, of the groups only {np.mean(of_groups):.3f}, worst {max(of_groups):.3f}")
for loss, name, union in sorted(losses, reverse=True)[:3]: print(f"worst loss {loss:.3f}: {name} in {union}")
