"""
Evaluate outlier detectors
==========================

Fraud, faults and intruders are rare. A good outlier detector ranks them at
the top, and average precision measures that. But the detectors in
scikit-learn give high scores to *inliers*. A scorer from ``make_scorer``
therefore sees the outliers at the bottom of the ranking, and can hardly
tell the best detector from the worst.
"""

# %%
# One tumor in sixteen is an outlier
# ----------------------------------
# From the breast cancer data, this example keeps all benign tumors, but so
# few malignant ones that they make up 6%. The detectors learn from one
# half of the data, without labels, and rank the other half. Outliers have
# the label -1.
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

X, y = load_breast_cancer(return_X_y=True)
benign, malignant = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
keep = np.r_[benign, malignant[::9]]
X, labels = X[keep], np.where(y[keep] == 1, 1, -1)
X_train, X_test, _, labels = train_test_split(
    X, labels, test_size=0.5, stratify=labels, random_state=0
)
print(f"{np.sum(labels == -1)} outliers in {labels.size} samples")

# %%
# Choose three detectors
# ----------------------
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler
from sklearn.svm import OneClassSVM

detectors = {
    "isolation forest": IsolationForest(random_state=0),
    "one-class SVM": OneClassSVM(nu=0.1),
    "local outlier factor": LocalOutlierFactor(novelty=True),
}

# %%
# Use a scorer that knows detectors
# ---------------------------------
# ``make_ap_scorer`` ranks outliers first. The second value in each line
# comes from a scorer that uses the scores as they are. This value is about
# the same for all detectors, and below what random guessing gets, which is
# roughly the fraction of outliers, 0.06.
from sklearn.metrics import average_precision_score, make_scorer

import sklearn_ap as ap

right = ap.make_ap_scorer()
upside_down = make_scorer(
    average_precision_score,
    response_method="decision_function",
    pos_label=-1,
)
for name, detector in detectors.items():
    detectors[name] = detector = make_pipeline(
        RobustScaler(), detector
    ).fit(X_train)
    value = right(detector, X_test, labels)
    as_it_is = upside_down(detector, X_test, labels)
    print(f"{name}: {value:.3f}, upside down: {as_it_is:.3f}")

# %%
# The curves tell you more than the values. If you can check only a few
# cases, look at their left end.
import matplotlib.pyplot as plt

display = ap.AveragePrecisionDisplay.from_predictions(
    labels,
    {
        name: -detector.score_samples(X_test)
        for name, detector in detectors.items()
    },
    pos_label=-1,
    plot_chance_level=True,
)
display.ax_.set_title("Few outliers among many benign tumors")
plt.show()
