"""Compares rules that choose the resolution of Leiden's algorithm, on labeled sets (decision 10). Each rule chooses one
of 14 partitions of each set; the figure is the mean adjusted mutual information with the labels. Then the weights of a
sum of rules are chosen on all families of sets but one, and applied to that one.

Usage: cluster_rules.py NEIGHBORS NAME.npz…, each with `X` (unit vectors) and `y` (labels). The family of a set is its
name up to the number of classes, as `small_stores.py` writes it. Needs numpy, scipy, scikit-learn, igraph and
leidenalg."""
import itertools, os, re, sys
import igraph, leidenalg
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_mutual_info_score as ami, adjusted_rand_score as ari

RESOLUTIONS = [0.2 * 2 ** (0.375 * step) for step in range(14)]

def nearest(X, k):
    rows, scores = np.empty((len(X), k), int), np.empty((len(X), k))
    for start in range(0, len(X), 1024):
        products = X[start:start + 1024] @ X.T
        products[np.arange(len(products)), np.arange(start, start + len(products))] = -9
        part = np.argpartition(-products, k - 1, axis=1)[:, :k]
        values = np.take_along_axis(products, part, 1); order = np.argsort(-values, 1, kind="stable")
        rows[start:start + 1024] = np.take_along_axis(part, order, 1)
        scores[start:start + 1024] = np.take_along_axis(values, order, 1)
    return rows, scores

def graph(X, k):
    """The neighbor graph with UMAP's weights."""
    k = min(k, len(X) - 1); rows, scores = nearest(X, k)
    excess = np.maximum(0, scores[:, :1] - scores); low, high = np.zeros(len(X)), np.full(len(X), 4.0)
    for _ in range(40):
        scale = (low + high) / 2
        large = np.exp(-excess / np.maximum(scale, 1e-12)[:, None]).sum(1) > np.log2(k + 1)
        low, high = np.where(large, low, scale), np.where(large, scale, high)
    scale = np.maximum(np.maximum((low + high) / 2, excess.mean(1) * 1e-3), 1e-9)
    weights = np.maximum(np.exp(-excess / scale[:, None]), 1e-6)
    A = sp.csr_matrix((weights.ravel(), (np.repeat(np.arange(len(X)), k), rows.ravel())), (len(X), len(X)))
    return sp.csr_matrix(A + A.T - A.multiply(A.T))

def partitions(A, seed):
    upper = sp.triu(A, 1).tocoo()
    g = igraph.Graph(n=A.shape[0], edges=np.c_[upper.row, upper.col].tolist())
    kind = leidenalg.RBConfigurationVertexPartition
    return [np.array(leidenalg.find_partition(g, kind, weights=upper.data.tolist(), resolution_parameter=r, seed=seed,
                                              n_iterations=2).membership) for r in RESOLUTIONS]

def modularity(A, labels):
    strength = np.asarray(A.sum(1)).ravel(); total = strength.sum(); edges = A.tocoo()
    inside = edges.data[labels[edges.row] == labels[edges.col]].sum() / total
    return inside - ((np.bincount(labels, strength) / total) ** 2).sum()

def unit(X): return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9)

def silhouette(X, labels):
    centers = np.zeros((labels.max() + 1, X.shape[1])); np.add.at(centers, labels, X)
    products = X @ unit(centers).T; own = 1 - products[np.arange(len(X)), labels]
    products[np.arange(len(X)), labels] = -9; other = 1 - products.max(1)
    return np.mean((other - own) / np.maximum(np.maximum(own, other), 1e-9))

def gaps(X, candidates, generator):
    """The silhouette in the principal components minus that of k-means in normally distributed points."""
    sample = np.sort(generator.choice(len(X), min(len(X), 6000), replace=False))
    centered = X[sample] - X[sample].mean(0)
    variances, axes = np.linalg.eigh(centered.T @ centered / len(sample))
    order = np.argsort(-variances)[:min(24, len(sample) - 1)]; projected = unit(centered @ axes[:, order])
    deviations = np.sqrt(np.maximum(variances[order], 0)); count = min(len(sample), 3000)
    reference = unit(generator.standard_normal((count, len(order))) * deviations); values = []
    for labels in candidates:
        labels = np.unique(labels[sample], return_inverse=True)[1]; k = labels.max() + 1
        if k < 2 or k > count // 2: values.append(-1.0); continue
        start = reference[generator.choice(count, k, replace=False)]
        groups = KMeans(k, init=start, n_init=1, max_iter=10).fit_predict(reference)
        groups = np.unique(groups, return_inverse=True)[1]
        values.append(silhouette(projected, labels) - silhouette(reference, groups))
    return np.array(values)

def smoothed(values):
    padded = np.r_[values[0], values, values[-1]]
    return (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4

def measures(path, k):
    data = np.load(path, allow_pickle=True); X = data["X"].astype("f4")
    y = np.unique(data["y"], return_inverse=True)[1]
    generator = np.random.default_rng(0); A = graph(X, k); runs = [partitions(A, seed) for seed in (1, 2, 3)]
    agreement, rand = np.zeros(14), np.zeros(14); count = 8 if len(X) <= 1000 else 4
    for number in range(count):
        rows = np.sort(generator.choice(len(X), min(int(0.8 * len(X)), 4000), replace=False))
        for index, part in enumerate(partitions(graph(X[rows], k), 11 + number)):
            whole = runs[number % 3][index][rows]
            agreement[index] += ami(whole, part) / count; rand[index] += ari(whole, part) / count
    single = np.array([labels.max() == 0 for labels in runs[0]])
    columns = dict(agreement=smoothed(agreement), rand=rand, gap=gaps(X, runs[0], generator),
                   modularity=np.array([modularity(A, labels) for labels in runs[0]]))
    for values in columns.values(): values[single] = -1
    quality = np.mean([[ami(y, labels) for labels in run] for run in runs], axis=0)
    return dict(columns, quality=quality)

def mean(sets, weights):
    chosen = [s["quality"][np.argmax(sum(w * s[c] for c, w in weights.items()))] for s in sets]
    return np.mean(chosen) if chosen else 0

names = [os.path.basename(path)[:-4] for path in sys.argv[2:]]
families = [re.sub(r"-\d+x\d+-(equal|skewed)$", "", name) for name in names]
sets = [measures(path, int(sys.argv[1])) for path in sys.argv[2:]]
print(f"best choice in hindsight {np.mean([s['quality'].max() for s in sets]):.4f}")
for index, resolution in enumerate(RESOLUTIONS):
    print(f"resolution {resolution:.2f}: {np.mean([s['quality'][index] for s in sets]):.4f}")
for rule in [dict(gap=1), dict(modularity=1), dict(rand=1), dict(agreement=1), dict(agreement=1, modularity=1),
             dict(agreement=1, modularity=.5, gap=1)]:
    print(rule, f"{mean(sets, rule):.4f}")
grid = [dict(agreement=a, modularity=q, gap=g) for a, q, g in itertools.product((.5, 1), (0, .5, 1), (0, .5, 1, 2))]
left_out = []
for family in sorted(set(families)):
    rest = [s for s, f in zip(sets, families) if f != family]; own = [s for s, f in zip(sets, families) if f == family]
    best = max(grid, key=lambda weights: mean(rest, weights)) if rest else grid[0]
    left_out += [mean([s], best) for s in own]; print("without", family, best)
print(f"weights chosen without the set's family: {np.mean(left_out):.4f}")
