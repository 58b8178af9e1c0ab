"""Measure how often intervals contain the true value, and how often tests find a difference.

Run it with python -m benchmarks.coverage. Samples are drawn from a known population: a given
fraction of them is positive, and the scores of both classes are normally distributed, with a higher
mean for positives. One table uses populations that are less well-behaved. Each value is a fraction
of data sets, with a standard error of 0.002 for 10,000 data sets and 0.005 for 2000.
"""

import argparse
import warnings
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed
from scipy import special
from scipy.optimize import brentq
from scipy.stats import ttest_rel

import sklearn_ap as ap
from sklearn_ap._inputs.metric_names import parse_metric_name
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._read.model_rows import ModelRows
from sklearn_ap._read.validation import read_rankings
from sklearn_ap.core.operating_points import from_rows, from_scores
from sklearn_ap.core.resampling import draw_counts, evaluate_draws
from sklearn_ap.core.rules import Step
from sklearn_ap.core.units import make_point_cells
from sklearn_ap.displays.hit_curve import make_hit_bands
from sklearn_ap.inference import compare, compare_folds, confidence_interval
from sklearn_ap.readers import Retrieved

SHARES = (0.02, 0.1, 0.5)
POSITIVES = (5, 10, 20, 50, 100)
MODELS = {"weak": 0.3, "fair": 0.6, "good": 0.9, "strong": 0.98}
AT_ONCE = 100
GRID = np.linspace(-9, 17, 20_001)


def truth(share, apart, spread=1.0):
    """Return the average precision in the population, the mean precision at positives' scores.

    These have a standard deviation of `spread`.
    """
    place = (GRID - apart) / spread
    found, missed = share * special.ndtr(-place), (1 - share) * special.ndtr(-GRID)
    density = np.exp(-(place**2) / 2) / np.sqrt(2 * np.pi) / spread
    with np.errstate(invalid="ignore"):
        precision = np.nan_to_num(found / (found + missed), nan=1.0)
    return np.trapezoid(precision * density, GRID)


def apart_for(share, strength):
    """Return the distance between the classes at which average precision has this strength.

    A strength of 0 is the fraction of positives, and 1 is a perfect ranking.
    """
    goal = share + strength * (1 - share)
    return brentq(lambda apart: truth(share, apart) - goal, 0, 8)


def draw(rng, n_samples, share, apart):
    """Draw labels, at least two of them positive, and scores."""
    while True:
        y = rng.random(n_samples) < share
        if y.sum() > 1:
            return y, rng.standard_normal(n_samples) + apart * y


def in_parallel(function, repeats, *given):
    """Return the mean of what the function returns over a number of data sets."""
    return np.mean(drawn_in_parallel(function, repeats, *given), axis=0)


def drawn_in_parallel(function, repeats, *given):
    """Return what the function returns for each data set."""
    sizes = [min(AT_ONCE, repeats - start) for start in range(0, repeats, AT_ONCE)]
    jobs = (delayed(_some)(function, seed, size, *given) for seed, size in enumerate(sizes))
    return np.concatenate(Parallel(n_jobs=-1)(jobs))


