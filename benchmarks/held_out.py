"""Measure what no constant was chosen by: an atlas of other populations, intervals of many values,
and families of segments and models.

Run it with python -m benchmarks.held_out atlas (or values, segments, families). All cells were
written before they were run.
"""

import argparse
import warnings
from dataclasses import dataclass, replace
from functools import cache, partial
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed

from sklearn_ap import average_precision_score, compare, report

from .atlas import Answers, Cell, Documents, Retrieval, Several, Skewed, drawn, ours, percentile
from .coverage import (
    FewObjects,
    FixedClasses,
    Pair,
    Population,
    Queries,
    Thinned,
    UnequalClusters,
    UnequalGroups,
)
from .promises import Accounts, Rounded


def of(n_positives, share, apart, **given):
    return Population("", n_positives, share, apart, **given)


# --- a held-out atlas --------------------------------------------------------------------------

CELLS = [
    Cell("15 of 30", of(15, 0.5, 1.0)),
    Cell("25 of 50, nearly perfect", of(25, 0.5, 3.5)),
    Cell("15 of 300", of(15, 0.05, 1.5)),
    Cell("40 of 800, good", of(40, 0.05, 3.0)),
    Cell("100 of 10,000", of(100, 0.01, 2.0)),
    Cell("300 of 3,000", of(300, 0.1, 2.5)),
    Cell("500 of 700", of(500, 0.7, 1.0)),
    Cell("t with 2 df, 50 of 100", of(50, 0.5, 3.0, heavy_tails=2)),
    Cell("t with 4 df, 40 of 400", of(40, 0.1, 3.0, heavy_tails=4)),
    Cell("t with 5 df, 100 of 200", of(100, 0.5, 2.5, heavy_tails=5)),
    Cell("log-normal noise, 50 of 500", Skewed("", 50, 0.1, 2.0)),
    Cell("log-normal noise, 50 of 100", Skewed("", 50, 0.5, 2.0)),
    Cell("whole numbers, 30 of 300", Rounded("", 30, 0.1, 3.0)),
    Cell("1% of negatives on top, 100 of 500", of(100, 0.2, 2.5, on_top=0.01)),
    Cell("5% of negatives look positive, 60 of 300", of(60, 0.2, 3.0, look_positive=0.05)),
    Cell("5% of positives mislabeled, 60 of 300", of(60, 0.2, 3.0, mislabeled=0.05)),
    Cell("weights, sigma 0.5, 50 of 500", of(50, 0.1, 2.0, sigma=0.5)),
    Cell("weights, sigma 1.5, 100 of 1,000", of(100, 0.1, 2.0, sigma=1.5)),
    Cell("one negative in 20 kept, 100 positives", Thinned("", 100, 20, apart=2.0)),
    Cell("20 clusters", UnequalClusters("", 20, 0.0)),
    Cell("60 lognormal clusters, sigma 1.5", UnequalClusters("", 60, 1.5)),
    Cell("accounts, 60 positives", Accounts("", 60, 0.05, 2.0)),
    Cell("40 of 400", of(40, 0.1, 1.5), "interpolated_average_precision"),
    Cell("60 of 600", of(60, 0.1, 2.5), "precision_at_5%"),
    Cell("60 of 1,200", of(60, 0.05, 2.5), "recall_at_10%"),
    Cell("six classes", FixedClasses("", 300, (0.1, 0.2, 0.3) * 2, (1.0,) * 6)),
    Cell("80 images", FewObjects("", 80, (1.0, 0.5, 0.2))),
    Cell("15 queries", Retrieval("", 15)),
    Cell("40 queries", Retrieval("", 40), "reciprocal_rank"),
    Cell("25 queries, of which one in ten is hard", Queries("", 25, 0.1)),
    Cell("30 queries, 2 of 50 relevant", Documents("", 30, 50, 2, 2.0)),
    Cell("40 lognormal groups", UnequalGroups("", 40)),
    Cell("30 of 300", Pair("", (30, 270), correlation=0.8), question="difference"),
    Cell("100 of 200", Pair("", (100, 100), correlation=0.7), question="difference"),
    Cell("15 of 30", Pair("", (15, 15), correlation=0.9), question="difference"),
    Cell("20 queries", Retrieval("", 20), "precision_at_5", "difference"),
    Cell("100 answers, 20% differ", Answers("", 100, 0.5, 0.2), "precision_at_1", "difference"),
    Cell("50 of 500, better", Pair("", (50, 450), correlation=0.9, better=0.2), question="margin"),
    Cell("40 of 80, worse", Pair("", (40, 40), correlation=0.6, better=-0.4), question="margin"),
    Cell("4 models, 40 of 400", Several("", 40, 4, correlation=0.6), question="several"),
]  # fmt: skip


