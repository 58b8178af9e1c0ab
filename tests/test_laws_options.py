"""Every rule, with every value of its options, wherever rules are accepted, and rules of strangers.

For a rule of a stranger, nothing is guessed.
"""

from dataclasses import dataclass
from functools import partial
from inspect import signature
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.integrate import trapezoid

import sklearn_ap as ap
from sklearn_ap._enter.metric import write_log_name
from sklearn_ap._evaluate.metric_values import compute_score as value_of_rankings
from sklearn_ap._inputs import metric_names as _names
from sklearn_ap._inputs.metric_names import parse_metric_name, write_as_passed, write_rule
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._read.validation import read_rankings
from sklearn_ap.core import rules as core
from sklearn_ap.core.operating_points import from_scores
from sklearn_ap.core.rules import AreaRule, Rule

from . import oracle, registry
from .oracle import near
from .registry import (
    JUMPING,
    OPTIONS,
    RULES,
    SOME,
    definition_of,
    exact,
    has_function,
    score,
)
from .strategies import DYADIC, FLOATS, INTEGERS, any_weight_of_k, rankings

each_rule = pytest.mark.parametrize("name", RULES)
some_rules = pytest.mark.parametrize("rule", SOME, ids=registry.name_of)


@some_rules
@pytest.mark.parametrize(("n_positives", "n_samples"), [(1, 5), (3, 12), (12, 30)])
def test_perfect_is_the_value_of_the_best_ranking(rule, n_positives, n_samples):
    order = np.arange(n_samples)
    best, worst = (from_scores(order < n_positives, scores) for scores in (-order, order))
    divides_by_k = isinstance(rule, core.PrecisionAtK) or getattr(rule, "denominator", "") == "k"
    # Other samples may have more positives, so those that divide by k can always reach 1.
    assert rule.perfect(worst) == pytest.approx(1 if divides_by_k else rule.values(best))
    assert rule.values(best) <= rule.compute_maximum(worst) + 1e-12


def test_every_rule_is_registered_with_an_oracle_and_values_of_its_options():
    def below(kind):
        return {kind, *(each for sub in kind.__subclasses__() for each in below(sub))}

    made = {each for each in below(Rule) if each.__module__ == core.__name__}
    named = {kind for kind in made if "name" in vars(kind)}
    assert named == {*RULES.values(), *core.GRADED}  # tests/test_metrics_ndcg.py has the others
    assert set(oracle.RULES) == set(RULES) == {registry.key_of(rule) for rule in SOME}
    assert set(RULES) > JUMPING
    options = {option for make in RULES.values() for option in registry.options_of(make)}
    assert set(OPTIONS) == options
    for rule in SOME:
        options, function = registry.spelled(rule)
        if function:
            assert set(options) <= set(signature(getattr(ap, function)).parameters)
        assert registry.is_legal(rule, weighted=False)


TELL_OPTIONS = (
    "must tell each option. For an option X, write [options.X] with its default, name, title, "
    "short and term in metric_names.toml."
)


@given(registry.rules())
def test_what_is_written_is_read_as_the_rule(rule):
    names = [write_rule(rule, style) for style in ("name", "title", "short")]
    for text in [*names, write_log_name(names[0])]:
        for each in (text, text.lower(), text.upper()):
            assert parse_metric_name(each).rule() == rule, f"{each!r} {TELL_OPTIONS}"
        mean = parse_metric_name(f"Mean {text}")
        assert (mean.is_mean, mean.rule()) == (True, rule)
    definition, options = definition_of(rule)
    assert parse_metric_name(definition).rule(**options) == rule
    if rule.term and rule.ties == "grouped":
        assert parse_metric_name(write_rule(rule, "term")).rule() == rule


@pytest.mark.sweep(12)
@any_weight_of_k
@each_rule
@given(st.sampled_from([0, 1, 3, 30]), st.data())
def test_rule(name, missing, data):
    """Everywhere, with weights and positives that were never scored.

    Where nothing jumps, also with weights whose sums are rounded.
    """
    kinds = [INTEGERS, DYADIC] + [FLOATS] * (name not in JUMPING)
    for kind in [None, *kinds] if name in registry.WEIGHTED else [None]:
        ranking = data.draw(rankings(weights=kind))
        rule = data.draw(registry.rules(weighted=kind is not None, names=[name]))
        if kind is None:
            points = from_scores(ranking.labels.astype(bool), ranking.scores)
            assert rule.values(points).tolist() == [near(exact(rule, *ranking))]
        mass = oracle.positive_mass(oracle.points(*ranking))
        labels, scores, weights = ranking
        for exist in [None] if kind is FLOATS else [None, float(mass + missing)]:
            expected = near(exact(rule, *ranking, n_positives=exist))
            given = {"n_positives": exist, "zero_division": nan, "sample_weight": weights}
            inputs = Inputs(labels, scores, **given)
            assert value_of_rankings(rule, read_rankings(inputs, rule), nan) == expected
            if has_function(rule):
                assert score(rule, *ranking[:2], **given) == expected


