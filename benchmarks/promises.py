"""Measure how often thresholds keep the recall or the precision that they promise.

Run it with python -m benchmarks.promises. Each threshold is chosen on one data set, and its recall
and precision are those of the population, measured on a very large data set. The promised recall is
0.8, and the promised precision is what the population has at a recall of 0.5, both with 95%
confidence. A threshold that just reaches the target on its data set is chosen for comparison. Where
MAPIE is installed, its thresholds follow, which are among 0, 0.01, ..., 0.99.
"""

import argparse
import warnings
from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np
from scipy.special import expit, logit

from benchmarks.coverage import HARDER, THINNED, Population, drawn_in_parallel
from sklearn_ap import operating_point

POSITIVES = (25, 50, 200, 2000)
RECALL = 0.8
_LARGE = 100_000  # positives of a data set that stands for the population
_TIMES = 20  # as many such data sets say what its recall is, which has to be known very well


@dataclass(frozen=True)
class Rounded(Population):
    """Prediction scores rounded to integers."""

    def draw(self, rng):
        found = super().draw(rng)
        return found | {"y_score": found["y_score"].round()}


@dataclass(frozen=True)
class Amounts(Population):
    """Payments whose amounts are heavy-tailed, and higher where the prediction score is."""

    spread: float = 1.0

    def draw(self, rng):
        found = super().draw(rng)
        noise = rng.standard_normal(found["y_score"].size)
        amounts = np.exp(self.spread * noise + 0.3 * found["y_score"])
        return found | {"sample_weight": amounts}


@dataclass(frozen=True)
class LargeAmountsLow(Population):
    """Payments of heavy-tailed amounts, of which fraud with large ones has lower scores."""

    spread: float = 2.0

    def draw(self, rng):
        found = super().draw(rng)
        noise = rng.standard_normal(found["y_score"].size)
        score = found["y_score"] - 0.7 * noise * found["y_true"]
        return found | {"y_score": score, "sample_weight": np.exp(self.spread * noise)}


