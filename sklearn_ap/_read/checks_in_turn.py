"""Checks of scikit-learn that use `warnings.catch_warnings`, in which threads take turns."""

from sklearn import utils
from sklearn.utils import multiclass

from .._words.heard_warnings import in_turn

check_array = in_turn(utils.check_array)
column_or_1d = in_turn(utils.column_or_1d)
type_of_target = in_turn(multiclass.type_of_target)