def interval_in(cell, rng, has_anchor=True):
    """Return whether the true value is in the interval, its width, and the width of the middle of
    resamples.
    """
    given, scores = drawn(cell.population, rng)
    scores = scores[: 1 if cell.question == "interval" else len(scores)]
    low, high, true = ours(cell, given, scores, rng)
    anchor = percentile(cell, given, scores, rng) if has_anchor else None
    low_of_anchor, high_of_anchor = (np.nan, np.nan) if anchor is None else anchor[:2]
    return low <= true <= high, high - low, high_of_anchor - low_of_anchor


# --- values ------------------------------------------------------------------------------------

VALUES = [
    Cell(f"{tails:g} df, {n_positives} of {n_positives / share:.0f}, apart {apart:g}",
         of(n_positives, share, apart, heavy_tails=tails))
    for tails, aparts in ((0, (1.0, 2.0, 3.5)), (3, (3.0,)), (2, (3.0,)))
    for n_positives in (15, 50, 150)
    for share in (0.02, 0.1, 0.5)
    for apart in aparts
]  # fmt: skip

# --- segments of one model ---------------------------------------------------------------------


@dataclass(frozen=True)
class Segments:
    """Rows in equally good segments."""

    what: str
    n_rows: int
    share: float
    apart: float
    fractions: tuple[float, ...]  # of the rows
    tails: float = 0.0

    def draw(self, rng):
        y = rng.random(self.n_rows) < self.share
        noise = rng.standard_normal(y.size)
        if self.tails:
            noise = rng.standard_t(self.tails, y.size)
        segment = rng.choice(len(self.fractions), y.size, p=self.fractions)
        return y.astype(int), noise + self.apart * y, segment


SEGMENTS = [
    Segments("2 halves, 20% of 400", 400, 0.2, 1.5, (0.5, 0.5)),
    Segments("5 fifths, 20% of 1,500", 1500, 0.2, 1.5, (0.2,) * 5),
    Segments("20 parts, 20% of 6,000", 6000, 0.2, 1.5, (0.05,) * 20),
    Segments("unequal parts, 10% of 2,000", 2000, 0.1, 2.0, (0.6, 0.25, 0.1, 0.05)),
    Segments("4 quarters, nearly perfect, half of 400", 400, 0.5, 3.5, (0.25,) * 4),
    Segments("3 thirds, t with 3 df, half of 600", 600, 0.5, 3.0, (1 / 3,) * 3, 3.0),
]


@cache
def true_value(cell):
    y, score, _ = replace(cell, n_rows=1_000_000).draw(np.random.default_rng(0))
    return average_precision_score(y, score)


def inside_in_segments(cell, rng):
    """Return whether all intervals of segments contain the true value, and their mean width."""
    y, score, segment = cell.draw(rng)
    rows = report(y, score, by=segment).rows[1:]
    are_inside = [row.low <= true_value(cell) <= row.high for row in rows]
    return all(are_inside), np.mean([row.high - row.low for row in rows])


