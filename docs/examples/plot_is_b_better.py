"""
Is B better than A?
===================

Two models, one test set, two curves: B lies above A. Is it better, or was it lucky? The curves
alone cannot say. One honest sentence can.
"""

# %%
# Two models
# ----------
# The data are made: 4% are positive. A looks at five of their features, and B at two more.
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

X, y = make_classification(
    6000,
    n_features=12,
    n_informative=8,
    n_redundant=0,
    weights=[0.96],
    class_sep=0.9,
    flip_y=0.02,
    shuffle=False,
    random_state=4,
)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
n_features = {"A": 5, "B": 7}
scores = {}
for name, n in n_features.items():
    model = LogisticRegression(class_weight="balanced").fit(X_train[:, :n], y_train)
    scores[name] = model.decision_function(X_test[:, :n])

# %%
# Two curves
# ----------
# The band says between which numbers the curve may run on new samples, recall by recall; the
# legend has the interval of the average precision. Both overlap by far.
import matplotlib.pyplot as plt

import sklearn_ap as ap

figure, ax = plt.subplots(figsize=(6, 6))
for (name, score), color in zip(scores.items(), ("tab:blue", "tab:orange"), strict=True):
    ap.AveragePrecisionDisplay.from_predictions(
        y_test,
        score,
        name=name,
        ax=ax,
        confidence_level=0.95,
        curve_kwargs={"color": color},
        fill_kwargs={"visible": False},
        points_kwargs={"visible": False},
    )
ax.set_title("Two models on the same samples")
plt.show()

# %%
# One sentence
# ------------
# Each interval alone holds the luck of the samples, which both models share. What matters is the
# difference, sample by sample.
from sklearn_ap.inference import compare, confidence_interval

print("A:", confidence_interval(y_test, scores["A"]))
print("B:", confidence_interval(y_test, scores["B"]))
paired = compare(y_test, scores["A"], scores["B"])
print(paired)

# %%
# Forget for a moment that the samples are the same: the standard error of the difference would be
# that of two test sets.
apart = [confidence_interval(y_test, score).standard_error for score in scores.values()]
unpaired_error = (apart[0] ** 2 + apart[1] ** 2) ** 0.5
print(f"standard error: paired {paired.standard_error:.3f}, unpaired {unpaired_error:.3f}")

# %%
# A look at the samples that make the difference
# ----------------------------------------------
# The influence of a sample on the difference is its influence on A less that on B. The few dots far
# out are the samples on which the models disagree, and where a wrong label would matter most.
import numpy as np

from sklearn_ap.inference import influence

moved = influence(y_test, scores["A"]) - influence(y_test, scores["B"])
order = np.argsort(moved)

figure, ax = plt.subplots(figsize=(6, 3))
for label, color in ((0, "0.6"), (1, "tab:red")):
    of_class = y_test[order] == label
    places = np.flatnonzero(of_class)
    ax.plot(places, moved[order][of_class], ".", color=color, label=f"y = {label}")
ax.set(xlabel="test samples, in order", ylabel="influence on the difference")
ax.legend()
plt.show()
