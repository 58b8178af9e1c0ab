"""Evaluate and compare models by several metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public
from .._enter.metric import Metric, check_mean_has_groups
from .._enter.models import check_baseline, read_models
from .._infer.comparisons import Claims
from .._infer.sentences import list_names
from .._infer.settings import IntervalSettings, check_margin, make_seed
from .._inputs.metric_names import add_min_grade, lower_first, write_as_passed
from .._inputs.records import Average, Inputs, Label, NPositives, ReaderLabels, ZeroDivision
from .._read.group_names import has_counts_by_grade
from .._read.model_rows import ModelRows, count_positives
from .._read.tables import are_tables, find_conditions
from .._show.progress import step
from .._show.results import Note, break_after_sentence, describe_conditions, join_lines, sort_notes
from .._words.messages import describe_heavy_negatives, format_count
from .._words.parameters import check_rule, format_value, is_mapping
from ..core.influence import find_deciding_weight
from ..core.memo import Memo
from ..core.rules import Rule
from ..exceptions import InvalidParameterError
from ..metrics import make_metric
from .evaluation import evaluate, evaluate_apart, evaluate_without_intervals
from .read_models import ReadModels, read_each_class
from .report_result import Report, write_about
from .rows import MetricResults, ModelCounts
from .segment_results import evaluate_segments, make_segment_notes
from .segments import take_part

AnyMetric = str | Metric


AnyMetrics = AnyMetric | Sequence[Any] | Mapping[str, Any]


_MAX_NAMED_COUNTS = 6  # models whose documents are counted one by one


@public(warns_once=True)
def report(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    metrics: AnyMetrics = "average_precision",
    baseline: str | None = None,
    margin: float | Mapping[Any, float] | None = None,
    by: Any = None,
    min_positives: int = 0,
    joint: bool = True,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Report:
    """Evaluate models by several metrics, and compare them with a baseline, in one table.

    Each value comes with the interval of :func:`confidence_interval`, and each model other than the
    baseline with the difference that :func:`compare` computes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : mapping, or array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        The prediction scores of a model, or a mapping from model names to prediction scores. With
        `data`, a column, a list of columns or a mapping from models to columns.
    metrics : str, Metric, list or mapping, default="average_precision"
        The metrics to report: names, such as "P@1%", and objects made by :func:`metric`. Pass a
        mapping to choose what the table calls them.
    baseline : str, default=None
        The model to compare the others with. Differences and p-values are adjusted, so that all
        comparisons by a metric hold at once. If None, it is the best model by the first metric, and
        the adjustment is for all pairs of models.
    margin : float or mapping, default=None
        The smallest difference that matters to you, or a mapping from metrics to such differences.
        The table then has a verdict on each model; see :func:`compare`.
    by : array-like of shape (n_samples,) or mapping, default=None
        The segments: parts of the rows, such as countries or days, that get values of their own.
        Several columns, as in ``by=["sex", "age"]``, make segments one after the other; for crossed
        ones, make a column of both. With `groups`, you can pass a dict or a Series that maps each
        group to its segment.
    min_positives : int, default=0
        With `by`, the number of positives below which a segment only has values: no intervals, no
        verdicts, and no place among those for which intervals hold at once.
    joint : bool, default=True
        With `by`, whether intervals and p-values hold for all segments and models at once. Pass
        False if you had one segment and model in mind from the start.
    confidence_level : float, default=0.95
        The proportion of such intervals that should contain the true value.
    method : {'auto', 'influence', 'bootstrap'}, default='auto'
        How to compute the standard error: 'influence' uses the closed form, which step,
        interpolated and linear average precision have, and 'bootstrap' draws resamples.
    n_resamples : int, default=None
        The number of resamples; see :func:`compare`.
    random_state : int, Generator, RandomState instance or None, default=None
        Pass an int to get the same report each time.
    verbose : int, default=0
        If 1, progress is printed to standard error.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate. With
        'samples', the rows are the sampling units. With None, each class has its own rows.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. With
        `by`, pass a mapping.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as the sampling unit.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. Or a
        mapping from models to tables of :mod:`sklearn_ap.readers`.

    Returns
    -------
    report : Report
        It prints as a table. Its `rows` contain the results, and `to_dict`, `to_frame`, and
        `to_markdown` convert them. With groups, `per_group` returns the value of
        each group.

    Raises
    ------
    ValueError
        If there are no positives, or fewer than two sampling units.

    See Also
    --------
    metric : Combine a metric with its options.
    compare

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> payments = ap.datasets.load_payments()
    >>> ap.report(
    ...     "fraud", ["model_a", "model_b"], baseline="model_a", data=payments
    ... )
    Average precision: 395 positives, random 0.020
    model    value    95% interval    diff    95% interval       p  verdict at 95%
    model_a  0.432  0.380 to 0.484                                  baseline
    model_b  0.512  0.461 to 0.561  +0.080  0.041 to 0.119  <0.001  better
    diff, p and verdict: model_b against model_a.
    """
    models = read_models("report", "y_score", y_score, data)
    names = _name_by_conditions(models, data)
    are_apart = [*names] != [*names.values()]
    if are_apart:
        models = {names[model]: models[model] for model in names}
        data = {names[model]: data[model] for model in names}
    unread = Inputs.of_call(locals(), "report", y_score=models)
    if by is not None:
        unread = unread._replace(besides={"by": by})
    memo = Memo()  # of what metrics share
    questions = [
        Question(
            name, metric, unread._replace(memo=memo, **metric.of_data), are_apart=are_apart,
            shows_groups=not min_positives,
        )
        for name, metric in _read_metrics(metrics).items()
    ]  # fmt: skip
    return answer_questions(
        questions, baseline=baseline, margin=margin, min_positives=min_positives, joint=joint,
        confidence_level=confidence_level, method=method, n_resamples=n_resamples,
        random_state=random_state,
    )  # fmt: skip


def _name_by_conditions(models: Iterable[Any], data: Any) -> dict[Any, Any]:
    """Return the name of each model, with the conditions under which its table was read, if those
    of all tables differ.
    """
    if not are_tables(data):
        return {model: model for model in models}
    names, common = {}, find_conditions({"data": data})
    for model in models:
        of_model = find_conditions({"data": data}, model)
        own = describe_conditions({name: of_model[name] for name in of_model if name not in common})
        names[model] = f"{model} ({own})" if own else model
    return names


class Question(NamedTuple):
    """What a report is asked by one metric, about data of its own."""

    name: str  # what the table calls the metric
    metric: Metric
    unread: Inputs  # with the options of the metric
    title: str = ""  # above the table, if it says more than the name
    are_apart: bool = False  # whether tables were read differently, so models can't be compared
    shows_groups: bool = True  # whether the table counts the groups of a segment, or its positives
    n_repeats: int = 1  # how often each positive stands in the data
    lacks: str = ""  # what there is nothing of, so that the metric has no value

    @property
    def called(self) -> str:
        """What pictures call the metric, if the caller has passed a name without options."""
        is_passed = self.name == self.metric.name and not self.metric.options
        return write_as_passed(self.metric.definition, "") if is_passed else ""


def answer_questions(
    questions: Sequence[Question],
    *,
    baseline: Any,
    margin: Any,
    min_positives: int,
    joint: bool,
    confidence_level: float,
    method: str,
    n_resamples: int | None,
    random_state: Any,
) -> Report:
    """Make a report on the same models by several metrics, each with data of its own. The arguments
    are those of `report`.
    """
    unread = questions[0].unread
    models = unread.y_score
    check_baseline(models, baseline)
    if margin is not None and len(models) == 1:
        raise ValueError(
            "margin is the smallest difference that matters, but a report of one model has no "
            "differences. Pass several models."
        )
    if min_positives and "by" not in unread.besides:
        raise ValueError(
            "min_positives says which segments are judged, but there are none. Pass by=, or leave "
            "min_positives out."
        )
    margins = _read_margins(margin, {question.name: question.metric for question in questions})
    is_chosen = baseline is None and len(models) > 1
    seed = make_seed(random_state)
    asked = []
    for number, question in enumerate(questions, 1):
        metric, zero_division = question.metric, question.unread.zero_division
        has_groups = question.unread.groups is not None
        check_mean_has_groups(metric.definition, metric.is_mean, has_groups)
        rule = check_rule(metric.rule)
        check_margin(rule, margins[question.name])
        settings = IntervalSettings(rule, method, n_resamples, seed, zero_division)
        claims = Claims(confidence_level, margins[question.name], joint, is_chosen)
        place = f"metric {number} of {len(questions)}"
        asked.append(_Asked(question, place, settings, claims, min_positives * question.n_repeats))
    return _make_report(_answer_all(asked, baseline), unread, claims, min_positives)


class _Asked(NamedTuple):
    """A question, and how it's answered."""

    question: Question
    place: str  # of the metric among all, to show progress
    settings: IntervalSettings
    claims: Claims
    min_positives: int  # of segments that are judged, in the data


