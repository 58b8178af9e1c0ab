"""Write the shared parameters of public functions into them: python docs/_write/parameters.py

`sklearn_ap._inputs.records.Inputs` declares and describes what a caller says about the data. Public
functions spell these parameters out, so that type checkers see them, and `Inputs.of_call` takes
them from the call.
This script keeps their order, annotations and defaults in the signatures equal. Docstrings have the
type and the first sentence of each description, and may add the sentences below. "As in
:func:`compare`." is replaced by the type and the first sentence that this function has for the
parameter.
"""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import Any

import sklearn_ap
from sklearn_ap._inputs import records as inputs

PACKAGE = Path(inputs.__file__).parents[1]
WRITTEN = "  # written by docs/_write/parameters.py"  # above what is written into the source
SHARED = (*(name for name in inputs.SHARED if name not in ("y_true", "y_score")), "data")
WIDTH = 100

_NO_WEIGHTS = (
    "This metric looks for the first positive, so you can only weight rows, with average='samples'."
)
_ANY_POSITIVE = "If positives exist but none was retrieved, the value is 0."
_OF_MODELS = "Or a mapping from models to tables of :mod:`sklearn_ap.readers`."
_UNITS = "The groups are the sampling units, unless you pass `clusters` too."
_BY_CLUSTER = (
    "With `clusters`, it can also be a mapping from clusters, or with `groups` from pairs (group, "
    "cluster)."
)
_NO_CLASS = "Unless it is nan, a class without positives raises an error."
_ROWS = "With 'samples', the rows are the sampling units."
_NOT_NONE = "None is refused here."
_METRIC: Mapping[str, str] = {}
_INTERVAL = {
    "average": f"{_ROWS} {_NOT_NONE}",
    "zero_division": _NO_CLASS,
    "n_positives": _BY_CLUSTER,
    "groups": _UNITS,
}
_DIFFICULT = 'Use 0 for the "difficult" objects of VOC.'
_GRADES = {
    "n_positives": (
        "For labels 0 and 1, counts are enough. Higher grades need counts by grade, as in "
        "{'q1': {0: 12, 1: 3, 2: 1}}, which count the judged documents, found or not."
    ),
    "sample_weight": "Only the rows of a matrix, which are rankings, can have weights.",
}
_MISSED_LEVELS = "A recall that is never reached has a precision of 0."
_OWN_CURVE = "The curve of a group that is only in `n_positives` has no thresholds."
_PICTURE = (
    "Each group gets a curve and its value in the legend, and a thick line is the mean curve. More "
    "than 10 groups are thin gray lines. With several models or definitions, only means are drawn."
)
_ON_FOLDS = (
    "A group in several folds has a curve in each fold, and counts with the mean of these curves."
)
_UNDEFINED_CURVE = "With nan, the mean curve leaves out the group, too."
_OF_CLASSIFIER = (
    "It is never guessed from the classes. With `min_grade`, the positive class is the larger of "
    "the two. For an outlier detector, it names the side that is ranked first: of labels -1 and 1, "
    "-1 are the outliers, and of 0 and 1, 1 are."
)
_WITH_LEVEL = "They matter only with `confidence_level`, which takes either groups or clusters."
_AREAS = {
    "zero_division": _UNDEFINED_CURVE,
    "n_positives": "The curve ends at the highest recall that is reached.",
    "groups": _PICTURE,
    "clusters": _WITH_LEVEL,
}