@pytest.mark.sweep(6)
@some_rules
def test_picture(rule):
    """An area is drawn if it is the value. The legends of both displays have every value, and the
    name that was passed if it is a short one, such as "11-point".
    """
    labels, scores = [0, 1, 1, 0, 1, 0, 1, 1, 0, 0], [9, 9, 7, 6, 5, 5, 5, 3, 2, 1]
    definition, options = definition_of(rule)
    metric = ap.metric(definition, **options)
    for kind in (ap.AveragePrecisionDisplay, ap.HitCurveDisplay):
        ax = Figure(layout="constrained").subplots()
        display = kind.from_predictions(labels, scores, metric=metric, ax=ax)
        value = float(exact(rule, labels, scores))
        assert display.value == near(value)
        name = write_as_passed(None if options else definition, write_rule(rule, "short"))
        assert display.line_.get_label() == f"{name} = {value:.{rule.decimals}f}"
        if kind is ap.AveragePrecisionDisplay:
            assert display.fill_.get_visible() is isinstance(rule, AreaRule)
            drawn = display.line_.get_xydata()
    if not isinstance(rule, AreaRule):
        steps = ap.AveragePrecisionDisplay.from_predictions(labels, scores, ax=ax)
        assert drawn.tolist() == steps.line_.get_xydata().tolist()


# An unknown rule, which has values and nothing else


@dataclass(frozen=True)
class Toy(Rule):
    """The fraction of positive samples, which doesn't depend on the order."""

    name = "toy"

    def values(self, points):
        return points.n_positives / np.maximum(points.n_samples, 1)


@dataclass(frozen=True)
class Plain(AreaRule):
    """An area that doesn't say what else holds."""

    name = "plain"

    def area(self, points):
        return core.Step().area(points)


@pytest.mark.parametrize("kind", [Toy, Plain])
def test_a_new_rule_has_values_and_pictures(kind, monkeypatch):
    rng, name = np.random.default_rng(0), kind.name
    data = rng.integers(0, 2, 300), rng.random(300)
    known = _names._forms() | {name: (_names.NamedRule(kind, {}, ""), "")}
    monkeypatch.setattr(_names, "_forms", lambda: known)
    value = np.mean(data[0]) if kind is Toy else ap.average_precision_score(*data)
    draw = {"method": "bootstrap", "n_resamples": 9}
    assert ap.confidence_interval(*data, metric=name, **draw).value == value
    with pytest.raises(TypeError, match=rf"'{name}' has no option \{{'k'\}}"):
        ap.confidence_interval(*data, metric=name, k=3)
    for make in (ap.make_ap_scorer, ap.get_scorer):
        with pytest.raises(ValueError, match=f"'{name}' is not available in make_ap_scorer"):
            make(name)
    ax = Figure().subplots()
    draw = partial(ap.AveragePrecisionDisplay.from_predictions, *data, ax=ax)
    (x, y) = draw(metric=name).line_.get_data()
    step = ap.average_precision_score(*data)
    assert trapezoid(y, x) == pytest.approx(step)
    assert draw(metric=["step", name]).value == [step, value]


@pytest.mark.parametrize("metric", ["ndcg", "reciprocal_rank", "interpolated_average_precision"])
def test_the_default_of_an_option_can_be_passed(metric):
    """Also if it is None, which other metrics refuse for an option of this name."""
    y, score, groups = (
        [1, 0, 1, 0, 0, 1],
        [3.0, 2.0, 1.0, 3.0, 2.0, 1.0],
        [0, 0, 0, 1, 1, 1],
    )
    makes = _names.find_parameters(_names.find_meaning(metric).make).items()
    defaults = {name: option.default for name, option in makes}
    assert None in defaults.values()
    given = {"groups": groups, "random_state": 0}
    found = ap.confidence_interval(y, score, metric=metric, **given)
    for same in ({"metric": metric} | defaults, {"metric": ap.metric(metric, **defaults)}):
        assert ap.confidence_interval(y, score, **same, **given) == found


def test_what_a_rule_does_not_bring_is_missing():
    rule = Toy()
    assert (rule.cut, rule.ties) == (None, "grouped")
    with pytest.raises(NotImplementedError):
        Rule().values(None)
