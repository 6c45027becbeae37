"""Computes the adjusted mutual information of groups with labels: over all rows, with each outlier as a separate group,
and over the most confident 80%.

Usage: cluster_score.py DATA.jsonl GROUPS.txt     with the file that `cluster-vectors --out` writes
       cluster_score.py --texts DATA.jsonl        prints one text per line, for `embed-lines`"""
import json, sys

path = sys.argv[2] if sys.argv[1] == "--texts" else sys.argv[1]
rows = [json.loads(line) for line in open(path, encoding="utf8")]
rows = [row for row in rows if row["text"].split()]
if sys.argv[1] == "--texts":
    for row in rows: print(" ".join(row["text"].split()))
    sys.exit()
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score as ami
labels = np.unique([str(row["label"]) for row in rows], return_inverse=True)[1]
lines = np.loadtxt(sys.argv[2]); groups, confidence = lines[:, 0].astype(int), lines[:, 1]
single = groups.copy(); outliers = groups < 0; single[outliers] = groups.max() + 1 + np.arange(outliers.sum())
confident = np.argsort(-confidence, kind="stable")[:int(0.8 * len(groups))]
confident = confident[groups[confident] >= 0]
print(f"{groups.max() + 1} groups, {outliers.mean():.3f} outliers, AMI {ami(labels, single):.3f}, "
      f"confident 80% {ami(labels[confident], groups[confident]):.3f}")
