"""Measures how many rows stay in the same group after 1% of the rows have been added: for a new clustering, and for one
that starts from the previous groups. With a file of labels, one per line, it also measures the agreement with them.

Usage: cluster_stability.py RoostBenchmarks VECTORS.npy [LABELS]"""
import re, subprocess, sys, tempfile
import numpy as np
from scipy.optimize import linear_sum_assignment

rows = np.load(sys.argv[2])
def groups(rows, start=None, resolution=None):
    with tempfile.TemporaryDirectory() as folder:
        np.save(folder + "/rows.npy", rows.astype("f2"))
        options = []
        if start is not None:
            np.savetxt(folder + "/start", start, fmt="%d")
            options = ["--start", folder + "/start", "--start-resolution", str(resolution)]
        command = [sys.argv[1], "cluster-vectors", "--base", folder + "/rows.npy", "--out", folder + "/out"] + options
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        resolution = float(re.search(r'"resolution": ([0-9.e-]+)', output)[1])
        return np.loadtxt(folder + "/out")[:, 0].astype(int), resolution
kept = np.sort(np.random.default_rng(1).permutation(len(rows))[:int(0.99 * len(rows))])
before, resolution = groups(rows[kept])
start = np.full(len(rows), -1); start[kept] = before
for name, after in [("from scratch", groups(rows)[0]), ("continuing", groups(rows, start, resolution)[0])]:
    found = after[kept]; both = (before >= 0) & (found >= 0)
    shared = np.zeros((before.max() + 1, found.max() + 1))
    np.add.at(shared, (before[both], found[both]), 1)
    line = f"{name}: {shared[linear_sum_assignment(-shared)].sum() / len(kept):.3f} of the rows stay"
    if len(sys.argv) > 3:
        from sklearn.metrics import adjusted_mutual_info_score as score
        labels = open(sys.argv[3]).read().split("\n")[:len(rows)]
        single = np.where(after < 0, after.max() + 1 + np.arange(len(after)), after)
        line += f", mutual information with the labels {score(labels, single):.3f}"
    print(line)
