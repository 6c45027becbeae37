"""Train and cross-validate the scores of blocks of web pages (Sources/RoostDocuments/HTML/BlockScorerModel*.swift).

    Scripts/benchmark web-pages FOLDER --features FEATURES  writes the blocks of each page and their features
    python webpage_blocks.py FOLDER FEATURES [FOLDER FEATURES]... [--write FILE]

Without --write, it cross-validates with the pages of the first folder: folds by host, and one page type left out.
The pages of the other folders (see webpage_news.py) are in all trainings with less weight; then each of these
folders is left out of a training with all others. With --write, it trains with all pages and writes the Swift file.

FOLDER contains truth.jsonl (id, type, url, text). Requires numpy and lightgbm.
A block's label is the share of its words that an alignment with the text of the truth contains. For pages without
a text, webpage_ranges.json states the ranges of words that are content, and those for which this is not known.
"""
import collections, difflib, json, os, re, sys, textwrap
from pathlib import Path
from urllib.parse import urlparse

import lightgbm
import numpy as np

ROUNDS = int(os.environ.get("ROUNDS", 150))
# The pages of the other folders are all articles; with this weight they do not dominate the seven types.
OTHER_WEIGHT = 0.35
RANGES = json.loads(Path(__file__).with_name("webpage_ranges.json").read_text(encoding="utf-8"))
PARAMETERS = dict(
    objective="cross_entropy", learning_rate=0.08, num_leaves=12, min_data_in_leaf=60,
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


def share(ranges, blocks):
    """The share of each block's words in ranges of the words of a page."""
    inside = np.zeros(1 + sum(map(len, blocks)))
    for start, end in ranges:
        inside[start + 1:end + 1] = 1
    sums, ends = np.cumsum(inside), np.cumsum([0] + [len(block) for block in blocks])
    return np.array([(sums[b] - sums[a]) / max(1, b - a) for a, b in zip(ends, ends[1:])])


class Pages:
    def __init__(self, folder, features, *others):
        self.names = open(f"{features}/names.txt").read().split("\n")
        self.rows, self.X, self.y, self.words, self.blocks, self.truth = [], [], [], [], [], []
        # The number of each page's folder, and whether it is known which blocks are content.
        self.folder, self.known = [], []
        folders = [folder, features, *others]
        for number, (folder, features) in enumerate(zip(folders[::2], folders[1::2])):
            self.read(folder, features, number)

    def read(self, folder, features, number):
        cache = f"{features}/labels.json"
        labeled = json.load(open(cache)) if os.path.exists(cache) else {}
        for line in open(f"{folder}/truth.jsonl", encoding="utf-8"):
            row = json.loads(line)
            page = json.load(open(f"{features}/{row['id']}.json"))
            blocks = [words(block["t"]) for block in page["blocks"]]
            known, truth = np.ones(len(blocks)), words(row["text"])
            if row["text"]:
                if row["id"] not in labeled:
                    labeled[row["id"]] = [round(float(value), 3) for value in labels(blocks, truth)]
                y = np.array(labeled[row["id"]])
            else:
                reviewed = RANGES.get(row["id"])
                if not reviewed or reviewed["words"] != sum(map(len, blocks)):
                    print("skipped", row["id"], file=sys.stderr)
                    continue
                y, known = share(reviewed["content"], blocks), 1 - share(reviewed["unknown"], blocks)
                truth = [word for block, label in zip(blocks, y) if label >= 0.5 for word in block]
            values = np.fromfile(f"{features}/{row['id']}.f32", dtype=np.float32)
            self.rows.append(row)
            self.X.append(values.reshape(len(blocks), len(self.names)))
            self.y.append(y)
            self.words.append(np.array([len(block) for block in blocks], dtype=float))
            self.blocks.append(blocks)
            self.truth.append(truth)
            self.folder.append(number)
            self.known.append(known)
        json.dump(labeled, open(cache, "w"))

    def others(self, group):
        """The pages that are not in a group."""
        return sorted(set(range(len(self.rows))) - set(group))


def weights(pages, i):
    """All pages of a folder have the same weight; long blocks weigh more, as in the measure."""
    weight = np.sqrt(pages.words[i] + 1) * pages.known[i]
    return weight / max(1, weight.sum()) * (OTHER_WEIGHT if pages.folder[i] else 1)


def train(pages, chosen, columns=slice(None), parameters=PARAMETERS, rounds=ROUNDS):
    X = np.concatenate([pages.X[i] for i in chosen])[:, columns]
    y = np.concatenate([pages.y[i] for i in chosen])
    weight = np.concatenate([weights(pages, i) for i in chosen])
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
        chosen = choose(score, pages.words[i]) & (pages.known[i] >= 0.5)
        got = [word for block, keep in zip(pages.blocks[i], chosen) if keep for word in block]
        result[i] = f1(got, pages.truth[i])
    return result


def report(name, pages, result):
    kinds = collections.defaultdict(list)
    for i, value in result.items():
        kinds[pages.rows[i]["type"]].append(value)
    mean = np.mean(list(result.values()))
    print(f"{name:16s} F1 {mean:.3f} ", " ".join(f"{kind} {np.mean(v):.3f}" for kind, v in sorted(kinds.items())), flush=True)


def host(row):
    return ".".join(urlparse(row["url"]).netloc.split(".")[-2:])


def folds(pages, count=5, seed=0):
    """The pages of the first folder, divided by host."""
    first = [i for i, folder in enumerate(pages.folder) if folder == 0]
    hosts = sorted({host(pages.rows[i]) for i in first})
    np.random.default_rng(seed).shuffle(hosts)
    number = {name: i % count for i, name in enumerate(hosts)}
    return [[i for i in first if number[host(pages.rows[i])] == fold] for fold in range(count)]


def cross_validate(pages, groups, columns=slice(None), parameters=PARAMETERS, rounds=ROUNDS):
    scores = {}
    for group in groups:
        model = train(pages, pages.others(group), columns, parameters, rounds)
        for i in group:
            scores[i] = model.predict(pages.X[i][:, columns]) if len(pages.X[i]) else np.zeros(0)
    return scores


def main():
    folders = [value for value in sys.argv[1:] if value != "--write"]
    if "--write" in sys.argv:
        return write(Pages(*folders[:-1]), folders[-1])
    pages = Pages(*folders)
    report("best labels", pages, evaluate(pages, dict(enumerate(pages.y)), lambda y, n: y >= 0.5))
    report("folds by host", pages, evaluate(pages, cross_validate(pages, folds(pages))))
    for number in range(1, len(folders) // 2):
        group = [i for i, folder in enumerate(pages.folder) if folder == number]
        report(Path(folders[2 * number]).name, pages, evaluate(pages, cross_validate(pages, [group])))
    kinds = sorted({row["type"] for row in pages.rows})
    groups = [
        [i for i, row in enumerate(pages.rows) if row["type"] == kind and not pages.folder[i]] for kind in kinds]
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
