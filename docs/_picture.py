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
    figure, axes = plt.subplots(2, 2, figsize=(7, 4.6), layout="constrained")
    for ax, (definition, known_as) in zip(axes.flat, DEFINITIONS.items(), strict=True):
        display = AveragePrecisionDisplay.from_predictions(
            LABELS, RANKING, definition=definition, k=4, ax=ax, despine=True
        )
        ax.set(xlabel="Recall", ylabel="Precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        ax.set(aspect="auto", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        ax.set_title(f"{known_as}: {display.average_precision:.3f}", weight="bold")
        ax.get_legend().remove()
        ax.label_outer()
    return figure


if __name__ == "__main__":
    matplotlib.use("svg")
    plt.rcParams["svg.fonttype"] = "none"  # text stays text
    plt.rcParams["svg.hashsalt"] = "sklearn_ap"  # the same file again
    file = Path(__file__).with_name("definitions.svg")
    draw().savefig(file, metadata={"Date": None})
