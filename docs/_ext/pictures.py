"""Pictures and their thumbnails: vector graphics without a ground of their own."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import matplotlib_scraper

from sklearn_ap._show.figures import COLORS

PICTURE = re.compile(r'<img (?![^>]*sd-card-img)[^>]*src="[^">]*_images/[^">]*\.svg"[^>]*>')
# Pictures have no ground, the colors of displays, and a width that phones can show.
STYLE: dict[str, Any] = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none"),
    "axes.prop_cycle": f"cycler(color={[*COLORS[:8]]})",
    "figure.figsize": (4.4, 3.6),
}
thumbnails: dict[Path, bytes] = {}


def set_style(gallery: dict[str, Any], example: str) -> None:
    matplotlib.rcParams.update(STYLE)


def scrape(block: Any, variables: dict[str, Any], gallery: dict[str, Any]) -> str:
    import matplotlib.pyplot as plt

    paths = variables["image_path_iterator"]
    figures = [plt.figure(number) for number in plt.get_fignums()]
    if figures and not len(paths):
        picture = Path(paths.image_path)
        name = picture.name.replace("_{0:03}.png", "_thumb.svg")
        thumbnail = picture.parent / "thumb" / name
    else:
        thumbnail = None
    rst: str = matplotlib_scraper(block, variables, gallery, format="svg", bbox_inches="tight")
    if thumbnail:
        thumbnails[thumbnail] = without_words(figures[0])
    return rst


def without_words(figure: Figure) -> bytes:
    """A small picture of what is drawn, whose words nobody could read."""
    for ax in figure.axes:
        for words in (*ax.texts, *filter(None, [ax.get_legend()])):
            words.remove()
        for place in ("left", "center", "right"):
            ax.set_title("", loc=place)
        ax.set(xlabel="", ylabel="", aspect="auto")
        ax.tick_params(which="both", length=0, labelbottom=False, labelleft=False)
    figure.legends.clear()
    figure.suptitle("")
    figure.set_layout_engine("constrained")
    figure.set_size_inches(3.6, 2.2)
    file = BytesIO()
    figure.savefig(file, format="svg")
    return file.getvalue()


def save_thumbnails(app: Sphinx) -> None:
    """Over those of the gallery, which are the whole picture and too small to read."""
    for path, picture in thumbnails.items():
        path.write_bytes(picture)


def frame(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put each picture into a frame, in which it scrolls on phones if it is wide.

    The theme lets keyboards reach what scrolls as its tables do.
    """
    if "body" in context:
        classes = "picture pst-scrollable-table-container"
        context["body"] = PICTURE.sub(rf'<span class="{classes}">\g<0></span>', context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", frame)
    app.connect("builder-inited", save_thumbnails, priority=900)  # behind the gallery
    return {"parallel_read_safe": True, "parallel_write_safe": True}
