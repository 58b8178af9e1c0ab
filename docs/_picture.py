"""Draw the picture of the landing page and of README.md: python docs/_picture.py"""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

from sklearn_ap import AveragePrecisionDisplay

DEFINITIONS = {
    "step": "scikit-learn",
    "envelope": "PASCAL VOC 2010",
    "linear": "scikit-learn before 0.19",
    "at-k": "AP@4",
}
LABELS, RANKING = [0, 1, 1, 0, 1, 0, 0, 1, 0, 0], range(10, 0, -1)


def draw() -> plt.Figure:
    """One ranking in four pictures."""
    figure, axes = plt.subplots(1, 4, figsize=(11, 3.1), layout="constrained", sharey=True)
    for ax, (definition, known_as) in zip(axes, DEFINITIONS.items(), strict=True):
        display = AveragePrecisionDisplay.from_predictions(
            LABELS, RANKING, definition=definition, k=4, ax=ax, despine=True
        )
        ax.set(xlabel="Recall", ylabel="")
        ax.set_title(f"{known_as}: {display.curves[0].average_precision:.3f}", fontsize=11)
        ax.get_legend().remove()
    axes[0].set_ylabel("Precision")
    axes[0].set(ylim=(0, 1.02))
    return figure


if __name__ == "__main__":
    matplotlib.use("svg")
    plt.rcParams["svg.hashsalt"] = "sklearn_ap"  # the same file again
    file = Path(__file__).with_name("definitions.svg")
    draw().savefig(file, metadata={"Date": None})
