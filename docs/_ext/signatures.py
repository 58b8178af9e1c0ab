"""Signatures: none for results, which only functions make; those of mocked base classes; and labels
and scores without a default, because they can be left out only for tables of the readers.
"""

import re
from inspect import isclass
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import signature, stringify_signature

from sklearn_ap._show.results import Result
from sklearn_ap.compat import Explanation, Identification

ONLY_FOR_READERS = re.compile(r"\b(y_true|y_score|y_score_a)=None")
RESULTS = (Result, Explanation, Identification)


def shown(
    app: Sphinx, kind: str, name: str, value: Any, options: Any, given: str, returned: str
) -> tuple[str, str] | None:
    if isclass(value) and issubclass(value, RESULTS):
        return "", ""
    # A class with a mocked base would show as (*args, **kwargs).
    if kind != "class" or "__init__" not in vars(value) or given != "(*args, **kwargs)":
        return given and ONLY_FOR_READERS.sub(r"\1", given), returned
    parameters = signature(value.__init__, bound_method=True)
    return stringify_signature(parameters, show_annotation=False), ""


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-signature", shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