def _some(function, seed, size, *given):
    rng = np.random.default_rng([2026, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [function(rng, *given) for _ in range(size)]


# --- intervals ---------------------------------------------------------------------------------


def contains(rng, n_samples, share, apart, expected, **options):
    """Whether the interval contains the true value."""
    found = confidence_interval(*draw(rng, n_samples, share, apart), random_state=0, **options)
    return found.low <= expected <= found.high


def percentile_contains(rng, n_samples, share, apart, expected):
    """Whether the middle 95% of resamples contain the true value."""
    points = from_scores(*draw(rng, n_samples, share, apart))
    draws = draw_counts(make_point_cells(points), np.array([0]), 999, rng)
    low, high = middle_of(Step(), draws)
    return low <= expected <= high


def middle_of(rule, draws):
    """Return the middle 95% of the values of resamples."""
    values = np.concatenate([evaluate_draws(rule, points, 1)[:, 0] for _, points in draws])
    return np.nanquantile(values, (0.025, 0.975))


def expectation(metric, n_samples, share, apart, repeats=20_000):
    """Return the mean of a metric over samples of this size, which metrics at k estimate."""
    rng, named = np.random.default_rng(1), parse_metric_name(metric)
    rule = named.make(**named.options)
    values = []
    for _ in range(0, repeats, 1000):
        y = rng.random((1000, n_samples)) < share
        scores = rng.standard_normal(y.shape) + apart * y
        points = from_rows(y, scores)
        values.append(rule.values(points)[points.n_positives > 1])
    return np.concatenate(values).mean()


def coverage(repeats):
    yield ["positives", "share", *MODELS]
    for share in SHARES:
        for n_positives in POSITIVES:
            row = []
            for strength in MODELS.values():
                apart = apart_for(share, strength)
                n_samples = round(n_positives / share)
                given = n_samples, share, apart, truth(share, apart)
                row.append(f"{in_parallel(contains, repeats, *given):.3f}")
            yield [n_positives, f"{share:g}", *row]


# --- harder populations ------------------------------------------------------------------------


@dataclass(frozen=True)
class Population:
    """Samples of two classes that are not simply normal."""

    what: str
    n_units: int  # positives, on average
    share: float
    apart: float
    on_top: float = 0.0  # the fraction of the negatives that rank above all others
    mislabeled: float = 0.0  # the fraction of the positives that are labeled negative
    heavy_tails: float = 0.0  # degrees of freedom of Student's t; 0 for normal scores
    look_positive: float = 0.0  # the fraction of the negatives with the scores of positives
    sigma: float = 0.0  # of the logarithm of weights, which are independent of everything else

    def draw(self, rng):
        size = round(self.n_units / self.share)
        while True:
            good = rng.random(size) < self.share
            y = good & (rng.random(size) >= self.mislabeled)
            if 1 < y.sum() < size:
                break
        tails = self.heavy_tails
        noise = rng.standard_t(tails, size) if tails else rng.standard_normal(size)
        on_top = ~y & (rng.random(size) < self.on_top)
        if self.look_positive:
            good = good | (rng.random(size) < self.look_positive)
        given = {"y_true": y, "y_score": noise + self.apart * good + 1e6 * on_top}
        return given | ({"sample_weight": rng.lognormal(0, self.sigma, size)} if self.sigma else {})

    @property
    def truth(self):
        """The mean precision at positives' scores."""
        chance = (np.arange(200_000) + 0.5) / 200_000
        if self.heavy_tails:
            beyond = special.stdtr(
                self.heavy_tails, -special.stdtrit(self.heavy_tails, chance) - self.apart
            )
        else:
            beyond = special.ndtr(-special.ndtri(chance) - self.apart)
        beyond = self.look_positive * (1 - chance) + (1 - self.look_positive) * beyond
        better = self.share * (1 - chance)
        worse = (1 - self.share) * (self.on_top + (1 - self.on_top) * beyond)
        return np.mean((1 - self.mislabeled) * better / (better + worse))


@dataclass(frozen=True)
class Queries:
    """Queries with two positives among ten samples.

    Most queries find both of them near the top, and the hard ones only at the end.
    """

    what: str
    n_units: int
    hard: float = 0.2

    def draw(self, rng):
        hard = rng.random(self.n_units) < self.hard
        y = np.zeros((hard.size, 10), dtype=bool)
        y[np.arange(hard.size), np.where(hard, 9, 0)] = True
        y[np.arange(hard.size), np.where(hard, 8, rng.integers(1, 4, hard.size))] = True
        score, groups = np.tile(-np.arange(10), hard.size), np.repeat(np.arange(hard.size), 10)
        return {"y_true": y.ravel(), "y_score": score, "groups": groups}

    @property
    def truth(self):
        easy, hard = np.mean([(1 + 2 / second) / 2 for second in (2, 3, 4)]), (1 / 9 + 2 / 10) / 2
        return self.hard * hard + (1 - self.hard) * easy


@dataclass(frozen=True)
class Thinned:
    """Data with subsampled negatives, of which a `share` was positive before.

    All positives are kept, but only one negative in `one_in`, which gets that weight. Optionally,
    all negatives that score above the lowest tenth of the positives are kept.
    """

    what: str
    n_units: int
    one_in: int = 100
    below: float = 1.0  # negatives are subsampled below this quantile of the positives' scores
    apart: float = 2.5
    share: float = 0.01

    def draw(self, rng):
        y, score = draw(rng, round(self.n_units / self.share), self.share, self.apart)
        thin = ~y if self.below == 1 else ~y & (score < np.quantile(score[y], self.below))
        kept = ~thin | (rng.random(y.size) < 1 / self.one_in)
        weight = np.where(thin, self.one_in, 1)
        return {"y_true": y[kept], "y_score": score[kept], "sample_weight": weight[kept]}

    @property
    def truth(self):
        return truth(self.share, self.apart)


HARDER = [
    *(
        Population("2% of the negatives on top, half positive", n, 0.5, 3.0, on_top=0.02)
        for n in (20, 50, 100, 400)
    ),
    *(
        Population("2% of the positives labeled negative", n, 0.1, 4.0, mislabeled=0.02)
        for n in (20, 50, 100)
    ),
    *(
        Population("heavy tails, half positive", n, 0.5, apart, heavy_tails=3)
        for apart, n in ((2.0, 20), (2.0, 50), (3.0, 50), (3.0, 100))
    ),
    *(Population("heavy tails", n, 0.1, 4.0, heavy_tails=3) for n in (20, 50)),
    Population("heavier tails, half positive", 100, 0.5, 3.0, heavy_tails=2),
    Population("Cauchy tails, half positive", 30, 0.5, 5.0, heavy_tails=1),
    Population("a nearly perfect model", 100, 0.1, 5.0),
    Population("the same with 0.1% of the negatives on top", 100, 0.1, 5.0, on_top=0.001),
    *(Population(f"{666 - n} negatives of 666", n, n / 666, 2.0) for n in (656, 646, 616)),
    *(Queries("a query in five is hard", n) for n in (5, 10, 20)),
]
THINNED = [
    *(Thinned("one negative in 100", n) for n in (50, 200, 500, 2000)),
    *(Thinned("one in 10", n, 10) for n in (50, 200, 500)),
    *(Thinned("one negative in 100, weak model", n, apart=1.5) for n in (200, 2000)),
    *(
        Thinned("one negative in 100, often a perfect ranking", n, apart=apart)
        for n, apart in ((5, 2.0), (10, 2.5), (20, 3.5))
    ),
    *(Thinned("all high scores", n, below=0.1) for n in (50, 200)),
    Thinned("all high scores, weak model", 50, below=0.1, apart=1.5),
    Thinned("all high scores, strong model", 50, below=0.1, apart=3.5),
    *(
        Thinned("one in 100, very weak model, 0.2% positive", n, apart=1.0, share=0.002)
        for n in (5, 20, 100)
    ),
    *(Thinned("one in 10, very weak model", n, 10, apart=1.0) for n in (20, 100, 400)),
    *(
        Population(f"all, lognormal weights, sigma {s:g}, distance {d:g}", n, 0.1, d, sigma=s)
        for s, d, n in ((1, 1.5, 30), (2, 1.5, 10), (2, 1.5, 30), (2, 1.5, 100), (2, 3, 30))
    ),
]


def judged(rng, population, expected):
    """Return whether the interval contains the true value, its width, the value, and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = confidence_interval(**population.draw(rng))
    return found.low <= expected <= found.high, found.high - found.low, found.value, len(caught) > 0


def harder_coverage(repeats):
    yield ["population", "positives or queries", "truth", "coverage", "mean width"]
    for each in HARDER:
        contains, width, *_ = in_parallel(judged, repeats, each, each.truth)
        row = (each.truth, contains, width)
        yield [each.what, each.n_units, *(f"{value:.3f}" for value in row)]


def thinned_coverage(repeats):
    yield ["negatives", "positives", "truth", "mean value", "coverage", "mean width", "warns"]
    for each in THINNED:
        contains, width, score, warns = in_parallel(judged, repeats, each, each.truth)
        row = (each.truth, score, contains, width, warns)
        yield [each.what, each.n_units, *(f"{value:.3f}" for value in row)]


# --- detectors ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Detectors:
    """Two detectors, a and the better b, on the same images with objects of three classes.

    A hard image is hard for both detectors: they miss more of its objects, give lower confidences
    to the others, and return more wrong boxes. Objects are easy or hard as well.
    """

    n_images: int = 100
    objects: tuple[float, ...] = (1.6, 0.8, 0.4)  # of each class in an image, on average
    better: float = 0.4

    def draw(self, rng):
        """Draw the boxes of each detector, and the number of objects by image and class."""
        easy = rng.standard_normal(self.n_images)
        exist = rng.poisson(self.objects, (self.n_images, len(self.objects)))
        image, label = self._places(exist)
        ease = easy[image] + rng.standard_normal(image.size)
        found = [self._boxes(rng, b, easy, image, label, ease) for b in (0.0, self.better)]
        return found, exist

    def _boxes(self, rng, better, easy, image, label, ease):
        found = rng.random(ease.size) < special.expit(1 + better + ease)
        right = (1 + better + ease / 2 + rng.standard_normal(ease.size))[found]
        rate = np.exp(-easy / 2)[:, np.newaxis]
        elsewhere = self._places(rng.poisson(rate, (easy.size, len(self.objects))))
        wrong = rng.standard_normal(elsewhere[0].size)
        return {
            "y_true": np.repeat([True, False], [right.size, wrong.size]),
            "y_score": np.concatenate([right, wrong]),
            "groups": np.concatenate([label[found], elsewhere[1]]),
            "clusters": np.concatenate([image[found], elsewhere[0]]),
        }

    def _places(self, number):
        """Return the image and the class of each object or box."""
        return np.divmod(np.repeat(np.arange(number.size), number.ravel()), len(self.objects))

    def truths(self, score, n_images=400_000):
        """Return both true values of a metric and their difference, from very many images."""
        found, exist = replace(self, n_images=n_images).draw(np.random.default_rng(0))
        exist = dict(enumerate(exist.sum(axis=0)))
        a, b = (score(**without_clusters(boxes), n_positives=exist) for boxes in found)
        return a, b, a - b


class AtOverlaps(Detectors):
    """The same detectors, with a ranking for each class at each of ten overlaps."""

    def draw(self, rng):
        found, exist = super().draw(rng)
        return [self._at_overlaps(rng, **boxes) for boxes in found], np.tile(exist, len(OVERLAPS))

    def _at_overlaps(self, rng, y_true, y_score, groups, clusters):
        """A box of higher confidence is more precise."""
        overlap = special.expit(1 + y_score / 2 + rng.standard_normal(y_true.size)) * y_true
        first = len(self.objects) * np.arange(len(OVERLAPS))[:, np.newaxis]
        return {
            "y_true": (overlap >= OVERLAPS[:, np.newaxis]).ravel(),
            "y_score": np.tile(y_score, len(OVERLAPS)),
            "groups": (groups + first).ravel(),
            "clusters": np.tile(clusters, len(OVERLAPS)),
        }


def without_clusters(boxes):
    return {name: column for name, column in boxes.items() if name != "clusters"}


COVERED = ("coverage", "mean width")
OVERLAPS = np.linspace(0.5, 0.95, 10)


ROLES = "y_true", "y_score", "sample_weight", "groups", "clusters"


def compare_columns(found, n_positives=None, **options):
    """Compare two models by the columns of each, whose rows are the same, or boxes of its own."""
    first, second = found
    columns = [role for role in ROLES if role in first]
    options |= {"n_positives": n_positives}
    options |= {name: given for name, given in first.items() if name not in ROLES}
    if all(np.array_equal(first[role], second[role]) for role in columns if role != "y_score"):
        rows = {role: first[role] for role in columns if role != "y_score"}
        return compare(y_score_a=first["y_score"], y_score_b=second["y_score"], **rows, **options)
    roles = dict(zip(columns, columns, strict=True))
    tables = {
        model: Retrieved({role: boxes[role] for role in columns}, roles, {})
        for model, boxes in zip("ab", found, strict=True)
    }
    rows = compare(data=tables, baseline="b", **options).rows
    return next(row for row in rows if row.model == "a")


def judged_detectors(rng, detectors, truths, options):
    """Judge the intervals of both detectors and of their difference.

    Return the values, whether the intervals over images contain the true values, and their widths,
    followed by the same for intervals over classes.
    """
    found, exist = detectors.draw(rng)
    by_both = {(label, image): number for (image, label), number in np.ndenumerate(exist)}
    by_class = dict(enumerate(exist.sum(axis=0)))
    judged = []
    for columns, n_positives in ((dict, by_both), (without_clusters, by_class)):
        a, b = (
            confidence_interval(**columns(boxes), n_positives=n_positives, **options)
            for boxes in found
        )
        difference = compare_columns([columns(boxes) for boxes in found], n_positives, **options)
        of_both = difference.difference, difference.low, difference.high
        value, low, high = np.transpose([tuple(a), tuple(b), of_both])
        judged += [(low <= truths) & (truths <= high), high - low]
    return [value, *judged]


def detectors_coverage(repeats):
    over = [f"{what} over {units}" for units in ("images", "classes") for what in COVERED]
    yield ["definition", "of", "truth", "mean value", *over]
    drawn = {"n_resamples": 199, "random_state": 0}
    for detectors, name, options in (
        (Detectors(), "average_precision", {}),
        (Detectors(), "interpolated_average_precision", {}),
        (Detectors(), "11_point_average_precision", drawn),
        (Detectors(), "101_point_average_precision", drawn),
        (AtOverlaps(), "101_point_average_precision", drawn),
    ):
        options = {"metric": name, **options}
        truths = np.array(detectors.truths(ap.metric(name)))
        found = in_parallel(judged_detectors, repeats, detectors, truths, options)
        of = name if type(detectors) is Detectors else f"{name} over overlaps"
        for what, *row in zip(("detector a", "detector b", "a - b"), truths, *found, strict=True):
            yield [of, what, *(f"{value:.3f}" for value in row)]


# --- fixed groups, and units of unequal size ---------------------------------------------------


def alike(rng, y, apart, noise):
    """Draw the scores of two equally good models, whose noise has a correlation of 0.5."""
    shared = noise(rng)
    return [np.sqrt(0.5) * (shared + noise(rng)) + apart * y for _ in range(2)]


@dataclass(frozen=True)
class FixedClasses:
    """Classes with a ranking each, all of the same rows, which are the clusters."""

    what: str
    n_units: int
    shares: tuple[float, ...]  # of the positives of each class
    apart: tuple[float, ...]

    def draw(self, rng):
        held = [np.arange(self.n_units) < round(share * self.n_units) for share in self.shares]
        y = np.concatenate([rng.permutation(each) for each in held])
        groups, clusters = np.divmod(np.arange(y.size), self.n_units)
        models = alike(rng, y, np.take(self.apart, groups), lambda r: r.standard_normal(y.size))
        return [
            {"y_true": y, "y_score": score, "groups": groups, "clusters": clusters}
            for score in models
        ]

    @property
    def truth(self):
        return np.mean([truth(*each) for each in zip(self.shares, self.apart, strict=True)])


@dataclass(frozen=True)
class FewObjects:
    """Two equally good detectors, and classes with few objects."""

    what: str
    n_units: int  # images
    objects: tuple[float, ...]

    @property
    def detectors(self):
        return Detectors(self.n_units, self.objects, better=0.0)

    def draw(self, rng):
        while True:
            found, exist = self.detectors.draw(rng)
            if exist.any(axis=0).all():
                break
        n_positives = {(label, image): n for (image, label), n in np.ndenumerate(exist)}
        return [boxes | {"n_positives": n_positives} for boxes in found]

    @property
    def truth(self):
        return self.detectors.truths(ap.average_precision_score)[0]


@dataclass(frozen=True)
class UnequalGroups:
    """Groups with lognormal numbers of positives, which are their weights in the mean."""

    what: str
    n_units: int
    sigma: float = 1.2

    def draw(self, rng):
        sizes = np.exp(self.sigma * rng.standard_normal(self.n_units) - self.sigma**2 / 2)
        sizes = np.maximum(np.round(5 * sizes), 1).astype(int)
        groups = np.repeat(np.arange(self.n_units), 5 * sizes)
        ends = np.cumsum(5 * sizes)
        y = np.arange(groups.size) < np.repeat(ends - 4 * sizes, 5 * sizes)
        apart = (1.5 + 0.5 * rng.standard_normal(self.n_units))[groups]
        models = alike(rng, y, apart, lambda r: r.standard_normal(y.size))
        return [
            {"y_true": y, "y_score": score, "groups": groups, "average": "weighted"}
            for score in models
        ]

    @property
    def truth(self):
        """The value of very many groups."""
        given, _ = replace(self, n_units=100_000).draw(np.random.default_rng(0))
        return ap.average_precision_score(**given)


@dataclass(frozen=True)
class UnequalClusters:
    """Clusters with lognormal numbers of rows. Half of the noise is that of the cluster."""

    what: str
    n_units: int
    sigma: float
    shared: float = 0.5

    def draw(self, rng):
        sizes = np.exp(self.sigma * rng.standard_normal(self.n_units) - self.sigma**2 / 2)
        clusters = np.repeat(
            np.arange(self.n_units), np.maximum(np.round(20 * sizes), 1).astype(int)
        )
        y = rng.random(clusters.size) < 0.2

        def noise(rng):
            of_cluster = rng.standard_normal(self.n_units)[clusters]
            own = rng.standard_normal(y.size)
            return np.sqrt(self.shared) * of_cluster + np.sqrt(1 - self.shared) * own

        models = alike(rng, y, 1.5, noise)
        return [{"y_true": y, "y_score": score, "clusters": clusters} for score in models]

    @property
    def truth(self):
        return truth(0.2, 1.5)


CLASSES = [
    FixedClasses("40, 3 and 3 positives of three classes", 200, (0.2, 0.015, 0.015), (1.5, 6, 6)),
    FixedClasses("5 positives of each class", 100, (0.05,) * 3, (1.5,) * 3),
    FixedClasses("15 positives of each class", 300, (0.05,) * 3, (1.5,) * 3),
    FixedClasses("3 positives of each of ten classes", 300, (0.01,) * 10, (1.5,) * 10),
    FixedClasses("40 positives of each of ten classes", 400, (0.1,) * 10, (1.0,) * 10),
    FewObjects("1.6, 0.2 and 0.1 objects in an image", 50, (1.6, 0.2, 0.1)),
    FewObjects("1.6, 0.06 and 0.06 objects", 50, (1.6, 0.06, 0.06)),
    FewObjects("0.2 objects of each class", 30, (0.2, 0.2, 0.2)),
]
UNEQUAL = [
    *(UnequalGroups("weighted mean over groups", n) for n in (3, 5, 10, 30, 100)),
    *(UnequalClusters("equal clusters", n, 0.0) for n in (10, 30, 100)),
    *(UnequalClusters("unequal clusters", n, 2.0) for n in (10, 30, 100)),
]


def judged_pair(rng, population, expected):
    """Judge an interval, and whether a test finds a difference between equally good models."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = population.draw(rng)
        a = confidence_interval(**found[0])
        false_alarm = compare_columns(found).pvalue < 0.05
    return a.low <= expected <= a.high, a.high - a.low, false_alarm, len(caught) > 0


def unequal_coverage(repeats):
    yield ["population", "units", "truth", "coverage", "mean width", "false alarms", "warns"]
    for each in (*CLASSES, *UNEQUAL):
        row = (each.truth, *in_parallel(judged_pair, repeats, each, each.truth))
        yield [each.what, each.n_units, *(f"{value:.3f}" for value in row)]


# --- the bootstrap -----------------------------------------------------------------------------


def bootstrap_coverage(repeats):
    metrics = ("11_point_average_precision", "average_precision_at_10", "precision_at_10")
    yield ["positives", "share", "model", "AP, percentile", *metrics]
    for n_positives, share, model in [
        (20, 0.1, "fair"),
        (20, 0.1, "good"),
        (50, 0.5, "fair"),
        (100, 0.1, "fair"),
    ]:
        apart, n_samples = apart_for(share, MODELS[model]), round(n_positives / share)
        given = n_samples, share, apart
        row = [in_parallel(percentile_contains, repeats, *given, truth(share, apart))]
        for metric in metrics:
            one = delayed_options(metric)
            row.append(in_parallel(one, repeats, *given, expectation(metric, *given)))
        yield [n_positives, f"{share:g}", model, *(f"{value:.3f}" for value in row)]


NEARLY_PERFECT = "nearly perfect, distance 5"
HEAVY = "heavy tails, 2 degrees of freedom, distance 3"
BENT = [
    (Population(NEARLY_PERFECT, 30, 0.1, 5.0), "precision_at_10%"),
    (Population(NEARLY_PERFECT, 30, 0.1, 5.0), "recall_at_10%"),
    (Population(NEARLY_PERFECT, 100, 0.1, 5.0), "precision_at_10%"),
    (Population(NEARLY_PERFECT, 100, 0.1, 5.0), "recall_at_10%"),
    (Population(NEARLY_PERFECT, 100, 0.1, 5.0), "average_precision_at_10%"),
    (Population(NEARLY_PERFECT, 100, 0.1, 5.0), "11_point_average_precision"),
    (Population("strong, distance 4", 100, 0.1, 4.0), "11_point_average_precision"),
    (Population("good, distance 3", 50, 0.5, 3.0), "11_point_average_precision"),
    (Population("random", 100, 0.1, 0.0), "11_point_average_precision"),
    (Population(HEAVY, 50, 0.5, 3.0, heavy_tails=2), "11_point_average_precision"),
    (Population(HEAVY, 50, 0.5, 3.0, heavy_tails=2), "average_precision_at_20%"),
    (Population("fair, distance 1.5", 50, 0.1, 1.5), "recall_at_precision_0.9"),
    (Population("random", 50, 0.5, 0.0), "recall_at_precision_0.5"),
    (
        Population("10% of the negatives look positive", 30, 0.1, 4.0, look_positive=0.1),
        "recall_at_precision_0.5",
    ),
    (Population(HEAVY, 10, 0.1, 3.0, heavy_tails=2), "recall_at_precision_0.5"),
]


def judged_bent(rng, population, metric, expected, in_population):
    """Judge an interval and the percentile interval.

    Return whether the interval contains the mean over samples and the value in the population, its
    width, and the width of the percentile interval.
    """
    given = population.draw(rng)
    found = confidence_interval(**given, metric=metric, n_resamples=499, random_state=0)
    points, rule = from_scores(*given.values()), rule_of(metric)
    low, high = middle_of(
        rule, draw_counts(make_point_cells(points), np.array([0]), 499, rng, rule.cut)
    )
    known = [found.low <= value <= found.high for value in (expected, in_population)]
    return *known, found.high - found.low, high - low


def rule_of(metric):
    named = parse_metric_name(metric)
    return named.make(**named.options)


def value_in(rng, population, rule):
    return rule.values(from_scores(*population.draw(rng).values()))


def bent_coverage(repeats):
    yield [
        "population", "positives", "metric", "mean over samples", "coverage",
        "in the population", "coverage", "mean width", "of percentile intervals",
    ]  # fmt: skip
    for population, metric in BENT:
        rule, rng = rule_of(metric), np.random.default_rng(0)
        expected = in_parallel(value_in, 10_000, population, rule).item()
        whole = value_in(rng, replace(population, n_units=10**6 * population.share), rule).item()
        judged = in_parallel(judged_bent, repeats, population, metric, expected, whole)
        row = (expected, judged[0], whole, *judged[1:])
        yield [population.what, population.n_units, metric, *(f"{value:.3f}" for value in row)]


SPOTS = np.array([0.02, 0.1, 0.3, 1.0])


def judged_band(rng, population, truths):
    """Return whether the band of hits contains the true fractions of samples, and its width."""
    given = Inputs(**population.draw(rng))
    band = make_hit_bands(ModelRows(read_rankings(given)), 0.95, Step(), "AP")[0]
    low, high = (np.interp(SPOTS, band.x, end) for end in (band.low, band.high))
    return [(low <= truths) & (truths <= high), high - low]


def band_coverage(repeats):
    yield ["model", "share", *(f"at {spot:g}" for spot in SPOTS), *("width",) * SPOTS.size]
    for apart, share, n_positives in ((5.0, 0.1, 30), (8.0, 0.1, 30), (5.0, 0.5, 50)):
        population = Population("", n_positives, share, apart)
        cut = np.linspace(-8, 8 + apart, 100_000)
        hits = share * special.ndtr(apart - cut)
        truths = np.interp(SPOTS, (hits + (1 - share) * special.ndtr(-cut))[::-1], hits[::-1])
        contains, width = in_parallel(judged_band, repeats, population, truths)
        yield [f"{apart:g}", f"{share:g}", *(f"{value:.3f}" for value in (*contains, *width))]


class delayed_options:
    """`contains` for a metric, with fewer resamples than usual."""

    def __init__(self, metric):
        self.metric = metric

    def __call__(self, *given):
        return contains(*given, metric=self.metric, n_resamples=199)


# --- comparisons -------------------------------------------------------------------------------


def finds(rng, n_samples, share, apart_a, apart_b, correlation):
    """Whether a paired test finds a difference, and whether an unpaired one does."""
    y, a = draw(rng, n_samples, share, 0.0)
    b = correlation * a + np.sqrt(1 - correlation**2) * rng.standard_normal(n_samples)
    a, b = a + apart_a * y, b + apart_b * y
    paired = compare(y, a, b)
    error = np.hypot(*(confidence_interval(y, s).standard_error for s in (a, b)))
    return paired.pvalue < 0.05, abs(paired.difference) > 1.96 * error


def finds_any(rng, n_models):
    """Return whether a test finds a difference between equally good models.

    The baseline is the first model, then the best one, then the best one without adjusting its
    p-values.
    """
    y, shared = draw(rng, 500, 0.1, 0.0)
    noise = rng.standard_normal((n_models, 500))
    models = dict(enumerate(np.sqrt(0.8) * shared + np.sqrt(0.2) * noise + 1.5 * y))
    first, best = compare(y, models, baseline=0), compare(y, models)
    others = [score for model, score in models.items() if model != best.baseline]
    alone = [compare(y, score, models[best.baseline]).pvalue for score in others]
    smallest = [min(row.pvalue for row in each if row.pvalue >= 0) for each in (first, best)]
    return np.array([*smallest, min(alone)]) < 0.05


def tests_of_several(repeats):
    yield ["models", "baseline named", "the best one", "the best one, not adjusted"]
    for n_models in (2, 3, 5, 10):
        found = in_parallel(finds_any, repeats, n_models)
        yield [n_models, *(f"{value:.3f}" for value in found)]


def tests(repeats):
    yield ["positives", "share", "models", "correlation", "paired", "unpaired"]
    for models, better in (("equally good", 0.0), ("b better", 0.3)):
        for n_positives, share, correlation in [
            (20, 0.1, 0.5),
            (20, 0.1, 0.9),
            (50, 0.02, 0.9),
            (50, 0.1, 0.9),
            (50, 0.5, 0.9),
            (100, 0.1, 0.5),
            (100, 0.1, 0.9),
        ]:
            given = round(n_positives / share), share, 1.5, 1.5 + better, correlation
            found = in_parallel(finds, repeats, *given)
            yield [n_positives, f"{share:g}", models, correlation, *(f"{x:.3f}" for x in found)]


@dataclass(frozen=True)
class Pair:
    """Two models of the same samples, of which b is better, or has another shape.

    With a `spread`, the positives' scores by b have that standard deviation, and such a mean that
    both models have the same average precision.
    """

    what: str
    n_units: tuple[int, int]  # positives and negatives
    apart: float = 1.5
    better: float = 0.0
    correlation: float = 0.5
    weight: float = 1.0  # of negatives
    sigma: float = 0.0  # of the logarithm of weights
    spread: float = 1.0
    spread_of_a: float = 1.0

    @property
    def apart_of_b(self):
        positives, negatives = self.n_units
        share = positives / (positives + self.weight * negatives)
        goal = truth(share, self.apart, self.spread_of_a)
        other = brentq(lambda mean: truth(share, mean, self.spread) - goal, -5, 9)
        return other + self.better

    def draw(self, rng, apart_of_b):
        y = np.repeat([True, False], self.n_units)
        shared, *own = rng.standard_normal((3, y.size))
        a, b = (
            np.sqrt(self.correlation) * shared + np.sqrt(1 - self.correlation) * each
            for each in own
        )
        weight = np.where(y, 1.0, self.weight) * rng.lognormal(0, self.sigma, y.size)
        given = {} if np.all(weight == 1) else {"sample_weight": weight}
        a = np.where(y, self.spread_of_a * a + self.apart, a)
        b = np.where(y, self.spread * b + apart_of_b, b)
        return {"y_true": y, "y_score_a": a, "y_score_b": b} | given


STRONG, SHAPES = {"apart": 3.0, "correlation": 0.9}, "other shape"
PAIRS = [
    *(Pair("negatives weigh 100", (n, n), weight=100.0) for n in (50, 200, 2000)),
    Pair("negatives weigh 10", (100, 900), weight=10.0),
    Pair("negatives weigh 10", (500, 500), weight=10.0),
    *(Pair(f"lognormal weights, sigma {s:g}", (100, 900), sigma=s) for s in (1.0, 2.0)),
    Pair("strong models", (50, 50), **STRONG),
    Pair("strong models, b better", (50, 50), better=0.8, **STRONG),
    Pair("strong models, b better", (30, 270), better=0.8, **STRONG),
    *(
        Pair(f"{SHAPES}, negatives weigh {weight:g}", (n, m), weight=weight, spread=spread)
        for weight, spread, n, m in (
            (1.0, 2.0, 50, 450), (1.0, 0.5, 50, 450), (20.0, 2.0, 50, 450), (20.0, 0.5, 50, 450),
            (20.0, 2.0, 200, 200), (20.0, 0.5, 200, 200)
        )
    ),
    *(
        Pair(f"{SHAPES}s", (n, n), apart=2.0, spread=0.5, spread_of_a=1.5, better=better)
        for n, better in ((20, 0.0), (50, 0.0), (200, 0.0), (50, 0.6))
    ),
]  # fmt: skip


def judged_models(rng, pair, apart_of_b):
    """Whether a test finds a difference, and whether it warns."""
    given = pair.draw(rng, apart_of_b)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = compare(**given)
    return found.pvalue < 0.05, len(caught) > 0


def tests_of_pairs(repeats):
    yield ["models", "positives", "negatives", "finds", "warns"]
    for pair in PAIRS:
        found = in_parallel(judged_models, repeats, pair, pair.apart_of_b)
        yield [pair.what, *pair.n_units, *(f"{value:.3f}" for value in found)]


# --- folds -------------------------------------------------------------------------------------


def folds_differ(rng, n_samples, n_repeats, n_folds, signal, better):
    """Whether a test finds a difference between two ways to train a model, and what a t-test finds.

    Each model is trained on five features of its own: the weights are the differences between the
    means of both classes in the training data. All features are as good, or those of b are better;
    a signal of 0 leaves nothing to learn. Folds are stratified and drawn anew in each repeat.
    """
    y = np.arange(n_samples) < n_samples // 5
    X = (
        rng.standard_normal((n_samples, 10))
        + np.repeat([signal, signal + better], 5) * y[:, np.newaxis]
    )
    trained = 1 - 1 / n_folds
    shares = np.where(y, 1 / y.sum(), -1 / (~y).sum())[:, np.newaxis] * X / trained
    values = []
    for _ in range(n_repeats):
        positives, negatives = (rng.permutation(np.flatnonzero(some)) for some in (y, ~y))
        tests = np.hstack([positives.reshape(n_folds, -1), negatives.reshape(n_folds, -1)])
        weights = shares.sum(axis=0) - shares[tests].sum(axis=1)
        scores = (X[tests] * weights[:, np.newaxis]).reshape(*tests.shape, 2, 5).sum(axis=-1)
        each = np.concatenate(np.moveaxis(scores, -1, 0))
        values.append(Step().values(from_rows(np.tile(y[tests], (2, 1)), each)).reshape(2, n_folds))
    a, b = np.concatenate(values, axis=1)
    corrected = compare_folds(a, b, n_train=trained * n_samples, n_test=n_samples / n_folds)
    return corrected.pvalue < 0.05, ttest_rel(a, b).pvalue < 0.05


def tests_of_folds(repeats):
    yield ["models", "samples", "folds", "corrected t-test", "ordinary t-test"]
    for models, signal, better in (
        ("no signal", 0.0, 0.0),
        ("equally good", 0.5, 0.0),
        ("b better", 0.5, 0.2),
    ):
        for n_samples in (100, 200, 1000, 2000):
            for n_repeats, n_folds in ((1, 5), (1, 10), (10, 5), (10, 10)):
                given = n_samples, n_repeats, n_folds, signal, better
                found = in_parallel(folds_differ, repeats, *given)
                folds = f"{n_repeats} x {n_folds}"
                yield [models, n_samples, folds, *(f"{value:.3f}" for value in found)]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--repeats", type=int, default=10_000, help="data sets for each value")
    options = parser.parse_args(arguments)
    few = max(options.repeats // 5, 1)
    for title, lines in (
        ("How often 95% intervals contain the average precision of the population", coverage),
        ("The same for harder populations", harder_coverage),
        ("The same for subsampled negatives", thinned_coverage),
        ("The same for detectors, with fixed classes and random images", detectors_coverage),
        ("The same for fixed classes, and for units of unequal size", unequal_coverage),
        ("The same for the bootstrap", bootstrap_coverage),
        ("The same for cutoffs, targets and 11 points", bent_coverage),
        ("How often bands contain the fraction of samples that are hits", band_coverage),
        ("How often a test at the 5% level finds a difference", tests),
        ("How often it finds a difference between equally good models", tests_of_several),
        ("How often it finds one with weights, strong models and other shapes", tests_of_pairs),
        ("How often a test over folds finds a difference", tests_of_folds),
    ):
        all_of_them = lines in (coverage, harder_coverage, tests)
        repeats = options.repeats if all_of_them else few
        print(f"\n{title}, in {repeats:,} data sets\n")
        for number, line in enumerate(lines(repeats)):
            print(f"| {' | '.join(map(str, line))} |", flush=True)
            if not number:
                print("|---" * len(line) + "|")


if __name__ == "__main__":
    main()
