"""Every rule of the package with every value of its options, and the functions that compute it.

tests/test_laws_options.py checks that this list is complete: it fails for a rule or an option
that is missing here.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from inspect import Parameter, signature
from typing import Any
from zlib import crc32

import numpy as np
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap._inputs.metric_names import (
    make_interpolated_rule,
    make_ndcg_rule,
    parse_metric_name,
    reciprocal_rank,
)
from sklearn_ap.core import rules as core
from sklearn_ap.core.operating_points import from_scores
from sklearn_ap.core.rules import Envelope, FloatGrid, NPoint, ReciprocalRank, ReciprocalRankAtK

from . import oracle


def key_of(rule):
    """Return what a rule or its class is called here, such as "at-k" for `AveragePrecisionAtK`."""
    kind = rule if isinstance(rule, type) else type(rule)
    key = re.sub("(?<!^)(?=[A-Z])", "-", kind.__name__).lower()
    return key.removeprefix("average-precision-")


RULES = {key_of(kind): kind for kind in core.RULES}


@dataclass(frozen=True)
class Definition:
    """A definition, and the public function that has it, if there is one."""

    name: str
    make: Callable
    metric: str
    number: str = ""
    options: dict[str, Any] = field(default_factory=dict)  # how to select it in there

    @property
    def score(self):
        return f"{self.metric}_score" if self.metric else None

    def rule(self, **options):
        return self.make(**self.options, **options)


_EACH = [
    *(Definition(name, make, make.metric, make.number) for name, make in RULES.items()),
    Definition("envelope", make_interpolated_rule, Envelope.metric, "n_points"),
    Definition("11-point", partial(NPoint, 11), "eleven_point_average_precision"),
    Definition(
        *("11-point-float", make_interpolated_rule, NPoint.metric),
        options={"n_points": 11, "grid": "float"},
    ),
    Definition(
        *("101-point-float", make_interpolated_rule, NPoint.metric),
        options={"n_points": 101, "grid": "float"},
    ),
    Definition("reciprocal-rank", reciprocal_rank, ReciprocalRank.metric, "k"),
    Definition("101-point", make_interpolated_rule, NPoint.metric, options={"n_points": 101}),
    Definition("reciprocal-rank-at-10", reciprocal_rank, ReciprocalRank.metric, options={"k": 10}),
]
WITHIN = {
    "n-point",
    "float-grid",
    "reciprocal-rank-at-k",
}  # the definitions that others have by an option
DEFINITIONS = {each.name: each for each in _EACH if each.name not in WITHIN}
GRADED = {  # which read grades, so that what is tested with labels doesn't fit them
    "ndcg": Definition("ndcg", make_ndcg_rule, "ndcg", "k"),
    "ndcg-at-10": Definition("ndcg-at-10", make_ndcg_rule, "ndcg", options={"k": 10}),
}
METRICS = {row.metric: row for row in DEFINITIONS.values() if row.metric and not row.options}

# What an option may be, beginning with the value of `ONE`. The shares are met exactly by some
# rankings, and missed by others.
OPTIONS = {
    "denominator": ("relevant", "min", "k", "hits"),
    "k": (0.5, 1, 2, 5, 10, 40, 0.001, 0.07, 0.29, 1.0),
    "k_counts": ("samples", "weight"),
    "min_precision": (1, 0.0, 0.25, 0.3, 0.6, 0.9, 1.0),
    "min_recall": (1, 0.0, 0.07, 0.25, 0.5, 0.6, 0.9, 1.0),
    "n_points": (11, 2, 4, 101),
    "ties": ("best", "grouped", "expected", "worst"),
}
_LACKING = {option.name for make in RULES.values() for option in fields(make)} - {*OPTIONS}
assert not _LACKING, f"OPTIONS of tests/registry.py lacks {_LACKING}."

# The rules that jump where a mass is a little more or less, so that roundings may decide.
JUMPING = {name for name, make in RULES.items() if issubclass(make, core.Levels | core._BestPoint)}

# The rules that take sample weights.
WEIGHTED = {name for name, make in RULES.items() if make.takes_weights}

# The rules of the first k samples.
FIRST = [
    name for name, make in RULES.items() if "k_counts" in {option.name for option in fields(make)}
]

# One value of each option
ONE = {option: values[0] for option, values in OPTIONS.items()}

# One rule for each class, and some whose options matter to what runs it.
SOME = [
    *(
        make(**{option.name: ONE[option.name] for option in fields(make)})
        for make in RULES.values()
    ),
    RULES["step"](),
    *(
        RULES[name](k, k_counts=counts)
        for name in FIRST
        for k in (3, 0.29)
        for counts in OPTIONS["k_counts"]
    ),
    RULES["at-k"](0.5, "grouped", "samples", "hits"),
    RULES["at-k"](3, "expected", "weight", "k"),
    RULES["recall-at-k"](3, denominator="min"),
]


def in_stable_order(choices, *where):
    """Sort by a hash of the names of a choice and of where it is made, to take the first few.

    A new choice may take the place of one other. What is chosen elsewhere stays.
    """
    return sorted(choices, key=lambda choice: crc32(f"{where} {choice}".encode()))


def values_of(make, option):
    """Return what an option of a rule may be. Recall has two of the denominators of AP@k."""
    return OPTIONS[option][: 2 if (make, option) == (core.RecallAtK, "denominator") else None]


def name_of(rule):
    return str(rule)


def options_of(make):
    return [field.name for field in fields(make)]


def is_legal(rule, weighted):
    """Whether these ties go with weights, and this combination has a closed form."""
    ties = getattr(rule, "ties", "grouped")
    pair = getattr(rule, "denominator", "min"), ties
    if weighted and not (rule.takes_weights and ties == "grouped"):
        return False
    return pair != ("hits", "expected")


def rules(weighted=False, names=tuple(RULES)):
    """A strategy for any rule that works with weights, or without them."""
    own = {"ties": ["grouped"]} if weighted else {}
    each = [
        st.builds(
            make,
            **{
                option: st.sampled_from(own.get(option) or values_of(make, option))
                for option in options_of(make)
            },
        )
        for make in map(RULES.get, names)
    ]
    return st.one_of(each).filter(lambda rule: is_legal(rule, weighted))


def has_function(rule):
    return spelled(rule)[1] is not None


def definition_of(rule):
    """Return the name of a definition, and the options that make it this rule."""
    options = asdict(rule)
    if isinstance(rule, NPoint):
        return f"{options.pop('n_points')}-point", options
    if isinstance(rule, FloatGrid):
        return f"{options.pop('n_points')}-point-float", options
    if isinstance(rule, ReciprocalRankAtK):
        del options["k"]
        return f"reciprocal-rank-at-{rule.cut}", options
    return key_of(rule), options


def spelled(rule):
    """Return the options, and the public function that takes them; None if there is none."""
    definition, options = definition_of(rule)
    named = parse_metric_name(definition)
    return {**named.options, **options}, f"{named.metric}_score" if named.metric else None


def score(rule, *data, **keywords):
    """Return the value of the public function; nan for 0/0."""
    options, function = spelled(rule)
    return getattr(ap, function)(*data, **{"zero_division": np.nan, **options, **keywords})


def exact(rule, *data, **keywords):
    """Return the value of the oracle; None for 0/0."""
    return oracle.RULES[key_of(rule)](*data, **asdict(rule), **keywords)


def exact_graded(rule, order, judged=None):
    """Return the value of grades by rank, and of all judged ones, by the plain loops."""
    judged = order if judged is None else judged
    return oracle.ndcg_of(order, judged, getattr(rule, "k", None), rule.gains)


def in_groups(rule, *data, **keywords):
    """Return what a loop over groups gives by the oracle."""
    return oracle.mean_over_groups(
        oracle.RULES[key_of(rule)], *data, undefined=None, **asdict(rule), **keywords
    )


def required(row):
    """Return values for the options without which this definition can't be computed."""
    options = signature(row.make).parameters.items()
    return {name: ONE[name] for name, each in options if each.default is Parameter.empty}


