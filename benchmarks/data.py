"""Rankings to time: labels, and scores that tell them apart a little."""

import numpy as np


def rng(seed=0):
    return np.random.default_rng(seed)


def probabilities(labels, seed=1):
    """Logistic scores, as a classifier gives them, better for the positives by one unit."""
    scores = rng(seed).standard_normal(labels.shape)
    scores += labels
    np.exp(-scores, out=scores)
    scores += 1
    return np.divide(1, scores, out=scores)


def ranking(n_samples, share):
    """One ranking with this share of positives, exactly, but at least one."""
    labels = np.zeros(n_samples, dtype=np.int64)
    labels[: max(round(share * n_samples), 1)] = 1
    rng().shuffle(labels)
    return labels, probabilities(labels)


def cells(n_samples, n_classes, share=0.1):
    """A column a class, 0 or 1 in each cell."""
    labels = (rng().random((n_samples, n_classes)) < share).astype(np.int64)
    return labels, probabilities(labels)


def classes(n_samples, n_classes):
    """One class a sample, and a row of scores that sums to one."""
    labels = rng().integers(0, n_classes, n_samples)
    labels[:n_classes] = np.arange(n_classes)
    scores = rng(1).random((n_samples, n_classes))
    scores[np.arange(n_samples), labels] += 0.3
    return labels, scores / scores.sum(axis=1, keepdims=True)


def queries(n_groups, size, share=0.1):
    """Shuffled samples of groups of one size; some groups may hold no positive."""
    group = rng().permutation(np.repeat(np.arange(n_groups), size))
    labels = (rng(2).random(group.size) < share).astype(np.int64)
    return labels, probabilities(labels), group
