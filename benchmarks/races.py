"""Time calls of this package beside scikit-learn and other libraries, or another checkout of it.

    python benchmarks/races.py --write           # tables of pages: 4 minutes on an idle machine
    python benchmarks/races.py --other FOLDER    # beside another checkout: 4 minutes
    python benchmarks/races.py --only TEXT       # rows with this text in their names

All sides of a row return the same value, which is checked first, and then take turns in one
process, so that the load of the machine hits them alike. Times are medians. Libraries that aren't
installed are left out: python -m pip install ranx pytrec_eval statsmodels pycocotools torchmetrics

Memory is the peak of one call beyond the input, as Python and NumPy count it; some libraries have
memory of their own, which isn't counted. Until a process has freed an array of some 30 MB, glibc
returns memory to the system after each call and takes it anew, with a page fault for each 4 kB. A
process that has read a file has done so, and a fresh one hasn't, so this one begins with it.

NumPy sorts in other ways on other processors. With one of these variables, a processor that has
AVX-512 sorts with AVX2, or as one that has neither:

    NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512F"
    NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512F X86_V3 AVX2"
"""

import argparse
import contextlib
import gc
import importlib
import io
import re
import resource
import statistics
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from random import shuffle
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
Sides = dict[str, Callable[[], Any]]
LARGEST_THRESHOLD = 31 << 20  # bytes: glibc's own largest, M_MMAP_THRESHOLD, is 32 MB

# --- two checkouts in one process -----------------------------------------------------------------


class Checkout:
    """One version of the package, whose modules are in `sys.modules` while it is timed."""

    active: "Checkout | None" = None

    def __init__(self, folder: str):
        self.folder = folder
        self.modules: dict[str, ModuleType] = {}

    def activate(self) -> ModuleType:
        if Checkout.active is not self:
            names = [name for name in sys.modules if name.partition(".")[0] == "sklearn_ap"]
            loaded = {name: sys.modules.pop(name) for name in names}
            if Checkout.active:
                Checkout.active.modules = loaded
            sys.modules.update(self.modules)
            Checkout.active = self
            sys.path.insert(0, self.folder)
            importlib.import_module("sklearn_ap")
            sys.path.remove(self.folder)
        return sys.modules["sklearn_ap"]


# --- data -----------------------------------------------------------------------------------------


@cache
def ranking(size: int, share: float = 0.5, kind: str = "float64") -> tuple[Any, Any]:
    """Return labels and scores, which tell the positives apart to some degree."""
    rng = np.random.default_rng(0)
    labels = (rng.random(size) < share).astype(np.int64)
    labels[:2] = 0, 1
    scores = 1 / (1 + np.exp(-rng.normal(size=size) - labels))
    if kind == "rounded":
        scores = scores.round(3)
    elif kind == "logits":
        scores = np.log(scores / (1 - scores))
    elif kind in ("integers", "percent"):
        return labels, (scores * (1e6 if kind == "integers" else 100)).astype(np.int64)
    return labels, scores.astype(np.float32) if kind == "float32" else scores


