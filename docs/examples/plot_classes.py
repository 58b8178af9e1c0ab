"""
The curves of all classes
=========================

With several classes, each one against the rest is a ranking of its own.
You can draw all of them in one figure.
"""

# %%
# Draw each class against the rest
# --------------------------------
# Pass the classes as groups: each sample has one row for each class.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import sklearn_ap as ap

wine = load_wine()
X_train, X_test, y_train, y_test = train_test_split(
    wine.data[:, :2], wine.target, test_size=0.5, random_state=0
)
model = LogisticRegression(max_iter=1000).fit(X_train, y_train)
y_score = model.predict_proba(X_test)

display = ap.AveragePrecisionDisplay.from_predictions(
    np.ravel(np.equal.outer(y_test, model.classes_)),
    np.ravel(y_score),
    groups=np.tile(wine.target_names, len(y_test)),
)
plt.show()

# %%
# The mean in the legend is what the function returns for all classes by
# default.
value = ap.average_precision_score(y_test, y_score)
print(f"{value:.3f}")

# %%
# Draw hit curves
# ---------------
# The same arguments draw the hit curves of all classes.
ap.HitCurveDisplay.from_predictions(
    np.ravel(np.equal.outer(y_test, model.classes_)),
    np.ravel(y_score),
    groups=np.tile(wine.target_names, len(y_test)),
)
plt.show()