class _Answer(NamedTuple):
    """What a report says by one metric, with average=None about one class."""

    about: tuple[str, str]  # the metric and the class ("" without classes), for notes
    read: ReadModels
    whole: MetricResults  # of all data
    segments: Sequence[MetricResults] = ()
    notes: Sequence[Note] = ()
    family: int | None = None  # segments or differences for which intervals hold at once


def _answer_all(asked: Sequence[_Asked], baseline: Any) -> list[_Answer]:
    """Evaluate all metrics, and of each with average=None, all classes. The baseline is None if
    the caller didn't choose one.
    """
    answers: dict[str, list[_Answer]] = {each.question.name: [] for each in asked}
    for each in asked:
        if each.question.lacks:
            continue
        for label, read in read_each_class(each.settings.rule, each.question.unread):
            known = read  # the models and columns of every metric, also of those without data
            answer = _answer(each, label, read, baseline)
            answers[each.question.name].append(answer)
            # The first metric chooses the baseline, if the caller didn't.
            baseline = answer.whole.baseline
    for each in asked:
        if each.question.lacks:
            answers[each.question.name].append(_answer_without_data(each, known, baseline))
    return [*chain.from_iterable(answers.values())]


def _answer_without_data(asked: _Asked, read: ReadModels, baseline: Any) -> _Answer:
    """Return what a metric says of no rows of the samples that others have read."""
    no_rows = np.zeros(0, dtype=np.intp)
    rows_by_model = {
        model: take_part(model_rows, no_rows) for model, model_rows in read.rows_by_model.items()
    }
    question, reason = asked.question, f"no {asked.question.lacks}"
    evaluated = evaluate_without_intervals(
        asked.settings, rows_by_model, baseline, asked.claims, reason
    )
    counts = dict.fromkeys(rows_by_model, ModelCounts(0, 0, None))
    whole = MetricResults(
        **vars(evaluated),
        name=question.name,
        title=question.title,
        called=question.called,
        counts=counts,
    )
    return _Answer((question.name, ""), read, whole)


