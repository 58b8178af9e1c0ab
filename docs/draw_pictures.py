"""Draw the pictures of the pages, in one style: python docs/draw_pictures.py

A line "![...](pictures/NAME.svg)" shows what the examples above it have drawn last. So this runs the
examples of each page that has such lines, and saves the pictures. The gallery has the same style.
"""

import doctest
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

DOCS = Path(__file__).parent
STYLE = {
    "axes.edgecolor": "#555555",
    "axes.labelcolor": "#333333",
    "axes.prop_cycle": plt.cycler(color=["#2f6fad", "#c8590d", "#2a8a5a", "#8a4fa3", "#555555"]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "figure.figsize": (5.5, 4),
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
    "savefig.bbox": "tight",
    "text.color": "#333333",
    "xtick.color": "#555555",
    "ytick.color": "#555555",
}


def use_style(gallery_conf=None, file=None):
    """Set the style; also called by Sphinx-Gallery before each example."""
    matplotlib.rcdefaults()
    plt.rcParams |= STYLE


def draw_page(page):
    """Run the examples of a page, and save a picture at each line that shows one."""
    text, names, done = page.read_text(encoding="utf-8"), {"__name__": "page"}, 0
    plt.close("all")
    for shown in re.finditer(r"^!\[[^\]]*\]\((pictures/\w+\.svg)\)", text, re.MULTILINE):
        part = re.sub(r"^ *```.*$", "", text[done : shown.start()], flags=re.MULTILINE)
        with redirect_stdout(StringIO()):
            for example in doctest.DocTestParser().get_examples(part):
                exec(compile(example.source, page.name, "single"), names)
        if not plt.get_fignums():
            continue  # another page draws it
        figure = plt.gcf()
        figure.set_figwidth(min(figure.get_figwidth(), 5.5))  # so that phones show letters
        figure.savefig(DOCS / shown[1], metadata={"Date": None})
        plt.close("all")
        print(shown[1])
        done = shown.end()


if __name__ == "__main__":
    matplotlib.use("svg")
    use_style()
    plt.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "sklearn_ap"}
    (DOCS / "pictures").mkdir(exist_ok=True)
    for page in sorted(DOCS.glob("*.md")):
        draw_page(page)
