"""Data to time: labels with scores that separate them a little, and the forms they come in."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np

LABELS = np.array(["good", "bad"])  # of negatives and positives


def rng(seed=0):
    return np.random.default_rng(seed)


def probabilities(labels, seed=1):
    """Return logistic scores, like those of a classifier, with logits 1 higher for positives."""
    scores = rng(seed).standard_normal(labels.shape)
    scores += labels
    np.exp(-scores, out=scores)
    scores += 1
    return np.divide(1, scores, out=scores)


def ranking(n_samples, share):
    """Return one ranking with exactly this fraction of positives, but at least two positives,
    because a single one doesn't tell how much a value varies.
    """
    labels = np.zeros(n_samples, dtype=np.int64)
    labels[: max(round(share * n_samples), 2)] = 1
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


def accounts(n_samples, share):
    """Return samples that come from clusters of different sizes, four samples on average."""
    return *ranking(n_samples, share), rng(6).integers(0, n_samples // 4, n_samples)


def cells(n_samples, n_classes, share=0.1):
    """Return multilabel data with one column per class, and 0 or 1 in each cell."""
    labels = (rng().random((n_samples, n_classes)) < share).astype(np.int64)
    return labels, probabilities(labels)


def classes(n_samples, n_classes):
    """Return multiclass data: one class per sample, and rows of scores that sum to one."""
    labels = rng().integers(0, n_classes, n_samples)
    labels[:n_classes] = np.arange(n_classes)
    scores = rng(1).random((n_samples, n_classes))
    scores[np.arange(n_samples), labels] += 0.3
    return labels, scores / scores.sum(axis=1, keepdims=True)


def queries(n_samples, size, share=0.1):
    """Return shuffled samples of equally large groups, some of which may have no positives."""
    group = rng().permutation(np.repeat(np.arange(n_samples // size), size))
    labels = (rng(2).random(group.size) < share).astype(np.int64)
    return labels, probabilities(labels), group


# The forms in which labels and scores come


def as_series(labels, scores):
    import pandas as pd

    return pd.Series(labels), pd.Series(scores)


def as_polars(labels, scores):
    import polars as pl

    return pl.Series(labels), pl.Series(scores)


def as_polars_frame(labels, scores):
    import polars as pl

    return (pl.DataFrame({"label": labels, "score": scores}),)


@cache
def parquet_folder():
    return tempfile.TemporaryDirectory()


def as_parquet(labels, *scores):
    """Write labels and the scores of models to a file, and return its path."""
    import pyarrow as pa
    from pyarrow import parquet

    path = Path(parquet_folder().name) / f"{len(labels)} rows, {len(scores)} models.parquet"
    named = {f"model {number}": column for number, column in enumerate(scores)}
    parquet.write_table(pa.table({"label": labels, **named}), path)
    return (path,)


def as_lists(labels, scores):
    return labels.tolist(), scores.tolist()


def as_strings(labels, scores):
    return LABELS[labels], scores


def as_objects(labels, scores):
    """Return labels that are Python strings in an array of objects."""
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


def with_tied_pairs(labels, scores):
    """Return scores of which 500 pairs are tied, or fewer if there are few samples."""
    scores = scores.copy()
    second = scores[1:1000:2]
    second[:] = scores[:1000:2][: second.size]
    return labels, scores


def over_the_whole_range(labels, scores):
    """Spread the scores from 1e-300 to 1e300, so that they need all bits of a float."""
    return labels, 10.0 ** (600 * scores - 300)


def string_groups(labels, scores, group):
    names = np.array([f"query {number}" for number in range(group.max() + 1)])
    return labels, scores, names[group]


def string_series_groups(labels, scores, group):
    import pandas as pd

    labels, scores, group = string_groups(labels, scores, group)
    return labels, scores, pd.Series(group, dtype="str")
