"""Turn results into the tables of docs/speed.md and results.md, and into a picture."""

import re
import textwrap
from dataclasses import dataclass
from statistics import median

from .races import CALLED, RACES, SECTIONS, SKLEARN, SORT
from .sides import OURS, Race

REAL, PLAIN = "Common forms of input", "NumPy arrays"
LAPTOP = "AVX2"  # what NumPy sorts with on most laptops


def found(results):
    """Map each race and size to its result."""
    return {(result["work"], result["size"]): result for result in results["races"]}


def ratios(results, section=None, rival=SKLEARN):
    """Return the speed-ups over a rival, each with work and size, lowest first."""
    races = SECTIONS[section] if section else RACES
    by_key = found(results)
    return sorted(
        (ratio, race.work, size)
        for race in races
        for size in race.sizes
        if (ratio := _ratio(by_key.get((race.work, size)), rival)) is not None
    )


def _ratio(result, other):
    ratio = (result or {}).get("ratios", {}).get(other)
    return ratio and ratio["of_medians"]


@dataclass(frozen=True)
class Judged:
    """A goal, and what was measured."""

    race: Race
    size: int
    against: str
    floor: float | None
    aim: float | None
    measured: float
    marks: str

    @property
    def kind(self):
        return "of the time of" if self.race.is_yardstick(self.against) else "times as fast as"

    def __str__(self):
        limit = "at most" if self.race.is_yardstick(self.against) else "at least"
        marks = {limit: self.floor, "aim": self.aim}
        return ", ".join(f"{words} {mark}" for words, mark in marks.items() if mark is not None)


def judged(results):
    """Yield each goal, with what was measured."""
    by_key = found(results)
    for race in RACES:
        for size in race.sizes:
            for other in race.against:
                ratio, goal = _ratio(by_key.get((race.work, size)), other), race.goal(other, size)
                if ratio and goal:
                    measured = 1 / ratio if race.is_yardstick(other) else ratio
                    marks = verdict(measured, goal.floor, goal.aim, race.is_yardstick(other))
                    if marks:
                        yield Judged(race, size, other, goal.floor, goal.aim, measured, marks)


def verdict(measured, floor, aim, at_most=False):
    """Say which of the two marks is reached; "" if neither was set."""

    def reached(mark):
        return mark is not None and (measured <= mark if at_most else measured >= mark)

    if floor is not None and not reached(floor):
        return "no"
    if reached(aim):
        return "aim"
    return "yes" if floor is not None else "" if aim is None else "not yet"


# The parts of docs/speed.md and results.md


def lead(results):
    """Show ten tasks that need no explanation, compared with what you would use otherwise."""
    by_kind = _kinds(results)
    lines = [
        f"| task | {' | '.join(by_kind)} | compared with | its time | sklearn_ap |",
        f"|---|{'---|' * len(by_kind)}---|---|---|",
    ]
    for race in RACES:
        if race.lead and (timed := _largest_timed(results, race)):
            theirs, ratio = timed
            each = [_largest_timed({"races": had}, race)[1] for had in by_kind.values()]
            speed_ups = " | ".join(f"**{number(one)}x**" for one in each)
            lines.append(
                f"| {race.lead} | {speed_ups} | {race.lead_rival or SKLEARN} |"
                f" {_unbroken(theirs)} | {_unbroken(theirs / ratio)} |"
            )
    return "\n".join(lines)


def _kinds(results):
    """Return the races by what NumPy can sort with; if only one was timed, that of a laptop."""
    others = results.get("kinds", {LAPTOP: None})
    return {kind: had or results["races"] for kind, had in others.items()}


def kinds(results):
    """Show the range of speed-ups over scikit-learn on each kind of machine."""
    of_arrays = [race.work for race in SECTIONS[PLAIN]]
    lines = [
        f"| sorted with | {' | '.join(of_arrays)} | other forms of input | median of these |",
        f"|---|{'---|' * len(of_arrays)}---|---|",
    ]
    for kind, had in _kinds(results).items():
        timed = {"races": had}
        spans = " | ".join(_span_of(timed, work) for work in of_arrays)
        real = ratios(timed, REAL)
        lines.append(f"| {kind} | {spans} | {span(real)} | {_median(real)} |")
    return "\n".join(lines)


def _span_of(results, work):
    """Format the range of speed-ups over scikit-learn of one task, over all sizes."""
    return span([place for place in ratios(results, PLAIN) if place[1] == work])


def _median(places):
    return number(median(ratio for ratio, *_ in places))


def _unbroken(seconds):
    """Format a time so that it stays on one line in a narrow column."""
    return time(seconds).replace(" ", "\N{NO-BREAK SPACE}")


def _largest_timed(results, race):
    """Return the time of the other side and our speed-up, at the largest size with both."""
    other = race.lead_rival or SKLEARN
    for size in reversed(race.sizes):
        result = found(results).get((race.work, size))
        if ratio := _ratio(result, other):
            return result["seconds"][other]["median"], ratio
    return None


