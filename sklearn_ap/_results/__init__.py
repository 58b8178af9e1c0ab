"""How results look: printed, as dicts and tables, and as a picture of intervals.

======================  ==========================================================================
Record, Result          base classes of results, the second one of those that are tables
Printed                 a table: blocks of rows with headings, and lines below
Forest, Bar             intervals, which `plot_forest` draws one below another
format_value, ...       numbers, ends of intervals and p-values as text
list_fields             the fields of a result as a dict
======================  ==========================================================================
"""

from .forest import Bar, Forest, plot_forest
from .tables import (
    Printed,
    Record,
    Result,
    format_ends,
    format_pvalue,
    format_value,
    list_fields,
)

__all__ = [
    "Bar",
    "Forest",
    "Printed",
    "Record",
    "Result",
    "format_ends",
    "format_pvalue",
    "format_value",
    "list_fields",
    "plot_forest",
]
