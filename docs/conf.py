"""How the site is built: python -m sphinx -n -W --keep-going docs docs/_build/html"""

import os
import sys
import tomllib
from importlib.metadata import version as installed_version
from pathlib import Path

from pygments.lexers.special import TextLexer

# As in conftest.py: pages with gradient boosting take minutes with more threads than idle cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
sys.path.insert(0, str(Path(__file__).parent))
import _cheat_sheet
import guide
import inventories

project = "sklearn_ap"
author = "The sklearn_ap developers"
version = release = installed_version("sklearn_ap")
pyproject = Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
described = tomllib.loads(pyproject)["project"]
urls, llms_pitch = described["urls"], described["description"]

extensions = [
    "breaks",
    "crumbs",
    "descriptions",
    "emails",
    "formulas",
    "llms",
    "mathml",
    "moved",
    "myst_nb",
    "notebooks",
    "numpydoc",
    "pictures",
    "reading_order",
    "reference",
    "search_words",
    "signatures",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "auto_examples/*.ipynb"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "sklearn_ap"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
_cheat_sheet.write(Path(__file__).parent / "_build" / "beside")
html_extra_path = ["_build/beside"]  # cheat_sheet.pdf and cheat_sheet.svg
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_baseurl = urls.get("Documentation", "")
html_theme_options = {
    "logo": {
        "alt_text": "sklearn_ap",
        "image_dark": "_static/wordmark_dark.svg",
        "image_light": "_static/wordmark.svg",
        "text": version,
    },
    "icon_links": [
        {"name": "Repository", "url": url, "icon": "fa-solid fa-code-branch"}
        for url in (urls.get("Repository"),)
        if url
    ],
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "navbar_persistent": ["search-button-field"],  # outside the menu, also on phones
    "navigation_with_keys": False,
    "show_nav_level": 0,  # menus are closed, but for the open one and the first (_ext/crumbs.py)
    # Pages with examples, wide tables or long signatures use the whole width.
    "secondary_sidebar_items": {
        "*": ["page-toc"],
        "auto_examples/*": [],
        "generated/*": ["page-toc"],  # which "*" doesn't mean
        "choose_metric": [],
        "differences": [],
        "glossary": [],
        "index": [],
        "peers": [],
        "replace_names": [],
    },
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = dict.fromkeys(("changelog", "contributing", "index"), ())

# Pages are Markdown, and links can point to their headings.
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

# Pages marked as executed run when the site is built, see _ext/notebooks.py. An error or a warning
# in one of their cells fails the build.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_output_stderr = "warn"

# The copy button leaves out prompts and output.
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = (
    "div:not(.highlight-text, .highlight-none, .highlight-myst-ansi) > div.highlight pre"
)

# The reference comes from the docstrings. Each page links to the guide and to the examples.
autosummary_context = {"guide": guide.PAGES}
autodoc_mock_imports = ["pyspark"]  # large, and not needed for the docstrings
autodoc_typehints = "none"  # the docstrings describe the types
numpydoc_show_class_members = False  # the templates list them

# The examples of the gallery run when the site is built. If one fails, so does the build.
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "abort_on_example_error": True,
    "backreferences_dir": "auto_examples/uses",
    "image_scrapers": ("pictures.scrape",),
    "reset_modules": ("matplotlib", "pictures.set_style"),
    "doc_module": ("sklearn_ap",),
    "download_all_examples": False,
    "min_reported_time": 60,
    "reference_url": {"sklearn_ap": None},
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "within_subsection_order": "reading_order.ReadingOrder",
}

# Links to other projects. If an inventory can't be fetched, their names are plain text.
intersphinx_mapping, missing = inventories.fetch(
    {
        "matplotlib": "https://matplotlib.org/stable/",
        "numpy": "https://numpy.org/doc/stable/",
        "python": "https://docs.python.org/3/",
        "sklearn": "https://scikit-learn.org/stable/",
    },
    folder=Path(__file__).parent / "_build" / "inventories",
)
nitpick_ignore_regex = [("py:.*", rf"{name}\..*") for name in missing]


def setup(app):
    for name in {"Repository", "Documentation"} - urls.keys():
        print(f"MISSING: {name} in [project.urls] of pyproject.toml")
    app.add_lexer("csv", TextLexer)  # which Pygments doesn't know
