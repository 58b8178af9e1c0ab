"""
Four classifiers and their hits
===============================

Screening for something rare, one cannot look at everything. The hit curve says what comes out of
looking at a part: of all items, the fraction t is inspected, and the fraction h is inspected and a
hit. Average precision condenses it, with weight on the early hits.
"""

# %%
# Rare digits
# -----------
# Handwritten digits, each as 16 coarse pixels. Of the eights only every fifth is kept, so that
# about 2% of the images are eights, and these are to be found.
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
# Four classifiers
# ----------------
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

models = {
    "SVM": SVC(),
    "neighbours": KNeighborsClassifier(10),
    "logistic": LogisticRegression(),
    "forest": RandomForestClassifier(random_state=0),
}
for name, model in models.items():
    models[name] = make_pipeline(StandardScaler(), model).fit(
        X_train, y_train
    )

# %%
# Their hits
# ----------
# The best line rises with slope 1 until every eight is found; the random one goes straight to the
# corner. Each dot is a distinct score. Neighbours give few: what lies between two dots is tied.
import matplotlib.pyplot as plt

import sklearn_ap as ap

plt.style.use("seaborn-v0_8-colorblind")
figure, (whole, start) = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained"
)
for ax in (whole, start):
    for (name, model), style in zip(
        models.items(), ("-", "--", "-.", ":"), strict=True
    ):
        ap.HitCurveDisplay.from_estimator(
            model,
            X_test,
            y_test,
            name=name,
            ax=ax,
            curve_kwargs={"linestyle": style},
        )
whole.set(title="All images", xlabel="t", ylabel="h(t)")
start.set(title="The first tenth", xlabel="t", ylabel="", xlim=(0, 0.1))
start.get_legend().remove()
plt.show()
