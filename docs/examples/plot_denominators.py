"""
The four denominators of AP@k
=============================

AP@k adds up the precision at each positive in the top k. Programs divide
this sum by four different numbers, so the same ranking gets four values.
"""

# %%
# One ranking, with few positives and with many
# ---------------------------------------------
# In the top 5, ranks 1 and 3 are positive, so the precisions to add up are
# 1/1 and 2/3. Below the top 5 there are more positives: one, or six.
import matplotlib.pyplot as plt
import numpy as np

import sklearn_ap as ap

K, TOP = 5, [1, 0, 1, 0, 0]
precisions = [1 / 1, 2 / 3]
below = {3: [1, 0, 0, 0, 0, 0], 8: [1, 1, 1, 1, 1, 1]}

# %%
# Each square is one unit of the denominator, and the value is the fraction
# of the squares that is blue. With ``"hits"``, missed positives cost
# nothing. With ``"relevant"``, no ranking can reach 1 if there are more
# than k positives, and with ``"k"``, if there are fewer. With ``"min"``,
# the best ranking always reaches 1.
DENOMINATORS = ["min", "relevant", "k", "hits"]
figure, axes = plt.subplots(4, 2, figsize=(4.5, 3.5), layout="constrained")
for column, (n_positives, rest) in zip(axes.T, below.items(), strict=True):
    y_true = TOP + rest
    y_score = np.arange(len(y_true), 0, -1)
    sizes = [min(K, n_positives), n_positives, K, sum(TOP)]
    for ax, name, size in zip(column, DENOMINATORS, sizes, strict=True):
        value = ap.average_precision_at_k_score(
            y_true, y_score, k=K, denominator=name
        )
        assert np.isclose(value, sum(precisions) / size)
        places = np.arange(size)
        ax.bar(places, 1, width=0.9, color="0.6", alpha=0.25)
        ax.bar(places[:2], precisions, width=0.9, color="C0")
        ax.set(xlim=(-0.6, 7.6), xticks=[], yticks=[], aspect="equal")
        title = f"{name}: 1.67 / {size} = {value:.2f}"
        if ax is column[0]:
            title = f"{n_positives} positives\n\n{title}"
        ax.set_title(title, loc="left", size=10)
        ax.spines[:].set_visible(False)
figure.suptitle(f"AP@{K}: the sum of precisions, over a denominator")
plt.show()