def summary(results):
    """Summarize how much faster than scikit-learn it is, and how much less memory it takes."""
    every = ratios(results)
    faster = sum(ratio > 1 for ratio, *_ in every)
    shares = sorted(row[OURS] / row[SKLEARN] for row in results["memory"])
    size = max(size for _, _, size in every)
    words = (
        f"This package is faster than scikit-learn in {faster} of {len(every)} comparisons. For"
        f" {size:,} samples, its peak memory is {shares[0]:.0%} to {shares[-1]:.0%} of"
        " scikit-learn's, not counting the input."
    )
    return textwrap.fill(words, 120, break_on_hyphens=False)


def slower(results):
    """Show where another tool is faster."""
    lines = [
        "| task | rows | sklearn_ap | the faster tool | its time |",
        "|---|---|---|---|---|",
    ]
    for race in RACES:
        for size in race.sizes:
            result = found(results).get((race.work, size))
            for other in race.against:
                ratio = _ratio(result, other)
                if ratio and ratio < 1 and not race.is_yardstick(other):
                    theirs = result["seconds"][other]["median"]
                    lines.append(
                        f"| {race.work} | {size:,} | {_unbroken(theirs / ratio)} | {other} |"
                        f" {_unbroken(theirs)} |"
                    )
    return "\n".join(lines) if len(lines) > 2 else "No tool that was timed is faster."


# The parts of benchmarks/results.md


def goals(results):
    """Count the marks that are reached."""
    marked = [goal for goal in judged(results) if goal.floor is not None]
    missed = [goal for goal in marked if goal.marks == "no"]
    works = "; ".join(dict.fromkeys(goal.race.work for goal in missed))
    words = f"Missed at one size or more: {works}." if missed else "None is missed."
    return f"{len(marked) - len(missed)} of {len(marked)} marks are reached. {words}"


def tables(results):
    """Show all timings, by section."""
    return "\n\n".join(f"### {title}\n\n{section_table(title, results)}" for title in SECTIONS)


def section_table(title, results):
    """Show our times, with a line below for each side that they are compared with."""
    sizes = sorted({size for race in SECTIONS[title] for size in race.sizes})
    return _table(SECTIONS[title], sizes, results)


def race_table(race, results):
    return _table([race], race.sizes, results)


