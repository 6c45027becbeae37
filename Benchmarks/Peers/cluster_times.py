"""Measures the time of clustering a matrix with another library.

Usage: cluster_times.py VECTORS.npy evoc
       cluster_times.py VECTORS.npy faiss      k-means with k = 1,000, ten iterations and two threads
       cluster_times.py VECTORS.npy leiden     one run at resolution 1 over the exact 15 nearest neighbors"""
import sys, time
import numpy as np

rows = np.load(sys.argv[1]).astype("f"); rows /= np.linalg.norm(rows, axis=1, keepdims=True)
if sys.argv[2] == "evoc":
    import evoc
    for turn in range(2):  # The first round includes compilation.
        start = time.time(); groups = evoc.EVoC().fit_predict(rows); seconds = time.time() - start
    print(f"EVoC {rows.shape} {seconds:.2f} s, {groups.max() + 1} groups, {(groups < 0).mean():.3f} outliers")
elif sys.argv[2] == "leiden":
    import faiss, igraph, leidenalg
    faiss.omp_set_num_threads(2)
    start = time.time(); index = faiss.IndexFlatIP(rows.shape[1]); index.add(rows)
    scores, near = index.search(rows, 16); ends = np.c_[np.repeat(np.arange(len(rows)), 15), near[:, 1:].ravel()]
    graph = igraph.Graph(len(rows), ends, edge_attrs={"weight": np.maximum(scores[:, 1:].ravel(), 1e-6)}).simplify(
        combine_edges="max")
    part = leidenalg.find_partition(graph, leidenalg.RBConfigurationVertexPartition, weights="weight", seed=1)
    print(f"Leiden {rows.shape} {time.time() - start:.2f} s, {len(part)} groups")
else:
    import faiss
    faiss.omp_set_num_threads(2)
    means = faiss.Kmeans(rows.shape[1], 1000, niter=10, spherical=True, seed=1, max_points_per_centroid=1_000_000)
    start = time.time(); means.train(rows); print(f"faiss k-means {rows.shape} {time.time() - start:.2f} s")
