"""Every rule, with every value of its options, wherever rules are accepted, and rules of strangers.

For a rule of a stranger, nothing is guessed.
"""

from dataclasses import FrozenInstanceError, dataclass
from inspect import signature
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import sklearn_ap as ap
from sklearn_ap import _names
from sklearn_ap._by_name import name_in_logs
from sklearn_ap._names import read, written
from sklearn_ap.core import rules as core
from sklearn_ap.core.operating_points import from_scores
from sklearn_ap.core.rules import AreaRule, Rule
from sklearn_ap.core.tallies import is_exact
from sklearn_ap.streaming import MetricAccumulator

from . import oracle
from .oracle import near
from .registry import (
    JUMPING,
    OPTIONS,
    RULES,
    SOME,
    WEIGHTED,
    definition_of,
    exact,
    has_function,
    is_legal,
    key_of,
    name_of,
    options_of,
    rules,
    score,
    spelled,
)
from .strategies import DYADIC, FLOATS, INTEGERS, any_weight_of_k, rankings
from .test_streaming import chunked, fill

each_rule = pytest.mark.parametrize("name", RULES)
each_weighted = pytest.mark.parametrize("name", sorted(WEIGHTED))
some_rules = pytest.mark.parametrize("rule", SOME, ids=name_of)


# What must be listed by hand


@some_rules
@pytest.mark.parametrize(("n_positives", "n_samples"), [(1, 5), (3, 12), (12, 30)])
def test_perfect_is_the_value_of_the_best_ranking(rule, n_positives, n_samples):
    order = np.arange(n_samples)
    best, worst = (from_scores(order < n_positives, scores) for scores in (-order, order))
    divides_by_k = isinstance(rule, core.PrecisionAtK) or getattr(rule, "denominator", "") == "k"
    # Other samples may have more positives, so those that divide by k can always reach 1.
    assert rule.perfect(worst) == pytest.approx(1 if divides_by_k else rule.values(best))
    assert rule.values(best) <= rule.most(worst) + 1e-12


def test_every_rule_has_an_oracle_and_every_option_has_values_to_try():
    assert set(oracle.RULES) == set(RULES)
    assert set(OPTIONS) == {option for make in RULES.values() for option in options_of(make)}
    assert set(RULES) > JUMPING
    assert {key_of(rule) for rule in SOME} == set(RULES)


def test_every_class_of_a_rule_is_registered():
    def below(kind):
        return {kind, *(each for sub in kind.__subclasses__() for each in below(sub))}

    made = {
        kind for kind in below(Rule) if kind.__module__ == core.__name__ and "name" in vars(kind)
    }
    assert made == set(RULES.values())


@each_rule
def test_a_rule_is_a_value(name):
    make = RULES[name]
    options = {option: OPTIONS[option][0] for option in options_of(make)}
    one, other = make(**options), make(**options)
    assert one == other
    assert hash(one) == hash(other)
    for option in options:
        assert one != make(**options | {option: OPTIONS[option][1]})
        with pytest.raises(FrozenInstanceError):
            setattr(one, option, OPTIONS[option][-1])
    assert make.__doc__.endswith(".")


@given(rules(), st.sampled_from(["name", "title", "short"]))
def test_what_is_written_is_read_as_the_rule(rule, style):
    text = written(rule, style)
    for each in (text, text.lower(), text.upper(), name_in_logs(text) if style == "name" else text):
        assert read(each).rule() == rule, each
        mean = read(f"Mean {each}")
        assert (mean.grouped, mean.rule()) == (True, rule)


@given(rules())
def test_terms_and_keys_are_read_as_the_rule(rule):
    definition, options = definition_of(rule)
    assert read(definition).rule(**options) == rule
    if rule.term and rule.ties == "grouped":
        assert read(written(rule, "term")).rule() == rule


# Against the oracle


@each_rule
@given(rankings(), st.data())
def test_rule(name, ranking, data):
    rule = data.draw(rules(names=[name]))
    points = from_scores(ranking.labels.astype(bool), ranking.scores)
    assert rule.values(points).tolist() == [near(exact(rule, *ranking))]
    if has_function(rule):
        assert score(rule, *ranking[:2]) == near(exact(rule, *ranking))


@any_weight_of_k
@each_weighted
@given(st.one_of(rankings(weights=INTEGERS), rankings(weights=DYADIC)), st.data())
def test_function_with_weights(name, ranking, data):
    rule = data.draw(rules(weighted=True, names=[name]))
    if has_function(rule):
        actual = score(rule, *ranking[:2], sample_weight=ranking.weights)
        assert actual == near(exact(rule, *ranking))