# --- families ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """Equally good models, in groups or in segments, or better ones to find."""

    what: str
    n_models: int
    n_groups: int = 0  # or rows
    n_rows: int = 0
    n_segments: int = 1
    better: float = 0.5  # standard deviations of the scores

    def draw(self, rng, better):
        size = (self.n_groups, 20) if self.n_groups else (1, self.n_rows)
        y = rng.random(size) < 0.1
        y[:, 0] = True
        shared = rng.standard_normal(size) + 1.5 * y
        scores = {"base": (shared + rng.standard_normal(size)).ravel()}
        for place in range(1, self.n_models):
            own = rng.standard_normal(size) + better * y
            scores[f"model {place}"] = (shared + own).ravel()
        given = {"baseline": "base"}
        if self.n_groups:
            given["groups"] = np.repeat(np.arange(self.n_groups), 20)
        if self.n_segments > 1:
            place = np.arange(y.size) * self.n_segments // y.size
            given["by"] = rng.permutation(place)
        return y.astype(int).ravel(), scores, given


FAMILIES = [
    Family("5 models, 10 groups", 5, 10),
    Family("10 models, 10 groups", 10, 10),
    Family("5 models, 30 groups", 5, 30),
    Family("10 models, 100 groups", 10, 100),
    Family("5 models, 200 groups", 5, 200),
    Family("10 models, 500 rows", 10, n_rows=500),
    Family("40 models, 1,000 rows", 40, n_rows=1000),
    Family("2 models, 5 segments", 2, n_rows=1500, n_segments=5),
    Family("2 models, 20 segments", 2, n_rows=6000, n_segments=20),
    Family("4 models, 5 segments", 4, n_rows=1500, n_segments=5),
]


def family_holds(cell, rng):
    """Return whether all intervals of equally good models contain 0, their mean width, and which
    fraction of better models is significantly better.
    """
    found = []
    for better in (0.0, cell.better):
        y, models, given = cell.draw(rng, better)
        if cell.n_segments == 1:
            rows = compare(y, models, **given).rows[1:]
            found.append([(row.low, row.high) for row in rows])
        else:
            rows = [row for row in report(y, models, **given) if row.segment is not None]
            rows = [row for row in rows if row.model != "base"]
            found.append([(row.difference_low, row.difference_high) for row in rows])
    equal, better = map(np.array, found)
    holds = not np.any((equal[:, 0] > 0) | (equal[:, 1] < 0))
    return holds, np.nanmean(equal[:, 1] - equal[:, 0]), np.mean(better[:, 0] > 0)


# --- the run -----------------------------------------------------------------------------------

TABLES = {
    "atlas": (interval_in, CELLS, ["inside", "width", "percentile"]),
    "values": (partial(interval_in, has_anchor=False), VALUES, ["inside", "width", ""]),
    "segments": (inside_in_segments, SEGMENTS, ["all inside", "width"]),
    "families": (family_holds, FAMILIES, ["all hold", "width", "found"]),
}


def name_of(cell):
    return f"{cell.question}, {cell.metric}: {cell.what}" if isinstance(cell, Cell) else cell.what


def means(table, number, repeats):
    """Return the means over data sets that only depend on the cell and their place."""
    function, cells, _ = TABLES[table]
    rows = []
    for place in range(repeats):
        rng = np.random.default_rng([crc32(name_of(cells[number]).encode()), place])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append(function(cells[number], rng))
    return np.nanmean(np.array(rows, dtype=float), axis=0)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.held_out", description=__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--repeats", type=int, default=1000, help="data sets per row")
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args(arguments)
    _, cells, names = TABLES[options.table]
    print("|", " | ".join(["cell", *names]), "|")
    jobs = (delayed(means)(options.table, number, options.repeats) for number in range(len(cells)))
    found = Parallel(options.jobs, return_as="generator")(jobs)
    for cell, row in zip(cells, found, strict=True):
        print(f"| {name_of(cell)} | {' | '.join(f'{each:.3f}' for each in row)} |", flush=True)


if __name__ == "__main__":
    main()
