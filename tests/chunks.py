"""Rankings that are cut into chunks, and streams of these."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from sklearn_ap.streaming import MetricAccumulator


@st.composite
def chunked(draw, base):
    """A ranking, and where it is cut into chunks, some of which are empty or lack positives."""
    ranking = draw(base)
    size = len(ranking.labels)
    cuts = sorted(draw(st.lists(st.integers(0, size), max_size=6)))
    if draw(st.booleans()):
        order = np.argsort(ranking.scores, kind="stable")
        ranking = type(ranking)(*(None if part is None else part[order] for part in ranking))
    return ranking, [0, *cuts, size]


def pieces(ranking, cuts):
    """Yield the labels, scores and weights of each chunk."""
    for start, stop in pairwise(cuts):
        yield tuple(None if part is None else part[start:stop] for part in ranking)


def fill(ranking, cuts, **options):
    stream = MetricAccumulator(**options)
    for piece in pieces(ranking, cuts):
        stream.update(*piece)
    return stream
