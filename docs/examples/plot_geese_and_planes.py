"""
Geese and planes: average precision step by step
================================================

A model has ranked ten photos, five of planes and five of geese, by how
likely they are to show a plane. A threshold decides where to stop in this
ranking. Average precision summarizes all thresholds at once.
"""

# %%
# Precision and recall at each threshold
# --------------------------------------
# The first four photos show three of the five planes, so precision is 3/4
# and recall is 3/5. Further down, you find more planes, but also more
# geese.
import numpy as np

import sklearn_ap as ap

is_plane = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
score = np.arange(10, 0, -1)

for k in (1, 2, 4, 6, 10):
    precision = ap.precision_at_k_score(is_plane, score, k=k)
    recall = ap.recall_at_k_score(is_plane, score, k=k)
    print(f"top {k}: precision {precision:.2f}, recall {recall:.1f}")

# %%
# Average precision is the mean precision at the planes
# -----------------------------------------------------
# Recall rises by a fifth at each plane, and stays the same at each goose.
# The area under the steps is therefore the mean of five precisions, one at
# each plane. (Don't round them first, or the mean will be wrong in the
# third digit.)
precision_at_planes = [
    ap.precision_at_k_score(is_plane, score, k=rank)
    for rank in range(1, 11)
    if is_plane[rank - 1]
]
print(f"{np.mean(precision_at_planes):.3f}")
print(f"{ap.average_precision_score(is_plane, score):.3f}")

# %%
# On the left are the photos, in the order of their prediction scores. On
# the right is the precision-recall curve of the same ranking. Each dot is
# a threshold. The dot of a goose is directly below the dot before it.
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained"
)

rank = np.arange(1, 11)
precision = np.cumsum(is_plane) / rank
colors = np.where(is_plane, "tab:blue", "lightgray")
left.barh(rank, precision, color=colors, edgecolor="black", linewidth=0.5)
for place, plane in zip(rank, is_plane, strict=True):
    shown, color = ("plane", "white") if plane else ("goose", "black")
    left.text(0.02, place, shown, color=color, va="center")
left.axhline(4.5, color="black", linestyle="--")
left.text(0.99, 4.6, "stop after four", ha="right", va="top")
left.set(
    yticks=rank,
    ylabel="Rank of the photo",
    xlabel="Precision if you stop here",
    xlim=(0, 1.05),
)
left.invert_yaxis()

display = ap.AveragePrecisionDisplay.from_predictions(
    is_plane, score, ax=right
)
display.ax_.set_title("Five planes, five steps")
plt.show()
