"""
Is B better than A?
===================

Two models were tested on the same test set, and the curve of B is above
that of A. Is B better, or did it get lucky? The curves alone can't tell
you, but a paired comparison shows whether chance is a plausible
explanation.
"""

# %%
# Two models
# ----------
# The data is made up, and 5% of the samples are positive. Model A sees
# five features. Model B sees the same five, and two more.
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
# Draw both curves with bands
# ---------------------------
# The band around each curve shows how far precision may be off at each
# recall, and the legend has the interval of average precision. The two
# intervals overlap a lot.
import matplotlib.pyplot as plt

import sklearn_ap as ap

display = ap.AveragePrecisionDisplay.from_predictions(
    y_test, scores, confidence_level=0.95
)
display.ax_.set_title("Two models on the same samples")
plt.show()

# %%
# Compare the models on the same samples
# --------------------------------------
# Each interval reflects sampling noise. But because both models were
# tested on the same samples, they share much of that noise. What matters
# is how they differ, sample by sample.
for name, score in scores.items():
    print(ap.confidence_interval(y_test, score, name=name))
paired = ap.compare(y_test, scores["A"], scores["B"])
print(paired)

# %%
# The interval of the difference doesn't contain 0, so B's lead is unlikely
# to be chance. If the models had been tested on different samples, the
# standard error of the difference would be larger:
import numpy as np

apart = [
    ap.confidence_interval(y_test, score).standard_error
    for score in scores.values()
]
print(f"same samples: {paired.standard_error:.3f}")
print(f"different samples: {np.hypot(*apart):.3f}")

# %%
# Where B is better
# -----------------
# A report makes the same comparison for several metrics, and draws the
# intervals of the differences. B finds more positives in the top 5%, too.
report = ap.report(
    y_test, scores, metrics=["AP", "recall@5%"], baseline="A"
)
report.plot(of="differences")
plt.show()
