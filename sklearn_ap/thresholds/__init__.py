"""Thresholds that decide which samples to flag."""

from .by_segment import SegmentChecks
from .checks import ThresholdCheck
from .choosing import operating_point
from .chosen_points import OperatingPoint, OperatingPointTable

__all__ = [
    "OperatingPoint",
    "OperatingPointTable",
    "SegmentChecks",
    "ThresholdCheck",
    "operating_point",
]