@dataclass(frozen=True)
class Bursts(Population):
    """Single rows, and one account per 40 positives with 60 negatives that look alike."""

    def draw(self, rng):
        found = super().draw(rng)
        n_rows, n_accounts = found["y_score"].size, rng.poisson(self.n_units / 40)
        of_accounts = np.repeat(0.3 + 1.2 * rng.standard_normal(n_accounts), 60)
        of_accounts = of_accounts + 0.2 * rng.standard_normal(of_accounts.size)
        return {
            "y_true": np.append(found["y_true"], np.zeros(of_accounts.size, dtype=bool)),
            "y_score": np.append(found["y_score"], of_accounts),
            "clusters": np.append(np.arange(n_rows), n_rows + np.arange(of_accounts.size) // 60),
        }


@dataclass(frozen=True)
class Accounts(Population):
    """Accounts of very different size, in some of which fraud is common and looks alike."""

    def draw(self, rng):
        size = round(self.n_units / self.share)
        account = np.repeat(np.arange(size), rng.geometric(0.2, size))[:size]
        level, risk = rng.standard_normal((2, size))[:, account]
        y = rng.random(size) < 3 * self.share / (1 + np.exp(-1.5 * risk)) ** 2
        score = self.apart * y + 0.8 * level + 0.6 * rng.standard_normal(size)
        return {"y_true": y, "y_score": score, "clusters": account}


@dataclass(frozen=True)
class Patients(Population):
    """Patients with very different numbers of positives, which look alike in part."""

    def draw(self, rng):
        n_found = np.maximum(np.exp(1 + 1.2 * rng.standard_normal(self.n_units)), 1).round()
        patient = np.repeat(np.arange(self.n_units), n_found.astype(int))[: 6 * self.n_units]
        size = round(patient.size / self.share)
        y, cluster = np.zeros(size, dtype=bool), np.arange(self.n_units, self.n_units + size)
        y[: patient.size], cluster[: patient.size] = True, patient
        level = rng.standard_normal(self.n_units + size)[cluster]
        score = self.apart * y + 0.8 * level + 0.6 * rng.standard_normal(size)
        return {"y_true": y, "y_score": score, "clusters": cluster}


OWN = [
    Population("normal scores", 25, 0.1, 2.0),
    Population("rare positives", 25, 0.01, 3.0),
    Rounded("many ties", 25, 0.1, 2.0),
    Amounts("amounts", 25, 0.1, 2.0),
    Amounts("amounts with heavier tails", 25, 0.1, 2.0, spread=2.0),
    LargeAmountsLow("large amounts have lower scores", 25, 0.1, 2.0),
    Bursts("bursts of similar negatives", 25, 0.1, 2.5),
    Accounts("accounts", 25, 0.05, 2.5),
    Patients("patients", 25, 0.1, 2.0),
]


def drawn(population, rng):
    """Draw a data set that contains both classes. Queries are sampling units."""
    while True:
        found = dict(population.draw(rng))
        if "groups" in found:
            found["clusters"] = found.pop("groups")
        if 0 < np.sum(found["y_true"]) < len(found["y_true"]):
            return found


class Truth:
    """Recall, precision and flagged fraction of thresholds in the population."""

    def __init__(self, population):
        large = replace(population, n_units=_LARGE)
        y, scores, weight = self._of(large, 0)
        self.scores, self.flagged = self._sums(scores, weight)
        _, hits = self._sums(scores, weight * y)
        half = np.searchsorted(hits, hits[-1] / 2)
        self.precisions = hits / self.flagged
        self.precision = min(np.floor(100 * self.precisions[half]) / 100, 0.95)
        found = [[part[y] for part in (scores, weight)]]
        for seed in range(1, _TIMES):
            y, scores, weight = self._of(large, seed)
            found.append([part[y] for part in (scores, weight)])
        self.of_positives, self.hits = self._sums(*map(np.concatenate, zip(*found, strict=True)))

    @staticmethod
    def _of(population, seed):
        found = drawn(population, np.random.default_rng(seed))
        y, scores = np.asarray(found["y_true"], dtype=bool), np.asarray(found["y_score"])
        return y, scores, np.broadcast_to(found.get("sample_weight", 1.0), y.shape)

    @staticmethod
    def _sums(scores, masses):
        """Return the scores, negated and sorted, and the running sums of the masses."""
        order = np.argsort(-scores, kind="stable")
        return -scores[order], np.cumsum(masses[order])

    @staticmethod
    def _at(threshold, scores, values):
        place = np.searchsorted(scores, -threshold, side="right") - 1
        return values[place] if place >= 0 else None

    def at(self, threshold):
        hits = self._at(threshold, self.of_positives, self.hits)
        recall = 0.0 if hits is None else hits / self.hits[-1]
        flagged = self._at(threshold, self.scores, self.flagged)
        if flagged is None:
            return recall, 1.0, 0.0
        precision = self._at(threshold, self.scores, self.precisions)
        return recall, precision, flagged / self.flagged[-1]


def outcomes(rng, population, truth):
    """Return what thresholds do: whether there is one, whether it is broken, recall and alerts."""
    given, found = drawn(population, rng), []
    for number, target in enumerate(({"min_recall": RECALL}, {"min_precision": truth.precision})):
        for level in ({}, {"confidence_level": 0.95}):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)  # of heavy positives
                    point = operating_point(**given, **target, **level)
            except ValueError:
                found += [0.0, 0.0, np.nan, np.nan]
                continue
            values = truth.at(point.threshold)
            is_broken = values[number] < (RECALL, truth.precision)[number] - 1e-9
            found += [1.0, float(is_broken), values[0], values[2]]
    return found


