"""Compares the groups of a run over a sample with those of a run over all entries: the adjusted mutual information of
each with the classes, and of both with each other, where each outlier is a group of its own.

Usage: cluster_limits.py SAMPLED.txt ALL.txt     with the files that `Scripts/benchmark recluster --out` writes"""
import sys
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score as ami

def groups(column):
    outliers = column < 0
    column = column.copy(); column[outliers] = column.max() + 1 + np.arange(outliers.sum())
    return column

sampled, whole = (np.loadtxt(path, dtype=int) for path in sys.argv[1:3])
for name, column in (("groups", 1), ("leaf clusters", 2)):
    first, second = groups(sampled[:, column]), groups(whole[:, column])
    print(f"{name}: AMI with the classes {ami(sampled[:, 0], first):.3f} (sample), {ami(whole[:, 0], second):.3f} (all); "
          f"with each other {ami(first, second):.3f}; outliers {(sampled[:, column] < 0).mean():.3f}, "
          f"{(whole[:, column] < 0).mean():.3f}")
