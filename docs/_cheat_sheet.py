"""Draw the cheat sheet, one page as PDF and SVG: python docs/_cheat_sheet.py FOLDER

It shows what each definition of average precision computes on one ranking, which tools compute it
by PEERS, and which function to call. The build of the site draws it, see conf.py.
"""

import sys
from pathlib import Path
from textwrap import wrap

import numpy as np
from matplotlib.figure import Figure

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap._show.figures import BLUE
from sklearn_ap.compat.mistakes import NO_MISTAKE

# The ten samples of the landing page and the glossary
Y, S = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 0]), np.arange(10.0, 0, -1)
Q = np.repeat(["a", "b"], 5)  # queries
HERE = {"y": Y, "s": S, "a": S, "b": -S, "q": Q, "ap": ap}
GRAY = "#62585c"

# The definition as PEERS names it, the metric that its picture shows, and what to call
DEFINITIONS = {
    "step": ("step", "ap.average_precision_score(y, s)"),
    "envelope": ("envelope", "ap.interpolated_average_precision_score(y, s)"),
    "11-point float": (*("VOC07", 'ap.eleven_point_average_precision_score(y, s, grid="float")'),),
    "101-point float": (
        *(
            "101-point float",
            'ap.interpolated_average_precision_score(y, s, n_points=101, grid="float")',
        ),
    ),
    "linear": ("linear", "ap.compat.trapezoidal_average_precision_score(y, s)"),
} | {
    f"AP@k / {name}": (
        ap.metric("average_precision_at_k_score", k=3, denominator=name),
        f'ap.average_precision_at_k_score(y, s, k=3, denominator="{name}")',
    )
    for name in ("min", "relevant", "k", "hits")
}
MEANINGS = {
    "step": "step: precision, weighted by the gain in recall",
    "envelope": "envelope: the best precision from there on",
    "11-point float": "11-point: the envelope at recall 0, 0.1, ...*",
    "101-point float": "101-point: the envelope at recall 0, 0.01, ...*",
    "linear": "linear: straight lines between the points",
    "AP@k / min": "AP@k: over the smaller of k and positives",
    "AP@k / relevant": "AP@k: over all positives",
    "AP@k / k": "AP@k: over k",
    "AP@k / hits": "AP@k: over the positives found",
}
TASKS = {
    "mean over queries, users, classes": "ap.mean_average_precision_score(y, s, groups=q)",
    "fraction of positives in the top 20%": "ap.precision_at_k_score(y, s, k=0.2)",
    "precision at 90% recall": "ap.precision_at_recall_score(y, s, min_recall=0.9)",
    "95% confidence interval": "ap.confidence_interval(y, s)",
    "is model B better than A?": "ap.compare(y, a, b)",
    "several metrics and models": 'ap.report(y, {"A": a, "B": b})',
    "threshold for a recall": "ap.operating_point(y, s, min_recall=0.9)",
    "which definition gave 0.608?": 'ap.compat.identify("0.608", y, s)',
}
MOST_LINES = 4  # of tools, which are as high as a row


def tools_of(definition: str) -> list[str]:
    """Return the tools with this definition, with the function if a tool has several of them, and
    the version if a function has.
    """
    peers = [peer for peer in compat.PEERS if peer.ranks is NO_MISTAKE]
    definitions: dict[tuple[str, ...], set[str]] = {}
    for peer in peers:
        for known in ((peer.tool,), (peer.tool, peer.function)):
            definitions.setdefault(known, set()).add(peer.definition)
    found: dict[str, str] = {}
    for peer in peers:
        if peer.definition != definition:
            continue
        words = peer.tool
        if len(definitions[peer.tool,] & DEFINITIONS.keys()) > 1:
            words += f" {peer.function}"
        if len(definitions[peer.tool, peer.function] & DEFINITIONS.keys()) > 1:
            same = [each.version for each in peers if is_same(each, peer)]
            words += f" ({version_range(same)})"
        found.setdefault(peer.tool, words)
    return [*found.values()]


def is_same(peer: compat.Peer, other: compat.Peer) -> bool:
    mine, theirs = ((each.tool, each.function, each.definition) for each in (peer, other))
    return mine == theirs


def version_range(versions: list[str]) -> str:
    """Return "0.19 and later" for "1.1 and later", "0.20 to 1.0" and "0.19", the latest first."""
    latest, earliest = versions[0], versions[-1].split()[0]
    if len(versions) == 1:
        return latest
    if latest.endswith("and later"):
        return f"{earliest} and later"
    return f"{earliest} to {latest.split()[-1]}"


def draw() -> Figure:
    """Draw a landscape page of A4."""
    figure = Figure(figsize=(11.69, 8.27))
    figure.text(0.03, 0.955, "Which average precision?", size=18, weight="bold", color=BLUE)
    ranking = "".join("\N{BLACK CIRCLE}" if label else "\N{WHITE CIRCLE}" for label in Y)
    ranks = ", ".join(map(str, np.flatnonzero(Y) + 1))
    says = f"{ranking}  One ranking, with positives at ranks {ranks}: its value by each definition"
    figure.text(0.03, 0.93, f"{says}, who computes it, and what to call", size=9)
    figure.text(0.97, 0.93, "y: labels, s: scores, q: queries", size=9, ha="right")
    height = 0.072
    for row, (definition, (metric, call)) in enumerate(DEFINITIONS.items()):
        top = 0.905 - row * height
        ax = figure.add_axes((0.03, top - height + 0.012, 0.07, height - 0.012))
        display = ap.AveragePrecisionDisplay.from_predictions(Y, S, metric=metric, ax=ax)
        ax.get_legend().remove()
        for marks in ax.lines:
            marks.set_markersize(marks.get_markersize() / 2)
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[], aspect="auto")
        value, middle = display.value, top - 0.02
        figure.text(0.115, middle, f"{value:.3f}", size=11, weight="bold", va="center")
        figure.text(0.16, middle, MEANINGS[definition], size=8.5, va="center")
        figure.text(0.16, middle - 0.022, call, size=7.5, family="monospace", va="center")
        tools = tools_of(definition)
        lines = wrap(", ".join(tools), 80)
        n_shown = len(tools)
        while len(lines) > MOST_LINES:
            n_shown -= 1
            more = f", and {len(tools) - n_shown} more"
            lines = wrap(", ".join(tools[:n_shown]) + more, 80)
        place = {"va": "top", "size": 7.5, "color": GRAY}
        figure.text(0.56, top - 0.008, "\n".join(lines), **place)
    bottom = 0.905 - len(DEFINITIONS) * height - 0.02
    for place, (task, call) in enumerate(TASKS.items()):
        x, y = 0.03 + 0.48 * (place // 4), bottom - 0.04 * (place % 4)
        figure.text(x, y, task, size=8.5)
        figure.text(x, y - 0.016, call, size=7.5, family="monospace")
    foot = "* These tools compare recall with floats, and miss some of the levels."
    figure.text(0.03, 0.03, foot, size=7.5, color=GRAY)
    return figure


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figure = draw()
    for kind, date in {"pdf": "CreationDate", "svg": "Date"}.items():
        figure.savefig(folder / f"cheat_sheet.{kind}", metadata={date: None})


if __name__ == "__main__":
    write(Path(sys.argv[1]))
