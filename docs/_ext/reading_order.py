"""The gallery by task. New examples come last."""

import re

from sphinx.application import Sphinx

TASKS = {
    "Understand the definitions": (
        "plot_geese_and_planes.py",
        "plot_linear_interpolation.py",
        "plot_interpolated.py",
        "plot_eleven_points.py",
        "plot_denominators.py",
    ),
    "Evaluate rankings": (
        "plot_hit_curves.py",
        "plot_thresholds.py",
        "plot_classes.py",
        "plot_groups.py",
        "plot_search_engine.py",
        "plot_outliers.py",
    ),
    "Train and select models": (
        "plot_grid_search.py",
        "plot_early_stopping.py",
    ),
    "Compare models": (
        "plot_is_b_better.py",
        "plot_units.py",
    ),
}
ORDER = [name for names in TASKS.values() for name in names]
RAW = ".. raw:: html\n\n"
OPEN, CLOSE = '    <div class="sphx-glr-thumbnails">', "    </div>"
THUMBNAIL = re.compile(
    r"\.\. raw:: html\n\n +<div class=\"sphx-glr-thumbcontainer\"(?:.(?!\.\. raw))*?/(plot_\w+)`",
    re.S,
)


class ReadingOrder:
    def __init__(self, folder: str) -> None:
        pass

    def __call__(self, name: str) -> int:
        return (*ORDER, name).index(name)


def add_headings(app: Sphinx, page: str, source: list[str]) -> None:
    """Above the first thumbnail of each task."""
    if page == "auto_examples/index":
        firsts = {names[0]: task for task, names in TASKS.items()}

        def with_heading(found: re.Match[str]) -> str:
            if not (task := firsts.get(f"{found[1]}.py")):
                return found[0]
            heading = f"{task}\n{'-' * len(task)}"
            return f"{RAW}{CLOSE}\n\n{heading}\n\n{RAW}{OPEN}\n\n{found[0]}"

        source[0] = THUMBNAIL.sub(with_heading, source[0].replace(OPEN, "    <div>", 1))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_headings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
