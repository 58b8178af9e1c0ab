"""
Interpolated or observed?
=========================

The observed curve goes up and down like the teeth of a saw. Interpolated
average precision uses an envelope over the teeth: at each recall it takes
the best precision at that recall or any higher one. The envelope is never
below the observed curve. So do not compare an interpolated number with an
observed one.
"""

# %%
# A weak model
# ------------
# This classifier of breast tumours sees only two features. Each patient is
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
# What the envelope adds
# ----------------------
# The teeth are large where positives are few. With fifty patients the
# envelope adds most, and with more patients it adds less. Each line below
# is a mean over 200 random choices of patients.
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
    print(f"{n:3} patients: + {np.mean(gains):.3f}")

# %%
# The picture shows a typical choice of fifty patients, and two numbers
# that share one name. At each recall, the observed curve has the precision
# of the next dot. The envelope has the precision of the best dot from
# there on.
import matplotlib.pyplot as plt

some = np.random.default_rng(9).choice(y.size, 50, replace=False)

plt.style.use("seaborn-v0_8-colorblind")
figure, axes = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", sharey=True
)
for ax, definition in zip(axes, ("step", "envelope"), strict=True):
    ap.AveragePrecisionDisplay.from_predictions(
        malignant[some],
        y_score[some],
        definition=definition,
        ax=ax,
        plot_chance_level=True,
    )
axes[0].set_title("Observed")
axes[1].set_title("Interpolated")
plt.show()
