"""Prints how much the mean and the deviation of the cosines of random pairs of texts (decision 15) depend on the size of
the sample: their standard errors over 40 random samples of each size. Uses the vectors of entries, not of passages.

Usage: pair_statistics.py ROOST STORE…

Needs NumPy."""
import json, subprocess, sys
import numpy

roost, *stores = sys.argv[1:]
choose = numpy.random.default_rng(1)

def statistics(vectors):
    cosines = (vectors @ vectors.T)[numpy.triu_indices(len(vectors), 1)]
    return cosines.mean(), cosines.std()

for store in stores:
    export = [roost, "export", "entries", "--format", "jsonl", "--with-embeddings", "--store", store]
    lines = subprocess.run(export, capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [json.loads(line).get("embeddings") for line in lines]
    vectors = numpy.array([row for row in rows if row], dtype="f4")
    print(f"{store}: {len(vectors)} entries")
    for count in (128, 256, 512, 1024):
        if count >= len(vectors): continue
        found = numpy.array([statistics(choose.permutation(vectors)[:count]) for _ in range(40)])
        (mean, deviation), (mean_error, deviation_error) = found.mean(0), found.std(0)
        print(f"  {count:5d}: mean {mean:.3f} ± {mean_error:.4f}, deviation {deviation:.3f} "
              f"± {deviation_error:.4f} ({deviation_error / deviation:.1%})")
