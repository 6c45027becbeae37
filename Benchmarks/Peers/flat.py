"""Measures exact search with faiss: 1,000 queries in one call, and single queries.

Usage: flat.py BASE.npy QUERIES.npy [THREADS]"""
import sys, time
import faiss, numpy as np
base, queries = (np.load(path).astype("f") for path in sys.argv[1:3])
for rows in (base, queries): rows /= np.linalg.norm(rows, axis=1, keepdims=True)
faiss.omp_set_num_threads(int(sys.argv[3]) if len(sys.argv) > 3 else 2)
index = faiss.IndexFlatIP(base.shape[1]); index.add(base)
many = queries[np.arange(1000) % len(queries)]
best = 1e9
for _ in range(3):
    start = time.time(); index.search(many, 10); best = min(best, time.time() - start)
print(f"1,000 queries in one call {1000 / best:.0f} queries/s")
times = []
for row in range(40):
    start = time.time(); index.search(many[row:row + 1], 10); times.append(time.time() - start)
print(f"one query {sorted(times)[20] * 1000:.1f} ms")
