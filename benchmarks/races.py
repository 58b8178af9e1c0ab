"""Time calls of this package beside another checkout of it, scikit-learn and other libraries.

    python benchmarks/races.py [--other FOLDER] [--only TEXT] [--seconds 0.5] [--cpu]

All sides of a row return the same value, which is checked first, and then take turns in one
process, so that the load of the machine hits them alike. Times are medians. Libraries that aren't
installed are left out.

NumPy sorts in other ways on other processors. With one of these variables, a processor that has
AVX-512 sorts with AVX2, or as one that has neither:

    NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512F"
    NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512F X86_V3 AVX2"
"""

import argparse
import gc
import importlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

HERE = str(Path(__file__).resolve().parents[1])
Sides = dict[str, Callable[[], Any]]


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
    """A call of a function of the package, by its name, and what else gives the same value."""

    name: str
    function: str
    arrays: Callable[[], tuple[Any, ...]]
    options: dict[str, Any] = field(default_factory=dict)
    others: Callable[..., Sides] = lambda *arrays, **options: {}
    read: Callable[[Any], Any] = float  # the value of what a call returns

    def call(self, package: ModuleType) -> Callable[[], Any]:
        function = self.function
        if function == "scorer":
            return partial(package.get_scorer("AP"), *self.arrays())
        module = package.compat if function == "identify" else package
        call = getattr(module, f"{function}_score", None) or getattr(module, function)
        return partial(call, *self.arrays(), **make(self.options))


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
    step, mean, envelope = "average_precision", "mean_average_precision", "interpolated_"
    races, million = [], 10**6
    for size in (100, 1000, 10_000, million):
        of_size = partial(ranking, size)
        weights = {"sample_weight": partial(column, size, "weights")}
        races.append(Race(f"AP, {size:,} rows", step, of_size, others=of_arrays))
        races.append(Race(f"AP with weights, {size:,}", step, of_size, weights, of_sklearn))
    for kind in ("1%", "rounded", "float32", "logits"):
        of_kind = partial(ranking, million, 0.01 if kind == "1%" else 0.5, kind)
        races.append(Race(f"AP, 1e6 rows, {kind}", step, of_kind, others=of_arrays))
    rare, heavy = partial(ranking, million, 0.01), partial(column, million, "1% heavy")
    weights = {"sample_weight": heavy}
    races.append(Race("AP, 1e6 rows, 1%, weights", step, rare, weights, of_sklearn))
    races.append(Race("AP, 1e6 rows, percent", step, partial(ranking, million, 0.5, "percent")))
    large, rarest = partial(ranking, million), partial(ranking, million, 0.001)
    races.append(Race("AP, 1e6 rows, 0.1%", step, rarest, others=of_arrays))
    races.append(Race("11-point, 1e6, 1%", "eleven_point_average_precision", rare))
    options = {"min_precision": 0.1}
    races.append(Race("R@P, 1e6, 1%", "recall_at_precision", rare, options))
    races.append(Race("11-point, 1e6", "eleven_point_average_precision", large))
    races.append(Race("AP@100, 1e6", "average_precision_at_k", large, {"k": 100}))
    races.append(Race("P@1%, 1e6", "precision_at_k", large, {"k": 0.01}))
    races.append(Race("expected ties, 1e6", step, large, {"ties": "expected"}))
    every = {"average": "macro"}
    weights = every | {"sample_weight": partial(column, 100_000, "weights")}
    races.append(Race("multilabel, 1e5 x 10", step, partial(matrix, False), every, of_sklearn))
    races.append(Race("multiclass, 1e5 x 10", step, partial(matrix, True), every, of_sklearn))
    races.append(Race("multiclass, weights", step, partial(matrix, True), weights, of_sklearn))
    for kind in ("groups", "sorted", "text", "few"):
        groups = {"groups": partial(column, million, kind), "zero_division": 0.0}
        others = of_queries if kind == "groups" else Race.others
        races.append(Race(f"MAP, {kind}", mean, large, groups, others))
    groups["groups"] = partial(column, million, "groups")
    races.append(Race("MAP@10, groups", mean, large, groups | {"k": 10}))
    races.append(Race("nDCG@10, groups", "ndcg", large, groups | {"k": 10}))
    races.append(Race("envelope, groups", f"{envelope}average_precision", large, groups))
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
    races.append(Race("AP, 1e6 rows, integers", step, partial(ranking, million, 0.5, "integers")))
    races.append(Race("AP, 1e6 rows, 50%", step, large, others=of_sort))
    races.append(Race("R@20%, 1e6", "recall_at_k", large, {"k": 0.2}))
    races.append(
        Race("MAP, strings", mean, large, groups | {"groups": partial(column, million, "strings")})
    )
    races.append(Race("a scorer, 200 rows", "scorer", fitted, others=of_scorers))
    return [*races, *list_races_of_results()]


