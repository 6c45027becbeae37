"""Measures, with the command `roost`, how 1% more entries change the clusters: the share of clusters whose label stays
the same, and the share of entries that stay in their cluster.

Usage: cluster_growth.py ROOST STORES… where each of STORES is a store that cluster_sets.py made. A copy is used."""
import json, os, shutil, subprocess, sys, tempfile

roost_path, *stores = sys.argv[1:]

def roost(store, *words):
    return subprocess.run(
        [roost_path, *words, "--store", store], check=True, capture_output=True, text=True).stdout

def leaves(clusters):
    for cluster in clusters:
        if cluster.get("children"): yield from leaves(cluster["children"])
        else: yield cluster

def clusters(store):
    """The label and the texts of each cluster, by its id."""
    exported = json.loads(roost(store, "export", "clusters"))
    return {cluster["id"]: (cluster["label"], {member["content"] for member in cluster["members"]})
            for cluster in leaves(exported["clusters"])}

same_labels = count = 0
for original in stores:
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store"); shutil.copytree(original, store)
        rows = map(json.loads, roost(store, "export", "entries", "--format", "jsonl").splitlines())
        rows = sorted((row["content"], row["id"]) for row in rows if "content" in row)
        later = rows[100::101]
        roost(store, "remove", "--yes", *[id for _, id in later])
        # The first run of the two makes the second start without earlier labels.
        roost(store, "recluster", "--clusters", "1"); roost(store, "recluster")
        before = clusters(store)
        with open(os.path.join(folder, "later.jsonl"), "w", encoding="utf-8") as file:
            for text, _ in later: print(json.dumps({"text": text}), file=file)
        roost(store, "ingest", file.name); roost(store, "recluster")
        after = clusters(store)
        same = sum(id in before and before[id][0] == label for id, (label, _) in after.items())
        stay = sum(len(texts & before[id][1]) for id, (_, texts) in after.items() if id in before)
        total = sum(len(texts) for _, texts in before.values())
        same_labels += same; count += len(after)
        print(f"{os.path.basename(original)}: {same} of {len(after)} labels are unchanged, {stay / total:.4f} of the "
              f"entries stay", flush=True)
print(f"{same_labels / count:.3f} of all labels are unchanged")
