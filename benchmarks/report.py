"""From results to tables in Markdown, and to a picture."""

import re


def table(results):
    """One line for each library or yardstick that something was timed against."""
    lines = [
        "| work | sklearn_ap | against | median (least to most) | at least | aim | reached |",
        "|---|---|---|---|---|---|---|",
    ]
    for result in results["races"]:
        goals = {goal["against"]: goal for goal in result["goals"]}
        against = [*result["ratios"], *result["disagree"], *result["missing"]]
        for i, other in enumerate(against):
            named = [result["name"], time(result["seconds"]["sklearn_ap"]["median"])]
            cells = [
                *(named if i == 0 else ["", ""]),
                other,
                *_compared(result, other, goals.get(other)),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _compared(result, other, goal):
    if other in result["missing"]:
        return "not installed", "", "", ""
    if other in result["disagree"]:
        theirs, ours = result["disagree"][other]
        return f"not timed: gives {theirs:.6f}, not {ours:.6f}", "", "", ""
    ratio = result["ratios"][other]
    middle, least, most = ratio["of_medians"], ratio["min"], ratio["max"]
    if goal is None:
        off_by = result["off_by"].get(other, 0)
        note = f", value off by {off_by:.0e}" if off_by > 1e-12 else ""
        return f"{number(middle)}x ({number(least)} to {number(most)}){note}", "", "", ""
    if goal["at_most"]:
        middle, least, most = 1 / middle, 1 / most, 1 / least
    words = "of its time" if goal["at_most"] else "as fast"
    ratio = f"{number(middle)}x {words} ({number(least)} to {number(most)})"
    return ratio, *_judged(middle, goal, "x")


def _judged(ratio, goal, unit=""):
    """What was set out to be reached, and what is."""
    limit = "at most " if goal["at_most"] else ""
    return f"{limit}{goal['floor']}{unit}", f"{goal['aim']}{unit}", verdict(ratio, goal)


def verdict(ratio, goal):
    """Which of the two marks that were set is reached."""
    if goal["at_most"]:
        return "aim" if ratio <= goal["aim"] else "yes" if ratio <= goal["floor"] else "**no**"
    return "aim" if ratio >= goal["aim"] else "yes" if ratio >= goal["floor"] else "**no**"


def resources(results):
    """Memory and import time."""
    lines = [
        "| what | sklearn_ap | scikit-learn | at least | aim | reached |",
        "|---|---|---|---|---|---|",
    ]
    for row in results["memory"]:
        ours, theirs = row["sklearn_ap"], row["scikit-learn"]
        goal = {"floor": 0.5, "aim": 0.25, "at_most": True}
        floor, aim, reached = _judged(ours / theirs, goal)
        lines.append(
            f"| peak beyond the input, {row['name']} | {ours / 1e6:.0f} MB, {ours / theirs:.0%} "
            f"| {theirs / 1e6:.0f} MB | {floor} | {aim} | {reached} |"
        )
    seconds = results["import"]["median"]
    floor, aim, reached = _judged(1000 * seconds, {"floor": 30, "aim": 10, "at_most": True}, " ms")
    lines.append(
        f"| import, after scikit-learn's metrics | {time(seconds)} | | {floor} | {aim} "
        f"| {reached} |"
    )
    return "\n".join(lines)


def growth(results):
    """Time in units of one sort, from few samples to many."""
    scaling = results["scaling"]
    shares = list(scaling)
    lines = [
        f"| samples | {' | '.join(f'{s} positives' for s in shares)} | one np.sort |",
        f"|---|{'---|' * len(shares)}---|",
    ]
    first = scaling[shares[0]]
    for i, n_samples in enumerate(first["samples"]):
        sort = first["seconds"]["np.sort"][i]
        cells = []
        for share in shares:
            seconds = scaling[share]["seconds"]
            ours = seconds["sklearn_ap"][i]
            cells.append(f"{time(ours)}, {number(ours / seconds['np.sort'][i])} sorts")
        lines.append(f"| {n_samples:,} | {' | '.join(cells)} | {time(sort)} |")
    return "\n".join(lines)


def fill(page, results):
    """The page with its tables, each between two comments, made anew from the results."""
    for part in (setting, table, resources, growth):
        begin, end = f"<!-- begin: {part.__name__} -->\n", f"<!-- end: {part.__name__} -->"
        text = f"{begin}{part(results)}\n{end}"
        page, found = re.subn(f"{begin}.*?{end}", lambda _, text=text: text, page, flags=re.S)
        if found != 1:
            raise ValueError(f"the page has {found} places for {part.__name__}")
    return page


def setting(results):
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    machine = results["machine"]
    threads = ", ".join(f"{name} up to {n} threads" for name, n in results["threads"].items())
    words = (
        f"{machine['cpu']}, {machine['cores']} cores; SIMD features that NumPy uses: "
        f"{', '.join(machine['simd'])}. {versions}."
    )
    words += f" One thread, but {threads}." if threads else " One thread."
    if results["scale"] != 1:
        words += f" Made with {results['scale']:g} of the data: the goals are not for these."
    return f"{words} Measured on {results['date']}."


def time(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{seconds:.1e} s"


def number(value):
    return f"{value:.0f}" if value >= 30 else f"{value:.1f}" if value >= 3 else f"{value:.2f}"


def draw(results, path):
    """Time against samples, with a line for one sort of the scores."""
    from matplotlib.figure import Figure

    # Okabe and Ito's colours, told apart by the colour-blind; and a mark for each besides.
    styles = {
        "sklearn_ap": {"color": "#0072B2", "marker": "o", "linewidth": 2.5},
        "scikit-learn": {"color": "#E69F00", "marker": "s"},
        "torchmetrics": {"color": "#009E73", "marker": "^"},
        "torcheval": {"color": "#CC79A7", "marker": "v"},
        "np.sort": {"color": "0.45", "linestyle": "--", "marker": "x"},
    }
    scaling = results["scaling"]
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    for ax, (share, series) in zip(
        figure.subplots(1, len(scaling), sharey=True, squeeze=False)[0],
        scaling.items(),
        strict=True,
    ):
        for name, style in styles.items():
            seconds = series["seconds"].get(name, [])
            if seconds:
                ax.loglog(series["samples"][: len(seconds)], seconds, label=name, **style)
        ax.set(title=f"{share} positives", xlabel="samples")
        ax.grid(True, which="major", alpha=0.3)
    figure.axes[0].set_ylabel("seconds")
    figure.axes[0].legend()
    figure.savefig(path)
