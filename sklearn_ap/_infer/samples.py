"""The sampling units of a call, which are read for each of its models."""

from __future__ import annotations

from typing import Any

from .._enter.entry import read_rows_of_models
from .._inputs.records import Unread
from .._read.sampling_units import Sample, beside_one_another, read_sample
from .._read.tables import are_tables
from ..core.rules import Rule


def read_samples(rule: Rule, unread: Unread) -> dict[Any, Sample]:
    """Return the samples of all models, whose rows are read for this metric."""
    samples: dict[Any, Sample] = {}
    for reading in read_rows_of_models(unread):
        with reading as inputs:
            samples[inputs.model] = read_sample(rule, inputs)._replace(model=inputs.model)
    if are_tables(unread.data) and unread.on is not False:
        samples = beside_one_another(samples, rule)
    return samples