# What functions add to the shared descriptions. Metrics add at least `_METRIC`.
BESIDES: dict[str, Mapping[str, str]] = {
    **{name: _METRIC for name in sklearn_ap.__all__ if name.endswith("_score")},
    "interpolated_average_precision_score": {
        **_METRIC,
        "sample_weight": _DIFFICULT,
        "n_positives": _MISSED_LEVELS,
    },
    "eleven_point_average_precision_score": {
        **_METRIC,
        "sample_weight": _DIFFICULT,
        "n_positives": _MISSED_LEVELS,
    },
    "average_precision_at_k_score": {
        **_METRIC,
        "average": "'samples' is MAP@k if each row is a query.",
        "n_positives": "This count is R.",
    },
    "precision_at_k_score": {
        **_METRIC,
        "n_positives": "It only affects weighted means, and can add groups.",
    },
    "recall_at_k_score": {**_METRIC, "n_positives": "This count is R."},
    "enrichment_factor_score": {
        **_METRIC,
        "zero_division": "Random rankings have a mean enrichment factor of 1.",
        "n_positives": "This count is R, while n is still the number of samples.",
    },
    "r_precision_score": {**_METRIC, "n_positives": "This count is R."},
    "reciprocal_rank_score": {
        **_METRIC,
        "sample_weight": _NO_WEIGHTS,
        "n_positives": _ANY_POSITIVE,
    },
    "hit_rate_at_k_score": {
        **_METRIC,
        "sample_weight": _NO_WEIGHTS,
        "n_positives": _ANY_POSITIVE,
    },
    "ndcg_score": _GRADES,
    "trapezoidal_average_precision_score": _METRIC,
    "mean_average_precision_score": {
        "groups": "This metric requires them.",
    },
    "interpolated_precision_recall_curve": {
        "n_positives": "The recalls are fractions of this count.",
        "groups": _OWN_CURVE,
    },
    "hit_curve": {
        "n_positives": "It has no effect with fraction_of='samples', but can add groups.",
        "groups": _OWN_CURVE,
    },
    "operating_point": {
        "sample_weight": ("Precision and recall are then fractions of weight."),
        "n_positives": (
            "With weights, pass their total weight. With `groups`, a single number is the total of "
            "all groups."
        ),
        "groups": ("The threshold, recall and precision are for all groups together."),
        "clusters": ("They matter only with `confidence_level`."),
    },
    "OperatingPoint.check": {},
    "confidence_interval": _INTERVAL,
    "compare": {"data": _OF_MODELS},
    "report": {
        "average": f"{_ROWS} With None, each class has its own rows.",
        "n_positives": "With `by`, pass a mapping.",
        "data": _OF_MODELS,
    },
    "identify": {
        "groups": (
            "If the value may be a mean over the folds of a cross-validation, pass the fold of "
            "each sample."
        ),
    },
    "explain": {
        "sample_weight": "Tools that take no weights are listed with the value without weights.",
        "n_positives": (
            "Tools that only know the scored samples are listed with the value of these samples. "
            "If a group has no rows, some tools leave it out of the mean, unless you pass an "
            "option, which is then named."
        ),
    },
    "AveragePrecisionDisplay.plot": {},
    "AveragePrecisionDisplay.from_predictions": {
        **_AREAS,
        "data": _OF_MODELS,
    },
    "AveragePrecisionDisplay.from_estimator": {"pos_label": _OF_CLASSIFIER},
    "AveragePrecisionDisplay.from_cv_results": {"pos_label": _OF_CLASSIFIER, "groups": _ON_FOLDS},
    "HitCurveDisplay.plot": {},
    "HitCurveDisplay.from_predictions": {
        "n_positives": "Recall is relative to this count.",
        "groups": "The mean curve averages the hits at the same fraction flagged in each group.",
    },
    "HitCurveDisplay.from_estimator": {},
    "HitCurveDisplay.from_cv_results": {},
}


# The parameters that a function declares and describes itself, because they differ there.
OWN: dict[str, tuple[str, ...]] = {
    "mean_average_precision_score": ("average", "groups"),
    "OperatingPoint.check": ("pos_label",),
    "AveragePrecisionDisplay.from_cv_results": (
        *("drop_intermediate", "confidence_level", "n_positives"),
    ),
    "HitCurveDisplay.plot": ("plot_chance_level", "operating_points"),
    "HitCurveDisplay.from_predictions": ("metric",),
    "HitCurveDisplay.from_cv_results": ("confidence_level", "n_positives"),
}