def list_races_of_results() -> list[Race]:
    """Return intervals, reports, thresholds and curves."""
    races, million = [], 10**6
    few, large = partial(ranking, million, 0.01), partial(ranking, million)
    rounded = partial(ranking, 10_000, 0.2, "rounded")
    value = attrgetter("value")
    for name, arrays in (("1%", few), ("50%", large), ("1,000 rows", partial(ranking, 1000))):
        races.append(Race(f"interval, {name}", "confidence_interval", arrays, read=value))
    for metric in ("P@10", "P@1%", "11-point"):
        of_metric = {"metric": metric}
        races.append(
            Race(f"interval of {metric}", "confidence_interval", few, of_metric, read=value)
        )
    groups = {"metric": "MAP", "groups": partial(column, million, "groups"), "zero_division": 0.0}
    races.append(Race("interval of MAP", "confidence_interval", large, groups, read=value))
    for metric in ("AP", "P@1%"):
        of_metric = {"metric": metric}
        two = partial(two_models, 200_000)
        difference = attrgetter("difference")
        races.append(Race(f"compare by {metric}, 2e5", "compare", two, of_metric, read=difference))
    for kind in ("segments", "text segments"):
        by = {"by": partial(column, million, kind)}
        races.append(Race(f"report by 50 {kind}", "report", large, by, read=read_first))
    for target in ("min_recall", "min_precision"):
        promise = {target: 0.6, "confidence_level": 0.9}
        name = f"promised {target.removeprefix('min_')}"
        races.append(Race(name, "operating_point", large, promise, read=attrgetter("recall")))
    for kind in ("float64", "integers"):
        arrays = partial(ranking, million, 0.5, kind)
        name = "interpolated_precision_recall_curve"
        races.append(Race(f"a curve, {kind}", name, arrays, read=lambda curve: curve[0].sum()))
    value_and_data = partial(lambda: ("0.3", *rounded()))
    races.append(
        Race(
            "identify, 1e4 rows",
            "identify",
            value_and_data,
            read=lambda result: len(str(result)) > 0,
        )
    )
    return races


def two_models(size: int) -> tuple[Any, Any, Any]:
    labels, scores = ranking(size, 0.1)
    return labels, scores, scores + np.random.default_rng(2).normal(size=size) / 10


def read_first(result: Any) -> float:
    """Return the value of the first row of a table."""
    return float(result.rows[0].value)


# --- turns ----------------------------------------------------------------------------------------


def time_in_turns(
    sides: Sides, checkouts: dict[str, Checkout], seconds: float, clock: Callable[[], float]
) -> dict[str, float]:
    """Return the median of the milliseconds of each side, in about so many seconds for each."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    gc.collect()
    while sum(times["ours"]) < seconds and len(times["ours"]) < 300:
        for name, call in sides.items():
            if name not in checkouts and sum(times[name]) > seconds:
                continue  # slow ones need no more turns
            if name in checkouts:
                checkouts[name].activate()
            repeats = 1 if not times[name] or times[name][-1] > 2e-3 else 5
            start = clock()
            for _ in range(repeats):
                call()
            times[name].append((clock() - start) / repeats)
    return {name: 1000 * statistics.median(each[1:] or each) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--other", help="a folder that has another version of sklearn_ap")
    parser.add_argument("--only", default="", help="text in the names of rows")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each side of a row")
    parser.add_argument("--cpu", action="store_true", help="time of processors, if others run")
    arguments = parser.parse_args()
    clock = time.process_time if arguments.cpu else time.perf_counter
    warnings.simplefilter("ignore")
    checkouts = {"ours": Checkout(HERE)}
    if arguments.other:
        checkouts["other"] = Checkout(str(Path(arguments.other).resolve()))
    ratios = []
    print("| | ours, ms | other / ours | libraries / ours |\n|---|--:|--:|---|")
    for race in list_races():
        if arguments.only not in race.name:
            continue
        sides = {name: race.call(each.activate()) for name, each in checkouts.items()}
        sides |= race.others(*race.arrays(), **race.options)
        values = {}
        for name, call in sides.items():
            if name in checkouts:
                checkouts[name].activate()
            if name != "np.sort":
                read = race.read if name in checkouts else float
                values[name] = float(read(call()))
        if any(abs(value - values["ours"]) > 1e-5 for value in values.values()):
            raise AssertionError(f"{race.name}: values differ: {values}.")
        times = time_in_turns(sides, checkouts, arguments.seconds, clock)
        ours = times.pop("ours")
        other = f"{times['other'] / ours:.2f}" if "other" in times else ""
        ratios += [ours / times.pop("other")] if other else []
        rest = ", ".join(f"{name} {each / ours:.1f}" for name, each in times.items())
        print(f"| {race.name} | {ours:.3g} | {other} | {rest} |", flush=True)
    if ratios:
        print(
            f"\nMedian of ours / other: {statistics.median(ratios):.2f}, largest {max(ratios):.2f}"
        )


if __name__ == "__main__":
    main()
