"""
Eleven points, and the three that go missing
============================================

PASCAL VOC 2007 and older texts on retrieval read the envelope at eleven
recalls, 0, 0.1, ..., 1, and take the mean. This sounds like the simplest
definition. Yet hardly two programs agree on it.
"""

# %%
# 0.7 is not 0.7
# --------------
# The data have ten positives: seven at the top, and three after twenty
# negatives. Recall reaches exactly 7/10 while precision is still 1. But
# the level that a program compares it with may be a little higher than
# 7/10.
import numpy as np

import sklearn_ap as ap

y_true = np.repeat([1, 0, 1], [7, 20, 3])
y_score = np.arange(30, 0, -1)

levels = np.arange(0, 1.1, 0.1)
print([float(level) for level in levels if level > round(level, 1)])

# %%
# Three recalls miss their own level by the last digit. In this example the
# level 0.7 matters, and the number drops. The function of this package
# compares whole numbers instead: are 10 times the positives found at least
# 7 times all positives?
recall = np.cumsum(y_true) / y_true.sum()
precision = np.cumsum(y_true) / np.arange(1, 31)
float_grid = np.mean(
    [precision[recall >= level].max(initial=0) for level in levels]
)
exact = ap.eleven_point_average_precision_score(y_true, y_score)
print(f"float grid {float_grid:.6f}, exact {exact:.6f}")

# %%
# :func:`~sklearn_ap.compat.identify` knows both numbers. It tells which of
# them a reported number is.
from sklearn_ap import compat

print(compat.identify(f"{float_grid:.6f}", y_true, y_score).names)

# %%
# Each square is a level, and counts one eleventh. The cross shows what the
# float grid reads at level 0.7.
import matplotlib.pyplot as plt

display = ap.AveragePrecisionDisplay.from_predictions(
    y_true, y_score, definition="11-point"
)
ax = display.ax_
missed = precision[recall > 0.7].max()
label = f"0.7 on a float grid: AP = {float_grid:.3f}"
cross = {"color": "tab:orange", "markersize": 12, "markeredgewidth": 3}
ax.plot(0.7, missed, "x", label=label, **cross)
ax.legend(loc="lower left")
ax.set_title("One level, missed by 0.0000000000000001")
plt.show()