# The methods of displays that declare and describe the other parameters of a method.
ORIGINS: dict[str, tuple[str, ...]] = {"AveragePrecisionDisplay.plot": ()}
ORIGINS["HitCurveDisplay.plot"] = ("AveragePrecisionDisplay.plot",)
for _display in ("AveragePrecisionDisplay", "HitCurveDisplay"):
    _predictions, _estimator = f"{_display}.from_predictions", f"{_display}.from_estimator"
    ORIGINS[_estimator] = (_predictions,)
    ORIGINS[f"{_display}.from_cv_results"] = (_predictions, _estimator)
ORIGINS["AveragePrecisionDisplay.from_predictions"] = ()
ORIGINS["HitCurveDisplay.from_predictions"] = ("AveragePrecisionDisplay.from_predictions",)
ORIGINS["HitCurveDisplay.from_estimator"] += ("AveragePrecisionDisplay.from_estimator",)
ORIGINS["HitCurveDisplay.from_cv_results"] += ("AveragePrecisionDisplay.from_cv_results",)

# The shared parameters that a function doesn't take, and why. It takes all others, so that a new
# parameter is written into the signature of every function.
WITHOUT: dict[str, Mapping[str, str]] = {
    name: inputs.find_missing_parameters(name) for name in BESIDES
}
for _display in ("AveragePrecisionDisplay", "HitCurveDisplay"):
    WITHOUT[f"{_display}.plot"] = dict.fromkeys(SHARED, "The data have already become curves.")

# The function whose docstring describes labels and scores for those that only pass them on
REFERENCE = "average_precision_score"
AS_IN = re.compile(r"As in :\w+:`([\w.]+)`(?:\.\s*|\Z)")

# A function of scikit-learn's own name takes the parameters of that function first.
DROP_IN = ("average_precision_score",)


@dataclass(frozen=True)
class Parameter:
    """A parameter, as `Inputs` or a method of a display declares and describes it."""

    name: str
    annotation: str
    default: str
    kind: str  # such as "int or float, default=None"
    text: str


@cache
def shared() -> dict[str, Parameter]:
    """Read the shared parameters from the class that declares them."""
    tree = ast.parse(Path(inputs.__file__).read_text(encoding="utf-8"))
    declared = {
        node.target.id: node
        for each in tree.body
        if isinstance(each, ast.ClassDef) and each.name == "Inputs"
        for node in each.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    described = {name: (kind, text) for name, kind, text in entries(inputs.Inputs.__doc__ or "")}
    return {
        name: Parameter(
            name,
            ast.unparse(declared[name].annotation),
            _literal(declared[name].value),
            *described[name],
        )
        for name in SHARED
    }


def of_origins(name: str) -> dict[str, Parameter]:
    """Read the parameters that a method of a display takes over from others."""
    found: dict[str, Parameter] = {}
    for origin in ORIGINS.get(name, ()):
        for parameter in [*_declared_by(origin), *of_origins(origin).values()]:
            found.setdefault(parameter.name, parameter)
    return found


def _declared_by(method: str) -> Iterator[Parameter]:
    """Yield the keyword parameters of a method of a display, as its source declares them."""
    nodes = {
        name: node
        for path in (PACKAGE / "displays").glob("*.py")
        for name, node in public(_parsed(path.read_text(encoding="utf-8")))
    }
    node = nodes[method]
    described = {name: rest for name, *rest in entries(ast.get_docstring(node) or "")}
    optional = node.args.args[len(node.args.args) - len(node.args.defaults) :]
    defaults = [*node.args.defaults, *node.args.kw_defaults]
    for each, default in zip([*optional, *node.args.kwonlyargs], defaults, strict=True):
        if each.arg in described:
            declared = _literal(each.annotation), _literal(default)
            yield Parameter(each.arg, *declared, *described[each.arg])


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def _literal(node: Any) -> str:
    return ast.unparse(node).replace("'", '"')


def entries(doc: str) -> Iterator[tuple[str, str, str]]:
    """Yield the names, types and descriptions of the parameters in a docstring."""
    for part in re.split(r"\n(?=\S)", section(cleandoc(doc))):
        first, _, rest = part.partition("\n")
        name, _, kind = first.partition(" : ")
        yield name, kind, textwrap.dedent(rest).strip()


def section(doc: str) -> str:
    """Return the section of the parameters, without its heading."""
    found = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\S[^\n]*\n-{3,}\n|\Z)", doc, re.M | re.S)
    assert found
    return found[1]


