"""Implementations that are audited, and what audits find."""

import numpy as np


def list_differing(result):
    return [row.aspect for row in result.rows if not row.agrees]


def find_row(result, aspect):
    [row] = (row for row in result.rows if row.aspect == aspect)
    return row


def step(y_true, y_score):
    """A plain implementation, from which the mutants below are made."""
    y_true = np.asarray(y_true).astype(int)
    order = np.argsort(-np.asarray(y_score, dtype=float), kind="stable")
    labels, scores = y_true[order], np.asarray(y_score, dtype=float)[order]
    is_last = np.append(np.diff(scores) < 0, True)
    hits = np.cumsum(labels)[is_last]
    ranks = np.flatnonzero(is_last) + 1
    if not hits[-1]:
        return 0.0
    gains = np.diff(np.append(0, hits)) / hits[-1]
    return float((gains * hits / ranks).sum())


def rank_by_rows(y_true, y_score):
    hits = y_true[np.argsort(-y_score, kind="stable")] == 1
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return precision[hits].mean() if hits.any() else 0.0
