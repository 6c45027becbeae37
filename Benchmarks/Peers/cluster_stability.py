"""How many rows stay in the same group when 1% more are there, both found afresh, the groups matched.
Usage: cluster_stability.py RoostBenchmarks VECTORS.npy"""
import subprocess, sys, tempfile
import numpy as np
from scipy.optimize import linear_sum_assignment

rows = np.load(sys.argv[2])
def groups(rows):
    with tempfile.TemporaryDirectory() as folder:
        np.save(folder + "/rows.npy", rows.astype("f2"))
        subprocess.run([sys.argv[1], "cluster-vectors", "--base", folder + "/rows.npy", "--out", folder + "/out"],
                       check=True, capture_output=True)
        return np.loadtxt(folder + "/out")[:, 0].astype(int)
kept = np.sort(np.random.default_rng(1).permutation(len(rows))[:int(0.99 * len(rows))])
before, after = groups(rows[kept]), groups(rows)[kept]
shared = np.zeros((before.max() + 1, after.max() + 1)); both = (before >= 0) & (after >= 0)
np.add.at(shared, (before[both], after[both]), 1)
print(f"{shared[linear_sum_assignment(-shared)].sum() / len(kept):.3f} stay")
