"""From columns to a value. Other modules import from here, which `lint-imports` checks.

======================  ==========================================================================
evaluate                the value of a rule: read, rank, evaluate, average
evaluate_by_name        the value of each group, by its name
read, Rankings          labels and scores, read and checked
are_rows                whether unscored positives are rows
rank_samples            the operating points of all rankings (`Points`)
break_ties_by_row       ranks in place of scores, if tied samples are in the order of rows
set_existing            how many positives exist, as the caller says
find_distinct           distinct values, sorted
encode_groups           the code of each sample's group, and the names of groups
read_table              a table as narwhals reads it
rules, Rule, PointRule  all definitions, and what each of them answers
metric, Metric          a metric and its options as one object, by name or from a function
write_title, capitalize its name as a title, and any name as the beginning of one
write_call              the call that makes an object
parse_name, write_name  what a name such as "P@1%" means, and the name of a rule
list_names              the names of all metrics
Column, Scores, Score   types of parameters and values; Array is one of NumPy, and PerSample,
                        PerPoint and PerRanking say what it has one element for
NOT_SAID                the default of a parameter that is then as the metric says
check                   refuse an option whose value isn't allowed
list_axes               axes of Matplotlib as a list, if there are so many
is_number, is_finite    whether it's a number, and one that a float can hold
suggest                 ask whether a near word was meant
check_calls             let a function say what a wrong call meant, check_metric_calls a metric
check_groups            refuse a mean over groups without any
load                    import a library that only some functions need, or say how to install it
warn_caller             warn at the line that called this package
======================  ==========================================================================

Inference and `compat` also look into the steps of a value:

======================  ==========================================================================
list_columns            the names of columns that a parameter is
choose_samples          columns that are named or passed, without samples of weight 0
check_lengths           refuse columns of unequal lengths
read_column_or_matrix   a column or several as an array, before they are labels or scores
read_numbers            an array as one of numbers
read_names              a column of names of groups or segments
combine_columns         several columns of these as one
read_counts             how many positives each group has, as a mapping
read_labels             labels, and which of them is positive
list_classes            the classes of all labels, also of samples that don't exist
is_missing              whether a value is None or nan
flatten                 rankings in a matrix, end to end
SortedSamples           samples in order, from which points with any weights follow
accumulate              a running sum, or the like, in each ranking
make_points_from_counts points from counts at falling scores
average_values          one value of these, in three steps: `fill_undefined` replaces nan,
                        `choose_ranking_weights` says how much each counts, and `take_mean` averages
======================  ==========================================================================
"""

from . import rules
from .average import average_values, choose_ranking_weights, fill_undefined, take_mean
from .checks import check, is_finite, is_number, list_axes, load, warn_caller
from .columns import (
    check_lengths,
    choose_samples,
    combine_columns,
    encode_groups,
    is_missing,
    list_columns,
    read_column_or_matrix,
    read_labels,
    read_names,
    read_numbers,
    read_table,
)
from .data import NOT_SAID, Rankings, are_rows, flatten, read, read_counts
from .evaluation import break_ties_by_row, evaluate, evaluate_by_name
from .labels import list_classes
from .names import list_names, parse_name, write_name
from .objects import (
    Column,
    Metric,
    Score,
    Scores,
    capitalize,
    check_groups,
    check_metric_calls,
    metric,
    write_call,
    write_title,
)
from .points import (
    Array,
    PerPoint,
    PerRanking,
    PerSample,
    Points,
    SortedSamples,
    accumulate,
    find_distinct,
    make_points_from_counts,
)
from .ranking import rank_samples, set_existing
from .rules import PointRule, Rule
from .suggestions import check_calls, suggest
