"""Which tool computes which definition of average precision, or of a metric like it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from operator import attrgetter
from typing import Any

import numpy as np

from .._names import written
from ..core.cutoff import Cut
from ..core.rules import (
    AtK,
    Envelope,
    HitRateAtK,
    Linear,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    RPrecision,
    Rule,
    Step,
)
from . import rules
from .history import RELEASES, Era, era_of
from .rules import OfK, Order
from .sample import Reading, Sample, Slip, Variant, View

# How tied samples are ranked
ORDERS = {
    "grouped": Order.GROUPED,
    "input order": Order.BY_ROW,
    "document number, descending": Order.BY_ID,
    "unstable sort": Order.OPEN,
    "the caller's order": Order.OPEN,
    "the model's order": Order.OPEN,
    "input order, or random with a key": Order.OPEN,
    "worst": Order.WORST,
    "grouped, with all scores between two of n thresholds": Order.UNKNOWN,
    "not looked at": Order.UNKNOWN,
}
# What a query or class without positives counts as in the mean; None leaves it out. With any other
# words, the mean is undefined, or was not examined.
COUNTS = {
    "0": 0.0,
    "0 and a warning": 0.0,
    "0.5 and a warning": 0.5,
    "1": 1.0,
    "left out": None,
    "-1, left out of the mean": None,
}


@dataclass(frozen=True)
class Peer:
    """A tool's function, and the definition that it computes.

    `compat.explain` and `compat.identify` list it next to the value that it returns. The fields
    after `package` tell them on which data they know that value.
    """

    tool: str
    version: str  # the version that was looked at, or the versions that the row is about
    function: str
    rule: Rule
    ties: str  # how it ranks tied samples
    no_positives: str  # the value of a query or class without positives
    trap: str = ""
    package: str = ""  # its name on PyPI, if the row is tested against the tool itself
    queries: bool = False  # whether it returns the mean over queries or classes
    missed: bool = False  # whether positives that were not retrieved count
    weights: bool = False  # whether it takes weights of samples
    reading: Reading = Reading.EXACT
    needs_negatives: bool = False  # whether it has no value without any
    is_known_on: Callable[[Sample], bool] = lambda sample: True  # data on which its value is known
    # Where positives that were not retrieved count: what it ranks if a query has no rows at all,
    # None if that is an error, and the option that makes such a query count as 0
    no_rows: Slip | None = Slip.NONE
    option: str = ""

    @property
    def definition(self) -> str:
        """The short name of what it computes."""
        return written(self.rule, "term")


def _are_plain_probabilities(sample: Sample) -> bool:
    """Between 0 and 1, and with the same ties as float32."""
    scores = sample.rankings.scores
    between = sample.has_numbers and bool(((scores >= 0) & (scores <= 1)).all())
    return between and sample.reads_alike(View(reading=Reading.SINGLE))


def _positives_score_above_0(sample: Sample) -> bool:
    labels, scores = sample.rankings.labels, sample.rankings.scores
    return sample.has_numbers and bool((scores[labels] > 0).all())


def _are_few_and_the_best_is_untied(sample: Sample) -> bool:
    if not sample.all_have_weight:
        return False
    scores, points = sample.rankings.scores, sample.points(View())
    first = points.above == 0
    untied = np.array_equal(points.positives[first], points.total[first])
    return untied and np.unique(scores).size < 2000


def _are_untied(sample: Sample) -> bool:
    return not sample.has_ties(View(), None)


_ALL_HAVE_WEIGHT = attrgetter("all_have_weight")
_MIN, _RELEVANT, _HITS, _K = (
    OfK(f"AP@k / {denominator}", partial(AtK, denominator=denominator))
    for denominator in ("min", "relevant", "hits", "k")
)
_SLICE = OfK("AP@k / hits", rules.StepOfFirst)
_MEAN_OF_PRECISIONS = OfK("mean of P@1 to P@k", rules.MeanOfPrecisions)
_PRECISION, _RECALL = OfK("precision@k", PrecisionAtK), OfK("recall@k", RecallAtK)
_HIT_RATE = OfK("hit rate@k", HitRateAtK)

_VOC = "detections of difficult objects are left out: give them weight 0"
_SPARK = "with 2000 or more distinct scores it uses about 1000 of them, unless numBins=0, so the value is too low if positives are rare; if the best score is tied, the line starts at its precision, not at 1"
_GRID = "recalls of exactly .3, .6 and .7 do not reach their own level"
_COCO = "recalls of exactly .35, .70, .95 and seven more do not reach their own level; at most 100 detections per image"
_TREC = "scores are read as float32, so close ones become ties"
_RETRIEVAL = "a positive with a score of 0 or less is ignored"
_NO_WEIGHT = "nan if all samples with the best score have weight 0"
_ERROR_WITHOUT_WEIGHT = "an error if all samples with the best score have weight 0"
_CLOSE = "scores closer than 1e-8 are ties"
_FIRST_LEVEL = "the first level of a factor is the positive class, unless event_level='second'"
_CONSTANT = "can rate a constant score higher than a useful model if positives are rare"

_single: dict[str, Any] = {"reading": Reading.SINGLE}
_search: dict[str, Any] = {"queries": True, "missed": True}
_trec: dict[str, Any] = {**_search, **_single, "no_rows": Slip.RETRIEVED, "option": "-c"}
_ranx: dict[str, Any] = {**_search, "no_rows": None, "option": "make_comparable=True"}
_common: dict[str, Any] = {**_search, "no_rows": Slip.RETRIEVED}
_sklearn: dict[str, Any] = {"weights": True, "package": "scikit-learn"}
_torch: dict[str, Any] = {"queries": True, "package": "torchmetrics", **_single}
_retrieval: dict[str, Any] = {**_torch, "is_known_on": _positives_score_above_0}


def _each(
    tool: str, version: str, functions: Mapping[str, Rule], *facts: Any, **known: Any
) -> Iterator[Peer]:
    """Yield a row for each of several functions of a tool, about which the same facts hold."""
    for function, rule in functions.items():
        yield Peer(tool, version, function, rule, *facts, **known)


def _of_releases() -> Iterator[Peer]:
    """Yield a row for each run of scikit-learn's releases with the same value, the latest first."""
    held: dict[Peer, list[str]] = defaultdict(list)
    for release in RELEASES:
        held[_of_era(era_of(release))].append(release)
    for row, (first, *others) in reversed(held.items()):
        version = f"{first} to {others[-1]}" if others else first
        if RELEASES[-1] in others:
            version, row = f"{first} and later", replace(row, package="scikit-learn")
        yield replace(row, version=version)


