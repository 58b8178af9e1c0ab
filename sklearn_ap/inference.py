"""Confidence intervals of metrics, and tests that compare models.

A difference is the first model minus the second one, or a model minus the baseline. Its interval
and p are those of one t-test, and its verdict follows from them: docs/method.md has the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ._core import NOT_SAID, Column, Metric, Scores, check
from ._core import metric as make_metric
from ._results import Bar, Drawable, Forest, Printed, Result, wording
from ._uncertainty import (
    Claims,
    ModelData,
    TTest,
    check_baseline,
    check_margin,
    compute_alpha,
    list_statistics,
    name_models,
    name_pair,
    note_data,
    note_value,
    read_folds,
    read_models,
)

# --- results --------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False, kw_only=True)
class Interval(Result):
    """The value of a metric with its interval. It unpacks into value, low and high.

    Attributes
    ----------
    value, low, high : float
        The value, and the ends of its interval.
    standard_error : float
        The standard error of the value.
    units : float
        The effective number of sampling units with positives, u of :doc:`/method`.
    cost : float
        How much one more negative above all others would lower the value, K of :doc:`/method`.
    confidence_level : float
        The fraction of such intervals that should contain the true value.
    metric, basis : str
        The title of the metric, and what was sampled. "395 positives" stands for independent rows.
    chance : float
        The mean value of random rankings, or nan where there's no formula.
    n_samples, n_positives : int, float
        How many samples and positives there are.
    notes : tuple of str
        The sentences below the result.
    """

    value: float
    low: float
    high: float
    standard_error: float
    units: float  # u: the effective number of sampling units with positives
    cost: float  # what one more negative above all others would cost
    confidence_level: float
    metric: str
    basis: str
    chance: float  # what a random ranking has on average; nan where there's no formula
    n_samples: int
    n_positives: float
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[float]:
        return iter((self.value, self.low, self.high))

    def _print(self) -> Printed:
        level = wording.format_level(self.confidence_level)
        decimals = wording.count_decimals([(*self,)])
        value = wording.format_value(self.value, decimals=decimals)
        ends = wording.format_ends(self.low, self.high, decimals)
        line = f"{self.metric}: {value}, {level} interval {ends}"
        basis = self.basis + wording.describe_chance(self.chance, decimals)
        return Printed([], [(line, [])], [basis, *self.notes])


@dataclass(frozen=True, kw_only=True)
class ComparedModel(TTest):
    """A model in a comparison, with its difference from the baseline, which has none itself."""

    model: Any
    value: float
    verdict: str = "baseline"


@dataclass(frozen=True, repr=False, kw_only=True)
class DrawableComparison(Drawable):
    """What the comparison of two models, and that of several, rest on."""

    baseline: Any
    metric: str
    basis: str
    confidence_level: float
    greater_is_better: bool = True
    margin: float | None = None
    notes: tuple[str, ...] = ()

    def _list_models(self) -> Sequence[ComparedModel]:
        raise NotImplementedError

    def _list_columns(self) -> dict[str, list[str]]:
        """Return what stands in front of the values of models, by the heads of columns."""
        return {"model": [str(row.model) for row in self._list_models()]}

    def _list_labels(self) -> list[str]:
        return self._list_columns()["model"]

    def _print_models(self, lines: Sequence[str]) -> Printed:
        """Print models as a table."""
        rows, columns = self._list_models(), self._list_columns()
        cells, decimals = [], count_decimals(rows)
        for row, *labels in zip(rows, *columns.values(), strict=True):
            value = wording.format_value(row.value, decimals=decimals)
            difference = wording.format_value(row.difference, "+", decimals)
            ends = wording.format_ends(row.low, row.high, decimals)
            p = wording.format_pvalue(row.pvalue, self.confidence_level)
            cells.append([*labels, value, difference, ends, p, row.verdict])
        level = wording.format_level(self.confidence_level)
        header = [*columns, "value", "diff", f"{level} interval", "p", f"verdict at {level}"]
        return Printed(header, [(f"{self.metric}: {self.basis}", cells)], lines)

    def _draw(self) -> list[Forest]:
        rows, bars, baseline = self._list_models(), [], ""
        for row, label in zip(rows, self._list_labels(), strict=True):
            ends = (row.margin_low, row.margin_high)
            if row.model == self.baseline:
                baseline = label
            else:
                bars.append(Bar(label, row.difference, row.low, row.high, row.verdict, ends))
        what = f"{bars[0].label} minus" if len(bars) == 1 else "difference from"
        title = f"{self.metric}: {what} {baseline}"
        return [Forest(bars, title, count_decimals(rows), self.greater_is_better)]


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparison(DrawableComparison, ComparedModel):
    """The comparison of two models. The difference is the first one minus the second one.

    Attributes
    ----------
    difference, low, high : float
        The difference, and the ends of its interval.
    pvalue, standard_error, units : float
        The p-value and the standard error of the difference, and the effective number of sampling
        units. The t-test has one degree of freedom less.
    verdict : str
        "better" if the interval of the difference lies above 0, "worse" if it lies below, and
        "unclear" if it contains 0. With a margin also "equivalent", "no worse" or "no better", by
        the interval from `margin_low` to `margin_high`.
    greater_is_better : bool
        Whether higher values are better.
    margin : float or None
        The smallest difference that matters.
    margin_low, margin_high : float
        The ends of the interval for verdicts about the margin.
    least_margin : float
        The smallest margin for which these data can show a verdict.
    model, value : object, float
        The first model, and its value.
    baseline, baseline_value : object, float
        The second model, and its value.
    metric, basis : str
        The title of the metric, and what was sampled.
    confidence_level : float
        The level of the interval and of the verdict.
    notes : tuple of str
        The sentences below the table.
    """

    baseline_value: float

    def _list_models(self) -> Sequence[ComparedModel]:
        return [self, ComparedModel(model=self.baseline, value=self.baseline_value)]

    def _print(self) -> Printed:
        lines = [f"diff, p and verdict: {self.model} against {self.baseline}."]
        if self.margin is not None:
            lines.append(f"Margin: {wording.format_margin(self.margin)}.")
            decimals = count_decimals(self._list_models())
            ends = wording.format_ends(self.margin_low, self.margin_high, decimals)
            if ends != wording.format_ends(self.low, self.high, decimals):
                lines.append(
                    f"The verdict uses a wider interval, {ends}, because rare cases may be missing "
                    "from the sample."
                )
        return self._print_models([*lines, *self.notes])


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparisons(DrawableComparison):
    """The comparison of several models with a baseline. ``comparisons["B"]`` is the row of model B.

    Attributes
    ----------
    rows : tuple of ComparedModel
        A row for each model, with its `model`, `value`, and `difference` from the baseline. The
        other attributes are those of :class:`Comparison`, from `low` and `high` to `verdict`.
    baseline : object
        The model that the others are compared with.
    metric, basis : str
        The title of the metric, and what was sampled.
    confidence_level : float
        The level of intervals and verdicts.
    greater_is_better : bool
        Whether higher values are better.
    margin : float or None
        The smallest difference that matters.
    n_comparisons : int
        How many comparisons intervals and p are adjusted for.
    notes : tuple of str
        The sentences below the table.
    """

    rows: tuple[ComparedModel, ...]
    n_comparisons: int = 1  # how many differences intervals and p are adjusted for

    def __iter__(self) -> Iterator[ComparedModel]:
        return iter(self.rows)

    def __getitem__(self, model: Any) -> ComparedModel:
        return {row.model: row for row in self.rows}[model]

    def _list_models(self) -> Sequence[ComparedModel]:
        return self.rows

    def _print(self) -> Printed:
        against = f"diff, p and verdict: against the baseline {self.baseline}."
        if (role := self[self.baseline].verdict) != "baseline":
            against = f"diff, p and verdict: against {self.baseline}, the {role}."
        return self._print_models([against, *self._describe_claims()])

    def _describe_claims(self) -> list[str]:
        lines = wording.describe_adjustment("Intervals and p", self.n_comparisons)
        if self.margin is not None:
            lines += wording.describe_margin(self.margin, self.rows)
        return [*lines, *self.notes]


@dataclass(frozen=True, kw_only=True)
class Candidate(ComparedModel):
    """A candidate of a search, whose name is its number."""

    params: dict[str, Any]
    rank: int


@dataclass(frozen=True, repr=False, kw_only=True)
class SearchComparison(Comparisons):
    """The candidates of a search, compared with the best one or a baseline, the best one first.

    It has the attributes of :class:`Comparisons`, and these:

    Attributes
    ----------
    rows : tuple of Candidate
        A row for each candidate, also with its `params` and its `rank`.
    corrected_value : float
        The value of the best candidate on folds that didn't choose it.
    """

    rows: tuple[Candidate, ...]
    corrected_value: float  # the best one's value on folds that didn't choose it

    @property
    def best(self) -> tuple[Candidate, ...]:
        """The candidates that may be the best: those that aren't significantly worse than the best
        one. With a `baseline`, they aren't compared with that.
        """
        if self[self.baseline].verdict == "baseline":
            raise ValueError("To find out which candidates may be the best, leave out baseline=.")
        alpha = compute_alpha(self.confidence_level)
        return tuple(row for row in self.rows if not (row.pvalue < alpha and row.difference < 0))

    def _list_columns(self) -> dict[str, list[str]]:
        """Return the parameters that vary, or else the first one, with short names if unique."""
        names = dict.fromkeys(name for row in self.rows for name in row.params)
        texts = {name: [str(row.params.get(name, "")) for row in self.rows] for name in names}
        shown = [name for name in names if len({*texts[name]}) > 1] or [*names][:1]
        short = {name: name.rpartition("__")[2] for name in shown}
        are_unique = len({*short.values()}) == len(short)
        return {short[name] if are_unique else name: texts[name] for name in shown}

    def _list_labels(self) -> list[str]:
        columns = self._list_columns()
        return [
            ", ".join(f"{name}={text}" for name, text in zip(columns, texts, strict=True) if text)
            for texts in zip(*columns.values(), strict=True)
        ]

    def _print(self) -> Printed:
        return self._print_models(self._describe_claims())


def count_decimals(rows: Sequence[ComparedModel]) -> int:
    """Count the decimals that values and differences get in a table of models."""
    values = [(row.value, np.nan, np.nan) for row in rows]
    return wording.count_decimals([*values, *((row.difference, row.low, row.high) for row in rows)])


# --- values and models ----------------------------------------------------------------------------


def confidence_interval(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    clusters: Column = None,
    average: str | None = NOT_SAID,
    pos_label: float | bool | str = NOT_SAID,
    sample_weight: Column = NOT_SAID,
    zero_division: float | str = NOT_SAID,
    classes: ArrayLike | None = NOT_SAID,
    n_positives: Any = NOT_SAID,
    groups: Column = NOT_SAID,
    min_grade: float | None = NOT_SAID,
    data: Any = None,
    **options: Any,
) -> Interval:
    """Compute a confidence interval for the value of a metric.

    If you drew new samples again and again, 95% of their intervals would contain the population's
    value. It's a t interval on the logit scale, not a bootstrap. Its standard error comes from the
    influence of each sampling unit (the infinitesimal jackknife [1]_), and it's wider to allow for
    cases that the sample may lack: see :doc:`Method </method>`.

    Read more in :doc:`Confidence intervals and comparisons </intervals>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators, multiclass labels or grades.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    metric : str or Metric, default="average_precision"
        The name of a metric, such as ``"P@10"``, or an object made by :func:`metric`, whose options
        are the defaults of those below.
    confidence_level : float, default=0.95
        The fraction of such intervals that should contain the true value.
    clusters : array-like of shape (n_samples,) or (n_samples, n_kinds), default=None
        The cluster of each sample, such as its patient. Clusters are then the sampling units.
        Without clusters or groups, rows are taken as independent.
        Several columns are crossed kinds of units, such as rows and seeds, whose variances add up.
    average : {'macro', 'micro', 'weighted', 'samples'}, default='macro'
        How values of classes, rows or groups are averaged.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately, and are the
        sampling units. Several columns, such as data set and seed, make one group together.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.
    **options
        Options of the metric, such as `k`.

    Returns
    -------
    interval : Interval
        It has `value`, `low` and `high`, and unpacks into these.

    See Also
    --------
    compare : Whether a difference may be chance.
    report : Several models, metrics or segments at once.

    References
    ----------
    .. [1] B. Efron, "The jackknife, the bootstrap and other resampling plans", SIAM 1982.

    Examples
    --------
    >>> from sklearn_ap import confidence_interval
    >>> from sklearn_ap.datasets import load_payments
    >>> confidence_interval("fraud", "model_a", data=load_payments())
    Average precision: 0.432, 95% interval 0.380 to 0.484
    395 positives, chance 0.020
    """
    check(confidence_level=confidence_level)
    models = read_models(
        make_metric(metric, **options),
        y_true,
        {"A": y_score},
        clusters=clusters,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )
    (variation,), units = models.estimate("A"), models.tables["A"].kinds[0]
    return Interval(
        **list_statistics(variation, confidence_level),
        cost=variation.compute_cost(1.0),
        confidence_level=float(confidence_level),
        metric=models.title,
        notes=tuple(note_data(models) + note_value(variation, units, confidence_level)),
    )


# Type checkers can't refuse a keyword, which may be an option of the metric, so that overloads only
# say which models make which result.
@overload
def compare(
    y_true: Column, y_score_a: ArrayLike | str, y_score_b: ArrayLike | str, **options: Any
) -> Comparison: ...
@overload
def compare(y_true: Column = None, y_score_a: Any = None, **options: Any) -> Comparisons: ...
def compare(
    y_true: Column = None,
    y_score_a: Any = None,
    y_score_b: Scores = None,
    *,
    metric: str | Metric = "average_precision",
    baseline: str | None = None,
    margin: float | None = None,
    confidence_level: float = 0.95,
    clusters: Column = None,
    average: str | None = NOT_SAID,
    pos_label: float | bool | str = NOT_SAID,
    sample_weight: Column = NOT_SAID,
    zero_division: float | str = NOT_SAID,
    classes: ArrayLike | None = NOT_SAID,
    n_positives: Any = NOT_SAID,
    groups: Column = NOT_SAID,
    min_grade: float | None = NOT_SAID,
    data: Any = None,
    **options: Any,
) -> Comparison | Comparisons:
    """Compare two or more models, and test whether a difference is unlikely to be chance.

    Read more in :doc:`Confidence intervals and comparisons </intervals>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators, multiclass labels or grades.
    y_score_a : array-like, or mapping from names to array-likes
        Prediction scores of model a, or of several models. With `data`, a list of columns.
    y_score_b : array-like, default=None
        Prediction scores of model b, for the same samples in the same order.
    metric : str or Metric, default="average_precision"
        The name of a metric, such as ``"P@10"``, or an object made by :func:`metric`, whose options
        are the defaults of those below.
    baseline : str, default=None
        If there are several models, the one to compare the others with. None means the best one,
        and differences are then adjusted for all pairs.
    margin : float, default=None
        The smallest difference that matters, chosen in advance. With a margin, the verdict can also
        be "equivalent", "no worse" or "no better".
    confidence_level : float, default=0.95
        The fraction of such intervals that should contain the true difference.
    clusters : array-like of shape (n_samples,) or (n_samples, n_kinds), default=None
        The cluster of each sample, such as its patient. Clusters are then the sampling units.
        Without clusters or groups, rows are taken as independent.
        Several columns are crossed kinds of units, such as rows and seeds, whose variances add up.
    average : {'macro', 'micro', 'weighted', 'samples'}, default='macro'
        How values of classes, rows or groups are averaged.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    zero_division : {'warn', 0, 1, nan}, default='warn'
        The value of a ranking without positives. nan leaves it out of the mean; 'warn' means 0 and
        a warning.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately, and are the
        sampling units. Several columns, such as data set and seed, make one group together.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, or mapping from names to tables, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns. For models with a table each, pass a dict of tables: `y_score_a` is
        the column of scores in all of them. Models are compared group by group, or with
        ``n_positives="rows"`` cluster by cluster.
    **options
        Options of the metric, such as `k`.

    Returns
    -------
    comparison : Comparison or Comparisons
        For two models that were passed separately, it has `difference`, `low`, `high`, `pvalue` and
        `verdict`; for several, it has `rows` with these.

    See Also
    --------
    confidence_interval : The interval of one value.
    report : Several metrics or segments at once.
    compare_folds : Compare ways to train, on folds.

    Examples
    --------
    >>> from sklearn_ap import compare
    >>> from sklearn_ap.datasets import load_payments
    >>> compare("fraud", "model_b", "model_a", data=load_payments())
    Average precision: 395 positives
    model    value    diff    95% interval       p  verdict at 95%
    model_b  0.512  +0.080  0.041 to 0.119  <0.001  better
    model_a  0.432                                  baseline
    diff, p and verdict: model_b against model_a.
    """
    metric = make_metric(metric, **options)
    claims = Claims(metric._rule, confidence_level, margin)
    is_pair = y_score_b is not None
    scores = name_pair(y_score_a, y_score_b) if is_pair else name_models(y_score_a, data)
    if len(scores) < 2:
        raise ValueError(
            "compare needs two models: pass y_score_b, or a dict such as {'old': a, 'new': b}."
        )
    if baseline is not None:
        check_baseline(baseline, {} if is_pair else scores)
    models = read_models(
        metric,
        y_true,
        scores,
        clusters=clusters,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )
    return compare_models(models, claims, [*scores][1] if is_pair else baseline, is_pair)


def compare_models(
    models: ModelData, claims: Claims, baseline: Any, is_pair: bool
) -> Comparison | Comparisons:
    """Compare all models with the baseline, or if it's None with the best one."""
    # Resamples belong to pairs, so that models alone need none if a baseline is named.
    needs_all = baseline is None or not models.may_resample
    variations = models.estimate_all() if needs_all else {}
    baseline, role = claims.choose_baseline(variations, baseline)
    is_chosen, n_models = role != "baseline", len(models.tables)
    # The best of several could have been any of them, so that all pairs count.
    claims = replace(claims, n_comparisons=comb(n_models, 2) if is_chosen else n_models - 1)
    found: dict[Any, ComparedModel] = {}
    for name in models.tables:
        if name != baseline:
            warns = not (variations or found)
            model, of_baseline = models.estimate_pair(variations, name, baseline, warns=warns)
            test, verdict = claims.judge(model, of_baseline)
            found[name] = ComparedModel(
                **vars(test), model=name, value=model.value, verdict=verdict
            )
    notes = note_data(models)
    if is_chosen and n_models > 2:
        notes.append(f"{baseline} was chosen by its value, so the adjustment is for all pairs.")
    least_margin = max(row.least_margin for row in found.values())
    notes += claims.list_notes(of_baseline, models.tables[baseline].kinds[0], least_margin)
    shared = {
        "baseline": baseline,
        "metric": models.title,
        "basis": of_baseline.basis,
        "confidence_level": float(claims.level),
        "greater_is_better": claims.rule.greater_is_better,
        "margin": claims.margin,
        "notes": tuple(notes),
    }
    if is_pair:
        (row,) = found.values()
        return Comparison(**vars(row), baseline_value=of_baseline.value, **shared)
    found[baseline] = ComparedModel(model=baseline, value=of_baseline.value, verdict=role)
    rows = tuple(found[name] for name in models.tables)
    return Comparisons(rows=rows, n_comparisons=claims.n_comparisons, **shared)


