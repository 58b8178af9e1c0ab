"""The picture of a promise: the recall on new data of thresholds that past data gave."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

import sklearn_ap as ap

INK, BLUE, ORANGE = "#767676", "#3b78b5", "#c8590d"  # seen on white and on black
TARGET, N_DRAWN, N_POSITIVES = 0.8, 200, 270
LABELS = np.arange(2000) < N_POSITIVES
BIN = 0.005  # of recall


def choose_thresholds(confidence_level):
    """Return the recall in the population of the threshold that each past data set gives."""
    rng = np.random.default_rng(0)
    recalls = []
    for _ in range(N_DRAWN):
        scores = rng.standard_normal(LABELS.size) + 2 * LABELS
        point = ap.operating_point(
            LABELS, scores, min_recall=TARGET, confidence_level=confidence_level
        )
        recalls.append(norm.sf(point.threshold - 2))
    return np.array(recalls)


def draw_recalls(ax, recalls, title):
    """Draw recalls as stacked dots, those below the target in another color."""
    bins = np.floor(recalls / BIN + 1e-9)
    heights = [np.sum(bins[:i] == bins[i]) for i in range(len(bins))]
    colors = np.where(recalls < TARGET - 1e-9, ORANGE, BLUE)
    ax.scatter((bins + 0.5) * BIN, heights, s=9, color=colors, linewidth=0)
    ax.set_title(title, loc="left", size=9, color=INK)
    ax.axvline(TARGET, color=INK, linewidth=1, linestyle="--")
    ax.set(xlim=(0.7, 0.92), ylim=(-2, 28), yticks=[])
    ax.set_xticks([0.7, 0.8, 0.9], ["0.7", "0.8", "0.9"])
    ax.spines[["left", "top", "right"]].set_visible(False)
    ax.spines["bottom"].set_color(INK)
    ax.tick_params(colors=INK, labelsize=9)


def draw_promise():
    figure, axes = plt.subplots(2, 1, figsize=(5, 3.8), layout="constrained", sharex=True)
    figure.patch.set_alpha(0)
    for ax, level, passed in zip(axes, (None, 0.95), ("", ", confidence_level=0.95"), strict=True):
        new = choose_thresholds(level)
        n_missed = np.sum(new < TARGET)
        draw_recalls(ax, new, f"min_recall=0.8{passed}")
        ax.text(0.7, 15, f"{n_missed} of {N_DRAWN}\nmiss the target", color=ORANGE, size=9)
        ax.patch.set_alpha(0)
    axes[1].set_xlabel("Recall on new data of thresholds from 200 past data sets", color=INK, size=9)
    return figure
