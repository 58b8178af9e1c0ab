"""
Geese and planes: the curve, one photo at a time
================================================

Ten photos show five planes and five geese. A model has ranked them by how
likely they show a plane. A threshold says where to stop in this list.
Average precision looks at all thresholds at once.
"""

# %%
# A threshold is a place to stop
# ------------------------------
# The first four photos hold three of the five planes. So precision is 3/4
# and recall is 3/5. If you stop later, you find more planes and more
# geese.
import numpy as np

import sklearn_ap as ap

is_plane = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
score = np.arange(10, 0, -1)

for k in (1, 2, 4, 6, 10):
    precision = ap.precision_at_k_score(is_plane, score, k=k)
    recall = ap.recall_at_k_score(is_plane, score, k=k)
    print(
        f"the first {k:2}: precision {precision:.2f}, recall {recall:.1f}"
    )

# %%
# Every plane counts its precision
# --------------------------------
# Recall grows by a fifth with each plane, and does not change with a
# goose. So the area under the steps is the mean of five precisions, one at
# each plane. If you round the precisions first, the mean is wrong in the
# third digit.
precision_at_planes = [
    ap.precision_at_k_score(is_plane, score, k=rank)
    for rank in range(1, 11)
    if is_plane[rank - 1]
]
print(f"{np.mean(precision_at_planes):.6f}")
print(f"{ap.average_precision_score(is_plane, score):.6f}")

# %%
# The photos are on the left. The same ranking as a curve is on the right.
# A dot is a place to stop. The dots of the geese are straight below the
# dots before them.
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
