"""Rankings to time: labels, scores that tell them apart a little, and the forms they come in."""

import numpy as np

LABELS = np.array(["good", "bad"])  # of negatives and positives


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


def weighted(n_samples, share):
    return *ranking(n_samples, share), rng(3).random(n_samples)


def half_tied(n_samples, share):
    labels, scores = ranking(n_samples, share)
    tied = rng(4).random(n_samples) < 0.5
    scores[tied] = scores[tied].round(2)
    return labels, scores


def two_models(n_samples, share):
    labels, scores = ranking(n_samples, share)
    return labels, scores, probabilities(labels, seed=5)


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


def queries(n_samples, size, share=0.1):
    """Shuffled samples of groups of one size; some groups may hold no positive."""
    group = rng().permutation(np.repeat(np.arange(n_samples // size), size))
    labels = (rng(2).random(group.size) < share).astype(np.int64)
    return labels, probabilities(labels), group


# Forms that labels and scores come in.


def as_series(labels, scores):
    import pandas as pd

    return pd.Series(labels), pd.Series(scores)


def as_polars(labels, scores):
    import polars as pl

    return pl.Series(labels), pl.Series(scores)


def as_lists(labels, scores):
    return labels.tolist(), scores.tolist()


def as_strings(labels, scores):
    return LABELS[labels], scores


def as_objects(labels, scores):
    """Strings as Python has them, each an object of its own."""
    return LABELS[labels].astype(object), scores


def as_string_series(labels, scores):
    import pandas as pd

    return pd.Series(LABELS[labels], dtype="str"), pd.Series(scores)


def as_categorical(labels, scores):
    import pandas as pd

    return pd.Series(LABELS[labels], dtype="category"), pd.Series(scores)


def as_float32(labels, scores):
    return labels, scores.astype(np.float32)


def as_percentages(labels, scores):
    return labels, scores.round(2)


def over_the_whole_range(labels, scores):
    """From 1e-300 to 1e300, so that no bit of a float is to spare."""
    return labels, 10.0 ** (600 * scores - 300)


def string_groups(labels, scores, group):
    names = np.array([f"query {number}" for number in range(group.max() + 1)])
    return labels, scores, names[group]


def string_series_groups(labels, scores, group):
    import pandas as pd

    labels, scores, group = string_groups(labels, scores, group)
    return labels, scores, pd.Series(group, dtype="str")