def promises(populations, repeats, sizes):
    yield [
        *("population", "positives"),
        *("recall promised", "broken", "naive", "recall", "naive", "alerts, times the naive ones"),
        *("precision", "promised", "broken", "naive", "recall", "naive"),
    ]
    for population in populations:
        truth = Truth(population)
        for n_units in sizes:
            cells = drawn_in_parallel(
                outcomes, repeats, replace(population, n_units=n_units), truth
            )
            found = np.sum(~np.isnan(cells), axis=0)
            mean = np.divide(np.nansum(cells, axis=0), found, out=found * np.nan, where=found > 0)
            naive, sure, bold, safe = mean.reshape(4, 4)
            alerts = [sure[0], sure[1], naive[1], sure[2], naive[2], sure[3] / naive[3]]
            others = [truth.precision, safe[0], safe[1], bold[1], safe[2], bold[2]]
            yield [population.what, n_units, *(f"{value:.3f}" for value in (*alerts, *others))]


@dataclass(frozen=True)
class Calibrated(Population):
    """The probabilities of a perfectly calibrated model."""

    def draw(self, rng):
        found = super().draw(rng)
        odds = self.apart * found["y_score"] - self.apart**2 / 2 + logit(self.share)
        return found | {"y_score": expit(odds)}


CALIBRATED = [
    Calibrated("10% positive", 25, 0.1, 2.0),
    Calibrated("1% positive", 25, 0.01, 3.0),
    Calibrated("0.2% positive", 25, 0.002, 3.0),
]


def of_this_package(y, score, kind, target):
    try:
        options = {f"min_{kind}": target, "confidence_level": 0.95}
        return operating_point(y, score, **options).threshold
    except ValueError:
        return None


def of_mapie(y, score, kind, target):
    from mapie.risk_control import BinaryClassificationController

    def predict(X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    found = BinaryClassificationController(predict, kind, target, confidence_level=0.95)
    threshold = found.calibrate(score[:, np.newaxis], y).best_predict_param
    return None if threshold is None else float(threshold)


def with_either(rng, population, truth, choose, kind):
    """Return whether a threshold is promised, whether it is broken, its recall, and its alerts."""
    found, is_recall = drawn(population, rng), kind == "recall"
    target = RECALL if is_recall else truth.precision
    threshold = choose(found["y_true"].astype(int), found["y_score"], kind, target)
    if threshold is None:
        return [0.0, 0.0, np.nan, np.nan]
    recall, precision, flagged = truth.at(threshold)
    return [1.0, float((recall if is_recall else precision) < target - 1e-9), recall, flagged]


def beside_mapie(repeats):
    yield ["data", "positives", "target", "tool", "promised", "broken", "recall", "flagged"]
    tools = {"sklearn_ap": of_this_package, "MAPIE": of_mapie}
    for population in CALIBRATED:
        truth = Truth(population)
        for n_units in (50, 200):
            one = replace(population, n_units=n_units)
            for kind in ("recall", "precision"):
                for tool, choose in tools.items():
                    cells = drawn_in_parallel(with_either, repeats, one, truth, choose, kind)
                    values = [*np.mean(cells[:, :2], axis=0), *np.nanmean(cells[:, 2:], axis=0)]
                    yield [one.what, n_units, kind, tool, *(f"{value:.3f}" for value in values)]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promises", description=__doc__)
    parser.add_argument("--repeats", type=int, default=2000, help="data sets for each value")
    options = parser.parse_args(arguments)
    others = {(type(each), replace(each, what="", n_units=0)): each for each in (*HARDER, *THINNED)}
    tables = [promises([*OWN, *others.values()], options.repeats, POSITIVES)]
    tables += [beside_mapie(max(options.repeats // 10, 1))] * (find_spec("mapie") is not None)
    for lines in tables:
        print()
        for number, line in enumerate(lines):
            print(f"| {' | '.join(map(str, line))} |", flush=True)
            if not number:
                print("|---" * len(line) + "|")


if __name__ == "__main__":
    main()
