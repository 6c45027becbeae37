"""Clusters labeled sets with the command `roost`, as a user does, and compares the clusters with the labels: adjusted
mutual information (an outlier is a cluster of its own), and the number of clusters. With several seeds it also prints
the mean adjusted Rand index over all pairs of seeds.

Usage: cluster_sets.py ROOST STORES SETS… [--seeds N] [--model NAME], where each of SETS is a folder with data.jsonl
(rows with `text` and `label`). STORES is a folder that keeps the stores, so that a second call need not embed again."""
import argparse, itertools, json, os, subprocess
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

parser = argparse.ArgumentParser()
parser.add_argument("roost"); parser.add_argument("stores"); parser.add_argument("sets", nargs="+")
parser.add_argument("--seeds", type=int, default=1); parser.add_argument("--model", default="minilm")
options = parser.parse_args()

def roost(store, *words):
    result = subprocess.run(
        [options.roost, *words, "--store", store], check=True, capture_output=True, text=True)
    return result.stdout

def leaves(clusters):
    for cluster in clusters:
        if cluster.get("children"): yield from leaves(cluster["children"])
        else: yield cluster

def groups(store, labels):
    """The labels and the groups of all entries, in a fixed order."""
    exported = json.loads(roost(store, "export", "clusters"))
    group = {member["id"]: number for number, cluster in enumerate(leaves(exported["clusters"]))
             for member in cluster["members"]}
    entries = [json.loads(line) for line in roost(store, "export", "entries", "--format", "jsonl").splitlines()]
    entries = sorted((row["id"], labels[row["content"].strip()]) for row in entries if "content" in row)
    single = itertools.count(len(entries))
    return [label for _, label in entries], [group.get(id, next(single)) for id, _ in entries]

scores = []
for folder in options.sets:
    name = os.path.basename(folder.rstrip("/")); store = os.path.join(options.stores, name)
    rows = list(map(json.loads, open(os.path.join(folder, "data.jsonl"), encoding="utf-8")))
    if not os.path.exists(os.path.join(store, "store.json")):
        subprocess.run([options.roost, "init", store, "--model", options.model], check=True, capture_output=True)
        roost(store, "ingest", os.path.join(folder, "data.jsonl"))
    labels = {row["text"].strip(): str(row["label"]) for row in rows}
    partitions = []
    for seed in range(options.seeds):
        roost(store, "recluster", "--seed", str(seed))
        truth, found = groups(store, labels)
        partitions.append(found)
    # Outliers have numbers from the number of entries on.
    counts = [len({group for group in part if group < len(part)}) for part in partitions]
    score = np.mean([adjusted_mutual_info_score(truth, part) for part in partitions]); scores.append(score)
    line = f"{name}: AMI {score:.3f}, {counts[0]} clusters"
    if len(partitions) > 1:
        pairs = [adjusted_rand_score(a, b) for a, b in itertools.combinations(partitions, 2)]
        line += f" ({min(counts)} to {max(counts)}), agreement of seeds {np.mean(pairs):.3f}"
    print(line, flush=True)
print(f"mean AMI {np.mean(scores):.4f} over {len(scores)} sets")
