"""What definitions answer when the rest of the package asks, and that none forgets to."""

import re
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._core import PointRule, Rule, rules
from sklearn_ap._core.points import rank

Y = np.random.default_rng(0).random(60) < 0.4
S = np.random.default_rng(1).random(60) + Y / 2
POINTS = rank(Y, S)


RULES = [ap.metric(name)._rule for name in ap.get_scorer_names()]
RULES += [
    replace(rule, ties="best") for rule in RULES if "best" in rule.list_words().get("ties", ())
]
RULES += [
    rules.Linear(),
    rules.Linear("input"),
    rules.Interpolated(),
    rules.RecallAtK(3, denominator="min"),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_every_rule_answers_what_inference_asks(rule):
    if rule.needs_rows:
        assert rule.varies_by == "groups"
        return
    assert np.shape(rule.compute_highest(POINTS)) == (1,)
    if rule.varies_by == "influences":
        height = sum(part.height for part in rule.find_parts(POINTS))
        assert (POINTS.hits * height).sum() / Y.sum() == pytest.approx(rule.values(POINTS)[0])
    elif rule.varies_by != "groups":
        assert 0 < rule.compute_used_fraction(POINTS)[0] <= 1
        if rule.varies_by == "points" and rule.ties == "grouped":
            assert 0 < np.count_nonzero(rule.find_deciding(POINTS)) <= POINTS.hits.size


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_every_rule_with_a_curve_draws_it(rule):
    if rule.curve_title:
        height, *_ = rule.trace(POINTS)
        assert height.shape == POINTS.hits.shape
    elif not rule.needs_rows and type(rule) not in (rules.Step, rules.Interpolated):
        with pytest.raises(NotImplementedError, match="trace"):
            rule.trace(POINTS)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_word_that_a_rule_takes_and_does_not_define_is_an_error(rule):
    for option in {"ties", "denominator"} & {*rule.list_words()}:
        new = copy(rule)
        object.__setattr__(new, option, "random")  # as if the rule declared the word
        with pytest.raises((NotImplementedError, KeyError), match="'random'"):
            new.values(POINTS)


def list_kinds(kind):
    """Return the definitions that are derived from a class, and have a name."""
    of_each = [[each, *list_kinds(each)] for each in kind.__subclasses__()]
    return [each for part in of_each for each in part if vars(each).get("names")]


def test_no_definition_is_left_out_of_the_list_of_all():
    defined = {kind for kind in list_kinds(Rule) if kind.__module__.startswith("sklearn_ap.")}
    assert defined == {*rules.RULES}


@pytest.mark.parametrize("kind", [kind for kind in rules.RULES if kind.number_option], ids=str)
def test_a_number_is_in_the_name_or_an_option(kind):
    assert any("#" in name for name in kind.names)
    assert any("#" not in name for name in kind.names)


WITHOUT_CHANCE = {  # definitions of which nobody has worked out the mean over random rankings
    *(rules.Interpolated, rules.Linear, rules.AveragePrecisionAtK, rules.ReciprocalRank),
    *(rules.PrecisionAtRecall, rules.RecallAtPrecision, rules.NDCG),
}


@pytest.mark.parametrize("kind", rules.RULES, ids=str)
def test_a_definition_says_what_random_scores_have_or_is_listed(kind):
    has_formula = kind.average_at_random is not Rule.average_at_random
    assert has_formula == (kind not in WITHOUT_CHANCE)


DEFINITIONS = Path(__file__).parents[1] / "docs" / "definitions.md"


@pytest.mark.parametrize("head", ["| name | what it is", "| name | formula"])
def test_the_page_of_definitions_has_each_in_its_tables(head):
    text = DEFINITIONS.read_text(encoding="utf-8")
    table = text[text.index(head) :].partition("\n\n")[0]
    first_column = " ".join(row.split("|")[1] for row in table.splitlines())
    names = re.findall("`(.+?)`", first_column)
    listed = {type(ap.metric(name.replace("@k", "@10"))._rule) for name in names}
    are_areas = {kind for kind in rules.RULES if any("AP" in name for name in kind.names)}
    assert listed >= (are_areas if "formula" in head else {*rules.RULES})


class Forgets(PointRule):
    """A definition that only knows its value."""

    def values(self, points):
        return np.ones(points.n_rankings)


def test_what_a_new_definition_forgets_is_an_error():
    with pytest.raises(TypeError, match="varies_by"):
        Forgets()

    class Says(Forgets):
        varies_by = "points"
        limits = (0.0, 2.0)

        def __post_init__(self):
            pass

    for question in ("find_parts", "compute_used_fraction", "compute_highest", "trace"):
        with pytest.raises(NotImplementedError, match=f"Says.{question}"):
            getattr(Says(), question)(POINTS)


def test_points_that_decide_a_target():
    """At 0111, the recall 0.3 is reached by the first positive, and has its best precision at the
    last; and the precision 0.6 is there from the second positive on.
    """
    points = rank(np.array([False, True, True, True]), np.array([4.0, 3.0, 2.0, 1.0]))
    assert rules.PrecisionAtRecall(0.3).find_deciding(points).tolist() == [True, False, True]
    assert rules.RecallAtPrecision(0.6).find_deciding(points).tolist() == [False, False, True]
    assert rules.Interpolated(n_points=2).find_deciding(points).tolist() == [True, False, True]
