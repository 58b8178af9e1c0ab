"""What a type checker says: nothing for correct code, and an error for a mistake."""

import ast
import inspect
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import sklearn_ap
from sklearn_ap._inputs.records import SHARED
from sklearn_ap.displays import base, hit_curve, precision_recall

STUB = Path(sklearn_ap.__file__).with_suffix(".pyi")

ORDINARY = """
import numpy as np
import sklearn_ap as ap
from numpy.typing import NDArray
from sklearn_ap.readers import read_coco
from sklearn_ap.scorers import MultiScorer, RankingScorer

y_true, y_score = np.array([0, 1, 1]), np.array([0.1, 0.4, 0.3])
score: float = ap.average_precision_score(y_true, y_score, ties="expected")
each: NDArray[np.float64] = ap.precision_at_k_score(
    y_true, y_score, k=0.5, groups=[1, 1, 2], n_positives={1: 1, 2: 1}, average=None
)
mean: float = ap.mean_average_precision_score(y_true, y_score, groups=["a", "a", "b"], k=5)
scorer: RankingScorer = ap.make_ap_scorer("average_precision_at_k", k=20)
requested: RankingScorer = scorer.set_score_request(sample_weight=True)
several: MultiScorer = ap.make_multi_scorer(["AP", "P@10"])
first = [*several.scorers][0]
value: float = ap.get_scorer("AP").set_score_request(sample_weight=True)(None, y_score, y_true)
explained = ap.compat.explain(y_true, y_score)
point = ap.operating_point("label", "score", data={}, min_recall=0.8, pos_label="fraud")
precision: float = point.precision
points = ap.operating_point("label", ["a", "b"], data={}, k=10)
flagged_by_a: int = points["a"].n_flagged
table: str = points.to_markdown()
_, hits, thresholds = ap.hit_curve(y_true, y_score)
most: float = hits.max()
of_group: NDArray[np.float64] = ap.hit_curve("label", "score", groups="day", data={})["Mon"][1]
of_models = ap.interpolated_precision_recall_curve(y_true, {"a": y_score, "b": y_score})
of_a: NDArray[np.float64] = of_models["a"][0]
flagged: int = point.n_flagged
by_amount = ap.metric("R@1%", sample_weight="amount", k_counts="samples")
models = {"old": y_score, "new": y_score}
metrics = ["AP", by_amount]
report = ap.report(y_true, models, metrics=metrics, baseline="old")
values: list[float] = [row.value for row in report]
text: str = ap.report("label", ["a", "b"], data={}, metrics="AP", average=None).to_markdown()
own_names = {"AP": "AP", "by amount": by_amount}
interval = ap.confidence_interval(y_true, y_score, metric=by_amount)
rows = ap.report(y_true, y_score, metrics=own_names, n_positives=4).to_dict()
scorers = [ap.get_scorer("MAP@10"), ap.make_ap_scorer(by_amount)]
coco: float = ap.mean_average_precision_score(data=read_coco("a.json", "b.json"))
n_found: int = len(read_coco("a.json", "b.json", overlap=[0.5, 0.75])[0.75])
share: float = round(point.threshold, 3)
recall: float = point.check("label", "score", data={}).recall.value
annotated: ap.Metric = ap.metric("P@1%")
of_two: float = ap.compare(y_true, y_score, y_score, metric="P@k", k=10).difference
best: str = ap.compare(y_true, models, baseline="old").baseline
best = ap.compare("label", ["a", "b"], data={}).baseline
detected = {"a": read_coco("a.json", "b.json"), "b": read_coco("a.json", "c.json")}
best = ap.compare(data=detected).baseline
of_two = ap.compare(y_true, y_score, y_score, margin=0.01, confidence_level=0.9).low
of_two = ap.compare_folds([0.6, 0.7], [0.5, 0.8], n_train=80, n_test=20).difference
drawn: ap.HitCurveDisplay = ap.HitCurveDisplay.from_predictions(
    "label", "score", data={}, name="a", fraction_of="lift", curve_kwargs=[{"color": "red"}]
)
is_left: bool = {"C": 1.0} in ap.compare_folds(object(), metric="AP").best
"""

