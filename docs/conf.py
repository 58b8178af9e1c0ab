"""How the site is built: python -m sphinx -n -W --keep-going docs docs/_build/html"""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
import guide
import inventories

project = "sklearn_ap"
author = "sklearn_ap developers"
version = release = installed_version("sklearn_ap")

extensions = [
    "breaks",
    "mathml",
    "myst_nb",
    "notebooks",
    "numpydoc",
    "signatures",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "auto_examples/*.ipynb"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = "sklearn_ap"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],  # not hidden in the menu of a phone
    "navigation_with_keys": False,
    # Examples, wide tables and signatures have the width to themselves.
    "secondary_sidebar_items": {
        "*": ["page-toc"],
        "auto_examples/*": [],
        "generated/*": [],
        "differences": [],
        "index": [],
        "peers": [],
    },
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = dict.fromkeys(
    ("changelog", "contributing", "differences", "getting_started", "index", "peers", "scope"), ()
)

# Text in Markdown, with the anchors that links within the pages name.
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

# A button copies what can be pasted and run: no prompts, no output.
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = (
    "div:not(.highlight-text, .highlight-none, .highlight-myst-ansi) > div.highlight pre"
)

# The reference, from the docstrings. Each page links to the guide and to the examples.
autosummary_context = {"guide": guide.PAGES}
autodoc_mock_imports = ["pyspark"]  # large, and no docstring needs it
autodoc_typehints = "none"  # numpydoc's sections say it in words
numpydoc_show_class_members = False  # the template of classes lists them

# The gallery: each example runs when the site is built, and a failing one fails it.
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "abort_on_example_error": True,
    "backreferences_dir": "auto_examples/uses",
    "doc_module": ("sklearn_ap",),
    "download_all_examples": False,
    "reference_url": {"sklearn_ap": None},
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "within_subsection_order": "reading_order.ReadingOrder",
}

# Other projects: linked where their inventories can be fetched, plain text where not.
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
