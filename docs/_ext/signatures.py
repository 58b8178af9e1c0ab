"""The signatures of classes whose bases are mocked, which would show as (*args, **kwargs)."""

from typing import Any

from sphinx.application import Sphinx
from sphinx.util.inspect import signature, stringify_signature


def of_init(
    app: Sphinx, kind: str, name: str, value: Any, options: Any, shown: str, returned: str
) -> tuple[str, str] | None:
    if kind != "class" or "__init__" not in vars(value) or shown != "(*args, **kwargs)":
        return None
    parameters = signature(value.__init__, bound_method=True)
    return stringify_signature(parameters, show_annotation=False), ""


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-signature", of_init)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