def _answer(asked: _Asked, label: str, read: ReadModels, baseline: Any) -> _Answer:
    """Evaluate the models by one metric: in all data, and in each segment."""
    question, _, settings, claims, min_positives = asked
    title = f"{question.name}, {label}" if label else question.name
    if "min_grade" not in question.metric.options:
        title = add_min_grade(
            title, settings.rule, next(iter(read.rows_by_model.values())).min_grade
        )
    if read.segmented is not None and _are_single_groups(read.segmented.rows_by_model.values()):
        question = question._replace(shows_groups=False)
    progress = f"{asked.place}, {question.title or title}"
    with step(progress):
        if question.are_apart:
            of_all = evaluate_apart(settings, read.rows_by_model, claims)
        else:
            of_all = evaluate(settings, read.rows_by_model, baseline, claims)
    counts = _count_rows(question, read.rows_by_model)
    called = question.called and question.called + title.removeprefix(question.name)
    names: dict[str, Any] = {"name": title, "title": question.title, "called": called}
    whole = MetricResults(**vars(of_all), **names, counts=counts)
    notes = [*whole.collect_notes(), *_note_heavy_negatives(settings.rule, read, whole)]
    segments: list[MetricResults] = []
    family = None
    if read.segmented is not None:
        with step(f"{progress}, segments"):
            evaluated, on_segments, family = evaluate_segments(
                settings, read.segmented, whole.baseline, claims, min_positives
            )
        notes += [Note("no_segment", text) for text in read.segmented.segments.notes()]
        notes += [*make_segment_notes(read.segmented.find_facts(settings.rule)), *on_segments]
        for segment, of_segment in evaluated.items():
            counts = _count_rows(question, read.segmented.rows_by_model[segment])
            results = MetricResults(**vars(of_segment), **names, counts=counts, segment=segment)
            segments.append(results)
    return _Answer((question.name, label), read, whole, segments, notes, family)