@cache
def column(size: int, kind: str) -> Any:
    """Return weights, or the groups of samples, about ten in each unless there are a hundred."""
    rng = np.random.default_rng(1)
    if kind == "weights":
        return rng.random(size)
    if kind == "1% heavy":
        return np.where(ranking(size, 0.01)[0], 1.0, 12.5)
    group = rng.integers(0, 100 if kind == "few" else size // 10, size)
    if kind == "sorted":
        group.sort()
    if kind == "segments":
        return group % 50
    if kind not in ("text", "strings", "text segments"):
        return group
    names = [f"query {each}" for each in (group % 50 if kind == "text segments" else group)]
    return np.array(names, dtype=object if kind != "strings" else None)


@cache
def text_labels(kind: str, size: int) -> tuple[Any, Any]:
    """Return labels of text, as a column of a table or as strings of NumPy, and scores."""
    labels, scores = ranking(size, 0.1)
    text = np.where(labels, "fraud", "fine")
    if kind == "polars":
        return importlib.import_module("polars").Series(text), scores
    if kind != "strings":
        text = importlib.import_module("pandas").Series(
            text, dtype=None if kind == "pandas" else kind
        )
    return text, scores


@cache
def table(library: str, size: int) -> Any:
    labels, scores = ranking(size)
    columns = {"y": labels, "s": scores, "q": column(size, "groups")}
    columns["name"] = [f"query {each}" for each in columns["q"]]
    module = importlib.import_module(library)
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    if library == "pandas":
        frame["category"] = frame["name"].astype("category")
    elif library == "polars":
        frame = frame.with_columns(frame["name"].cast(module.Categorical).alias("category"))
    return frame


# --- what is timed --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Race:
    """A call of a function of the package, and what else gives the same value."""

    name: str
    function: str | Callable[[ModuleType], Any]
    arrays: Callable[[], tuple[Any, ...]]
    options: dict[str, Any] = field(default_factory=dict)
    others: Callable[..., Sides] = lambda *arrays, **options: {}
    read: Callable[[Any], Any] = float  # the value of what a call returns
    tolerance: float = 1e-5

    def call(self, package: ModuleType) -> Callable[[], Any]:
        find = attrgetter(self.function) if isinstance(self.function, str) else self.function
        return partial(find(package), *self.arrays(), **make(self.options))


def make(options: dict[str, Any]) -> dict[str, Any]:
    """Make arrays and tables, which are kept for other races."""
    return {name: each() if callable(each) else each for name, each in options.items()}


def of_sklearn(labels: Any, scores: Any, **options: Any) -> Sides:
    from sklearn.metrics import average_precision_score

    return {"scikit-learn": partial(average_precision_score, labels, scores, **make(options))}


def of_arrays(labels: Any, scores: Any) -> Sides:
    sides = of_sklearn(labels, scores)
    try:
        import torch
        from torchmetrics.functional.classification import binary_average_precision
    except ImportError:
        return sides
    tensors = torch.from_numpy(scores), torch.from_numpy(labels)
    return sides | {"torchmetrics": lambda: float(binary_average_precision(*tensors))}


def of_sort(labels: Any, scores: Any) -> Sides:
    """Return a sort of the scores, which no other way can do without. It has no value."""
    return {"np.sort": partial(np.sort, scores)}


def of_scorers(estimator: Any, features: Any, labels: Any) -> Sides:
    from sklearn.metrics import get_scorer

    return {"scikit-learn": partial(get_scorer("average_precision"), estimator, features, labels)}


def of_queries(labels: Any, scores: Any, **options: Any) -> Sides:
    """Return the retrieval tools, whose dictionaries are made before the time starts."""
    group, sides = options["groups"](), {}
    judgments: dict[str, dict[str, int]] = {}
    scores_of: dict[str, dict[str, float]] = {}
    rows = zip(group.tolist(), labels.tolist(), scores.tolist(), strict=True)
    for place, (query, label, score) in enumerate(rows):
        judgments.setdefault(str(query), {})[str(place)] = label
        scores_of.setdefault(str(query), {})[str(place)] = score
    try:
        import pytrec_eval

        evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"map"})
        sides["pytrec_eval"] = lambda: statistics.fmean(
            each["map"] for each in evaluator.evaluate(scores_of).values()
        )
    except ImportError:
        pass
    try:
        import ranx

        run, qrels = ranx.Run(scores_of), ranx.Qrels(judgments)
        sides["ranx"] = lambda: ranx.evaluate(qrels, run, "map", make_comparable=False)
    except ImportError:
        pass
    return sides


def of_bootstrap(labels: Any, scores: Any) -> Sides:
    """Return scikit-learn's value with SciPy's bootstrap, of as many resamples as are usual."""
    from scipy.stats import bootstrap
    from sklearn.metrics import average_precision_score

    def resample() -> float:
        options = {"paired": True, "vectorized": False, "n_resamples": 999, "method": "percentile"}
        found = bootstrap((labels, scores), average_precision_score, rng=0, **options)
        return float(found.standard_error)

    return {"SciPy's bootstrap": resample}


def of_equations(labels: Any, scores: Any, **options: Any) -> Sides:
    """Return statsmodels' estimating equations for the precision, which is one of four rates."""
    try:
        import statsmodels.api as sm
    except ImportError:
        return {}
    is_flagged = scores >= options["threshold"]
    hits, clusters = labels[is_flagged], options["clusters"]()[is_flagged]

    def estimate() -> float:
        model = sm.GEE(hits, np.ones(hits.size), groups=clusters, family=sm.families.Binomial())
        return float(1 / (1 + np.exp(-model.fit().params[0])))

    return {"statsmodels' GEE": estimate}


