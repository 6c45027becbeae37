"""Clusters labeled sets with the command `roost`, as a user does, and compares the clusters with the labels: adjusted
mutual information (an outlier is a cluster of its own), and the number of clusters. With several seeds it also prints
the mean adjusted Rand index over all pairs of seeds. With --labels, it prints the share of clustered entries whose
group's label contains a word, by stem, of the name of the group's most frequent class, or a word that begins with one of
at least five letters (PostgreSQL with postgres); the share of those whose group or topic has such a label; and the share
for the first three words of c-TF-IDF. With --numbered, the ids of the rows are left out when a store is made, because in
some sets they are paths that contain the class.

Usage: cluster_sets.py ROOST STORES SETS… [--seeds N] [--model NAME] [--labels] [--numbered] [--granularity SIZE]
Each of SETS is a folder with data.jsonl
(rows with `text` and `label`). STORES is a folder that keeps the stores, so that a second call need not embed again."""
import argparse, collections, itertools, json, math, os, re, subprocess, tempfile
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

parser = argparse.ArgumentParser()
parser.add_argument("roost"); parser.add_argument("stores"); parser.add_argument("sets", nargs="+")
parser.add_argument("--seeds", type=int, default=1); parser.add_argument("--model", default="minilm")
parser.add_argument("--granularity", default="medium", choices=["coarse", "medium", "fine"])
parser.add_argument("--labels", action="store_true"); parser.add_argument("--numbered", action="store_true")
options = parser.parse_args()

def roost(store, *words):
    result = subprocess.run(
        [options.roost, *words, "--store", store], check=True, capture_output=True, text=True)
    return result.stdout

def leaves(clusters, divided=False):
    """The groups with the members of their topics; with `divided`, the topics instead of groups that have them."""
    for cluster in clusters:
        children = cluster.get("children") or []
        if children and (divided or not children[0].get("topic")): yield from leaves(children, divided)
        else: yield dict(cluster, members=cluster["members"] + [member for child in children for member in child["members"]])

def groups(store, labels, divided=False):
    """The labels and the groups (or topics) of all entries, in a fixed order."""
    exported = json.loads(roost(store, "export", "clusters"))
    group = {member["id"]: number for number, cluster in enumerate(leaves(exported["clusters"], divided))
             for member in cluster["members"]}
    entries = [json.loads(line) for line in roost(store, "export", "entries", "--format", "jsonl").splitlines()]
    entries = sorted((row["id"], labels[row["content"].strip()]) for row in entries if "content" in row)
    single = itertools.count(len(entries))
    return [label for _, label in entries], [group.get(id, next(single)) for id, _ in entries]

def ingest(store, path):
    if not options.numbered: return roost(store, "ingest", path)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "data.jsonl")
        with open(copy, "w", encoding="utf-8") as file:
            for row in map(json.loads, open(path, encoding="utf-8")):
                print(json.dumps({"text": row["text"]}), file=file)
        roost(store, "ingest", copy)

def words(text): return [word.lower() for word in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text)]

def report_labels(store, labels):
    """Compares the labels of the clusters with the names of their most frequent classes."""
    import snowballstemmer
    stem = snowballstemmer.stemmer("porter").stemWord
    source = open(os.path.join(os.path.dirname(__file__), "../../Sources/RoostText/StopWords.swift"), encoding="utf-8")
    stops = set(re.search(r'englishList = """(.*?)"""', source.read(), re.S).group(1).split())
    def names(text, entries):
        """Whether a text has a word, by stem, of the name of the most frequent class."""
        classes = collections.Counter(labels[entry.strip()] for entry in entries)
        name = {stem(word) for word in words(min(classes, key=lambda label: (-classes[label], label)))}
        return any(word == part or len(part) > 4 and word.startswith(part) for word in map(stem, words(text)) for part in name)
    groups = list(leaves(json.loads(roost(store, "export", "clusters"))["clusters"]))
    texts = [[member["content"] for member in group["members"]] for group in groups]
    counts = [collections.Counter(word for text in group for word in words(text)
                                  if len(word) > 1 and word not in stops) for group in texts]
    totals = sum(counts, collections.Counter()); mean = sum(totals.values()) / len(counts)
    hits = [0, 0, 0]
    for group, entries, count in zip(groups, texts, counts):
        best = sorted(count, key=lambda word: (-count[word] * math.log(1 + mean / totals[word]), word))[:3]
        isNamed = names(group["label"], entries)
        topics = [(topic["label"], [member["content"] for member in topic["members"]])
                  for topic in group.get("children") or []] or [("", entries)]
        hits[0] += isNamed * len(entries); hits[2] += names(" ".join(best), entries) * len(entries)
        hits[1] += sum(len(part) for label, part in topics if isNamed or names(label, part))
    group, either, peer = (hit / sum(map(len, texts)) for hit in hits)
    distinct = len({group["label"] for group in groups}) / len(groups)
    return f", labels {group:.3f}, of group or topic {either:.3f} (c-TF-IDF {peer:.3f}), different labels {distinct:.2f}"

scores, better = [], []
for folder in options.sets:
    name = os.path.basename(folder.rstrip("/")); store = os.path.join(options.stores, name)
    rows = list(map(json.loads, open(os.path.join(folder, "data.jsonl"), encoding="utf-8")))
    if not os.path.exists(os.path.join(store, "store.json")):
        subprocess.run([options.roost, "init", store, "--model", options.model], check=True, capture_output=True)
        ingest(store, os.path.join(folder, "data.jsonl"))
    labels = {row["text"].strip(): str(row["label"]) for row in rows}
    partitions = []
    for seed in range(options.seeds):
        roost(store, "recluster", "--seed", str(seed), "--granularity", options.granularity)
        truth, found = groups(store, labels)
        partitions.append(found)
    # Outliers are numbered from the number of entries upward.
    counts = [len({group for group in part if group < len(part)}) for part in partitions]
    score = np.mean([adjusted_mutual_info_score(truth, part) for part in partitions]); scores.append(score)
    truth, topics = groups(store, labels, divided=True)
    divided = adjusted_mutual_info_score(truth, topics); better.append(max(score, divided))
    line = f"{name}: AMI {score:.3f}, {counts[0]} clusters; topics {divided:.3f}"
    if len(partitions) > 1:
        pairs = [adjusted_rand_score(a, b) for a, b in itertools.combinations(partitions, 2)]
        line += f" ({min(counts)} to {max(counts)}), agreement of seeds {np.mean(pairs):.3f}"
    if options.labels: line += report_labels(store, labels)
    print(line, flush=True)
print(f"mean AMI {np.mean(scores):.4f}, of the better scale {np.mean(better):.4f}, over {len(scores)} sets")