SLIPS = [
    ("x: str = ap.average_precision_score([0, 1], [0.1, 0.2])", "assignment"),
    ("ap.average_precision_score([0, 1], [0.1, 0.2], ties='random')", "call-overload"),
    ("ap.average_precision_at_k_score([1], [1.0], denominator='max')", "call-overload"),
    ("ap.recall_at_k_score([1], [1.0], k_counts='rows')", "call-overload"),
    ("ap.average_precision_score([1], [1.0], average='mean')", "call-overload"),
    ("ap.average_precision_score([1], [1.0], zero_division='raise')", "call-overload"),
    ("ap.mean_average_precision_score([1], [1.0])", "call-overload"),
    ("ap.precision_at_recall_score([1], [1.0])", "call-overload"),
    ("ap.average_precision([1], [1.0])", "attr-defined"),
    ("ap.operating_point([1], [1.0], recall=0.8)", "call-overload"),
    ("ap.operating_point([1], [1.0], 0.8)", "call-overload"),
    ("ap.operating_point([1], {'a': [1.0]}, k=1).precision", "attr-defined"),
    ("ap.operating_point([1], [1.0], k=1).check([1], [1.0], weight=[1])", "call-arg"),
    ("ap.operating_point([1], [1.0], k=1).check([1], [1.0], by=[1])", "call-arg"),
    ("ap.operating_point([1], [1.0], k=1).check([1], [1.0]).rows", "attr-defined"),
    ("ap.report([1], [1.0], metric='AP')", "call-arg"),
    ("ap.report([1], [1.0], metrics=3)", "arg-type"),
    ("ap.metric(3)", "arg-type"),
    ("ap.operating_point([1], ['a', 'b'], data={}, k=1).recall", "attr-defined"),
    ("t: str = ap.operating_point([1], [1.0], k=1).threshold", "assignment"),
    ("ap.compare([1], [1.0], [1.0]).rows", "attr-defined"),
    ("ap.compare_folds(object()).difference", "attr-defined"),
    ("ap.AveragePrecisionDisplay.from_predictions([1], [1.0], nmae='a')", "call-arg"),
    ("ap.HitCurveDisplay.from_predictions([1], [1.0], fraction_of=1)", "arg-type"),
    ("i = ap.confidence_interval([1], [1.0]); ap.compare(i, i, metric='AP')", "call-overload"),
]


@pytest.mark.slow
def test_ordinary_code_has_no_error_and_each_slip_is_one(tmp_path):
    pytest.importorskip("mypy")
    lines = "\n".join(["import sklearn_ap as ap", *(slip for slip, _ in SLIPS)])
    (tmp_path / "ordinary.py").write_text(ORDINARY)
    (tmp_path / "slips.py").write_text(f"{lines}\n")
    options = ["-m", "mypy", "--strict", "--cache-dir", ".", "ordinary.py", "slips.py"]
    command = [sys.executable, *options]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300).stdout
    assert "ordinary.py" not in said, said
    for number, (slip, code) in enumerate(SLIPS, start=2):
        found = [line for line in said.splitlines() if f"slips.py:{number}: error" in line]
        assert any(f"[{code}]" in line for line in found), (slip, said)


ABOUT_DATA = {
    "average": "'macro'",
    "pos_label": "1",
    "sample_weight": "[1.0, 2.0]",
    "zero_division": "0.0",
    "classes": "[0, 1]",
    "n_positives": "2",
    "groups": "['a', 'a']",
    "clusters": "['a', 'a']",
    "min_grade": "1",
}
NEEDED = {"min_recall": "0.5", "min_precision": "0.5", "metrics": "['AP']", "k": "1"}


def test_values_of_all_data_parameters_are_known():
    assert {*ABOUT_DATA} == {*SHARED} - {"y_true", "y_score"}


@pytest.mark.slow
def test_data_parameters_are_known_to_type_checkers_by_both_import_paths(tmp_path):
    pytest.importorskip("mypy")
    imports, calls = ["import sklearn_ap as ap"], []
    for name in sklearn_ap.__all__:
        function = getattr(sklearn_ap, name)
        taken = {} if inspect.isclass(function) else inspect.signature(function).parameters
        if "data" not in taken:
            continue
        imports.append(f"from {function.__module__} import {name}")
        needed = {
            each: value
            for each, value in NEEDED.items()
            if each in taken and (taken[each].default is inspect.Parameter.empty or each == "k")
        }
        if name.startswith("mean_"):
            needed["groups"] = ABOUT_DATA["groups"]
        scores = ["[0.1, 0.2]"] * (1 + ("y_score_b" in taken))
        for given in ABOUT_DATA.keys() & taken:
            options = needed | {given: ABOUT_DATA[given]}
            passed = ", ".join(["[0, 1]", *scores, *(f"{k}={v}" for k, v in options.items())])
            calls += [f"ap.{name}({passed})", f"{name}({passed})"]
    assert len(calls) > 250
    (tmp_path / "calls.py").write_text("\n".join([*imports, *calls, ""]))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ".", "calls.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert "calls.py" not in done.stdout, done.stdout