# --- folds of a cross-validation ------------------------------------------------------------------


def compare_folds(
    results: Any,
    *,
    metric: str | Metric | None = None,
    baseline: Any = None,
    margin: float | None = None,
    confidence_level: float = 0.95,
    n_train: float | None = None,
    n_test: float | None = None,
) -> Comparisons:
    """Compare the candidates of a search, or ways to train, by their scores on the same folds.

    Folds share training data, which the corrected t-test of Nadeau and Bengio [1]_ allows for. It
    has k - 1 degrees of freedom for k folds, repeated or not.

    Read more in :doc:`Scorers </scorers>`.

    Parameters
    ----------
    results : fitted search, ``cv_results_`` or mapping
        A search, whose candidates are compared; or a mapping from names to what `cross_validate`
        returned, or to a score for each fold, higher for better models. Seeds on the same test rows
        aren't folds: compare their predictions by :func:`compare`.
    metric : str or Metric, default=None
        The metric, if there are several, or to name the scores of `cross_validate`. You can spell
        it differently than in the results.
    baseline : str, or mapping of params, default=None
        What to compare the others with: a way to train, or the candidate with these params. None
        means the best one.
    margin : float, default=None
        The smallest difference that matters; see :func:`compare`.
    confidence_level : float, default=0.95
        The fraction of such intervals that should contain the true difference.
    n_train, n_test : float, default=None
        The mean numbers of samples for training and for testing in a fold. By default, they come
        from the `cv` of a search if it's a number, a k-fold splitter or a list, or from the results
        of `cross_validate` with return_indices=True.

    Returns
    -------
    comparison : SearchComparison or Comparisons
        For a search, it has the candidates in the order of their ranks; those in `best` may be the
        best ones. `corrected_value` says what the best one has on folds that didn't choose it
        [2]_. With fewer than five folds, repeated or not, three or more ways to train have values
        and ranks, but no verdicts.

    See Also
    --------
    compare : Compare trained models on a test set.
    make_ap_scorer : A scorer for the search.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.
    .. [2] I. Tsamardinos, E. Greasidou and G. Borboudakis, "Bootstrapping the out-of-sample
       predictions for efficient and accurate cross-validation", Machine Learning 107, 2018.

    Examples
    --------
    >>> from sklearn_ap import compare_folds
    >>> forest, boosting = [0.81, 0.79, 0.84, 0.80, 0.83], [0.78, 0.77, 0.80, 0.77, 0.79]
    >>> compare_folds(
    ...     {"forest": forest, "boosting": boosting}, baseline="boosting", n_train=800, n_test=200
    ... )
    Score: corrected t-test, 5 folds
    model     value    diff    95% interval      p  verdict at 95%
    forest    0.814  +0.032  0.016 to 0.048  0.005  better
    boosting  0.782                                 baseline
    diff, p and verdict: against the baseline boosting.
    5 folds only show large differences: cv=RepeatedStratifiedKFold(n_splits=10,
    n_repeats=3) shows smaller ones.
    """
    check(confidence_level=confidence_level, n_train=n_train, n_test=n_test)
    check_margin(margin)
    folds = read_folds(results, metric, n_train, n_test)
    ranks = folds.find_ranks()
    base, role = ranks.index(1), "highest"
    if baseline is not None:
        base, role = folds.find_baseline(baseline), "baseline"
    rows: list[Any] = []
    for place, (name, value) in enumerate(zip(folds.names, folds.means.tolist(), strict=True)):
        test, verdict = TTest(), role
        if place != base:
            test, verdict = folds.judge_way(place, base, confidence_level, margin)
        row = ComparedModel(**vars(test), model=name, value=value, verdict=verdict)
        if folds.params is not None:
            row = Candidate(**vars(row), params=folds.params[place], rank=ranks[place])
        rows.append(row)
    notes = folds.list_notes()
    shared = {
        "baseline": folds.names[base],
        "metric": folds.title,
        "basis": folds.describe_test(),
        "confidence_level": float(confidence_level),
        "margin": margin,
        "n_comparisons": folds.n_comparisons,
    }
    if folds.params is None:
        return Comparisons(rows=tuple(rows), notes=tuple(notes), **shared)
    # Candidates stand in the order of their ranks. The best of many is lucky on these folds.
    rows.sort(key=lambda row: -row.value)
    corrected = folds.correct_best()
    text = wording.format_value(corrected, decimals=count_decimals(rows))
    notes += [
        f"Corrected for choosing the best: {text}.",
        "With few positives in folds, this is still too high: evaluate it on a test set.",
    ]
    return SearchComparison(
        rows=tuple(rows), corrected_value=corrected, notes=tuple(notes), **shared
    )
