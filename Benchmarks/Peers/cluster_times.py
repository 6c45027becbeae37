"""Measures the time of clustering a matrix with another library.

Usage: cluster_times.py VECTORS.npy evoc
       cluster_times.py VECTORS.npy faiss      k-means with k = 1,000, ten iterations and two threads"""
import sys, time
import numpy as np

rows = np.load(sys.argv[1]).astype("f"); rows /= np.linalg.norm(rows, axis=1, keepdims=True)
if sys.argv[2] == "evoc":
    import evoc
    for turn in range(2):  # The first round includes compilation.
        start = time.time(); groups = evoc.EVoC().fit_predict(rows); seconds = time.time() - start
    print(f"EVoC {rows.shape} {seconds:.2f} s, {groups.max() + 1} groups, {(groups < 0).mean():.3f} outliers")
else:
    import faiss
    faiss.omp_set_num_threads(2)
    means = faiss.Kmeans(rows.shape[1], 1000, niter=10, spherical=True, seed=1, max_points_per_centroid=1_000_000)
    start = time.time(); means.train(rows); print(f"faiss k-means {rows.shape} {time.time() - start:.2f} s")
