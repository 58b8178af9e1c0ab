"""How much a value varies between samples. Other modules import from here alone.

============================  ====================================================================
SamplingUnits, vary           sampling units, and how much a value varies between samples
Variation                     what is known of that: deviations, from which all else follows
TTest, compare_variations     what a sample tells about the difference of two models
compare_fold_scores           what the folds of a cross-validation tell about it
correct_best                  what the best of many candidates has without the luck of being chosen
cross                         a value that varies over several kinds of units at once
decide_verdict                "better", "worse", "equivalent" and so on
compute_alpha, ROUNDING       what p has to be below, and what differences have to be above
Folds, read_folds             the scores of a search, or of several ways to train
ADVICE_FOR_SEEDS              how models are compared that were trained with several seeds
ask, Question                 models, read, and what is asked of each of them
name_models, name_pair        the names of models in a call
Claims, check_margin          what is said about differences, and how surely
check_baseline                refuse a baseline that is none of the models
count_family, note_margin     for how many it holds at once; if no margin can be shown
note_crossed, note_data       whether seeds are too few; whether data are what they may be taken for
find_best, find_highest       the best model; MIN_UNITS are few for an interval
write_count                   a number with its word, such as "3 queries"
count_positive_rows           how many positives results name
============================  ====================================================================

docs/method.md has the rules in words, and law.py says which function has which. Words in here:

- u, `units`: as many equal sampling units with positives would say as much.
- c, `lacking`: which fraction of the population a sample may lack by chance.
- K, `cost`: what one more negative above all others would cost.
- e, `excess`: how much more that negative weighs than a positive.
- `lone`: the part of a mean that rests on fewer than two equal units.
- `strata`: the positives in each unit, if units with and without any are kept apart.
- `crossed`: the same value over units of another kind, as seeds beside rows.
- `exist`: how many positives there are, found or not.
"""

from .folds import ADVICE_FOR_SEEDS, Folds, check_baseline, read_folds
from .law import (
    ROUNDING,
    TTest,
    Variation,
    compare_fold_scores,
    compare_variations,
    compute_alpha,
    correct_best,
    cross,
    decide_verdict,
)
from .questions import (
    MIN_UNITS,
    Claims,
    Question,
    ask,
    check_margin,
    count_family,
    find_best,
    find_highest,
    name_models,
    name_pair,
    note_crossed,
    note_data,
    note_margin,
)
from .units import SamplingUnits, count_positive_rows, write_count
from .variation import vary
