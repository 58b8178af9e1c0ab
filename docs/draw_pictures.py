"""Draw the pictures of the pages, in one style: python docs/draw_pictures.py [--check]

A line "![...](pictures/NAME.svg)" shows what the examples above it have drawn last. So this runs the
examples of each page that has such lines, and saves the pictures. The gallery has the same style.
With --check, nothing is saved. It fails if a saved picture has other texts, such as numbers at axes,
than the one drawn now. Lines aren't compared, because they depend on the release of Matplotlib.
"""

import doctest
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from draw_definitions import draw_definitions
from draw_promise import draw_promise
from draw_rankings import draw_averages, draw_options, draw_ties

DOCS = Path(__file__).parent
INK = "#767676"  # seen on white and on black, as are the colors of lines
STYLE = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.prop_cycle": plt.cycler(color=["#3b78b5", "#c8590d", "#2a8a5a", "#8a4fa3", INK]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "figure.figsize": (5, 3.7),
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
    "savefig.bbox": "tight",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}

EXAMPLES = [  # of the gallery, from easy to hard
    *("geese_and_planes", "linear_interpolation", "is_b_better", "thresholds", "gains", "denominators"),
    *("detectors", "grid_search", "units"),
]


def place_example(file):
    """Return the place of an example in the gallery; called by Sphinx-Gallery."""
    return EXAMPLES.index(Path(file).stem.removeprefix("plot_"))


def use_style(gallery_conf=None, file=None):
    """Set the style; also called by Sphinx-Gallery before each example."""
    matplotlib.rcdefaults()
    plt.rcParams |= STYLE
    if gallery_conf:
        plt.rcParams["figure.figsize"] = (4.2, 3.2)  # so that letters are read in thumbnails


def draw_page(page):
    """Run the examples of a page, and return the picture for each line that shows one."""
    text, names, done, pictures = page.read_text(encoding="utf-8"), {"__name__": "page"}, 0, {}
    plt.close("all")
    for shown in re.finditer(r"^!\[[^\]]*\]\((pictures/\w+\.svg)\)", text, re.MULTILINE):
        part = re.sub(r"^ *```.*$", "", text[done : shown.start()], flags=re.MULTILINE)
        with redirect_stdout(StringIO()):
            for example in doctest.DocTestParser().get_examples(part):
                exec(compile(example.source, page.name, "single"), names)
        if not plt.get_fignums():
            continue  # another page draws it
        figure = plt.gcf()
        figure.set_figwidth(min(figure.get_figwidth(), 5.8))  # so that phones show letters
        pictures[shown[1]] = write_svg(figure)
        done = shown.end()
    return pictures


def write_svg(figure):
    """Return a picture without a background, which would be a white card on dark pages."""
    for part in (figure, *figure.axes):
        part.patch.set_alpha(0)
    file = StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "sklearn_ap"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close("all")
    return file.getvalue()


def read_texts(svg):
    return re.findall(r">([^<>\n]+)</t(?:ext|span)>", svg)


if __name__ == "__main__":
    matplotlib.use("svg")
    pictures = {"definitions.svg": write_svg(draw_definitions())}
    for draw in (draw_options, draw_ties, draw_averages, draw_promise):
        pictures[f"pictures/{draw.__name__.removeprefix('draw_')}.svg"] = write_svg(draw())
    use_style()
    for page in sorted(DOCS.glob("*.md")):
        pictures |= draw_page(page)
    if "--check" in sys.argv:
        old = [
            name
            for name, svg in pictures.items()
            if read_texts(svg) != read_texts((DOCS / name).read_text(encoding="utf-8"))
        ]
        sys.exit(f"Run python docs/draw_pictures.py: {', '.join(old)} changed." if old else 0)
    for name, svg in pictures.items():
        (DOCS / name).write_text(svg, encoding="utf-8")
