"""
Hit curves of four classifiers
==============================

Screening means looking for something rare when nobody can inspect
everything. In a hit curve, the x axis is the fraction of the items that
you inspect, highest score first, and the y axis is the fraction of the
rare items that you have found by then. Average precision summarizes the
curve, and early hits count the most.
"""

# %%
# Find the rare eights
# --------------------
# The items are images of handwritten digits, reduced to 16 coarse pixels.
# Only every fifth eight is kept, so that about 2% of the images are
# eights. The task is to find them.
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

images, digit = load_digits(return_X_y=True)
coarse = images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
eight = np.flatnonzero(digit == 8)
keep = np.union1d(np.flatnonzero(digit != 8), eight[::5])
X, y = coarse[keep], digit[keep] == 8
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
print(f"{y_test.sum()} eights in {y_test.size} images")

# %%
# Fit four classifiers
# --------------------
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

models = {
    "SVM": SVC(),
    "neighbors": KNeighborsClassifier(10),
    "logistic": LogisticRegression(),
    "forest": RandomForestClassifier(random_state=0),
}
for name, model in models.items():
    models[name] = make_pipeline(StandardScaler(), model).fit(
        X_train, y_train
    )

# %%
# Draw the hit curves
# -------------------
# The best possible curve rises steeply until all eights are found, while a
# random selection finds them at an even pace. Where a curve has dots, each
# dot is a threshold. The neighbors model has the fewest, because it gives
# many images the same score.
import matplotlib.pyplot as plt

import sklearn_ap as ap

figure, (whole, start) = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained"
)
for ax in (whole, start):
    ap.HitCurveDisplay.from_estimator(models, X_test, y_test, ax=ax)
    ax.set(
        xlabel="Fraction of images inspected",
        ylabel="Fraction of eights found",
    )
whole.set_title("All images")
start.set(title="The first tenth", xlim=(0, 0.1))
start.get_legend().remove()  # the same
plt.show()