def of_boxes(annotations: Any, detections: Any) -> Sides:
    try:
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    except ImportError:
        return {}

    def evaluate() -> float:
        with contextlib.redirect_stdout(io.StringIO()):
            truth = COCO()
            truth.dataset = annotations
            truth.createIndex()
            evaluation = COCOeval(truth, truth.loadRes(detections), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return float(evaluation.stats[0])

    return {"pycocotools": evaluate}


def find_box_evaluation(package: ModuleType) -> Callable[..., float]:
    """Return what computes the mAP of detections over classes and overlaps."""

    def evaluate(annotations: Any, detections: Any) -> float:
        table = package.readers.read_coco(annotations, detections)
        columns = {"groups": ["class", "overlap"], "n_positives": "rows", "data": table}
        return float(package.metric("COCO mAP")("hit", "score", **columns))

    return evaluate


@cache
def boxes() -> tuple[Any, Any]:
    """Return the annotations of 500 images of ten classes, and detections near their objects."""
    rng = np.random.default_rng(0)
    objects: list[dict[str, Any]] = []
    detections: list[dict[str, Any]] = []
    for image in range(500):
        for x, y, width, height in rng.integers([0, 0, 10, 10], [400, 400, 90, 90], (8, 4)):
            box = {"image_id": image, "category_id": int(rng.integers(10))}
            corners = np.array([x, y, width, height], dtype=float)
            area = float(width * height)
            objects.append(
                box | {"id": len(objects) + 1, "iscrowd": 0, "area": area, "bbox": [*corners]}
            )
            for _ in range(3):
                moved = [*(corners + rng.normal(0, 3, 4)).clip(1)]
                detections.append(box | {"bbox": moved, "score": float(rng.random())})
    images, classes = ([{"id": each} for each in range(n)] for n in (500, 10))
    content = {"info": {}, "images": images, "categories": classes, "annotations": objects}
    return content, detections


def find_scorer(package: ModuleType) -> Any:
    return package.get_scorer("AP")


def fitted() -> tuple[Any, Any, Any]:
    from sklearn.linear_model import LogisticRegression

    features = np.random.default_rng(0).normal(size=(200, 5))
    labels = (features[:, 0] > 0.5).astype(int)
    return LogisticRegression().fit(features, labels), features, labels


def matrix(is_multiclass: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    scores = rng.random((100_000, 10))
    labels = rng.integers(0, 10, 100_000)
    return (labels, scores) if is_multiclass else (rng.integers(0, 2, scores.shape), scores)


def list_races() -> list[Race]:
    """Return what people do, in the sizes in which they do it."""
    step, mean = "average_precision_score", "mean_average_precision_score"
    eleven = "eleven_point_average_precision_score"
    races, million = [], 10**6
    for size in (100, 1000, 10_000, million):
        of_size = partial(ranking, size)
        weights = {"sample_weight": partial(column, size, "weights")}
        races.append(Race(f"AP, {size:,} rows", step, of_size, others=of_arrays))
        races.append(Race(f"AP with weights, {size:,} rows", step, of_size, weights, of_sklearn))
    for kind in ("1%", "rounded", "float32", "logits"):
        of_kind = partial(ranking, million, 0.01 if kind == "1%" else 0.5, kind)
        races.append(Race(f"AP, 1e6 rows, {kind}", step, of_kind, others=of_arrays))
    rare, heavy = partial(ranking, million, 0.01), partial(column, million, "1% heavy")
    weights = {"sample_weight": heavy}
    races.append(Race("AP, 1e6 rows, 1%, weights", step, rare, weights, of_sklearn))
    for kind in ("percent", "integers"):
        races.append(Race(f"AP, 1e6 rows, {kind}", step, partial(ranking, million, 0.5, kind)))
    large, rarest = partial(ranking, million), partial(ranking, million, 0.001)
    races.append(Race("AP, 1e6 rows, 0.1%", step, rarest, others=of_arrays))
    races.append(Race("AP, 1e6 rows, 50%, beside a sort", step, large, others=of_sort))
    races.append(Race("11-point, 1e6 rows, 1%", eleven, rare))
    races.append(Race("11-point, 1e6 rows", eleven, large))
    for name, options in (
        ("recall_at_precision_score", {"min_precision": 0.1}),
        ("average_precision_at_k_score", {"k": 100}),
        ("precision_at_k_score", {"k": 0.01}),
        ("recall_at_k_score", {"k": 0.2}),
        (step, {"ties": "expected"}),
    ):
        text = ", ".join(f"{option}={value!r}" for option, value in options.items())
        races.append(Race(f"{name}, 1e6 rows, {text}", name, large, options))
    every = {"average": "macro"}
    weights = every | {"sample_weight": partial(column, 100_000, "weights")}
    races.append(Race("multilabel, 1e5 x 10", step, partial(matrix, False), every, of_sklearn))
    races.append(Race("multiclass, 1e5 x 10", step, partial(matrix, True), every, of_sklearn))
    races.append(Race("multiclass, weights", step, partial(matrix, True), weights, of_sklearn))
    some = {"groups": partial(column, 100_000, "groups"), "zero_division": 0.0}
    races.append(Race("MAP, 10,000 queries", mean, partial(ranking, 100_000), some, of_queries))
    for kind in ("groups", "sorted", "text", "strings", "few"):
        groups = {"groups": partial(column, million, kind), "zero_division": 0.0}
        races.append(Race(f"MAP, 1e6 rows, {kind}", mean, large, groups))
    groups["groups"] = partial(column, million, "groups")
    races.append(Race("MAP@10, 1e6 rows", mean, large, groups | {"k": 10}))
    races.append(Race("nDCG@10, 1e6 rows", "ndcg_score", large, groups | {"k": 10}))
    envelope = "interpolated_average_precision_score"
    races.append(Race("envelope, groups", envelope, large, groups))
    for library in ("pandas", "polars", "pyarrow"):
        for size, by in ((500, None), (million, None), (million, "q"), (million, "name")):
            of_table = {"data": partial(table, library, size)}
            if by:
                of_table |= {"groups": by, "zero_division": 0.0}
            name = f"{library}, {size:,} rows" + (f" by {by}" if by else "")
            races.append(Race(name, mean if by else step, lambda: ("y", "s"), of_table))
        if library != "pyarrow":
            of_table = of_table | {"groups": "category"}
            races.append(Race(f"{library}, by category", mean, lambda: ("y", "s"), of_table))
    for kind in ("strings", "pandas", "category", "polars"):
        of_text = partial(text_labels, kind, million)
        others = Race.others if kind == "polars" else of_sklearn
        races.append(Race(f"labels of text, {kind}", step, of_text, {"pos_label": "fraud"}, others))
    races.append(Race("a scorer, 200 rows", find_scorer, fitted, others=of_scorers))
    return [*races, *list_races_of_results()]


def list_races_of_results() -> list[Race]:
    """Return intervals, reports, thresholds, curves and boxes."""
    races, million = [], 10**6
    few, large = partial(ranking, million, 0.01), partial(ranking, million)
    value, error = attrgetter("value"), attrgetter("standard_error")
    interval = "confidence_interval"
    for size in (1000, 10_000):
        of_size = partial(ranking, size, 0.2)
        name = f"interval, {size:,} rows"
        # A bootstrap's standard error is that of other resamples.
        races.append(Race(name, interval, of_size, {}, of_bootstrap, error, 0.002))
    for name, arrays in (("1%", few), ("50%", large)):
        races.append(Race(f"interval, 1e6 rows, {name}", interval, arrays, read=value))
    for metric in ("P@10", "P@1%", "11-point"):
        of_metric = {"metric": metric}
        races.append(Race(f"interval of {metric}", interval, few, of_metric, read=value))
    groups = {"metric": "MAP", "groups": partial(column, million, "groups"), "zero_division": 0.0}
    races.append(Race("interval of MAP", interval, large, groups, read=value))
    for size, metric in ((10_000, "AP"), (200_000, "AP"), (200_000, "P@1%")):
        of_metric = {"metric": metric}
        two = partial(two_models, size)
        difference = attrgetter("difference")
        name = f"compare by {metric}, {size:,} rows"
        races.append(Race(name, "compare", two, of_metric, read=difference))
    for kind in ("segments", "text segments"):
        by = {"by": partial(column, million, kind)}
        races.append(Race(f"report by 50 {kind}", "report", large, by, read=read_first))
    for target in ("min_recall", "min_precision"):
        promise = {target: 0.6, "confidence_level": 0.9}
        name = f"promised {target.removeprefix('min_')}"
        races.append(Race(name, "operating_point", large, promise, read=attrgetter("recall")))
    clusters = {"clusters": partial(column, 10_000, "groups")}
    rates = clusters | {"threshold": 0.6, "confidence_level": 0.95}
    precision = attrgetter("precision")
    of_rates = partial(ranking, 10_000, 0.2)
    name = "rates, 1,000 clusters"
    races.append(Race(name, "operating_point", of_rates, rates, of_equations, precision))
    for kind in ("float64", "integers"):
        arrays = partial(ranking, million, 0.5, kind)
        name = "interpolated_precision_recall_curve"
        races.append(Race(f"a curve, {kind}", name, arrays, read=lambda curve: curve[0].sum()))
    data = partial(ranking, 10_000, 0.2, "rounded")
    for name, arrays in (("identify", lambda: ("0.3", *data())), ("explain", data)):
        row, function = f"{name}, 10,000 rows", f"compat.{name}"
        races.append(Race(row, function, arrays, read=lambda result: len(str(result)) > 0))
    races.append(Race("COCO mAP, 500 images", find_box_evaluation, boxes, others=of_boxes))
    return races


def two_models(size: int) -> tuple[Any, Any, Any]:
    labels, scores = ranking(size, 0.1)
    return labels, scores, scores + np.random.default_rng(2).normal(size=size) / 10


def read_first(result: Any) -> float:
    """Return the value of the first row of a table."""
    return float(result.rows[0].value)


# --- turns ----------------------------------------------------------------------------------------


@dataclass
class Cost:
    """What the calls of a side took: milliseconds, page faults and megabytes at the peak."""

    times: list[float]
    faults: list[float]
    memory: float = 0.0

    @property
    def time(self) -> float:
        return 1000 * statistics.median(self.times[1:] or self.times)

    @property
    def n_faults(self) -> float:
        return statistics.median(self.faults[1:] or self.faults)


def count_faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def take_turns(
    sides: Sides, checkouts: dict[str, Checkout], seconds: float, clock: Callable[[], float]
) -> dict[str, Cost]:
    """Return what each side takes, in about so many seconds for each."""
    costs, order = {name: Cost([], []) for name in sides}, [*sides.items()]
    gc.collect()
    while sum(costs["ours"].times) < seconds and len(costs["ours"].times) < 300:
        shuffle(order)  # Who comes after another library finds the caches full of its data.
        for name, call in order:
            cost = costs[name]
            if name not in checkouts and sum(cost.times) > seconds:
                continue  # slow ones need no more turns
            if name in checkouts:
                checkouts[name].activate()
            repeats = 1 if not cost.times or cost.times[-1] > 2e-3 else 5
            if repeats > 1:
                call()  # so that what is timed finds its own
            faults, start = count_faults(), clock()
            for _ in range(repeats):
                call()
            cost.times.append((clock() - start) / repeats)
            cost.faults.append((count_faults() - faults) / repeats)
    for name, call in sides.items():
        if name in checkouts:
            checkouts[name].activate()
        tracemalloc.start()
        call()
        costs[name].memory = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    return costs


def race_sides(
    race: Race, checkouts: dict[str, Checkout], seconds: float, clock: Callable[[], float]
) -> dict[str, Cost]:
    """Return what the sides of a race take, once they have returned the same value."""
    sides = {}
    for name, each in checkouts.items():
        with contextlib.suppress(AttributeError):  # An old version lacks what is new.
            sides[name] = race.call(each.activate())
    sides |= race.others(*race.arrays(), **race.options)
    values = {}
    for name, call in [*sides.items()]:
        if name in checkouts:
            checkouts[name].activate()
        try:
            result = call()
        except (TypeError, ValueError):
            if name != "other":
                raise
            del sides[name]
        else:
            if name != "np.sort":
                values[name] = float((race.read if name in checkouts else float)(result))
    if any(abs(value - values["ours"]) > race.tolerance for value in values.values()):
        raise AssertionError(f"{race.name}: values differ: {values}.")
    return take_turns(sides, checkouts, seconds, clock)


# --- tables ---------------------------------------------------------------------------------------

# Rows of README's table, and the races whose ratio to scikit-learn they show
README_ROWS = {
    "two classes | 1,000": "AP, 1,000 rows",
    "two classes | 1,000,000": "AP, 1,000,000 rows",
    "two classes, 1% of them positive | 1,000,000": "AP, 1e6 rows, 1%",
    "two classes, with weights | 1,000,000": "AP with weights, 1,000,000 rows",
    "strings as labels, in an array | 1,000,000": "labels of text, strings",
    "strings as labels, in a pandas column | 1,000,000": "labels of text, pandas",
    "ten classes | 100,000": "multiclass, 1e5 x 10",
    "ten classes, with weights | 100,000": "multiclass, weights",
}


def write_number(number: float) -> str:
    """Write a ratio, or a number of megabytes, with two digits or as many as it has."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def write_row(name: str, costs: dict[str, Cost]) -> str:
    ours = costs["ours"]
    others = []
    for side, cost in costs.items():
        ratio = cost.time / ours.time
        text = f"{side} {write_number(ratio)} ({write_number(cost.memory)} MB)"
        others += [text] * (side != "ours")
    cells = [name, f"{ours.time:.3g}", write_number(ours.memory), f"{ours.n_faults:.0f}"]
    return f"| {' | '.join([*cells, ', '.join(others)])} |"


def write_pages(lines: list[str], ratios: dict[str, float]) -> None:
    """Put the table into the page of benchmarks, and ratios to scikit-learn into README's."""
    page = ROOT / "benchmarks" / "README.md"
    before, start, rest = page.read_text().partition("<!-- races -->\n")
    _, end, after = rest.partition("<!-- end -->")
    page.write_text("\n".join([before + start, *lines, "", end + after]))
    readme = ROOT / "README.md"
    text = readme.read_text()
    for row, race in README_ROWS.items():
        if race not in ratios:
            continue
        text = re.sub(rf"({re.escape(row)} \|) \d+ \|", rf"\g<1> {ratios[race]:.0f} |", text)
    readme.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--other", help="a folder that has another version of sklearn_ap")
    parser.add_argument("--only", default="", help="text in the names of rows")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each side of a row")
    parser.add_argument("--cpu", action="store_true", help="time of processors, if others run")
    parser.add_argument("--write", action="store_true", help="rows with libraries, into pages")
    arguments = parser.parse_args()
    clock = time.process_time if arguments.cpu else time.perf_counter
    warnings.simplefilter("ignore")
    np.empty(LARGEST_THRESHOLD, dtype=np.uint8)  # freed at once
    checkouts = {"ours": Checkout(str(ROOT))}
    if arguments.other:
        checkouts["other"] = Checkout(str(Path(arguments.other).resolve()))
    lines = ["| | ms | MB | page faults | others: times as long, MB |", "|---|--:|--:|--:|---|"]
    print("\n".join(lines))
    times_as_long, ratios = {}, {}
    for race in list_races():
        if arguments.only not in race.name or (arguments.write and race.others is Race.others):
            continue
        costs = race_sides(race, checkouts, arguments.seconds, clock)
        if "other" in costs:
            times_as_long[race.name] = costs["ours"].time / costs["other"].time
        if "scikit-learn" in costs:
            ratios[race.name] = costs["scikit-learn"].time / costs["ours"].time
        lines.append(write_row(race.name, costs))
        print(lines[-1], flush=True)
    if times_as_long:
        slow = [f"{name} {each:.2f}" for name, each in times_as_long.items() if each > 1.3]
        median = statistics.median(times_as_long.values())
        print(
            f"\nours / other: median {median:.2f}, above 1.3 in {len(slow)} of "
            f"{len(times_as_long)} rows: {'; '.join(slow)}"
        )
    if arguments.write:
        write_pages(lines, ratios)


if __name__ == "__main__":
    main()
