"""How the site is built: python -m sphinx -n -W --keep-going docs docs/_build/html"""

import os
import re
import sys
import tomllib
from html import escape
from importlib.metadata import version as installed_version
from pathlib import Path
from textwrap import shorten

from docutils import nodes

os.environ.setdefault("OMP_NUM_THREADS", "1")  # examples wait for each other's threads otherwise
sys.path.insert(0, str(Path(__file__).parent))  # where draw_pictures is

project = "sklearn_ap"
author = "The sklearn_ap developers"
version = release = installed_version("sklearn_ap")
pyproject = tomllib.loads(
    Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
)
address = pyproject["project"]["urls"]["Repository"]  # a placeholder, as long as it isn't known

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "pictures/README.md", "auto_examples/*.ipynb"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "sklearn_ap"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "logo": {
        "image_light": "_static/wordmark.svg",
        "image_dark": "_static/wordmark_dark.svg",
        "text": version,
    },
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "navbar_persistent": ["search-button-field"],
}
if address.startswith("https://"):
    html_theme_options["icon_links"] = [
        {"name": "Repository", "url": address, "icon": "fa-brands fa-git-alt"}
    ]
html_context = {"default_mode": "auto"}
html_js_files = ["site.js"]
toc_object_entries_show_parents = "hide"
html_sidebars = dict.fromkeys(("changelog", "contributing", "index"), ())

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"  # copies code, without prompts and outputs

autodoc_mock_imports = ["pyspark"]
autodoc_typehints = "none"  # docstrings say the types
numpydoc_show_class_members = False
nitpick_ignore_regex = [("py:.*", r"(sklearn|numpy|python|matplotlib)\..*")]  # other sites' pages

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "abort_on_example_error": True,
    "backreferences_dir": "auto_examples/uses",
    "doc_module": ("sklearn_ap",),
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "reference_url": {"sklearn_ap": None},
    "reset_modules": ("draw_pictures.use_style",),
    "show_memory": False,
    "thumbnail_size": (600, 480),
    "within_subsection_order": "draw_pictures.place_example",
}


# Scripts of single pages
page_scripts = {"definitions": "ranking.js", "index": "ranking.js", "search": "search.js"}


def add_script(app, pagename, templatename, context, doctree):
    if pagename in page_scripts:
        app.add_js_file(page_scripts[pagename], loading_method="defer")


def describe_page(app, pagename, templatename, context, doctree):
    """Tell search engines and link previews what a page is about: its title and first paragraph."""
    paragraphs = [] if doctree is None else doctree.findall(nodes.paragraph)
    first = next((each.astext() for each in paragraphs), pyproject["project"]["description"])
    about = escape(shorten(first, 200, placeholder="..."))
    title = escape(re.sub("<[^>]*>", "", context.get("title", "")) or project)
    context["metatags"] = context.get("metatags", "") + f"""
    <meta name="description" content="{about}">
    <meta property="og:title" content="{title}">
    <meta property="og:description" content="{about}">"""


def drop_back_links(app, pagename, templatename, context, doctree):
    """Drop links from source to reference: Sphinx looks for results in sklearn_ap, so some are dead."""
    if pagename.startswith("_modules/"):
        context["body"] = re.sub('<a class="viewcode-back".*?</a>', "", context["body"])


def setup(app):
    app.connect("html-page-context", drop_back_links)
    app.connect("html-page-context", add_script)
    app.connect("html-page-context", describe_page)
    return {"parallel_read_safe": True}
