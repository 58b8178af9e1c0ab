"""
Is B better than A?
===================

Two models were tested on one test set. The curve of B lies above the curve
of A. Is B better, or was it lucky? The curves alone cannot say. One
sentence can.
"""

# %%
# Two models
# ----------
# The data are made up, and 4% of the samples are positive. Model A sees
# five features. Model B sees the same five and two more.
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
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, random_state=0
)
n_features = {"A": 5, "B": 7}
scores = {}
for name, n in n_features.items():
    model = LogisticRegression(class_weight="balanced").fit(
        X_train[:, :n], y_train
    )
    scores[name] = model.decision_function(X_test[:, :n])

# %%
# Two curves
# ----------
# The band shows where the curve may lie on new samples, at each recall.
# The legend gives the interval of the average precision. The two intervals
# overlap widely.
import matplotlib.pyplot as plt

import sklearn_ap as ap

figure, ax = plt.subplots(figsize=(6, 6))
for name, score in scores.items():
    ap.AveragePrecisionDisplay.from_predictions(
        y_test,
        score,
        name=name,
        ax=ax,
        confidence_level=0.95,
    )
ax.set_title("Two models on the same samples")
plt.show()

# %%
# One sentence
# ------------
# Each interval holds the luck of the samples. But both models share that
# luck. What matters is the difference between them, sample by sample.
from sklearn_ap.inference import compare, confidence_interval

print("A:", confidence_interval(y_test, scores["A"]))
print("B:", confidence_interval(y_test, scores["B"]))
paired = compare(y_test, scores["A"], scores["B"])
print(paired)

# %%
# Suppose that the two models had been tested on two different test sets.
# Then the standard error of the difference would be larger.
apart = [
    confidence_interval(y_test, score).standard_error
    for score in scores.values()
]
unpaired_error = (apart[0] ** 2 + apart[1] ** 2) ** 0.5
print(f"standard error, paired:   {paired.standard_error:.3f}")
print(f"standard error, unpaired: {unpaired_error:.3f}")

# %%
# A look at the samples that make the difference
# ----------------------------------------------
# The influence of a sample on the difference is its influence on A minus
# its influence on B. The models disagree on the few dots that lie far out.
# There a wrong label would matter most.
import numpy as np

from sklearn_ap.inference import influence

moved = influence(y_test, scores["A"]) - influence(y_test, scores["B"])
order = np.argsort(moved)

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for label, color, name in (
    (0, "0.6", "negative sample"),
    (1, "tab:red", "positive sample"),
):
    of_class = y_test[order] == label
    places = np.flatnonzero(of_class)
    ax.plot(
        places,
        moved[order][of_class],
        ".",
        color=color,
        label=name,
    )
ax.set(
    xlabel="Test samples, in order of their influence",
    ylabel="Influence on AP of A minus AP of B",
)
ax.legend()
plt.show()
