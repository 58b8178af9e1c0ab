"""Audit a function or a scorer: call it with many rankings, and find what gives its values."""

from .audits import Audit, audit, check_metric
from .findings import Finding

__all__ = ["Audit", "Finding", "audit", "check_metric"]