def _are_single_groups(segments: Iterable[Mapping[Any, ModelRows]]) -> bool:
    """Whether each segment has one group at most, such as a class of detections."""
    rows_by_model = chain.from_iterable(models.values() for models in segments)
    names = [model_rows.rankings.names for model_rows in rows_by_model]
    return all(of_sample is None or len(of_sample) <= 1 for of_sample in names)


def _note_heavy_negatives(rule: Rule, read: ReadModels, whole: MetricResults) -> Iterator[Note]:
    """Yield what the intervals have warned of, for those who read the report alone."""
    heaviest = max(
        find_deciding_weight(rule, rows_by_model.rankings, whole.intervals[model].value)
        for model, rows_by_model in read.rows_by_model.items()
    )
    if heaviest:
        text = break_after_sentence(describe_heavy_negatives(heaviest))
        yield Note("heavy_negatives", text)


def _make_report(
    answers: Sequence[_Answer], unread: Inputs, claims: Claims, min_positives: int
) -> Report:
    """Make a report of its answers. All of them claim the same but for their margins."""
    last = answers[-1]
    notes = [
        Note(note.code, write_about(subjects, note.text))
        for note, subjects in _find_subjects(answers, lambda answer: answer.notes).items()
    ]
    if has_counts_by_grade(unread.n_positives):
        items = "documents" if isinstance(unread.y_true, ReaderLabels) else "items"
        notes.append(_count_documents(unread.n_positives, last.read.rows_by_model, items))
    parts = tuple(part for answer in answers for part in (answer.whole, *answer.segments))
    return Report(
        rows=tuple(row for part in parts for row in part.make_rows()),
        confidence_level=float(claims.level),
        baseline=last.whole.baseline,
        joint=claims.joint,
        min_positives=min_positives,
        by=() if last.read.segmented is None else last.read.segmented.segments.columns,
        parts=parts,
        said=sort_notes(notes),
        families=_find_subjects(
            answers, lambda answer: [] if answer.family is None else [answer.family]
        ),
        is_chosen=claims.is_chosen,
    )


def _count_rows(
    question: Question, rows_by_model: Mapping[Any, ModelRows]
) -> dict[Any, ModelCounts]:
    """Count the rows and the existing positives of each model, and its groups if they are shown."""
    counts = {}
    for model, model_rows in rows_by_model.items():
        rankings, n_groups = model_rows.rankings, None
        if rankings.is_grouped and question.shows_groups:
            n_groups = len(rankings.names or ())
        n_positives = count_positives(model_rows) // question.n_repeats
        counts[model] = ModelCounts(rankings.n_rows, n_positives, n_groups)
    return counts