def _of_era(era: Era) -> Peer:
    """Describe `average_precision_score` of one ranking, which changes in few of the eras."""
    traps = {
        _CONSTANT: isinstance(era.rule, Linear),
        _CLOSE: era.same_within > 0,
        _NO_WEIGHT: era.nan_on_top and not era.refuses_nan,
        _ERROR_WITHOUT_WEIGHT: era.nan_on_top and era.refuses_nan,
        "an error without negatives": not era.one_label,
    }
    empty = "nan" if isnan(era.no_positives) else "0 and a warning"
    return Peer(
        tool="scikit-learn",
        version="",
        function="average_precision_score",
        rule=era.rule,
        ties="grouped",
        no_positives="an error" if era.refuses_nan else empty,
        trap="; ".join(trap for trap, holds in traps.items() if holds),
        weights="sample_weight" in era.keywords,
        reading=Reading.CLOSE_TIED if era.same_within else Reading.EXACT,
        needs_negatives=not era.one_label,
        is_known_on=_ALL_HAVE_WEIGHT if era.nan_on_top else Peer.is_known_on,
    )


# One row per line, in the order of the fields. `rule` is how the tool counts; the other fields say
# what else changes its value.
# fmt: off
PEERS = (
    *_of_releases(),
    Peer("scikit-learn", "1.1 and later", "auc(recall, precision)", Linear(), "grouped", "0.5 and a warning", "often reported as PR-AUC and compared with step average precision", **_sklearn),
    Peer("scikit-learn", "1.1 and later", "average_precision_score of the k best", _SLICE, "the caller's order", "0 and a warning", "ignores positives below the top k: one positive at the top gives 1; rows of weight 0 count among the k", **_sklearn, is_known_on=_ALL_HAVE_WEIGHT),
    Peer("PASCAL VOC devkit", "2010 and later", "VOCevaldet", Envelope(), "input order", "nan", _VOC, missed=True),
    Peer("PASCAL VOC devkit", "2007, in Octave", "VOCevaldet", rules.FloatGrid(11), "input order", "0", f"{_GRID}; {_VOC}", missed=True),
    Peer("py-faster-rcnn", "2017", "voc_eval", Envelope(), "unstable sort", "nan", _VOC, missed=True),
    Peer("py-faster-rcnn", "2017", "voc_eval(use_07_metric=True)", rules.FloatGrid(11), "unstable sort", "0", f"{_GRID}; {_VOC}", missed=True),
    Peer("pycocotools", "2.0.11", "COCOeval.accumulate", rules.FloatGrid(101), "input order", "-1, left out of the mean", _COCO, "pycocotools", **_search),
    *_each("trec_eval", "9", {"map": Step(), "map_cut": _RELEVANT, "P": _PRECISION, "recall": _RECALL, "Rprec": RPrecision(), "recip_rank": ReciprocalRank(), "success": _HIT_RATE}, "document number, descending", "0", _TREC, "pytrec-eval-terrier", **_trec),
    Peer("trec_eval", "9", "11pt_avg", rules.RoundedLevels(0.9), "document number, descending", "0", "rounds up the positives that a level needs, but with floats: with 3, 23, 33, 43, 53 or 57 positives, one level needs one too few", "pytrec-eval-terrier", **_trec),
    Peer("trec_eval", "10", "11pt_avg", rules.RoundedLevels(0.5), "document number, descending", "0", "rounds the positives that a level needs: exact only if the number of positives is a multiple of 10", **_trec),
    *_each("ir_measures", "0.4.3", {"AP": Step(), "AP@k": _RELEVANT, "P@k": _PRECISION, "R@k": _RECALL, "Rprec": RPrecision(), "RR": ReciprocalRank(), "Success@k": _HIT_RATE}, "document number, descending", "0", _TREC, "ir-measures", **_search, **_single),
    *_each("ranx", "0.3.21", {"evaluate(metrics='map')": Step(), "evaluate(metrics='map@k')": _RELEVANT, "evaluate(metrics='precision@k')": _PRECISION, "evaluate(metrics='recall@k')": _RECALL, "evaluate(metrics='r-precision')": RPrecision(), "evaluate(metrics='mrr')": ReciprocalRank(), "evaluate(metrics='hit_rate@k')": _HIT_RATE}, "unstable sort", "0", "", "ranx", **_ranx),
    Peer("torchmetrics", "1.9.0", "BinaryAveragePrecision", Step(), "grouped", "0 and a warning", "float32; scores outside 0 to 1 go through a sigmoid, where large ones become ties", "torchmetrics", is_known_on=_are_plain_probabilities),
    Peer("torchmetrics", "1.9.0", "BinaryAveragePrecision(thresholds=n)", Step(), "grouped, with all scores between two of n thresholds", "0", "all small probabilities are below the first threshold, and are lost", is_known_on=lambda sample: False),
    *_each("torchmetrics", "1.9.0", {"RetrievalMAP": Step(), "RetrievalMAP(top_k=k)": _HITS}, "unstable sort", "0", _RETRIEVAL, **_retrieval),
    Peer("torchmetrics", "1.9.0", "retrieval_average_precision(top_k=k)", _HITS, "unstable sort", "0", _RETRIEVAL, **{**_retrieval, "queries": False}),
    *_each("torchmetrics", "1.9.0", {"RetrievalPrecision(top_k=k)": _PRECISION, "RetrievalRecall(top_k=k)": _RECALL, "RetrievalMRR": ReciprocalRank()}, "unstable sort", "0", _RETRIEVAL, **_retrieval),
    *_each("torchmetrics", "1.9.0", {"RetrievalRPrecision": RPrecision(), "RetrievalHitRate(top_k=k)": _HIT_RATE}, "unstable sort", "0", **_torch),
    Peer("polars_ds", "0.13.0", "query_binary_metrics", Step(), "grouped", "nan", "", "polars-ds"),
    Peer("DuckDB", "1.2 and later", "SQL with window functions", Step(), "grouped", "nan", "in databases where / of two integers drops the remainder, multiply by 1.0 first", "duckdb"),
    Peer("LightGBM", "4.7.0", "average_precision", Step(), "grouped", "1", _NO_WEIGHT, "lightgbm", weights=True, is_known_on=attrgetter("best_have_weight")),
    Peer("LightGBM", "4.7.0", "map@k", _MIN, "input order", "1", "", "lightgbm", queries=True),
    Peer("XGBoost", "2.0 and later", "map@k", _MIN, "input order", "1", f"map without k is map@32; {_TREC}", "xgboost-cpu", queries=True, **_single),
    Peer("XGBoost", "2.0 and later", "map@k-", _MIN, "input order", "0", f"map- without k is map@32-; {_TREC}", "xgboost-cpu", queries=True, **_single),
    Peer("XGBoost", "2.0 and later", "aucpr", rules.Curved(), "grouped", "nan", f"nan without negatives; {_TREC}", "xgboost-cpu", weights=True, needs_negatives=True, **_single),
    Peer("CatBoost", "1.2", "MAP:top=k", _MIN, "worst", "0", queries=True),
    Peer("Spark", "1.2 and later", "RankingMetrics.meanAveragePrecision", Step(), "the caller's order", "0", **_search),
    Peer("Spark", "3.0 and later", "RankingMetrics.meanAveragePrecisionAt", _MIN, "the caller's order", "0", **_search),
    Peer("Spark", "before 2.3", "BinaryClassificationMetrics.areaUnderPR", Linear(), "grouped", "0"),
    Peer("Spark", "3.0 and later", "BinaryClassificationEvaluator(metricName='areaUnderPR')", Linear(), "grouped", "0", _SPARK, weights=True, is_known_on=_are_few_and_the_best_is_untied),
    *_each("yardstick (R)", "1.0 and later", {"average_precision": Step(), "pr_auc": Linear()}, "grouped", "nan", _FIRST_LEVEL, weights=True, is_known_on=_ALL_HAVE_WEIGHT),
    Peer("precrec (R)", "0.24.0", "average_precision", Step(), "grouped", "an error", "tied samples become points of their own, along which positives and negatives mix evenly", needs_negatives=True, is_known_on=_are_untied),
    Peer("precrec (R)", "0.13.1", "auc", rules.Curved(), "grouped", "an error", "the curve is computed at 1000 recalls besides its points, which can change the fifth decimal", needs_negatives=True),
    Peer("PRROC (R)", "1.3.1", "pr.curve, auc.integral", rules.Curved(), "grouped", "nan", "takes the scores of positives and of negatives", weights=True, is_known_on=_ALL_HAVE_WEIGHT),
    Peer("PRROC (R)", "1.3.1", "pr.curve, auc.davis.goadrich", Linear(), "grouped", "nan", "between tied samples it adds a point for each positive, so the lines follow the curve", is_known_on=_are_untied),
    Peer("MLmetrics (R)", "1.1.1 and later", "PRAUC", rules.AfterFirst(), "grouped", "an error", "also the AUC of caret's prSummary; a perfect ranking of 2 positives gets 0.5", needs_negatives=True),
    Peer("ml_metrics", "0.1", "apk", _MIN, "the caller's order", "0", missed=True),
    Peer("recommenders", "1.2.1", "map_at_k", _MIN, "input order", "left out", **_common),
    Peer("recommenders", "1.2.1", "map", _RELEVANT, "input order", "left out", "k=10 by default", **_common),
    Peer("PyTorch Geometric", "2.8.1", "LinkPredMAP", _MIN, "the caller's order", "left out", **_search),
    Peer("implicit", "0.4", "mean_average_precision_at_k", _MIN, "the model's order", "left out", **_search),
    Peer("RecTools", "0.19.0", "MAP", _RELEVANT, "the caller's order", "left out", **_search),
    Peer("RecTools", "0.19.0", "MAP(divide_by_k=True)", _K, "the caller's order", "left out", "cannot reach 1 if there are fewer than k positives", **_search),
    Peer("Rax", "0.4.0", "ap_metric(topn=k)", _RELEVANT, "input order, or random with a key", "0", queries=True),
    Peer("TF-Ranking", "2026", "MeanAveragePrecisionMetric(topn=k)", _RELEVANT, "not looked at", "not looked at", queries=True),
    Peer("Haystack", "before 2026-08", "DocumentMAPEvaluator", _HITS, "the caller's order", "not looked at", "ignores positives that were not retrieved", queries=True),
    Peer("MatchZoo", "1.1.1", "MeanAveragePrecision", Step(), "input order", "0", "for a list cut at k it is AP@k / hits", queries=True),
    Peer("MatchZoo", "1.1.1", "AveragePrecision", _MEAN_OF_PRECISIONS, "input order", "0", "k is the length of the list; this is not an average precision by any definition", queries=True),
    Peer("scikit-learn", "1.1 and later", "roc_auc_score", rules.RocArea(), "grouped", "nan", "a different metric: a random ranking scores 0.5, even if positives are rare; before 1.6 an error without negatives or positives", needs_negatives=True, **_sklearn),
    Peer("LightGBM", "4.7.0", "auc", rules.RocArea(), "grouped", "1", "also 1 without negatives", "lightgbm", weights=True),
    Peer("XGBoost", "2.0 and later", "auc", rules.RocArea(), "grouped", "nan", _TREC, "xgboost-cpu", weights=True, needs_negatives=True, **_single),
)
# fmt: on


