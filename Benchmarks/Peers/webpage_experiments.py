"""Variants of webpage_blocks.py that decision 20 rejects, cross-validated with folds by host.

Usage: python webpage_experiments.py FOLDER FEATURES      (the first arguments of webpage_blocks.py)
"""
import sys

import lightgbm
import numpy as np

import webpage_blocks as base


def weights(pages, chosen):
    weight = np.concatenate([base.weights(pages, i) for i in chosen])
    return weight / weight.mean()


def predict(model, features):
    return model.predict(features) if len(features) else np.zeros(0)


def without_words(pages):
    """The features without those of English words in texts and headings."""
    columns = [i for i, name in enumerate(pages.names) if name.startswith(("text:", "heading:"))]
    result = []
    for features in pages.X:
        features = features.copy()
        features[:, columns] = 0
        result.append(features)
    return result


def masked(pages, groups, augments):
    """The scores of pages without English words; with `augments`, trained with both forms of each page."""
    plain, scores = without_words(pages), {}
    parameters = dict(base.PARAMETERS)
    if augments:
        parameters.update(min_data_in_leaf=120, min_sum_hessian_in_leaf=6.0)
    for group in groups:
        others = pages.others(group)
        times = 2 if augments else 1
        features = [pages.X[i] for i in others] + ([plain[i] for i in others] if augments else [])
        model = lightgbm.train(parameters, lightgbm.Dataset(
            np.concatenate(features), np.tile(np.concatenate([pages.y[i] for i in others]), times),
            weight=np.tile(weights(pages, others), times)), base.ROUNDS)
        scores.update({i: predict(model, plain[i]) for i in group})
    return scores


def correlated(share):
    """A selection for which, with a share of the weight, the blocks of a page are wrong together."""
    levels = (np.arange(40) + 0.5) / 40

    def choose(scores, lengths):
        chosen = np.zeros(len(scores), bool)
        if not len(scores):
            return chosen
        order = np.argsort(-scores, kind="stable")
        gain, size = np.cumsum((scores * lengths)[order]), np.cumsum(lengths[order])
        independent = 2 * gain / np.maximum(1, size + (scores * lengths).sum())
        content = np.array([lengths[scores > level].sum() for level in levels])[None]
        together = (2 * np.minimum(size[:, None], content) / np.maximum(1, size[:, None] + content)).mean(1)
        chosen[order[:int(np.argmax((1 - share) * independent + share * together)) + 1]] = True
        return chosen

    return choose


def context(scores, lengths):
    """The scores of the neighbors, and statistics of the scores of the page."""
    count, weight = len(scores), lengths + 1
    if not count:
        return np.zeros((0, 18), np.float32)
    sums, words = (np.concatenate([[0], np.cumsum(values)]) for values in (scores * weight, weight))
    padded, index = np.pad(scores, 3), np.arange(count)

    def mean(start, end):
        start, end = np.clip(start, 0, count), np.clip(end, 0, count)
        return (sums[end] - sums[start]) / np.maximum(1, words[end] - words[start])

    columns = [padded[3 + offset:3 + offset + count] for offset in (-3, -2, -1, 1, 2, 3)]
    for width in (5, 15, 40):
        columns += [mean(index - width, index), mean(index + 1, index + 1 + width)]
    selected = base.select(scores, lengths)
    expected = 2 * (scores * lengths)[selected].sum() / max(1, lengths[selected].sum() + (scores * lengths).sum())
    page = [scores.max(), sums[-1] / words[-1], expected]
    columns += [scores, scores - scores.max(), sums[:-1] / max(1e-9, sums[-1])]
    columns += [np.full(count, value) for value in page]
    return np.stack(columns, 1).astype(np.float32)


def two_stages(pages, groups, rounds=100):
    """The scores of a second ensemble with the context of the first one's scores."""
    scores = {}
    for group in groups:
        others = pages.others(group)
        inner = {}
        for fold in base.folds(pages, seed=1):
            fold = set(fold) & set(others)
            model = base.train(pages, [i for i in others if i not in fold])
            inner.update({i: predict(model, pages.X[i]) for i in fold})
        first = base.train(pages, others)

        def features(i, values):
            return np.hstack([pages.X[i], context(values, pages.words[i])])

        second = lightgbm.train(base.PARAMETERS, lightgbm.Dataset(
            np.concatenate([features(i, inner[i]) for i in others]),
            np.concatenate([pages.y[i] for i in others]), weight=weights(pages, others)), rounds)
        scores.update({i: predict(second, features(i, predict(first, pages.X[i]))) for i in group})
    return scores


def main():
    pages = base.Pages(sys.argv[1], sys.argv[2])
    groups = base.folds(pages)
    scores = base.cross_validate(pages, groups)
    base.report("as committed", pages, base.evaluate(pages, scores))
    for share in (0.25, 0.5, 1):
        base.report(f"correlated {share}", pages, base.evaluate(pages, scores, correlated(share)))
    for augments in (False, True):
        name = "both forms" if augments else "no words"
        base.report(name, pages, base.evaluate(pages, masked(pages, groups, augments)))
    base.report("two stages", pages, base.evaluate(pages, two_stages(pages, groups)))


if __name__ == "__main__":
    main()