def written(source: str) -> str:
    """Return the source of a module with the shared parameters of all functions rewritten."""
    for name, node in reversed(list(public(ast.parse(source)))):
        own = OWN.get(name, ())
        declared = of_origins(name) | shared()
        known = {each: one for each, one in declared.items() if each not in own}
        lines = source.splitlines(keepends=True)
        taken = [each for each in SHARED if each not in WITHOUT[name]]
        taken += [each for each in own if each in SHARED and each not in taken]
        _write_docstring(lines, node, name, taken, known)
        _write_signature(lines, node, name, taken, known)
        source = "".join(lines)
    return source


def public(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the public functions that take `data`, and the methods of displays."""
    for outer in tree.body:
        in_class = isinstance(outer, ast.ClassDef)
        for node in outer.body if in_class else [outer]:
            if not isinstance(node, ast.FunctionDef):
                continue
            through = {ast.unparse(each).partition("(")[0] for each in node.decorator_list}
            name = f"{outer.name}.{node.name}" if in_class else node.name
            is_shared = "data" in _keywords(node) or name in ORIGINS
            if "public" in through and is_shared and not node.name.startswith("_"):
                yield name, node


def _keywords(node: ast.FunctionDef) -> list[str]:
    return [each.arg for each in node.args.kwonlyargs]


def _write_signature(
    lines: list[str],
    node: ast.FunctionDef,
    function: str,
    taken: Sequence[str],
    known: Mapping[str, Parameter],
) -> None:
    indent = " " * (node.col_offset + 4)
    defaults = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    of_own = {each.arg: (each, default) for each, default in defaults}
    first, last = node.args.kwonlyargs[0], node.args.kwonlyargs[-1]
    out = []
    order = _in_order([*of_own, *taken], function in DROP_IN)
    first_written = next((name for name in order if name in known and name in SHARED), None)
    for name in order:
        if name in known:
            declared = f"{indent}{name}: {known[name].annotation} = {known[name].default},"
            out.append(f"{declared}{WRITTEN if name == first_written else ''}\n")
        else:
            out.append(_declared(*of_own[name], indent))
    lines[first.lineno - 1 : last.end_lineno] = out


def _in_order(names: Sequence[str], is_drop_in: bool) -> list[str]:
    """Put the options of the function first, and then those about the data."""
    own = [name for name in names if name not in SHARED]
    about_data = [name for name in SHARED if name in names]
    return [*about_data[:-1], *own, "data"] if is_drop_in else [*own, *about_data]


def _declared(each: ast.arg, default: Any, indent: str) -> str:
    value = "" if default is None else f" = {_literal(default)}"
    return f"{indent}{each.arg}: {_literal(each.annotation)}{value},\n"


def _write_docstring(
    lines: list[str],
    node: ast.FunctionDef,
    name: str,
    taken: Sequence[str],
    known: Mapping[str, Parameter],
) -> None:
    besides = BESIDES[name]
    text = node.body[0]
    assert isinstance(text, ast.Expr)
    start, end = text.lineno - 1, text.end_lineno
    indent = " " * (node.col_offset + 4)
    doc = "".join(lines[start:end])
    plain = re.sub(rf"^{indent}", "", doc, flags=re.M)
    found = {name: (kind, text) for name, kind, text in entries_of(plain)}
    positional = [each.arg for each in node.args.args if each.arg in found]
    stars = [name for name in found if name.startswith("*")]
    linked = {*known, "y_true, y_score"}
    found = {each: rest for each, rest in found.items() if not {each, *each.split(", ")} & linked}
    own = [each for each in found if each not in (*positional, *stars, *SHARED)]
    keywords = _keywords(node)
    own += [each for each in keywords if each in known and each not in (*found, *SHARED)]
    if set(own) <= set(keywords):
        own.sort(key=keywords.index)
    order = [*_in_order([*own, *taken], name in DROP_IN), *stars]
    out = []
    columns = {"y_true", "y_score"} - {*found, *known}  # of which the docstring says nothing
    arguments = {*found, *columns, *known}
    positional = [each.arg for each in node.args.args if each.arg in arguments]
    order = [*positional, *order]
    for each in columns.intersection(positional):
        found[each] = "", f"As in :func:`{REFERENCE}`."
    for each in order:
        if one := known.get(each):
            kind, said = one.kind, f"{first_sentence(one.text)} {besides.get(each, '')}"
            description = _filled(said, len(indent) + 4)
        else:
            kind, said = found.get(each, ("", ""))
            expanded = spell_out(name, each, kind, said)
            if expanded != (kind, said):
                kind, said = expanded
                description = _filled(said, len(indent) + 4)
            else:
                description = textwrap.indent(said, "    ")
        out.append(f"{each} : {kind}\n{description}" if kind else f"{each}\n{description}")
    new = plain.replace(section(plain), "\n".join(out))
    lines[start:end] = [textwrap.indent(new, indent, lambda line: line.strip() != "")]


def spell_out(function: str, parameter: str, kind: str, said: str) -> tuple[str, str]:
    """Return type and meaning of a parameter, if "As in" says which function has them."""
    found = AS_IN.match(said)
    if not found:
        return kind, said
    target = found[1].removeprefix("sklearn_ap.").removeprefix("compat.")
    display, _, _ = function.partition(".")
    entries_there = documented().get(target) or documented()[f"{display}.{target}"]
    kind_there, said_there = spell_out(target, parameter, *entries_there[parameter])
    said = f"{first_sentence(' '.join(said_there.split()))} {said[found.end() :]}".strip()
    return kind or kind_there, said


@cache
def documented() -> dict[str, dict[str, tuple[str, str]]]:
    """Read the parameters of all functions and methods, as their docstrings describe them."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for outer in _parsed(path.read_text(encoding="utf-8")).body:
            in_class = isinstance(outer, ast.ClassDef)
            for node in outer.body if in_class else [outer]:
                doc = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
                if doc and "\nParameters\n---" in doc:
                    name = f"{outer.name}.{node.name}" if in_class else node.name
                    found[name] = {each: (kind, said) for each, kind, said in entries_of(doc)}
    return found


def first_sentence(description: str) -> str:
    return re.split(r"(?<=\.)\s", description, maxsplit=1)[0]


def entries_of(plain: str) -> Iterator[tuple[str, str, str]]:
    """Yield the parameters of a docstring, each of several that one link describes for itself."""
    for part in re.split(r"\n(?=\S)", section(plain)):
        first, _, rest = part.partition("\n")
        name, _, kind = first.partition(" : ")
        for each in [name] if kind else name.split(", "):
            yield each, kind, textwrap.dedent(rest).rstrip()


def _filled(text: str, margin: int) -> str:
    filled = textwrap.fill(
        " ".join(text.split()),
        WIDTH - margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return textwrap.indent(filled, "    ")


def modules() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "data: Any = None" in source and path.name != "records.py":
            yield path


def write() -> bool:
    """Write all modules. Return whether any of them changed, on which others may depend."""
    changed = False
    for path in modules():
        before = path.read_text(encoding="utf-8")
        after = written(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            changed = True
    return changed


if __name__ == "__main__":
    while write():
        pass
