"""Train and cross-validate the scores of blocks of web pages (Sources/RoostDocuments/HTML/BlockScorerModel.swift).

    Scripts/benchmark web-pages FOLDER --features FEATURES  writes the blocks of each page and their features
    python webpage_blocks.py FOLDER FEATURES [--write FILE]

Without --write, it cross-validates: folds by host, and one page type left out. With --write, it trains with all
pages and writes the Swift file.

FOLDER contains truth.jsonl (id, type, url, text). Requires numpy and lightgbm.
A block's label is the share of its words that an alignment with the text of the truth contains.
"""
import collections, difflib, json, os, re, sys, textwrap
from urllib.parse import urlparse

import lightgbm
import numpy as np

ROUNDS = 60
PARAMETERS = dict(
    objective="cross_entropy", learning_rate=0.15, num_leaves=10, min_data_in_leaf=60,
    min_sum_hessian_in_leaf=3.0, feature_fraction=0.3, bagging_fraction=0.7, bagging_freq=1, lambda_l2=10.0,
    max_bin=63, seed=1, deterministic=True, force_row_wise=True, num_threads=1, verbosity=-1)


def words(text):
    return re.findall(r"\w+", text.lower())


def f1(got, want):
    got, want = collections.Counter(got), collections.Counter(want)
    both = sum((got & want).values())
    return 2 * both / max(1, sum(got.values()) + sum(want.values())) if got or want else 1.0


def labels(blocks, truth):
    """The share of each block's words that the truth contains, by an alignment in order and then by 4-grams."""
    flat = [(word, index) for index, block in enumerate(blocks) for word in block]
    matcher = difflib.SequenceMatcher(None, [word for word, _ in flat], truth, autojunk=False)
    matched, used = np.zeros(len(blocks)), np.zeros(len(truth), bool)
    for a, b, size in matcher.get_matching_blocks():
        for position in range(a, a + size):
            matched[flat[position][1]] += 1
        used[b:b + size] = True
    free = collections.Counter(
        tuple(truth[i:i + 4]) for i in range(len(truth) - 3) if not used[i:i + 4].any())
    result = np.zeros(len(blocks))
    for index, block in enumerate(blocks):
        result[index] = matched[index] / max(1, len(block))
        if result[index] < 0.5 and len(block) >= 4:
            grams = [tuple(block[i:i + 4]) for i in range(len(block) - 3)]
            found = [gram for gram in grams if free[gram] > 0]
            if len(found) * 2 > len(grams):
                result[index] = len(found) / len(grams)
                free.subtract(found)
    return np.where(result < 0.2, 0, result)


class Pages:
    def __init__(self, folder, features):
        self.names = open(f"{features}/names.txt").read().split("\n")
        self.rows, self.X, self.y, self.words, self.blocks, self.truth = [], [], [], [], [], []
        cache = f"{features}/labels.json"
        labeled = json.load(open(cache)) if os.path.exists(cache) else {}
        for line in open(f"{folder}/truth.jsonl", encoding="utf-8"):
            row = json.loads(line)
            page = json.load(open(f"{features}/{row['id']}.json"))
            blocks, truth = [words(block["t"]) for block in page["blocks"]], words(row["text"])
            if row["id"] not in labeled:
                labeled[row["id"]] = [round(float(value), 3) for value in labels(blocks, truth)]
            values = np.fromfile(f"{features}/{row['id']}.f32", dtype=np.float32)
            self.rows.append(row)
            self.X.append(values.reshape(len(blocks), len(self.names)))
            self.y.append(np.array(labeled[row["id"]]))
            self.words.append(np.array([len(block) for block in blocks], dtype=float))
            self.blocks.append(blocks)
            self.truth.append(truth)
        json.dump(labeled, open(cache, "w"))


