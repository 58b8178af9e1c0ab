"""
Averages over queries
=====================

A search engine ranks documents for each query. You can average over the
queries in two ways. Ranking all rows together answers a different
question.
"""

# %%
# Three queries
# -------------
# The last query has prediction scores on a scale of its own.
import matplotlib.pyplot as plt
import numpy as np

import sklearn_ap as ap

relevant = {
    "cat": [1, 0, 0, 0, 0, 0],
    "dog": [0, 1, 0, 1, 0, 0],
    "eel": [1, 1, 1, 1, 0, 0],
}
highest = {"cat": 1.0, "dog": 0.95, "eel": 0.5}
query = np.repeat(list(relevant), 6)
y_true = np.concatenate(list(relevant.values()))
y_score = np.concatenate(
    [highest[q] - np.arange(6) / 20 for q in relevant]
)

# %%
# The mean over queries counts each query once. With
# ``average="weighted"``, a query counts as often as it has relevant
# documents. In both, each query is ranked separately. Without ``groups=``,
# all rows are one ranking, in which the scale of the scores matters.
by_query = ap.metric("AP").by_name(y_true, y_score, groups=query)
mean = ap.average_precision_score(y_true, y_score, groups=query)
weighted = ap.average_precision_score(
    y_true, y_score, groups=query, average="weighted"
)
together = ap.average_precision_score(y_true, y_score)
print(f"mean {mean:.3f}, weighted {weighted:.3f}, together {together:.3f}")

# %%
# Each row of squares is a ranking, from the highest score on the left to
# the lowest on the right, and blue squares are relevant.
order = np.argsort(-y_score, kind="stable")
rankings = {
    f"{name}: AP = {by_query[name]:.2f}": labels
    for name, labels in relevant.items()
}
rankings[f"together: AP = {together:.2f}"] = y_true[order]

figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
for row, labels in enumerate(rankings.values()):
    colors = np.where(labels, "C0", "0.65")
    places = np.arange(len(labels))
    ax.scatter(places, 0 * places - row, s=250, c=colors, marker="s")
ax.set_yticks(-np.arange(4), list(rankings))
ax.set(xticks=[], ylim=(-3.6, 0.6))
ax.spines[:].set_visible(False)
ax.set_title(
    f"Mean over queries {mean:.2f}, weighted by positives {weighted:.2f}"
)
plt.show()
