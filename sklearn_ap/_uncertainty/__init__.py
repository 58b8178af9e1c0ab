"""How much a value varies between samples. Other modules import from here alone.

===========================  =====================================================================
read_models, ModelData       models with their data; how much their values vary, in all or some rows
Table                        the columns of a table, in all or some rows
name_models, name_pair       the names of models in a call
Variation                    a value with its deviations
list_statistics              the value with its interval, and what these rest on
TTest                        what a sample tells about the difference of two models
Claims                       the baseline, the test of a difference from it, its verdict, and notes
check_margin                 refuse what can't be a margin
check_baseline               refuse a baseline that is none of the models
compute_alpha                what p has to be below
note_value                   whether units are few, or a ranking is worse than a random one
note_data                    whether data are what they may be taken for
write_count                  a number with its word, such as "3 queries"
read_folds                   the scores of a search, or of several ways to train
list_rates                   rates of samples beside a threshold, with their intervals
note_units                   what rates rest on
find_mass                    which weight counts as an independent row
confirm_rate, ...            which rates or precisions a sample confirms, and how many rows it needs
===========================  =====================================================================

docs/method.md has the rules in words. From bottom to top, `textbook` has the standard interval and
test, `units` counts sampling units, `influences` and `resamples` find out how values vary,
`unsampled` has whatever moves ends beyond the textbook's, `comparison` tests differences, and
`estimation` chooses what a value's deviations come from. Symbols of that page are called:

- u, `n_effective`: the effective number of units. Results call it `units`.
- c, `compute_unsampled_fraction`: which fraction of the population a sample may lack by chance.
- K, `compute_cost`: what negatives that a sample may lack would cost above all others.
- e, `compute_extra_weight`: how much more that negative weighs than a positive.
- m, `positive_masses`: the weight of a unit's positives.
- q, `n_comparisons`: how many comparisons p and intervals are adjusted for.
"""

from .claims import Claims, check_baseline, check_margin, note_units, note_value
from .models import ModelData, Table, name_models, name_pair, note_data, read_models
from .rates import confirm_precisions, confirm_rate, count_needed, find_mass, list_rates, sum_tops
from .searches import read_folds
from .textbook import TTest, compute_alpha
from .units import write_count
from .unsampled import list_statistics
from .variation import Variation
