"""Where the sampling units of a call are read: into memory, or as groups where the rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from .._enter.entry import call, call_each, stays
from .._evaluate.groups import are_groups_enough, samples_of_groups
from .._evaluate.rows import are_counts_enough, sample_of_counts
from .._evaluate.value import valued
from .._read.tables import are_tables, read_models
from .._read.units import Sample, read_sample
from .._words.inputs import Inputs, Unread
from .._words.messages import naming_model
from ..core.rankings import ValuedGroups
from ..core.rules import Rule

T = TypeVar("T")


def with_sample(function: Callable[[Sample], T], rule: Rule, unread: Unread, name: Any) -> T:
    """Call a function with the sample of one model. Its errors name the columns."""
    counts, read = are_counts_enough([rule], unread), partial(_in_memory, rule, unread)

    def on_sample(inputs: Inputs) -> T:
        with naming_model(name, [name]):
            if inputs.engine is None:
                sample = read_sample(rule, inputs)
            elif counts:
                sample = sample_of_counts(rule, inputs, read)
            else:
                (sample,) = samples_of_groups([rule], inputs).values()
        return function(sample)

    on_engines = are_groups_enough([rule], unread)
    return call(on_sample, unread, on_engines=on_engines, in_passes=counts)


def _in_memory(rule: Rule, unread: Unread) -> Sample:
    return call(partial(read_sample, rule), unread)


def read_samples(rules: Sequence[Rule], unread: Unread) -> dict[Any, Sample]:
    """Return the samples of all models, which are rows read for the first of these metrics, groups
    that were evaluated by all of them, or the counted rows of one model.
    """
    models = read_models(unread.caller, "y_score", unread.y_score, unread.data)
    if len(models) == 1 and not are_tables(unread.data):
        ((model, y_score),) = models.items()
        one = unread._replace(y_score=y_score)
        if are_counts_enough(rules, one) and stays(one):
            sample = with_sample(lambda sample: sample, rules[0], one, None)
            return {model: sample._replace(model=model)}
    of_groups = partial(samples_of_groups, rules) if are_groups_enough(rules, unread) else None
    found = call_each(partial(read_sample, rules[0]), unread, of_groups)
    if are_tables(unread.data) and _may_rank_alike(rules, found.values()):
        found = call_each(partial(read_sample, rules[0]), unread)
    return {model: sample._replace(model=model) for model, sample in found.items()}


def _may_rank_alike(rules: Sequence[Rule], samples: Iterable[Sample]) -> bool:
    """Whether models with tables of their own have equal values in all groups, so that only their
    rows tell whether they rank alike.
    """
    each = [sample.rankings for sample in samples]
    if not any(isinstance(rankings, ValuedGroups) for rankings in each):
        return False
    values = [np.array([valued(rule, one).values for rule in rules]) for one in each]
    return any(
        one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=0, equal_nan=True)
        for one, other in combinations(values, 2)
    )
