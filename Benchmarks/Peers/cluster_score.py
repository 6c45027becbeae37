"""Adjusted mutual information of groups with labels, over all rows (an outlier is a group of its own) and over the most
confident 80%. Usage: cluster_score.py DATA.jsonl GROUPS.txt, the latter as `cluster-vectors --out` writes it; or
cluster_score.py --texts DATA.jsonl, which writes a text a line for `embed-lines`."""
import json, sys

rows = [json.loads(line) for line in open(sys.argv[2] if sys.argv[1] == "--texts" else sys.argv[1], encoding="utf8")]
rows = [row for row in rows if row["text"].split()]
if sys.argv[1] == "--texts":
    for row in rows: print(" ".join(row["text"].split()))
    sys.exit()
import numpy as np
from sklearn.metrics import adjusted_mutual_info_score as ami
labels = np.unique([str(row["label"]) for row in rows], return_inverse=True)[1]
lines = np.loadtxt(sys.argv[2]); groups, confidence = lines[:, 0].astype(int), lines[:, 1]
own = groups.copy(); out = groups < 0; own[out] = groups.max() + 1 + np.arange(out.sum())
sure = np.argsort(-confidence, kind="stable")[:int(0.8 * len(groups))]; sure = sure[groups[sure] >= 0]
print(f"{groups.max() + 1} groups, {out.mean():.3f} outliers, AMI {ami(labels, own):.3f}, confident 80% {ami(labels[sure], groups[sure]):.3f}")
