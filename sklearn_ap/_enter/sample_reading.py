"""Samples of models, which intervals and comparisons are computed from."""

from typing import Any

from .._inputs.records import Unread
from .._read.sampling_units import Sample, pair_tables, read_sample
from .._read.tables import are_tables
from ..core.rules import Rule
from .entry import read_rows_of_models


def read_samples(rule: Rule, unread: Unread) -> dict[Any, Sample]:
    """Return the samples of all models, whose rows are read for this metric."""
    samples: dict[Any, Sample] = {}
    for reading in read_rows_of_models(unread):
        with reading as inputs:
            samples[inputs.model] = read_sample(rule, inputs)._replace(model=inputs.model)
    if are_tables(unread.data):
        samples = pair_tables(samples)
    return samples