# --- what they report on a data set --------------------------------------------------------------


def reports_on(sample: Sample) -> list[tuple[Variant, Peer]]:
    """Return what tools report, as far as it is known. Rules may still lack their k."""
    found = []
    for peer in PEERS:
        if not peer.is_known_on(sample):
            continue
        order, empty = ORDERS[peer.ties], COUNTS.get(peer.no_positives, 0.0)
        if order is Order.BY_ID and sample.ids is not None:
            order = Order.BY_GIVEN_ID
        for slip, called in _slips_of(peer, sample):
            view = View(slip, peer.reading)
            if not (
                not sample.can_read(view)
                or (peer.no_positives not in COUNTS and sample.has_empty(view))
                or (peer.needs_negatives and not sample.has_negatives(view))
            ):
                found.append((Variant(peer.rule, view, order, empty).on(sample), called))
    return found


def at_cut(
    reports: Iterable[tuple[Variant, Peer]], cut: Cut | None, sample: Sample
) -> dict[Variant, list[Peer]]:
    """Return the tools by what they report with this cut-off, or without any."""
    found: dict[Variant, Variant | None] = {}  # many tools do the same
    peers: dict[Variant, list[Peer]] = defaultdict(list)
    if cut is not None and sample.rows_of(cut) is None:
        return peers
    for report, peer in reports:
        if isinstance(report.rule, OfK) == (cut is not None):
            if report not in found:
                found[report] = report if cut is None else _with_k(report, cut, sample)
            variant = found[report]
            if variant is not None and variant.order is not Order.UNKNOWN:
                peers[variant].append(peer)
    return peers