@any_weight_of_k
@pytest.mark.parametrize("name", sorted(WEIGHTED - JUMPING - {"linear"}))
@given(rankings(weights=FLOATS), st.data())
def test_function_with_weights_that_are_rounded(name, ranking, data):
    rule = data.draw(rules(weighted=True, names=[name]))
    actual = score(rule, *ranking[:2], sample_weight=ranking.weights)
    assert actual == near(exact(rule, *ranking))


@any_weight_of_k
@each_rule
@given(st.one_of(rankings(), rankings(weights=INTEGERS)), st.integers(0, 30), st.data())
def test_function_with_positives_that_were_never_scored(name, ranking, missing, data):
    rule = data.draw(rules(weighted=ranking.weights is not None, names=[name]))
    if has_function(rule):
        exist = int(oracle.positive_mass(oracle.points(*ranking))) + missing
        actual = score(rule, *ranking[:2], sample_weight=ranking.weights, n_positives=exist)
        assert actual == near(exact(rule, *ranking, n_positives=exist))


@each_weighted
@given(rankings(weights=INTEGERS), st.data())
def test_rows_of_weight_one_are_what_k_counts_anyhow(name, ranking, data):
    rule = data.draw(rules(weighted=True, names=[name]))
    if has_function(rule):
        ones, expected = np.ones(ranking.labels.size), score(rule, *ranking[:2])
        actual = score(rule, *ranking[:2], sample_weight=ones)
        assert actual == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if rule.depth is None or rule.depth.by_rows:
            actual = score(rule, *ranking[:2], sample_weight=ones / 2)
            assert actual == pytest.approx(expected, abs=1e-12, nan_ok=True)


# Streams


@any_weight_of_k
@each_rule
@given(
    chunked(st.one_of(rankings(), rankings(weights=INTEGERS), rankings(weights=DYADIC))),
    st.sampled_from([None, 0, 3]),
    st.data(),
)
def test_stream(name, whole, missing, data):
    ranking, cuts = whole
    rule = data.draw(rules(weighted=ranking.weights is not None, names=[name]))
    mass = oracle.positive_mass(oracle.points(*ranking))
    exist = None if missing is None else float(mass + missing)
    definition, options = definition_of(rule)
    options |= {"zero_division": nan, "n_positives": exist}
    found = fill(ranking, cuts).result(definition, **options)
    assert found == near(exact(rule, *ranking, n_positives=exist))


@any_weight_of_k
@each_rule
@given(
    chunked(st.one_of(rankings(positives=True), rankings(weights=DYADIC, positives=True))),
    st.integers(1, 6),
    st.sampled_from([None, 2]),
    st.data(),
)
def test_bounds_of_a_stream_contain_the_number_or_are_refused(name, whole, n_bins, missing, data):
    ranking, cuts = whole
    weighted = ranking.weights is not None
    rule = data.draw(rules(weighted, names=[name]))
    mass = oracle.positive_mass(oracle.points(*ranking))
    exist = None if missing is None else float(mass + missing)
    definition, options = definition_of(rule)
    options["n_positives"] = exist
    few = fill(ranking, cuts, n_bins=n_bins)
    value = float(exact(rule, *ranking, n_positives=exist))
    by_rows = weighted and rule.depth is not None and rule.depth.by_rows
    assert few.bounds().low <= 1  # which settles what came
    known = is_exact(few._settled, rule.depth)
    if not known and (by_rows or not rule.has_bounds):
        with pytest.raises(ValueError, match="no bounds if prediction scores share bins"):
            few.bounds(definition, **options)
        return
    found = few.bounds(definition, **options)
    assert found.low - 1e-8 <= value <= found.high + 1e-8
    if found.exact:
        assert few.result(definition, **options) == pytest.approx(value, abs=1e-8)


def test_rows_of_negatives_in_one_bin_are_not_counted_apart():
    """In a bin without positives all masses are known, but not which of its rows comes next."""
    labels, scores, weights = [1, 0, 0, 1], [9.0, 1e-9, 1e-300, -9.0], [1.0, 5.0, 1.0, 1.0]
    few = MetricAccumulator(n_bins=3).update(labels, scores, weights)
    assert few.result() == ap.average_precision_score(labels, scores, sample_weight=weights)
    with pytest.raises(ValueError, match="'samples' has no bounds if prediction scores share bins"):
        few.bounds("precision-at-k", k=2, k_counts="samples")


# Pictures


