"""
Why straight lines between the points are misleading
====================================================

A precision-recall curve consists of a few points. Joining them by straight
lines looks harmless, and it's how ``auc(recall, precision)`` and old
releases of scikit-learn compute the area. But no threshold reaches the
points on such a line, and the area flatters models with few distinct
scores.
"""

# %%
# Two models for a hundred samples
# --------------------------------
# Ten of the hundred samples are positive. The first model gives every
# sample the same score. The second model gives two samples a higher score,
# and one of the two is positive, five times as many as in a random
# selection.
import numpy as np

import sklearn_ap as ap
from sklearn_ap.compat import trapezoidal_average_precision_score

y_true = np.arange(100) < 10
models = {
    "nothing": np.full(100, 0.5),
    "one found": np.r_[0.8, np.full(98, 0.5), 0.8],
}
for name, y_score in models.items():
    linear = trapezoidal_average_precision_score(y_true, y_score)
    step = ap.average_precision_score(y_true, y_score)
    print(f"{name}: linear {linear:.3f}, step {step:.3f}")

# %%
# Straight lines favor the model that does nothing. Its curve has a single
# point, at recall 1, and the line to that point starts at precision 1,
# where there are no samples at all.
import matplotlib.pyplot as plt

figure, axes = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", sharey=True
)
for ax, definition in zip(axes, ("linear", "step"), strict=True):
    ap.AveragePrecisionDisplay.from_predictions(
        y_true, models, metric=definition, ax=ax
    )
axes[0].set_title("Straight lines: doing nothing wins")
axes[1].set_title("Steps: finding one wins")
plt.show()

# %%
# Straight lines reward rounded scores
# ------------------------------------
# The same happens to realistic models. This is a weak model on data with
# 5% positives, once with exact scores, and once with scores rounded to one
# decimal. Rounding only removes information, yet straight lines reward it.
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

X, y = make_classification(
    n_samples=5000,
    n_features=50,
    weights=[0.95],
    class_sep=0.2,
    flip_y=0,
    random_state=1,
)
exact = cross_val_predict(
    LogisticRegression(max_iter=1000), X, y, method="predict_proba"
)[:, 1]
models = {"exact": exact, "rounded": exact.round(1)}

figure, axes = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", sharey=True
)
for ax, definition in zip(axes, ("linear", "step"), strict=True):
    ap.AveragePrecisionDisplay.from_predictions(
        y, models, metric=definition, ax=ax
    )
axes[0].set_title("Straight lines: rounding helps")
axes[1].set_title("Steps: rounding hurts")
plt.show()
