"""Measures how much the clusters of a collection change if other collections are in the same store.

Usage: unions.py BENCHMARKS WORK SETS… [--sizes 1000] [--triples 0] [--peers]

BENCHMARKS is the program of `Scripts/build --benchmarks`. Each of SETS is a folder with data.jsonl (rows with `text` and
`label`). WORK is a folder that keeps the vectors, so that a second call need not embed again. All pairs are measured, and
the given number of triples. With several sizes, each set of a union has a size that depends on the names in the union
only; its loss is the difference between the set of this size alone and in the union (adjusted mutual information).

Prints one table: the mean alone and in the unions, the mean and the largest loss, and, as the largest of all, the size
of the largest cluster divided by that of the largest class, alone or in a union. With --peers, the table includes
k-means with the true number of classes and Leiden's algorithm at five resolutions on the graph of 15 neighbors. Needs
numpy and scikit-learn; the peers need igraph."""
import argparse, itertools, json, os, random, subprocess
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score as ami

parser = argparse.ArgumentParser()
parser.add_argument("benchmarks"); parser.add_argument("work"); parser.add_argument("sets", nargs="+")
parser.add_argument("--sizes", type=int, nargs="+", default=[1000]); parser.add_argument("--triples", type=int, default=0)
parser.add_argument("--peers", action="store_true")
options = parser.parse_args()
GROUPS, TOPICS, BETTER = "groups", "topics", "better of both"

def benchmark(*words): subprocess.run([options.benchmarks, *words], check=True, capture_output=True)

def load(folder):
    """The vectors and labels of a sample of a set."""
    size = max(options.sizes)
    name = os.path.basename(folder.rstrip("/")); work = os.path.join(options.work, f"{name}-{size}")
    with open(os.path.join(folder, "data.jsonl"), encoding="utf-8") as file: rows = [json.loads(line) for line in file]
    rows = [row for row in rows if row["text"].strip()]
    rows = random.Random(name).sample(rows, min(size, len(rows)))
    if not os.path.exists(os.path.join(work, "base.npy")):
        os.makedirs(work, exist_ok=True)
        with open(os.path.join(work, "lines.txt"), "w", encoding="utf-8") as file:
            for row in rows: print(" ".join(row["text"].split()), file=file)
        benchmark("embed-lines", "--lines", os.path.join(work, "lines.txt"), "--out", work, "--queries", "0")
    return np.load(os.path.join(work, "base.npy")).astype("f4"), np.array([f"{name} {row['label']}" for row in rows])

def clusters(vectors):
    """The groups and topics of vectors; outliers are clusters of their own."""
    base, out = os.path.join(options.work, "union.npy"), os.path.join(options.work, "union.txt")
    np.save(base, vectors); benchmark("cluster-vectors", "--base", base, "--out", out)
    found = np.loadtxt(out)[:, [0, 2]].astype(int); outliers = found[:, 0] < 0
    found[outliers] = (found.max() + 1 + np.arange(outliers.sum()))[:, None]
    return {GROUPS: found[:, 0], TOPICS: found[:, 1]}

def peers(vectors, classes):
    import igraph
    from sklearn.cluster import KMeans
    from sklearn.neighbors import kneighbors_graph
    found = {"k-means with true k": KMeans(classes, n_init=1, random_state=0).fit_predict(vectors)}
    pairs = kneighbors_graph(vectors, min(15, len(vectors) - 1)).tocoo()
    graph = igraph.Graph(n=len(vectors), edges=np.c_[pairs.row, pairs.col]).simplify()
    for resolution in (.25, .5, 1, 2, 4):
        random.seed(0)
        part = graph.community_leiden("modularity", resolution=resolution, n_iterations=2)
        found[f"Leiden at {resolution}"] = np.array(part.membership)
    return found

def measure(parts):
    """For each method, the agreement of each part of a union and the largest cluster relative to the largest class."""
    vectors, labels = (np.concatenate(arrays) for arrays in zip(*parts))
    order = np.random.default_rng(0).permutation(len(vectors)); names, classes = np.unique(labels, return_counts=True)
    found = clusters(vectors[order])
    if options.peers: found.update(peers(vectors[order], len(names)))
    scores, ends = {}, np.cumsum([len(labels) for _, labels in parts])
    for method, shuffled in found.items():
        whole = np.empty(len(vectors), int); whole[order] = shuffled
        largest = np.unique(whole, return_counts=True)[1].max() / classes.max()
        scores[method] = [ami(own, part) for (_, own), part in zip(parts, np.split(whole, ends[:-1]))], largest
    return {BETTER: (list(map(max, scores[GROUPS][0], scores[TOPICS][0])), scores[GROUPS][1]), **scores}

sets = {os.path.basename(folder.rstrip("/")): load(folder) for folder in options.sets}
triples = list(itertools.combinations(sets, 3)); random.Random(0).shuffle(triples)
alone, rows, losses = {}, {}, []
for names in list(itertools.combinations(sets, 2)) + triples[:options.triples]:
    choose = random.Random(" ".join(names)); parts = []
    for name in names:
        size = choose.choice(options.sizes); part = tuple(array[:size] for array in sets[name]); parts.append(part)
        if (name, len(part[1])) not in alone: alone[name, len(part[1])] = measure([part])
    union = " + ".join(f"{name} ({len(part[1])})" for name, part in zip(names, parts))
    for method, (scores, largest) in measure(parts).items():
        for name, part, score in zip(names, parts, scores):
            (single,), own = alone[name, len(part[1])][method]
            rows.setdefault(method, []).append((single, score, single - score, max(own, largest)))
            if method == BETTER: losses.append((single - score, name, union))
    print(f"{union}: loss {', '.join(f'{loss[0]:.3f}' for loss in losses[-len(names):])}", flush=True)
print("| clusters | alone | in a union | mean loss | worst loss | largest cluster |\n|---|---|---|---|---|---|")
for method, values in rows.items():
    single, score, loss, largest = np.array(values).T
    means = " | ".join(f"{values.mean():.3f}" for values in (single, score, loss))
    print(f"| {method} | {means} | {loss.max():.3f} | {largest.max():.2f} |")
for loss, name, union in sorted(losses, reverse=True)[:5]: print(f"loss {loss:.3f}: {name} in {union}")