def _read_metrics(metrics: Any) -> dict[str, Metric]:
    """Map what the table calls each metric to the metric."""
    if isinstance(metrics, AnyMetric):
        metrics = [metrics]
    if not isinstance(metrics, Mapping | list | tuple) or not metrics:
        raise InvalidParameterError(
            "The 'metrics' parameter of report must be a metric, a list of them, or a mapping from "
            f"names to them. Got {format_value(metrics)} instead."
        )
    by_name: dict[str, Metric] = {}
    called = metrics.items() if isinstance(metrics, Mapping) else [(None, key) for key in metrics]
    for own_name, key in called:
        metric = key
        if not isinstance(key, Metric):
            metric = make_metric(key, {}, "report", "metrics")
        name = metric.name if own_name is None else str(own_name)
        if name in by_name:
            raise ValueError(
                f"Two metrics are called {name!r}. Leave one out, or pass metrics as a mapping "
                "from names that you choose to metrics."
            )
        by_name[name] = metric
    return by_name


def _read_margins(margin: Any, by_name: Mapping[str, Metric]) -> dict[str, float | None]:
    """Return the margin of each metric, from one for all, or a mapping from metrics to margins.

    `by_name` has the metrics by what the table calls them, which the mapping can use, too.
    """
    if not is_mapping(margin):
        return dict.fromkeys(by_name, margin)
    margins: dict[str, float | None] = dict.fromkeys(by_name)
    for key, size in margin.items():
        if key in by_name:
            names = [key]
        else:
            is_made = isinstance(key, Metric)
            metric = key if is_made else make_metric(key, {}, "report", "margin")
            names = [name for name, each in by_name.items() if each == metric]
        if not names:
            raise InvalidParameterError(
                f"margin has a number for {format_value(getattr(key, 'definition', key))}, which "
                f"is none of the metrics. These are {list(by_name)}."
            )
        margins |= dict.fromkeys(names, float(size))
    return margins


def _find_subjects(
    answers: Sequence[_Answer], list_facts: Callable[[_Answer], Iterable[Any]]
) -> dict[Any, str]:
    """Return each fact once, with the metrics and classes that it is about."""
    where_of: dict[Any, list[tuple[str, str]]] = {}
    for answer in answers:
        for fact in dict.fromkeys(list_facts(answer)):
            where_of.setdefault(fact, []).append(answer.about)
    everywhere = [answer.about for answer in answers if not answer.whole.lacks_positives]
    return {fact: _name_subjects(where, everywhere) for fact, where in where_of.items()}


def _name_subjects(where: Sequence[tuple[str, str]], everywhere: Sequence[tuple[str, str]]) -> str:
    """Name metrics and classes; "" if these are all.

    Both are pairs of a metric and a class, which is "" without classes.
    """
    if len(where) == len(everywhere):
        return ""
    n_metrics = len({metric for metric, _ in everywhere})
    classes = dict.fromkeys(label for _, label in where)
    if len(where) == len(classes) * n_metrics:  # true by all metrics
        names = [*classes]
    else:
        names = []
        for metric, label in where:
            names.append(lower_first(join_lines(f"{metric}, {label}" if label else metric)))
    return list_names(names)


def _count_documents(n_judged: Any, rows_by_model: Mapping[Any, ModelRows], items: str) -> Note:
    """Count the queries, their judged items, and those that each model has retrieved.

    `n_judged` maps each query to its counts by grade, and `items` is what they are called.
    """
    n_all = sum(count for _, by_grade in n_judged.items() for _, count in by_grade.items())
    n_retrieved = [model_rows.rankings.n_rows for model_rows in rows_by_model.values()]
    if len(rows_by_model) > _MAX_NAMED_COUNTS:
        retrieved = f"{min(n_retrieved):,} to {max(n_retrieved):,} by each model"
    else:
        # A single model may have the name "".
        by = [f" by {join_lines(model)}" if model != "" else "" for model in rows_by_model]
        retrieved = list_names([f"{n:,}{model}" for n, model in zip(n_retrieved, by, strict=True)])
    queries = format_count(len(n_judged), next(iter(rows_by_model.values())).group_words)
    have = "has" if len(n_judged) == 1 else "have"
    judged = f"{queries} {have} {n_all:,} judged {items if n_all != 1 else items.removesuffix('s')}"
    return Note("documents", f"{judged}; retrieved: {retrieved}.")
