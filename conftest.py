"""The pages are doctests: python -m pytest --doctest-glob='*.md' README.md docs"""

import doctest
import re
from importlib.util import find_spec

# Pages and modules are left out if a library that they show isn't installed.
NEEDED = {
    "docs/boosting.md": ("lightgbm", "xgboost"),
    "docs/detection.md": ("pandas", "pycocotools"),
    "docs/large_data.md": ("pandas", "polars"),
    "sklearn_ap/readers.py": ("pandas", "pycocotools"),
    "sklearn_ap/spark.py": ("pyspark",),
}
collect_ignore = [file for file, needed in NEEDED.items() if not all(map(find_spec, needed))]
collect_ignore_glob = ["docs/*.py", "tests/tools/*.py"]  # scripts, also in folders below

parse_doctest = doctest.DocTestParser.parse


def parse_page(self, string, name="<string>"):
    """Let the fence below a block of code end its output. In plain doctests, an empty line does."""
    without_fences = re.sub(r"^ *```.*$", "", string, flags=re.MULTILINE)
    return parse_doctest(self, without_fences, name)


doctest.DocTestParser.parse = parse_page
