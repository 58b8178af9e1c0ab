"""
What interpolation adds to average precision
============================================

A precision-recall curve goes up and down like the teeth of a saw.
Interpolated average precision replaces the curve by its envelope: at each
recall, the best precision at that recall or any higher one. The envelope
is never below the observed curve, so you shouldn't compare interpolated
values with others.
"""

# %%
# A weak model
# ------------
# This classifier of breast tumors sees only two features. Each patient is
# scored by a model that was fitted on other patients.
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

X, y = load_breast_cancer(return_X_y=True)
X, malignant = X[:, [1, 8]], y == 0  # mean texture, mean symmetry
y_score = cross_val_predict(
    GaussianNB(), X, malignant, method="predict_proba"
)[:, 1]

# %%
# The fewer positives, the larger the gain
# ----------------------------------------
# With few positives, the teeth are large, and the envelope adds a lot.
# Each line below shows the mean gain over 200 random samples of patients.
import numpy as np

import sklearn_ap as ap

rng = np.random.default_rng(0)
for n in (50, 100, 200, 400):
    gains = []
    for _ in range(200):
        some = rng.choice(y.size, n, replace=False)
        interpolated = ap.interpolated_average_precision_score(
            malignant[some], y_score[some]
        )
        gains.append(
            interpolated
            - ap.average_precision_score(malignant[some], y_score[some])
        )
    print(f"{n} patients: + {np.mean(gains):.3f}")

# %%
# The picture shows a typical sample of fifty patients, and two values with
# the same name. At each recall, the observed curve has the precision of
# the next dot, and the envelope has the precision of the best dot from
# there on.
import matplotlib.pyplot as plt

some = np.random.default_rng(9).choice(y.size, 50, replace=False)

figure, axes = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", sharey=True
)
for ax, definition in zip(axes, ("step", "envelope"), strict=True):
    ap.AveragePrecisionDisplay.from_predictions(
        malignant[some],
        y_score[some],
        metric=definition,
        ax=ax,
        plot_chance_level=True,
    )
axes[0].set_title("Observed")
axes[1].set_title("Interpolated")
plt.show()
