"""Draw the wordmark, and the pictures of the landing page and README.md: docs/_picture.py"""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

import sklearn_ap as ap
from sklearn_ap._show.figures import BLUE, ORANGE

DOCS = Path(__file__).parent
# What people have called average precision, and how the package computes the same
TOOLS = {
    "scikit-learn": "step",
    "PASCAL VOC 2010": "envelope",
    "scikit-learn before 0.19": "linear",
    "PASCAL VOC 2007": "VOC07",
}
LABELS, RANKING = [0, 1, 1, 0, 1, 0, 0, 1, 0, 0], range(10, 0, -1)

# Grays that can be seen on white and on black, as BLUE and ORANGE can
GRAY, INK = "#8c8c8c", "#767676"
INK_IN_THE_DARK = "#ced6dd"  # of the site's text

# A precision-recall curve with a threshold, 32 by 32.
MARK = f"""\
<path d="M3 29V5H11V12H18V19H25V26H29V29Z" fill="{BLUE}" fill-opacity=".25"/>
<path d="M3 5H11V12H18V19H25V26H29" fill="none" stroke="{BLUE}" stroke-width="3"/>
<circle cx="18" cy="15" r="4.5" fill="{ORANGE}"/>"""


def svg(width: int, content: str) -> str:
    size = f'width="{width}" height="32" viewBox="0 0 {width} 32"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{content}\n</svg>\n'


def word(text: str, x: float, color: str) -> tuple[str, float]:
    """A word as a path, which needs no font, and where it ends."""
    font = FontProperties(family="DejaVu Sans", weight="bold")
    shape = TextPath((0, 0), text, size=24, prop=font)
    path = ""
    for points, code in shape.iter_segments(simplify=False):
        places = (f"{right + x:.1f} {24 - up:.1f}" for right, up in points.reshape(-1, 2))
        path += "Z" if code == shape.CLOSEPOLY else "?MLQC"[code] + " ".join(places)
    return f'<path d="{path}" fill="{color}"/>', x + shape.get_extents().x1


def wordmark(ink: str) -> str:
    first, end = word("sklearn_", 38, ink)
    second, end = word("ap", end + 1, BLUE)
    return svg(round(end) + 2, "\n".join((MARK, first, second)))


def draw() -> plt.Figure:
    """One ranking in four pictures, so narrow that phones need not shrink their words."""
    figure, axes = plt.subplots(2, 2, figsize=(4.5, 4), layout="constrained")
    figure.patch.set_alpha(0)
    for ax, (tool, metric) in zip(axes.flat, TOOLS.items(), strict=True):
        display = ap.AveragePrecisionDisplay.from_predictions(LABELS, RANKING, metric=metric, ax=ax)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set(xlabel="Recall", ylabel="Precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        ax.set(aspect="auto", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        ax.set_title(f"{tool}\n", loc="left", size=10, color=INK, linespacing=2)
        value = f"{display.value:.3f}"
        ax.text(0, 1.04, value, size=15, weight="bold", color=ORANGE, transform=ax.transAxes)
        ax.get_legend().remove()
        ax.patch.set_alpha(0)
        ax.spines[:].set_color(INK)
        ax.tick_params(colors=INK)
        ax.xaxis.label.set_color(INK)
        ax.yaxis.label.set_color(INK)
        ax.label_outer()
    return figure


def alerts(ax: plt.Axes, rng: np.random.Generator) -> None:
    """A precision-recall curve, and the threshold for a recall of 60%."""
    fraud = rng.random(3000) < 0.03
    score = rng.normal(2.3 * fraud)
    precision, recall, _ = ap.interpolated_precision_recall_curve(fraud, score)
    point = ap.operating_point(fraud, score, min_recall=0.6)
    ax.plot(recall, precision, color=BLUE)
    ax.plot([point.recall] * 2, [0, point.precision], "--", color=GRAY)
    ax.plot(point.recall, point.precision, "o", color=ORANGE, markersize=11)


def search(ax: plt.Axes, rng: np.random.Generator) -> None:
    """The average precision of each query, for two engines."""
    query = np.repeat(np.arange(7), 40)
    relevant = rng.random(query.size) < 0.2
    talent = rng.uniform(0, 1.5, 7)[query]
    a, b = (
        ap.average_precision_score(
            relevant, rng.normal((talent + extra) * relevant), groups=query, average=None
        )
        for extra in (0, 0.7)
    )
    order = np.argsort(b)
    places = np.arange(order.size)
    ax.hlines(places, a[order], b[order], color=GRAY)
    ax.plot(a[order], places, "s", color=GRAY, markersize=9)
    ax.plot(b[order], places, "o", color=ORANGE, markersize=11)
    ax.axvline(b.mean(), color=ORANGE, linestyle="--")


def detection(ax: plt.Axes, rng: np.random.Generator) -> None:
    """The 101-point average precision of each class, with its interval."""
    for place, talent in enumerate((0.6, 1.2, 1.9, 2.6)):
        is_match = rng.random(160) < 0.4
        value, low, high = ap.confidence_interval(
            is_match,
            rng.normal(talent * is_match),
            metric="101_point_average_precision",
            random_state=0,
        )
        ax.barh(place, value, color=BLUE, height=0.6)
        ax.plot([low, high], [place, place], color=ORANGE, linewidth=4)
    ax.set_xlim(0, 1)


def screening(ax: plt.Axes, rng: np.random.Generator) -> None:
    """The hit curves of two models on a log axis, and that of a random selection."""
    active = rng.random(5000) < 0.01
    for talent, color in ((1.6, BLUE), (2.7, ORANGE)):
        detected, hits, _ = ap.hit_curve(active, rng.normal(talent * active))
        ax.plot(detected, hits, color=color, drawstyle="steps-post")
    ax.plot(detected, detected, "--", color=GRAY)
    ax.set(xscale="log", xlim=(0.0005, 1))


THUMBNAILS = (alerts, search, detection, screening)


def thumbnail(drawing) -> plt.Figure:
    """A small picture without words, on the background of the page."""
    figure, ax = plt.subplots(figsize=(4, 2.2), layout="constrained")
    drawing(ax, np.random.default_rng(0))
    ax.set(xticks=[], yticks=[], facecolor="none")
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(color=GRAY, linewidth=2)
    figure.patch.set_alpha(0)
    return figure


if __name__ == "__main__":
    (DOCS / "_static" / "favicon.svg").write_text(svg(32, MARK), encoding="utf-8")
    for name, ink in {"wordmark": INK, "wordmark_dark": INK_IN_THE_DARK}.items():
        (DOCS / "_static" / f"{name}.svg").write_text(wordmark(ink), encoding="utf-8")
    matplotlib.use("svg")
    plt.rcParams["svg.fonttype"] = "none"  # text stays text
    plt.rcParams["svg.hashsalt"] = "sklearn_ap"  # the same file again
    plt.rcParams["lines.linewidth"] = 2.5
    for drawing in THUMBNAILS:
        thumbnail(drawing).savefig(
            DOCS / "_static" / f"{drawing.__name__}.svg", metadata={"Date": None}
        )
    plt.rcParams["lines.linewidth"] = matplotlib.rcParamsDefault["lines.linewidth"]
    draw().savefig(DOCS / "definitions.svg", metadata={"Date": None})
