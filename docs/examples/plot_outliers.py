"""
Outlier detectors are upside down
=================================

Fraud, faults and intruders are rare, so a detector of outliers is judged by how far up it ranks
them, by average precision. But detectors in scikit-learn give *inliers* the high scores, so for an
ordinary scorer the outliers come last, and the best detector is hardly told from the worst.
"""

# %%
# One tumour in sixteen
# ---------------------
# Of the breast cancer data all benign tumours are kept, and so few malignant ones that they are 6%.
# Detectors learn without labels, from one half, and rank the other; outliers are labelled -1.
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
# Three detectors
# ---------------
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
# The scorer
# ----------
# ``make_outlier_ap_scorer`` ranks by ``-score_samples``. The column next to it is what a scorer
# says that takes the scores as they are: about the same for all, and below chance, which gives the
# share of outliers, 0.06.
import sklearn_ap as ap

right, upside_down = (
    ap.make_outlier_ap_scorer(),
    ap.make_ap_scorer(pos_label=-1),
)
for name, detector in detectors.items():
    detectors[name] = detector = make_pipeline(
        RobustScaler(), detector
    ).fit(X_train)
    as_it_is = upside_down(detector, X_test, labels)
    print(
        f"{name:<20}  {right(detector, X_test, labels):.3f}  upside down: {as_it_is:.3f}"
    )

# %%
# The curves tell more. Who can afford to look at few cases goes by the left end.
import matplotlib.pyplot as plt

plt.style.use("seaborn-v0_8-colorblind")
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for (name, detector), style in zip(
    detectors.items(), ("-", "--", "-."), strict=True
):
    ap.AveragePrecisionDisplay.from_predictions(
        labels,
        -detector.score_samples(X_test),
        pos_label=-1,
        name=name,
        ax=ax,
        curve_kwargs={"linestyle": style},
        fill_kwargs={"visible": False},
        plot_chance_level=name == "local outlier factor",
    )
ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1))
ax.set_title("Few outliers among many benign tumours")
plt.show()