def needed_by_name(metric, row):
    """Return values for the options that a metric needs where only its name is passed."""
    return required(row) | ({"k": 10} if metric.endswith("_at_k") else {})


# The public functions that need nothing but labels and scores, those that take no weights, and
# those that have a k and take weights.
PLAIN = [getattr(ap, row.score) for row in METRICS.values() if not required(row)]
NO_WEIGHTS = [
    getattr(ap, row.score)
    for name, row in DEFINITIONS.items()
    if name in RULES and not RULES[name].takes_weights
]
AT_K = [getattr(ap, row.score) for row in METRICS.values() if row.number == "k"]
AT_A_K = [score for score in AT_K if score not in NO_WEIGHTS]


# One rule of each definition, with values for the options without a default
CHOSEN = {"min_recall": 0.6, "min_precision": 0.6}
# Tests have few samples, so 1% of their weight may be less than that of a single one.
AT_TEN = {"enrichment-factor": {"k": 10}}


def chosen(row):
    return {row.number: CHOSEN[row.number]} if row.number in CHOSEN else {}


RULE_OF = {
    name: row.rule(**chosen(row), **AT_TEN.get(name, {})) for name, row in DEFINITIONS.items()
}
_LACKING = {*RULES} - {*oracle.RULES}
assert not _LACKING, f"EACH of tests/oracle.py lacks {_LACKING}."
ORACLE_OF = {
    name: partial(oracle.RULES[key_of(rule)], **asdict(rule)) for name, rule in RULE_OF.items()
}


def value_of(name, labels, scores, weights=None, **options):
    """Return the value of a definition on a binary ranking; nan without positives."""
    row = DEFINITIONS[name]
    if row.score is None:
        labels, scores = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=float)
        return RULE_OF[name].values(from_scores(labels, scores)).item()
    given = {"zero_division": np.nan, "sample_weight": weights} | row.options | chosen(row)
    given |= AT_TEN.get(name, {}) | options
    return getattr(ap, row.score)(labels, scores, **given)
