"""The second door of this room, for inference and `compat`, which look into the steps of a value.

============================  ====================================================================
choose_samples                columns that are named or passed, without samples of weight 0
list_classes                  the classes of all labels, also of samples that don't exist
read_column_or_matrix         a column or several as an array, before they are labels or scores
read_numbers                  an array as one of numbers
read_names, combine_columns   names of groups or segments, and several columns of these as one
read_labels                   labels as they are, but text as strings of NumPy
is_missing                    whether a value is None or nan
flatten                       rankings in a matrix, end to end
SortedSamples                 samples in order, from which points with any weights follow
accumulate                    a running sum, or the like, in each ranking
make_points_from_counts       points from counts at falling scores
average_values                one value of these, in three steps: `fill_undefined` replaces nan,
                              `weigh` says how much each ranking counts, and `take_mean` averages
DENOMINATORS, write_number    what AP@k may be divided by, in words; a number as in names
============================  ====================================================================
"""

from .average import average_values, fill_undefined, take_mean, weigh
from .columns import (
    choose_samples,
    combine_columns,
    is_missing,
    read_column_or_matrix,
    read_names,
    read_numbers,
)
from .data import flatten
from .labels import list_classes, read_labels
from .points import SortedSamples, accumulate, make_points_from_counts
from .rules import DENOMINATORS, write_number
