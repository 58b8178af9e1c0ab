"""
Eleven points, and the three that go missing
============================================

PASCAL VOC 2007 and older texts on retrieval read the envelope at eleven recalls, 0, 0.1, ..., 1,
and take the mean. It sounds like the simplest definition, and hardly two programs agree on it.
"""

# %%
# 0.7 is not 0.7
# --------------
# Ten positives: seven at the top, three after twenty negatives. Recall reaches exactly 7/10 at
# precision 1. The level that a program compares it with may be a little higher than that.
import numpy as np

import sklearn_ap as ap

y_true = np.repeat([1, 0, 1], [7, 20, 3])
y_score = np.arange(30, 0, -1)

levels = np.arange(0, 1.1, 0.1)
print([float(level) for level in levels if level > round(level, 1)])

# %%
# Three recalls miss their own level for a last digit. Here it is 0.7 that counts, and the number
# drops. The function compares whole numbers instead: are 10 times the positives found at least
# 7 times all positives?
recall = np.cumsum(y_true) / y_true.sum()
precision = np.cumsum(y_true) / np.arange(1, 31)
float_grid = np.mean(
    [precision[recall >= level].max(initial=0) for level in levels]
)
exact = ap.eleven_point_average_precision_score(y_true, y_score)
print(f"float grid {float_grid:.6f}, exact {exact:.6f}")

# %%
# :func:`~sklearn_ap.compat.identify` knows both, and tells which of them a reported number is.
from sklearn_ap import compat

print(compat.identify(f"{float_grid:.6f}", y_true, y_score).names)

# %%
# Each mark is a level and counts one eleventh. The cross is where the float grid reads 0.7.
import matplotlib.pyplot as plt

display = ap.AveragePrecisionDisplay.from_predictions(
    y_true, y_score, definition="11-point"
)
ax = display.ax_
missed = precision[recall > 0.7].max()
ax.plot(0.7, missed, "x", color="tab:orange", markersize=12, markeredgewidth=3,
        label=f"0.7 on a float grid: AP = {float_grid:.3f}")  # fmt: skip
ax.legend(loc="lower left")
ax.set_title("One level, missed by 0.0000000000000001")
plt.show()
