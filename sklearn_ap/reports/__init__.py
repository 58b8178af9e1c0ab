"""Tables that evaluate several models by several metrics."""

from .report_result import Report
from .reporting import report

__all__ = ["Report", "report"]