def _table(races, sizes, results):
    lines = [
        f"| work | against | {' | '.join(f'{size:,}' for size in sizes)} |",
        f"|---|---|{'---|' * len(sizes)}",
    ]
    for race in races:
        by_size = [found(results).get((race.work, size)) for size in sizes]
        if any(by_size):
            ours = [_our_time(result) for result in by_size]
            lines.append(f"| **{race.work}** | | {' | '.join(ours)} |")
            for other in race.against:
                cells = [
                    _cell(race, size, result, other)
                    for size, result in zip(sizes, by_size, strict=True)
                ]
                lines.append(f"| | {other} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _our_time(result):
    if result is None:
        return ""
    if not result["seconds"]:
        return f"skipped: needs {result['missing'][OURS]}"
    return time(result["seconds"][OURS]["median"])


def _cell(race, size, result, other):
    if result is None or OURS in result["missing"]:
        return ""
    if other in result["missing"]:
        return f"skipped: needs {result['missing'][other]}"
    if other in result["disagree"]:
        theirs, ours = result["disagree"][other]
        return f"not timed: returns {theirs:.6f}, not {ours:.6f}"
    ratio = _ratio(result, other)
    if ratio is None:
        return ""
    yardstick, goal = race.is_yardstick(other), race.goal(other, size)
    measured = 1 / ratio if yardstick else ratio
    words = f"{number(measured)} of it" if yardstick else f"{number(measured)}x"
    return f"{words}{_mark(measured, goal.floor, goal.aim, yardstick)}" if goal else words


def _mark(measured, floor, aim, at_most, show=str):
    marks = verdict(measured, floor, aim, at_most)
    return {"no": f", **no: {show(floor)}**", "yes": ", yes", "aim": ", aim"}.get(marks, "")


def growth(results):
    """Show times in units of one sort, from few samples to many."""
    races = SECTIONS[PLAIN]
    lines = [
        f"| samples | {' | '.join(race.work for race in races)} | one np.sort |",
        f"|---|{'---|' * len(races)}---|",
    ]
    for size in races[0].sizes:
        rows = [found(results).get((race.work, size)) for race in races]
        if all(rows):
            cells = [
                f"{time(row['seconds'][OURS]['median'])}, {number(1 / _ratio(row, SORT))} sorts"
                for row in rows
            ]
            sort = time(rows[0]["seconds"][SORT]["median"])
            lines.append(f"| {size:,} | {' | '.join(cells)} | {sort} |")
    return "\n".join(lines)


def resources(results):
    """Show memory, import time and calls."""
    lines = ["| what | sklearn_ap | scikit-learn | at most | aim |", "|---|---|---|---|---|"]
    for row in results["memory"]:
        share = row[OURS] / row[SKLEARN]
        mark = _mark(share, 0.5, 0.25, True, "{:.0%}".format)
        lines.append(
            f"| peak memory beyond the input, {row['name']} | {row[OURS] / 1e6:.0f} MB,"
            f" {share:.0%}{mark} | {row[SKLEARN] / 1e6:.0f} MB | 50% | 25% |"
        )
    seconds = results["import"]["median"]
    mark = _mark(seconds, 0.03, 0.01, True, time)
    lines.append(
        f"| import, after scikit-learn's metrics | {time(seconds)}{mark} | | 30 ms | 10 ms |"
    )
    for name, count in results["calls"].items():
        _, most = CALLED[name]
        mark = _mark(count, most, None, True, "{:,}".format)
        lines.append(f"| calls within the package, {name} | {count:,}{mark} | | {most:,} | |")
    return "\n".join(lines)


def limits(results):
    """List the marks that are not reached, with the reason if an entry gives one."""
    missed = {}
    for goal in judged(results):
        if goal.marks == "no" or (goal.marks != "aim" and goal.aim is not None):
            key = f"**{goal.race.work}**, {goal.kind} {goal.against}", goal.race.limit
            missed.setdefault(key, []).append(f"{number(goal.measured)} at {goal.size:,} ({goal})")
    lines = [
        f"- {title}: {', '.join(rows)}. {why}".rstrip() for (title, why), rows in missed.items()
    ]
    return "\n".join(lines) or "All marks are reached."


def setting(results):
    """Show the machine and the versions."""
    machine, versions = results["machine"], dict(results["versions"])
    threads = ", ".join(f"{name} up to {n}" for name, n in results["threads"].items() if n > 1)
    rows = {
        "date": results["date"],
        "processor": f"{machine['cpu']}, {machine['cores']} cores",
        "threads": f"one; {threads}" if threads else "one",
        **{name: versions.pop(name) for name in ("sklearn_ap", "numpy", "scikit-learn", "scipy")},
        "other tools": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }
    missing = {name for result in results["races"] for name in result["missing"].values()}
    if missing:
        rows["not installed, and so skipped"] = ", ".join(sorted(missing))
    if results["scale"] != 1:
        rows["size"] = f"{results['scale']:g} of the data: the goals are not for these"
    lines = ["| measured with | |", "|---|---|"]
    return "\n".join([*lines, *(f"| {what} | {value} |" for what, value in rows.items())])


PARTS = {
    part.__name__: part
    for part in (
        lead,
        kinds,
        summary,
        slower,
        setting,
        goals,
        tables,
        growth,
        resources,
        limits,
    )
}
PLACE = re.compile(r"(<!-- begin: (\w+) -->\n).*?(<!-- end: \2 -->)", re.S)


def fill(page, results):
    """Return the page, with the parts between its comments rewritten from the results."""
    page, n_places = PLACE.subn(
        lambda place: f"{place[1]}{PARTS[place[2]](results)}\n{place[3]}", page
    )
    if not n_places:
        raise ValueError("the page has no place for any part of the report")
    return page


def span(places):
    """Format the range from the lowest ratio to the highest."""
    return f"{number(places[0][0])} to {number(places[-1][0])}"


def time(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{seconds:.1e} s"


def number(value):
    return f"{value:,.0f}" if value >= 30 else f"{value:.1f}" if value >= 3 else f"{value:.2f}"


def draw(results, path):
    """Draw the speed-ups over scikit-learn with common forms of input."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from sklearn_ap._show.figures import COLORS

    places = ratios(results, REAL)
    works = [
        race.work for race in SECTIONS[REAL] if any(race.work == work for _, work, _ in places)
    ]
    figure = Figure(figsize=(4.5, 0.25 * len(works) + 1), layout="constrained")
    ax = figure.subplots()
    for size, color, marker in zip((1000, 10**5, 10**6), COLORS[:3], "os^", strict=True):
        at_size = [(ratio, works.index(work)) for ratio, work, n in places if n == size]
        if at_size:
            ax.plot(*zip(*at_size, strict=True), marker, color=color, label=f"{size:,} rows")
    ax.axvline(1, color="0.5", linewidth=1)
    ax.set(xscale="log", xlabel="times as fast as scikit-learn")
    ax.set_yticks(range(len(works)), [textwrap.fill(work, 30) for work in works])
    ticks = [mark for mark in (1, 3, 10, 30, 100, 300) if mark <= 2 * places[-1][0]]
    ax.set_xticks(ticks, [f"{mark}" for mark in ticks])
    ax.minorticks_off()
    ax.tick_params(labelsize=8.5)  # points, which phones show in 9 pixels
    ax.invert_yaxis()
    ax.grid(alpha=0.3)
    ax.patch.set_alpha(0)
    figure.patch.set_alpha(0)
    figure.legend(loc="outside upper left", ncols=3, frameon=False, fontsize=8.5)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "speed"}):  # a third of the size
        figure.savefig(path, metadata={"Date": None})