@pytest.mark.parametrize("module", [hit_curve, precision_recall])
def test_options_that_displays_pass_on_are_typed_as_in_plot(module):
    """Type checkers and editors read them from a class, which has those of both displays, too."""
    trees = [ast.parse(Path(each.__file__).read_text(encoding="utf-8")) for each in (base, module)]
    typed = {
        (each.target.id, ast.unparse(each.annotation))
        for node in (node for tree in trees for node in tree.body)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Options")
        for each in node.body
        if isinstance(each, ast.AnnAssign)
    }
    (plot,) = (node for node in ast.walk(trees[1]) if getattr(node, "name", "") == "plot")
    assert typed == {
        (name, annotation) for name, annotation, _ in parameters_of(plot) if annotation
    }


def parameters_of(function):
    given = function.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults + given.kw_defaults
    for parameter, default in zip(given.args + given.kwonlyargs, defaults, strict=True):
        yield (
            parameter.arg,
            *(each and ast.unparse(each) for each in (parameter.annotation, default)),
        )


def stubs():
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def returns_any(function):
    return getattr(function, "__annotations__", {}).get("return") == "Any"


def test_stubs_are_of_all_scores_and_of_nothing_else():
    scores = {name for name in sklearn_ap.__all__ if name.endswith("_score")}
    functions = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    of_models = {name for name, each in functions.items() if returns_any(each)}
    of_models |= {"compare", "compare_folds"}
    found = Counter(stub.name for stub in stubs())
    assert found.keys() == scores | of_models
    # With a mean and without, of arrays and of a table that knows its columns.
    assert {found[name] for name in scores} == {4}


@pytest.mark.parametrize("stub", stubs(), ids=lambda stub: f"{stub.name}-{stub.lineno}")
def test_stubs_have_the_parameters_and_defaults_of_the_functions(stub):
    parameters = inspect.signature(getattr(sklearn_ap, stub.name)).parameters
    declared = [*stub.args.args, *stub.args.kwonlyargs, *filter(None, [stub.args.kwarg])]
    names = [each.arg for each in declared]
    if stub.name.startswith("compare"):  # two models have no baseline, and intervals no data
        parameters = {name: parameters[name] for name in parameters if name in names}
    assert names == list(parameters)
    for argument, default in zip(stub.args.kwonlyargs, stub.args.kw_defaults, strict=True):
        expected = parameters[argument.arg].default
        if argument.arg in ("average", "groups", "data") and default is None:
            continue  # one of several signatures, in which it has to be said
        if argument.arg == "confidence_level" and "Interval" in ast.unparse(stub.args.args[0]):
            continue  # by default, that of the intervals
        if default is None:
            assert expected is inspect.Parameter.empty
        else:
            assert ast.literal_eval(default) == expected


def test_public_names_of_the_stub_are_those_of_the_package():
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    imported = {alias.asname for node in imports for alias in node.names if alias.asname}
    named = imported | {stub.name for stub in stubs()} | {"__version__"}
    assert named == set(dir(sklearn_ap))


@pytest.mark.slow
def test_editors_find_docstrings_and_definitions():
    """The overloads of the stub have no docstrings, so editors follow the imports of the source."""
    jedi = pytest.importorskip("jedi")
    source = Path(sklearn_ap.__file__)
    imports = next(
        node
        for node in ast.parse(source.read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    )
    found = {node.module: [each.name for each in node.names] for node in imports.body}
    assert found == {module: sorted(names) for module, names in sklearn_ap._NAMES.items()}
    project = jedi.Project(source.parents[1])
    for name in sklearn_ap.__all__:
        script = jedi.Script(f"import sklearn_ap as ap\nap.{name}(", project=project)
        (help_,) = script.help(2, 5)
        documented = inspect.getdoc(getattr(sklearn_ap, name))
        assert documented in help_.docstring(), name
        shown = script.get_signatures(2, len(f"ap.{name}("))
        if not inspect.isclass(getattr(sklearn_ap, name)):  # displays are made by their methods
            parameters = {each.name for signature in shown for each in signature.params}
            declared = set(inspect.signature(getattr(sklearn_ap, name)).parameters)
            assert declared - {"options"} <= parameters, name  # or it names each option
        (found,) = script.goto(2, 5, follow_imports=True)
        if found.module_path == source:  # the import in `if _TYPE_CHECKING`
            (found,) = found.goto(follow_imports=True)
        assert found.full_name == f"{found.module_name}.{name}", name
        assert found.module_path.suffix == ".py", name
        assert found.type in ("class", "function"), name
