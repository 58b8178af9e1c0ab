"""How results look: printed, as dicts and tables, and as a picture of intervals.

======================  ==========================================================================
Result                  base class of results: text, HTML, dicts, tables
Printed                 a table: blocks of rows with headings, and lines below
Drawable, Forest, Bar   a result whose intervals are drawn as bars, one below another
wording                 numbers, ends of intervals and p-values as text, and what is said of
                        margins, adjustments and random rankings
======================  ==========================================================================
"""

from . import wording
from .forest import Bar, Drawable, Forest
from .tables import Printed, Result
