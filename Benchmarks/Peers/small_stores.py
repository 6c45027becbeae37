"""Writes small labeled stores, drawn from labeled sets: 60 to 1,000 texts of 3 to 40 classes, of equal and very unequal
sizes. The draw depends on names only, so it is the same everywhere. Texts are cut to 120 words.

Usage: small_stores.py SETS OUT, where SETS/NAME/data.jsonl has rows with `text` and `label`."""
import collections, json, os, random, sys

# Classes, entries per class, and whether the sizes decrease like 1 / rank.
SHAPES = [(3, 20, False), (5, 40, False), (8, 30, False), (12, 15, False), (20, 12, False), (40, 8, False),
          (6, 60, True), (10, 100, True), (15, 130, True)]
sets, out = sys.argv[1:3]
for name in sorted(os.listdir(sets)):
    path = os.path.join(sets, name, "data.jsonl")
    if not os.path.exists(path): continue
    members = collections.defaultdict(list)
    for row in map(json.loads, open(path, encoding="utf-8")):
        if row["text"].strip(): members[str(row["label"])].append(row)
    for classes, size, skewed in SHAPES:
        generator = random.Random(f"{name} {classes} {size} {int(skewed)}")
        large = [label for label in sorted(members) if len(members[label]) >= (size // 4 if skewed else size)]
        if len(large) < classes: continue
        rows = []
        for rank, label in enumerate(generator.sample(large, classes)):
            count = max(5, int(2.5 * size / (1 + rank))) if skewed else size
            rows += generator.sample(members[label], min(count, len(members[label])))
        generator.shuffle(rows)
        folder = os.path.join(out, f"{name}-{classes}x{size}-{'skewed' if skewed else 'equal'}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "data.jsonl"), "w", encoding="utf-8") as file:
            for row in rows:
                row = dict(id=row["id"], text=" ".join(row["text"].split()[:120]), label=str(row["label"]))
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
