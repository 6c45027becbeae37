"""Enlarges a set of real vectors. Adds COPIES - 1 copies of each row (by default 4), moved in random directions by the
distance of its 10th neighbor, so that copies of the same row are not each other's nearest neighbors.

Usage: widen.py BASE.npy QUERIES.npy OUT_FOLDER [COPIES]
Writes base5.npy (or baseN.npy for COPIES = N) and queries.npy to OUT_FOLDER."""
import sys
import faiss, numpy as np

base, queries = (np.load(path).astype("f") for path in sys.argv[1:3])
for rows in (base, queries): rows /= np.linalg.norm(rows, axis=1, keepdims=True)
index = faiss.IndexFlatIP(base.shape[1]); index.add(base)
tenth = np.sqrt(np.maximum(0, 2 - 2 * index.search(base, 11)[0][:, 10]))
random = np.random.RandomState(2)
copies = int(sys.argv[4]) if len(sys.argv) > 4 else 5
parts = [base]
for _ in range(copies - 1):
    noise = random.randn(*base.shape).astype("f"); noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    moved = base + noise * tenth[:, None]
    parts.append(moved / np.linalg.norm(moved, axis=1, keepdims=True))
out = np.vstack(parts)
np.save(f"{sys.argv[3]}/base{copies}.npy", out[random.permutation(len(out))])
np.save(sys.argv[3] + "/queries.npy", queries)
