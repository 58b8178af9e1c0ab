"""Where `sklearn.metrics.average_precision_score` returns something else, and in which releases."""

from datetime import datetime
from decimal import Decimal

import numpy as np

from .releases import Difference

_HUGE = np.float32(2e38)
_WHOLE = 2**53  # the next whole number is no float

# Inputs that several rows share
_CLOSE = [1, 0], [2e-9, 1e-9]
_NO_POSITIVES = [0, 0], [0.2, 0.1]
_NEGATIVE_FIRST = [0, 1], [0.2, 0.1]
_POSITIVE_FIRST = [0, 1], [0.1, 0.2]
_MULTICLASS = [0, 1, 2], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]]
_TWO_COLUMNS = [[1, 0], [0, 1]], [[0.2, 0.1], [0.1, 0.2]]
_MIXED_COLUMNS = [[1, 0], [0, 1]], [[0.4, 0.5], [0.1, 0.6]]
_EMPTY_ROW = [[0, 0], [0, 1]], [[0.2, 0.1], [0.1, 0.2]]
_EMPTY_COLUMNS = [[0, 0], [0, 0]], [[0.2, 0.1], [0.1, 0.2]]
_BOOLEANS = [[True, False], [False, True], [False, True]], [[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]]

# One row per line, in the order of the fields, and by name after `y_score`. Tests repeat each
# example in the releases that the row is about, and in those before and after.
# fmt: off
DIFFERENCES = (
    # --- the value itself ---
    Difference("trapezoid", "Trapezoids instead of steps", "<0.19", "The points of the curve were joined by straight lines, which no threshold reaches.", [0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1], ours=0.5, theirs=0.25, reference="#7356, #9017, #9618"),
    Difference("merged-ties", "Close scores are tied", "0.15-0.17", "A score was tied with the next lower one if it was at most 1e-8 above it.", *_CLOSE, theirs=0.75, reference="#7353"),
    Difference("exact-comparison", "Close scores are distinct", ">=0.18", "Scores are compared exactly, as here.", *_CLOSE, theirs=1.0, reference="#7353"),
    # --- no positives, or nothing else ---
    Difference("positives-alone", "Error if all labels are positive", "0.13", "`y_true` had to contain both labels.", [1, 1], [0.2, 0.1], reference="recorded from 0.13.1"),
    Difference("no-positives-refused", "Error if there are no positives", "<0.16", "The area was nan, and nan was an error.", *_NO_POSITIVES, ours=0.0, reference="recorded from 0.13.1 to 0.15.2"),
    Difference("no-positives-nan", "nan if there are no positives", "0.16-1.0", "Recall was 0/0.", *_NO_POSITIVES, ours=0.0, theirs=np.nan, reference="#8245, #19085"),
    Difference("no-positives-negative-zero", "-0.0 if there are no positives", "1.1-1.5", "Recall was set to 1 with a warning, and the empty sum was multiplied by -1.", *_NO_POSITIVES, ours=0.0, theirs=-0.0, reference="#19085"),
    Difference("no-positives-zero", "0.0 if there are no positives", ">=1.6", "This is the default here too, and `zero_division` sets another value.", *_NO_POSITIVES, ours=0.0, theirs=0.0, reference="#27412"),
    # --- labels ---
    Difference("pos-label", "No `pos_label`", "<0.20", "The keyword did not exist.", [1, 0], [0.2, 0.1], options={"pos_label": 0}, ours=0.5, theirs="TypeError", reference="#9980"),
    Difference("labels-one-and-two", "Labels 1 and 2", "<0.20", "Only 0 and 1, or -1 and 1, were allowed. Now 1 is the positive label, as here.", [1, 2], [0.1, 0.2], ours=0.5, reference="#9980"),
    Difference("multiclass", "Multiclass labels", "<1.3", "Three or more classes were an error. Now each class is ranked against the rest.", *_MULTICLASS, reference="#24769"),
    Difference("multiclass-list", "Multiclass scores in a list", "1.9", "It reads the shape of `y_score` before it makes an array of it.", *_MULTICLASS, theirs="AttributeError", reference="seen in 1.9.1"),
    Difference("large-labels", "Float labels of 1e19 or more", ">=1.5", "They are cast to integers to see whether they are whole, and the cast overflows. A list of them is an error here too.", np.array([1.0, 1e19]), [0.2, 0.1]),
    Difference("timedelta-labels", "Timedelta labels", "1.9", "They are compared with `pos_label`, where 1 then means one of their units.", [np.timedelta64(0, "s"), np.timedelta64(1, "s")], [0.1, 0.2], ours="ValueError", theirs=1.0, reference="seen in 1.9.1"),
    Difference("missing-among-strings", "A list of labels with strings and nan", ">=1.5", "nan becomes the string `'nan'`, a label like others. Here it is a missing label.", ["a", float("nan")], [0.2, 0.1], options={"pos_label": "a"}, ours="ValueError", theirs=1.0, reference="seen in 1.9.1"),
    Difference("null-characters", "Strings that differ only in null characters at the end", ">=1.5", "NumPy's strings lose these characters, so the labels are merged or confused.", ["a", "a\0"], [0.1, 0.2], options={"pos_label": "a"}, ours="ValueError", theirs=1.0),
    # --- scores ---
    Difference("object-columns", "Columns of objects, or of several types, with integers beyond 2^53", ">=1.5", "Several columns are cast to floats, so close integers are tied. One column is not.", [[1, 0], [0, 1]], np.array([[_WHOLE + 1, 1], [_WHOLE, 2]], dtype=object), theirs=0.75),
    Difference("object-dates", "Scores that are objects but not numbers or dates, such as a `datetime` or `Period`", ">=1.5", "It accepts what can be sorted and subtracted. Equal `Period`s are tied since 1.8.", [0, 1], [datetime(2020, 1, 1), datetime(2020, 1, 2)], ours="ValueError", theirs=1.0),
    # --- several columns ---
    Difference("columns-as-one-ranking", "Several columns ranked as one", "0.13", "All cells were ranked together, and the value was the area of trapezoids.", *_MIXED_COLUMNS, theirs=19 / 24, reference="recorded from 0.13.1"),
    Difference("columns-refused", "Error for several columns", "0.14", "The parameter `average` did not exist yet.", *_MIXED_COLUMNS, reference="recorded from 0.14.1"),
    Difference("weighted-nan", "`average='weighted'`: nan because of a class without positives", "0.16-0.21", "It had weight 0, but its nan still made the mean nan.", [[1, 0], [0, 0]], [[0.2, 0.1], [0.1, 0.2]], options={"average": "weighted"}, theirs=np.nan, reference="#14595"),
    Difference("samples-nan", "`average='samples'`: nan because of a row of weight 0", "0.16-0.21", "It had weight 0, but its nan still made the mean nan.", *_EMPTY_ROW, options={"average": "samples", "sample_weight": [0, 1]}, theirs=np.nan, reference="#14595"),
    Difference("samples-warning", "`average='samples'`: a warning about a row of weight 0", ">=1.1", "The row does not count, but causes a warning. Here it is left out.", *_EMPTY_ROW, options={"average": "samples", "sample_weight": [0, 1]}, theirs="UserWarning"),
    Difference("weighted-tiny", "`average='weighted'`: 0.0 for tiny weights", ">=0.20", "If all positives together weigh 1e-8 or less, they count as no positives.", *_TWO_COLUMNS, options={"average": "weighted", "sample_weight": [1e-9, 1e-9]}, theirs=0.0, reference="seen in 1.5.0 to 1.9.1, recorded from 0.20.0 on"),
    Difference("weighted-silent", "`average='weighted'`: no warning without positives", ">=0.15", "It returns 0.0 without a warning. Here you get the usual warning.", *_EMPTY_COLUMNS, options={"average": "weighted"}, ours="UndefinedMetricWarning", theirs=0.0, reference="seen in 1.5.0 to 1.9.1, recorded from 0.15.2 on"),
    Difference("weighted-int", "`average='weighted'`: an int if there are no positives", ">=1.5", "The 0 that it returns without positives is an int.", *_EMPTY_COLUMNS, options={"average": "weighted"}, ours="float", theirs="int"),
    Difference("weighted-by-labels", "`average='weighted'`: labels other than 0 and 1", ">=1.5", "The weight of a class is the sum of its labels. Here it is that of its positives.", [[1, -1], [1, -1], [1, 1], [-1, 1]], [[0.9, 0.9], [0.8, 0.8], [0.7, 0.7], [0.6, 0.6]], options={"average": "weighted"}, ours=23 / 30, theirs=1.0),
    Difference("surplus-labels", "Fewer columns of scores than of labels", ">=1.5", "It loops over the columns of `y_score`, and silently ignores the other labels.", [[0, 1], [1, 0]], [[0.1], [0.8]], ours="ValueError", theirs=1.0),
    Difference("surplus-scores", "More columns of scores than of labels", ">=1.5", "The loop runs out of labels. Here the message says what is wrong.", [[0, 1], [1, 0]], [[0.1, 0.9, 0.5], [0.8, 0.2, 0.5]], ours="ValueError", theirs="IndexError"),
    Difference("class-without-scores", "A class without a column of scores", "1.5-1.8", "The last class was silently ignored. This is an error since 1.9, as here.", [0, 1, 2], [[0.8, 0.1], [0.1, 0.8], [0.1, 0.1]], ours="ValueError", theirs=1.0, reference="seen in 1.5.0 to 1.8.0"),
    # --- weights ---
    Difference("sample-weight", "No `sample_weight`", "<0.15", "The keyword did not exist.", *_NEGATIVE_FIRST, options={"sample_weight": [1, 3]}, ours=0.75, theirs="TypeError", reference="#3043"),
    Difference("weightless-top-refused", "Error if the highest score has weight 0", "0.15", "Precision was 0/0 there, and nan was an error.", *_NEGATIVE_FIRST, options={"sample_weight": [0, 1]}, reference="recorded from 0.15.2"),
    Difference("weightless-top-nan", "nan if the highest score has weight 0", "0.16-0.19", "Precision was 0/0 there. Here samples of weight 0 are left out.", *_NEGATIVE_FIRST, options={"sample_weight": [0, 1]}, theirs=np.nan, reference="#9980"),
    Difference("weightless", "All weights 0", "1.0-1.8", "No sample was left to index. A ValueError says so since 1.9, as here.", *_POSITIVE_FIRST, options={"sample_weight": [0, 0]}, ours="ValueError", theirs="IndexError", reference="#18328"),
    Difference("weightless-weighted", "All weights 0 with `average='weighted'`", ">=1.5", "Positives of weight 0 count as no positives.", *_TWO_COLUMNS, options={"average": "weighted", "sample_weight": [0, 0]}, ours="ValueError", theirs=0.0),
    Difference("weightless-samples", "All weights 0 with `average='samples'`", ">=1.5", "The mean over the rows divides by 0. Here the message says what is wrong.", *_TWO_COLUMNS, options={"average": "samples", "sample_weight": [0, 0]}, ours="ValueError", theirs="ZeroDivisionError"),
    Difference("negative-weights", "Negative weights", ">=1.5", "They are accepted, and the value may be greater than 1.", [0, 1], [0.9, 0.8], options={"sample_weight": [-1, 3]}, ours="ValueError", theirs=1.5),
    Difference("float32-weights", "`average='weighted'`: float32 or float16 weights", "1.9", "The positives of a class are added up in that type, which rounds and may overflow.", [[1, 0], [0, 1], [0, 1]], [[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]], options={"average": "weighted", "sample_weight": np.repeat(_HUGE, 3)}, theirs=np.nan, reference="seen in 1.9.1"),
    Difference("float32-weights-boolean", "`average='weighted'`: float32 weights of boolean labels", ">=1.5", "The positives of a class are added up in float32, since booleans are no wider.", *_BOOLEANS, options={"average": "weighted", "sample_weight": np.repeat(_HUGE, 3)}, theirs=np.nan),
    Difference("float16-weights-boolean", "`average='weighted'`: float16 weights of boolean labels", ">=1.5", "The positives of a class are added up in float16, since booleans are no wider.", *_BOOLEANS, options={"average": "weighted", "sample_weight": np.repeat(np.float16(4e4), 3)}, theirs=np.nan),
    Difference("object-weights", "`average='weighted'`: weights that are objects", "1.9", "Their sum is an object too, which cannot be compared with 0.", *_TWO_COLUMNS, options={"average": "weighted", "sample_weight": np.array([1, 3], dtype=object)}, theirs="TypeError", reference="seen in 1.9.1"),
    Difference("decimal-weights", "`average='samples'`: weights that are a `Decimal`", ">=1.5", "They cannot be multiplied by floats. `average='weighted'` fails on them too.", *_TWO_COLUMNS, options={"average": "samples", "sample_weight": [Decimal(1), Decimal(3)]}, theirs="TypeError"),
    # --- the rest ---
    Difference("empty", "Empty input", ">=1.5", "There is no last sample to index. Here the message says what is wrong.", [], [], ours="ValueError", theirs="IndexError"),
    Difference("masked", "Masked arrays", ">=1.5", "The mask is lost, so the values that it hides count like all others.", [0, 1, 0, 1], np.ma.array([0.9, 0.8, 0.7, 0.6], mask=[True, False, False, False]), ours="ValueError", theirs=0.5, reference="seen in 1.5.2 and 1.9.1"),
    Difference("return-type", "The value is a NumPy scalar", "<1.7", "It is a Python float since 1.7, as here.", *_POSITIVE_FIRST, ours="float", theirs="float64", reference="#30575"),
)
# fmt: on
