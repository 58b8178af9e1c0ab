"""How results look: printed, as dicts and tables, and as a picture of intervals.

======================  ==========================================================================
Record, Result          base classes of results, the second one of those that are tables
Printed                 a table: blocks of rows with headings, and lines below
Drawable, Forest, Bar   a result whose intervals are drawn as bars, one below another
format_value, ...       numbers, ends of intervals and p-values as text
count_decimals          how many decimals the numbers of a table get
describe_margin, ...    what a margin means, how many comparisons count (`describe_adjustment`),
                        and what a random ranking has (`describe_chance`)
list_fields             the fields of a result as a dict
======================  ==========================================================================
"""

from .forest import Bar, Drawable, Forest
from .tables import (
    Printed,
    Record,
    Result,
    count_decimals,
    describe_adjustment,
    describe_chance,
    describe_margin,
    format_ends,
    format_estimate,
    format_level,
    format_pvalue,
    format_value,
    list_fields,
)