@some_rules
def test_picture(rule):
    """Every area is drawn, and nothing else."""
    labels, scores = [0, 1, 1, 0, 1, 0, 1, 1, 0, 0], [9, 9, 7, 6, 5, 5, 5, 3, 2, 1]
    definition, options = definition_of(rule)
    if getattr(rule, "ties", "grouped") != "grouped":
        return  # which pictures cannot be asked for
    options.pop("ties", None)
    draw = ap.AveragePrecisionDisplay.from_predictions
    ax = Figure().subplots()
    if not isinstance(rule, AreaRule):
        words = "cannot be drawn, because it is not an area|has no option|needs the option"
        with pytest.raises((ValueError, TypeError), match=words):
            draw(labels, scores, metric=definition, k=options.get("k", 10), ax=ax)
    else:
        display = draw(labels, scores, metric=definition, **_of_pictures(options), ax=ax)
        assert display.value == near(exact(rule, labels, scores))
        assert display.line_.get_label().startswith(written(rule, "short"))


def _of_pictures(options):
    return {key: value for key, value in options.items() if key in ("k", "denominator", "k_counts")}


# An unknown rule, which has values and nothing else


@dataclass(frozen=True)
class Toy(Rule):
    """The share of positive samples, which doesn't depend on the order."""

    name = "toy"

    def values(self, points):
        return points.n_positives / np.maximum(points.n_samples, 1)


def with_rule(monkeypatch, kind):
    known = _names._forms() | {kind.name: (_names.Named(kind, {}, ""), "")}
    monkeypatch.setattr(_names, "_forms", lambda: known)


@pytest.fixture
def toy(monkeypatch):
    with_rule(monkeypatch, Toy)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, 300), rng.random(300)


@pytest.mark.usefixtures("toy")
def test_a_new_rule_is_scored_by_a_stream(data):
    stream = MetricAccumulator().update(*data)
    assert stream.result("toy") == np.mean(data[0])
    assert stream.bounds("toy")[:2] == (np.mean(data[0]),) * 2
    with pytest.raises(TypeError, match=r"'toy' has no option \{'k'\}"):
        stream.result("toy", k=3)


@pytest.mark.usefixtures("toy")
def test_a_new_rule_without_bounds_is_refused_once_scores_share_bins(data):
    stream = MetricAccumulator(n_bins=5).update(*data)
    for ask in (stream.bounds, stream.result):
        with pytest.raises(ValueError, match=r"toy has no bounds|not known exactly"):
            ask("toy")
    with pytest.raises(ValueError, match="toy has no bounds"):
        ap.metric_bounds(*data, metric="toy", n_bins=5)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("definition", ["toy", ["step", "toy"]])
def test_a_new_rule_that_is_no_area_has_no_picture(data, definition):
    ax = Figure().subplots()
    with pytest.raises(ValueError, match="metric='toy' cannot be drawn, because it is not an area"):
        ap.AveragePrecisionDisplay.from_predictions(*data, metric=definition, ax=ax)
    assert not ax.lines


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("make", [ap.make_ap_scorer, ap.get_scorer])
def test_a_new_rule_without_a_public_function_is_no_scorer(make):
    with pytest.raises(ValueError, match="'toy' is not available in make_ap_scorer"):
        make("toy")


def test_what_a_rule_does_not_bring_is_missing():
    rule = Toy()
    assert (rule.depth, rule.has_bounds, rule.ties) == (None, False, "grouped")
    with pytest.raises(NotImplementedError):
        Rule().values(None)


@dataclass(frozen=True)
class Unbounded(core.AreaRule):
    """An area that doesn't say what else holds."""

    name = "unbounded"

    def area(self, points):
        return core.Step().area(points)


def test_a_new_area_has_a_value_and_a_picture_but_no_bounds(data, monkeypatch):
    with_rule(monkeypatch, Unbounded)
    value = ap.average_precision_score(*data)
    assert MetricAccumulator().update(*data).result("unbounded") == value
    ax = Figure().subplots()
    shown = ap.AveragePrecisionDisplay.from_predictions(*data, metric="unbounded", ax=ax)
    assert np.trapezoid(*shown.line_.get_data()[::-1]) == pytest.approx(value)
    few = MetricAccumulator(n_bins=5).update(*data)
    with pytest.raises(ValueError, match="unbounded has no bounds"):
        few.bounds("unbounded")


def test_options_of_rules_are_options_of_their_functions():
    for rule in SOME:
        options, function = spelled(rule)
        if function:
            parameters = signature(getattr(ap, function)).parameters
            assert set(options) <= set(parameters)
            assert is_legal(rule, weighted=False)
