"""From columns to a value. Other modules import from here alone, which `lint-imports` checks.

What the functions do that users call:

======================  ==========================================================================
check, is_number        refuse an option whose value isn't allowed; whether it's a number
check_options, suggest  refuse an option that no metric has, and ask whether a near one was meant
load                    import a library that only some functions need, or say how to install it
warn_caller             warn at the line that called this package
metric, Metric          a metric and its options as one object, by name or from a function
write_title, ...        its name as a title, or as the call that makes it
find_metric, ...        what a name such as "P@1%" means; the names of all metrics, and of a rule
Column, Score, Scores   types of parameters and values
rules, Rule, PointRule  all definitions, and what each of them answers
read, Rankings          labels and scores, read and checked
check_groups            refuse a mean over groups without any
DATA_PARAMETERS         the parameters of `read` with their defaults; NOT_SAID leaves one out
rank, rank_samples      operating points: of labels and scores, or of all rankings (`Points`)
add_existing            how many positives exist, as the caller says
evaluate                the value of a rule: read, rank, evaluate, average
======================  ==========================================================================

What only inference and `compat` need, which look at parts of these steps:

======================  ==========================================================================
DENOMINATORS            what AP@k may be divided by, in words; `write_number` as in names
select_columns, ...     columns of a table or arrays, before labels are read; numbers of groups
                        several columns of groups as one; labels of text as strings of NumPy
flatten                 rankings in a matrix, end to end
SortedSamples           samples in order, from which points with any weights follow
accumulate              a running sum, or the like, in each ranking
from_counts             points from counts at falling scores
check_weights           the weights that a rule needs
rank_for                the points that a rule needs
break_ties_by_row       ranks in place of scores, if tied samples are in the order of rows
find_distinct           distinct values, sorted
evaluate_rankings       the value of each ranking, nan for 0/0
fill, weigh, take_mean  the steps of `average_values`, which makes one value of them
======================  ==========================================================================
"""

from . import rules
from .average import average_values, fill, take_mean, weigh
from .checks import (
    DENOMINATORS,
    check,
    check_options,
    is_number,
    load,
    suggest,
    warn_caller,
)
from .columns import read_column_or_matrix, select_columns
from .data import DATA_PARAMETERS, NOT_SAID, Rankings, flatten, read, read_labels
from .evaluation import evaluate
from .groups import combine_columns, number_groups
from .names import find_metric, list_names, write_name, write_number
from .objects import (
    Column,
    Metric,
    Score,
    Scores,
    capitalize,
    check_groups,
    metric,
    refuse_estimators,
    write_call,
    write_title,
)
from .on_host import (
    add_existing,
    break_ties_by_row,
    check_weights,
    evaluate_rankings,
    rank_for,
    rank_samples,
)
from .points import (
    Array,
    Points,
    SortedSamples,
    accumulate,
    find_distinct,
    from_counts,
    rank,
)
from .rules import PointRule, Rule