def _with_k(report: Variant, cut: Cut, sample: Sample) -> Variant | None:
    assert isinstance(report.rule, OfK)
    rule: Rule | None = report.rule.make(k=cut.k)
    if isinstance(rule, rules.MeanOfPrecisions):
        rule = sample.mean_of_precisions(cut)
    return replace(report, rule=rule).on(sample) if rule else None


def _slips_of(peer: Peer, sample: Sample) -> list[tuple[Slip, Peer]]:
    """Return the part of this data that the tool ranks, and how to call it for that."""
    misses = sample.misses_positives or sample.has_unretrieved
    if sample.is_weighted and not peer.weights:
        # Without weights, it is not known what is missed.
        return [] if sample.unweighted is None else [(Slip.UNWEIGHTED, peer)]
    found = [(Slip.NONE, peer)]
    if misses and not peer.missed:
        found = [(Slip.FOUND_ONLY, peer)]
    elif sample.has_unretrieved:
        found = [] if peer.no_rows is None else [(peer.no_rows, peer)]
        if peer.option:
            found += [(Slip.NONE, replace(peer, function=f"{peer.function} with {peer.option}"))]
    if sample.is_grouped and not peer.queries and not (misses and peer.missed):
        found += [(Slip.POOLED, peer)]
    return found
