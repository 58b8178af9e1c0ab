"""Rankings that are cut into chunks, and what reads them: streams, and engines of lists."""

from copy import copy
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from hypothesis import strategies as st

from sklearn_ap._evaluate import counted
from sklearn_ap._words.engine import Engine, ScatteredError, join_in_tree
from sklearn_ap._words.inputs import Inputs
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


# Engines
@dataclass
class Lists(Engine):
    """The minimum that an engine needs."""

    chunks: list
    columns: dict

    def over_chunks(self, make, join):
        return join_in_tree((make(chunk) for chunk in self.chunks), join)


class Ordered(Lists):
    """An engine that cuts its chunks where groups end, if their rows are consecutive."""

    whole_groups = False

    def by_group(self):
        engine = copy(self)
        engine.whole_groups = True
        return engine

    def over_chunks(self, make, join):
        chunks = self.read()
        return join_in_tree((make(chunk) for chunk in chunks), join)

    def read(self):
        if not self.whole_groups:
            return self.chunks
        each = zip(*self.chunks, strict=True)
        columns = [None if column[0] is None else np.concatenate(column) for column in each]
        names = columns[3].tolist()
        runs = [name for name, _ in groupby(names)]
        if len(runs) > len(set(runs)):
            raise ScatteredError(max(runs, key=runs.count))
        ends = [i for i in range(1, len(names) + 1) if names[i - 1 : i] != names[i : i + 1]]
        cuts = pairwise([0, *ends])
        return [[None if c is None else c[a:b] for c in columns] for a, b in cuts]


class Once(Ordered):
    """Chunks that can't be read a second time."""

    reads_again = False

    def by_group(self):
        engine, self.chunks = super().by_group(), []
        return engine

    def read(self):
        chunks, self.chunks = super().read(), []
        return chunks


class Gathering(Lists):
    """An engine that gathers the rows of groups in two chunks before scoring them."""

    def by_group(self):
        names = list(dict.fromkeys(name for chunk in self.chunks for name in chunk[3]))
        joined = [
            None if columns[0] is None else np.concatenate(columns)
            for columns in zip(*self.chunks, strict=True)
        ]
        parts = [np.isin(joined[3], half) for half in (names[::2], names[1::2], [])]
        whole = [[None if c is None else c[part] for c in joined] for part in parts]
        return Lists(whole, self.columns)


ENGINES = {"lists": Lists, "in order": Ordered, "once": Once, "gathering": Gathering}


def evaluate(engine, rule, average="macro", **given_):
    """Return the value of a rule as a public function has it of an engine."""
    inputs = Inputs(average=average, zero_division=0.0, engine=engine, **given_)
    return counted.value_of_engine(rule, inputs)