def train(pages, chosen, columns=slice(None), parameters=PARAMETERS, rounds=ROUNDS):
    X = np.concatenate([pages.X[i] for i in chosen])[:, columns]
    y = np.concatenate([pages.y[i] for i in chosen])
    # All pages have the same weight; long blocks weigh more, as in the measure.
    weights = [np.sqrt(pages.words[i] + 1) for i in chosen]
    weight = np.concatenate([weight / max(1, weight.sum()) for weight in weights])
    return lightgbm.train(parameters, lightgbm.Dataset(X, y, weight=weight / weight.mean()), rounds)


def select(scores, lengths):
    """The blocks that maximize the expected F1: those whose score exceeds half of the F1 that they reach."""
    order = np.argsort(-scores, kind="stable")
    gain, size = np.cumsum((scores * lengths)[order]), np.cumsum(lengths[order])
    expected = 2 * gain / np.maximum(1, size + (scores * lengths).sum())
    chosen = np.zeros(len(scores), bool)
    if len(scores):
        chosen[order[:int(np.argmax(expected)) + 1]] = True
    return chosen


def evaluate(pages, scores, choose=select):
    result = {}
    for i, score in scores.items():
        chosen = choose(score, pages.words[i])
        got = [word for block, keep in zip(pages.blocks[i], chosen) if keep for word in block]
        result[i] = f1(got, pages.truth[i])
    return result


def report(name, pages, result):
    kinds = collections.defaultdict(list)
    for i, value in result.items():
        kinds[pages.rows[i]["type"]].append(value)
    mean = np.mean(list(result.values()))
    print(f"{name:16s} F1 {mean:.4f} ", " ".join(f"{kind} {np.mean(v):.3f}" for kind, v in sorted(kinds.items())), flush=True)


def host(row):
    return ".".join(urlparse(row["url"]).netloc.split(".")[-2:])


def folds(pages, count=5, seed=0):
    """The pages, divided by host."""
    hosts = sorted({host(row) for row in pages.rows})
    np.random.default_rng(seed).shuffle(hosts)
    number = {name: i % count for i, name in enumerate(hosts)}
    return [[i for i, row in enumerate(pages.rows) if number[host(row)] == fold] for fold in range(count)]


def cross_validate(pages, groups, columns=slice(None), parameters=PARAMETERS, rounds=ROUNDS):
    scores = {}
    for group in groups:
        model = train(pages, sorted(set(range(len(pages.rows))) - set(group)), columns, parameters, rounds)
        for i in group:
            scores[i] = model.predict(pages.X[i][:, columns]) if len(pages.X[i]) else np.zeros(0)
    return scores


def main():
    if "--write" in sys.argv:
        return write(Pages(*sys.argv[1:3]), sys.argv[-1])
    pages = Pages(*sys.argv[1:3])
    report("best labels", pages, evaluate(pages, dict(enumerate(pages.y)), lambda y, n: y >= 0.5))
    report("folds by host", pages, evaluate(pages, cross_validate(pages, folds(pages))))
    kinds = sorted({row["type"] for row in pages.rows})
    groups = [[i for i, row in enumerate(pages.rows) if row["type"] == kind] for kind in kinds]
    report("type left out", pages, evaluate(pages, cross_validate(pages, groups)))


def write(pages, path):
    """Writes the trees in prefix order: FEATURE:THRESHOLD, then the subtrees for smaller and larger values."""
    def text(node):
        if "leaf_value" in node:
            return [f"{node['leaf_value']:.3g}"]
        head = f"{node['split_feature']}:{node['threshold']:.5g}"
        return [head] + text(node["left_child"]) + text(node["right_child"])
    model = train(pages, range(len(pages.rows)))
    trees = [" ".join(text(tree["tree_structure"])) for tree in model.dump_model()["tree_info"]]
    lines = textwrap.wrap("; ".join(trees), 100)
    with open(path, "w") as file:
        file.write("/// The trees of ``BlockScorer``, written by `Benchmarks/Peers/webpage_blocks.py`.\n")
        file.write("enum BlockScorerModel {\n    /// The trees, separated by semicolons.\n    static let trees = \"\"\"\n")
        file.write("".join(f"        {line}\n" for line in lines) + '        """\n}\n')


if __name__ == "__main__":
    main()
