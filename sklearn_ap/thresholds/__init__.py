"""Thresholds that decide which samples to flag."""

from .checks import ThresholdCheck
from .choosing import operating_point
from .chosen_points import OperatingPoint, OperatingPointTable

__all__ = ["OperatingPoint", "OperatingPointTable", "ThresholdCheck", "operating_point"]
