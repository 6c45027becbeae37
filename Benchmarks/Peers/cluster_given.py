"""Compares k-means of `cluster-vectors` with scikit-learn's KMeans (best of ten runs) for a given number of clusters:
adjusted mutual information with the labels.

Usage: cluster_given.py RoostBenchmarks DATA.jsonl BASE.npy [DATA.jsonl BASE.npy]..."""
import json, subprocess, sys, tempfile
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_mutual_info_score as ami

for data, base in zip(sys.argv[2::2], sys.argv[3::2]):
    rows = [json.loads(line) for line in open(data, encoding="utf8")]
    labels = np.unique([str(row["label"]) for row in rows if row["text"].split()], return_inverse=True)[1]
    vectors = np.load(base).astype("f"); vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    k = len(set(labels))
    with tempfile.NamedTemporaryFile() as out:
        command = [sys.argv[1], "cluster-vectors", "--base", base, "--clusters", str(k), "--out", out.name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        roost = np.loadtxt(out.name)[:, 0].astype(int)
    sklearn = KMeans(k, n_init=10, random_state=0).fit_predict(vectors)
    print(f"{data} k={k}: {ami(labels, roost):.3f}, scikit-learn {ami(labels, sklearn):.3f}", flush=True)
