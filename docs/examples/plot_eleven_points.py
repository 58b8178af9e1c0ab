"""
11-point average precision, and why programs disagree on it
===========================================================

PASCAL VOC 2007 and older texts on information retrieval read the envelope
at eleven recall levels, 0, 0.1, ..., 1, and take the mean. It sounds like
the simplest definition of all, and yet programs often disagree.
"""

# %%
# A level of 0.7 that is not 7/10
# -------------------------------
# The ranking has ten positives: seven at the top, and three more after
# twenty negatives. Precision is still 1 when recall reaches 7/10. But the
# level that a program compares recall with may be slightly above 7/10.
import numpy as np

import sklearn_ap as ap

y_true = np.repeat([1, 0, 1], [7, 20, 3])
y_score = np.arange(30, 0, -1)

levels = np.arange(0, 1.1, 0.1)
levels[levels > levels.round(1)].tolist()

# %%
# Three of the levels are slightly too high to be reached by a recall of
# 3/10, 6/10 or 7/10. In this example, only 0.7 matters, and lowers the
# value. This package compares integers instead, and asks whether 10 times
# the positives found are at least 7 times all positives.
recall = np.cumsum(y_true) / y_true.sum()
precision = np.cumsum(y_true) / np.arange(1, 31)
float_grid = np.mean(
    [precision[recall >= level].max(initial=0) for level in levels]
)
exact = ap.eleven_point_average_precision_score(y_true, y_score)
print(f"levels as floats {float_grid:.6f}, exact {exact:.6f}")

# %%
# :func:`~sklearn_ap.compat.identify` knows both variants, and tells you
# which one somebody has used.
from sklearn_ap import compat

compat.identify("0.757576", y_true, y_score).names

# %%
# Each square is a level, and counts for one eleventh. The cross shows the
# precision that a program reads if its level 0.7 is slightly too high.
import matplotlib.pyplot as plt

display = ap.AveragePrecisionDisplay.from_predictions(
    y_true, y_score, metric="11-point"
)
ax = display.ax_
missed = precision[recall > 0.7].max()
label = f"0.7 as a float: AP = {float_grid:.3f}"
cross = {"color": "C1", "markersize": 12, "markeredgewidth": 3}
ax.plot(0.7, missed, "x", label=label, **cross)
ax.legend(loc="lower left")
ax.set_title("A recall of 7/10 misses the level by 0.0000000000000001")
plt.show()
