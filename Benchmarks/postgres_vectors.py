"""Vectors for Benchmarks/postgres.py: real ones with moved copies, or generated ones."""

import os
import pathlib

import numpy

ROOT = pathlib.Path(__file__).parent.parent
DIMENSION = 384


def unit(rows):
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def folder_of_real_vectors():
    return pathlib.Path(os.environ.get("ROOST_EVAL", ROOT / "../shared/eval")) / "vectors"


def has_real_vectors():
    return folder_of_real_vectors().is_dir()


def real_vectors(count, random):
    """Returns real vectors with moved copies, and queries."""
    folder = folder_of_real_vectors()
    base, queries = (unit(numpy.load(folder / f"passages-{name}-f16.npy").astype("f")) for name in ("base", "query"))
    # Copies are moved by the median distance of the tenth neighbor, so that copies of the same row are not each
    # other's nearest neighbors.
    sample = base[random.permutation(len(base))[:500]]
    tenth = numpy.partition(sample @ base.T, -11, axis=1)[:, -11]
    distance = float(numpy.median(numpy.sqrt(2 - 2 * tenth)))
    rows = numpy.empty((count, base.shape[1]), "f2")
    for start in range(0, count, len(base)):
        part = base[:count - start]
        if start > 0:
            part = unit(part + distance * unit(random.standard_normal(part.shape, "f")))
        rows[start:start + len(part)] = part
    return rows, queries.astype("f2")


def generated_vectors(count, random):
    centers = unit(random.standard_normal((max(1, count // 200), DIMENSION), "f"))

    def around(number):
        chosen = centers[random.integers(0, len(centers), number)]
        return unit(chosen + 0.8 * unit(random.standard_normal(chosen.shape, "f"))).astype("f2")

    rows = numpy.empty((count, DIMENSION), "f2")
    for start in range(0, count, 50_000):
        rows[start:start + 50_000] = around(min(50_000, count - start))
    return rows, around(1000)


def write_vectors(count, folder):
    """Writes vectors and queries, and returns their files."""
    random = numpy.random.default_rng(2)
    rows, queries = (real_vectors if has_real_vectors() else generated_vectors)(count, random)
    files = folder / f"base{count}.npy", folder / "queries.npy"
    numpy.save(files[0], rows[random.permutation(count)])
    numpy.save(files[1], queries)
    return files


def nearest(base, queries, k):
    """Returns the rows with the largest inner products, by comparing all vectors."""
    rows, queries = numpy.load(base, mmap_mode="r"), queries.astype("f")
    best = []
    for start in range(0, len(rows), 100_000):
        scores = queries @ rows[start:start + 100_000].astype("f").T
        top = numpy.argpartition(-scores, k, axis=1)[:, :k]
        best.append((numpy.take_along_axis(scores, top, 1), top + start))
    scores, numbers = (numpy.hstack(parts) for parts in zip(*best))
    order = numpy.argsort(-scores, axis=1)[:, :k]
    return numpy.take_along_axis(numbers, order, 1)
