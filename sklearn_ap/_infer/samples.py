"""Where the sampling units of a call are read: into memory, or as groups where the rows are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from .._enter.entry import call, call_each
from .._evaluate.groups import are_groups_enough, samples_of_groups
from .._read.units import Sample, read_sample
from .._words.inputs import Inputs, Unread
from .._words.messages import naming_model
from ..core.rules import Rule

T = TypeVar("T")


def with_sample(function: Callable[[Sample], T], rule: Rule, unread: Unread, name: Any) -> T:
    """Call a function with the sample of one model. Its errors name the columns."""

    def on_sample(inputs: Inputs) -> T:
        with naming_model(name, [name]):
            if inputs.engine is None:
                sample = read_sample(rule, inputs)
            else:
                (sample,) = samples_of_groups([rule], inputs).values()
        return function(sample)

    return call(on_sample, unread, on_engines=are_groups_enough([rule], unread))


def read_samples(rules: Sequence[Rule], unread: Unread) -> dict[Any, Sample]:
    """Return the samples of all models, which are rows read for the first of these metrics, or
    groups that were evaluated by all of them.
    """
    of_groups = partial(samples_of_groups, rules) if are_groups_enough(rules, unread) else None
    found = call_each(partial(read_sample, rules[0]), unread, of_groups)
    return {model: sample._replace(model=model) for model, sample in found.items()}
