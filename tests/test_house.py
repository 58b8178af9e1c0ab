"""How the package is built: what import contracts can't say."""

import ast
import builtins
import re
import sys
import tokenize
import tomllib
import warnings
from importlib.util import resolve_name
from itertools import chain
from pathlib import Path, PurePath

import numpy as np
import pytest

import sklearn_ap
import sklearn_ap as ap

from .size import run_git

PACKAGE = Path(sklearn_ap.__file__).parent
ROOT = PACKAGE.parent
PARAMETERS = PACKAGE.joinpath("_words", "parameters.toml").read_text(encoding="utf-8")
MODULES = {
    str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8"))
    for path in PACKAGE.rglob("*.py")
}


def found_in(is_it):
    """Return how many nodes of each module are such ones."""
    numbers = {name: sum(map(is_it, ast.walk(tree))) for name, tree in MODULES.items()}
    return {name: number for name, number in numbers.items() if number}


READS_TEXT = re.compile(r"\b(?:read_text|open)\((?!.*encoding)")


def reads_text(node):
    """Whether a call reads text in whatever encoding the machine has."""
    if not isinstance(node, ast.Call) or "encoding" in [keyword.arg for keyword in node.keywords]:
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "read_text" and not node.args
    modes = [each.value for each in node.args[1:2] if isinstance(each, ast.Constant)]
    is_open = isinstance(node.func, ast.Name) and node.func.id == "open"
    return is_open and not {*"bwa"} & {*"".join(modes)}


def test_text_is_read_in_one_encoding():
    """On Windows, the default isn't UTF-8 before Python 3.15."""
    root = Path(__file__).parents[1]
    texts = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for folder in ("benchmarks", "docs", "tests")
        for path in root.glob(f"{folder}/**/*.py")
    }
    assert len(texts) > 50
    # Others aren't parsed, which takes time.
    trees = {name: ast.parse(text) for name, text in texts.items() if READS_TEXT.search(text)}
    assert trees
    found = [
        f"{name}:{node.lineno}"
        for name, tree in (trees | MODULES).items()
        for node in ast.walk(tree)
        if reads_text(node)
    ]
    assert not found


INNER_PACKAGES = (
    "core",
    "_arrays",
    "_enter",
    "_evaluate",
    "_infer",
    "_inputs",
    "_read",
    "_show",
    "_words",
)


def find_imported_names(module, tree):
    """Yield which names a module imports from which other module of ours, as a file in MODULES."""
    package = ".".join([PACKAGE.name, *PurePath(module).parent.parts])
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            source = resolve_name("." * node.level + (node.module or ""), package)
            file = "/".join(source.split(".")[1:]) + ".py"
            if file in MODULES:
                yield file, [each.name for each in node.names]


def list_defined_names(tree):
    """Return the names that a module defines itself."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        names |= {each.id for each in ast.walk(node) if is_set(each)}
    return names


def is_set(node):
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def test_names_are_imported_from_the_module_that_defines_them():
    """So a name has one address, and moving a module doesn't need another one that hands it on."""
    imported = [
        (module, source, name)
        for module, tree in MODULES.items()
        for source, names in find_imported_names(module, tree)
        for name in names
    ]
    assert len(imported) > 500
    sources = {source for _, source, _ in imported}
    defined = {source: list_defined_names(MODULES[source]) for source in sources}
    assert [each for each in imported if each[2] not in defined[each[1]]] == []


NAME_IN_TEXT = re.compile(r"(?<!`)`([A-Za-z_]\w*)`(?!`)")
NAME_OF_FILE = re.compile(r"(`\w+`(?:(?:, | and )`\w+`)*) (?:of|in) `?([\w/]+\.(?:py|toml|md))\b")


def names_and_texts(path):
    """Return the names that a module's code has, and its comments and docstrings."""
    names, texts = set(), []
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                names.add(token.string)
            elif token.type == tokenize.COMMENT:
                texts.append(token.string)
            elif token.type == tokenize.STRING and '"""' not in token.string:
                names.update(re.findall(r"\w+", token.string))
    for node in ast.walk(MODULES[str(path.relative_to(PACKAGE))]):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            texts.append(ast.get_docstring(node) or "")
    return names, texts


def list_names_for_all():
    """Return what texts may name wherever it is: definitions, modules, public parameters."""
    names = {*dir(builtins), *dir(warnings), *tomllib.loads(PARAMETERS)}
    for module, tree in MODULES.items():
        names.update(PurePath(module).with_suffix("").parts)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
        constants = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        names |= list_defined_names(ast.Module(constants, []))
    return names


def test_comments_and_docstrings_name_what_is_there():
    """Those of inner packages; formulas of public docstrings have names of their own.

    A name of no definition is one of that module itself, such as a local or a field.
    """
    names_for_all = list_names_for_all()
    n_named, wrong = 0, set()
    for path in PACKAGE.rglob("*.py"):
        module = path.relative_to(PACKAGE)
        if module.parts[0] not in INNER_PACKAGES:
            continue
        names, texts = names_and_texts(path)
        named = {name for text in texts for name in NAME_IN_TEXT.findall(text)}
        n_named += len(named)
        wrong |= {(str(module), name) for name in named - names - names_for_all}
    assert n_named > 100
    assert wrong == set()


def list_places(file):
    """Return the files that a text can mean by this name."""
    below = [ROOT / file, *(ROOT / folder / file for folder in ("tests", "docs"))]
    anywhere = PACKAGE.rglob(file)
    return [place for place in [*below, *anywhere] if place.is_file()]


def find_wrong_files(path):
    """Yield each name that a text wrongly looks for in a file, or files that there aren't."""
    text = re.sub(r"\n[\s#]*", " ", path.read_text(encoding="utf-8"))
    for names, file in NAME_OF_FILE.findall(text):
        contents = [place.read_text(encoding="utf-8") for place in list_places(file)]
        for name in re.findall(r"\w+", names):
            if not any(re.search(rf"\b{name}\b", content) for content in contents):
                yield path.name, name, file


def test_texts_say_where_names_are():
    files = [ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.toml")]
    files += [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml"), *(ROOT / "tests").glob("*.py")]
    assert [*chain.from_iterable(map(find_wrong_files, files))] == []


OURS = re.compile(r"(?<![\w./-])sklearn_ap(?:\.(?!__)[A-Za-z_]\w*)+")
NOT_OURS = {"sklearn_ap.average_precison_score", "sklearn_ap.pr_auc"}  # which a test asks for


def has_address(address):
    """Whether a module is there, and names the rest."""
    parts = address.split(".")
    for n_parts in range(len(parts), 0, -1):
        module = ROOT.joinpath(*parts[:n_parts])
        for file in (module / "__init__.py", module.with_suffix(".py")):
            if file.is_file():
                text = file.read_text(encoding="utf-8")
                return all(re.search(rf"\b{name}\b", text) for name in parts[n_parts:])
    return False


def test_tests_name_modules_that_are_there():
    named = set()
    for path in [ROOT / "conftest.py", *(ROOT / "tests").glob("*.py")]:
        named.update(OURS.findall(path.read_text(encoding="utf-8")))
    assert len(named) > 30
    assert {address for address in named if not has_address(address)} == NOT_OURS


def defines_error(node):
    """Whether this is a class of errors or of warnings, by the names of its bases."""
    if not isinstance(node, ast.ClassDef):
        return False
    return any(ast.unparse(base).endswith(("Error", "Exception", "Warning")) for base in node.bases)


def test_errors_are_defined_where_users_import_them_from():
    """Their pickles and tracebacks name this module."""
    assert found_in(defines_error) == {"exceptions.py": len(ap.exceptions.__all__)}


def imported_by(node):
    """Return the modules that a statement may import, and the names that it may import from one."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "", *(alias.name for alias in node.names)]
    return []


@pytest.mark.parametrize("n_cases", [1, 4, 23])
def test_each_slow_case_is_drawn_once_in_a_round_of_days(n_cases):
    from conftest import drawn

    cases = {PurePath(f"case {i}") for i in range(n_cases)}  # which have a name
    days = [drawn(cases, 5, day) for day in range(20_000, 20_005)]
    assert sorted(chain.from_iterable(days)) == sorted(cases)
    assert max(map(len, days)) == -(-n_cases // 5)
    assert len(drawn(cases, 1)) == n_cases
    assert len(drawn(cases, 99)) == 1


IMPORTS_TESTS = re.compile(r"^\s*(?:from|import)\b[^\n(]*(?:\([^)]*)?\btest_", re.M)


def test_tests_import_only_helpers():
    """So each file of tests can be read, renamed and deleted alone."""
    found = [
        f"{path.name}:{node.lineno}: {name}"
        for path in Path(__file__).parent.glob("*.py")
        for text in [path.read_text(encoding="utf-8")]
        if IMPORTS_TESTS.search(text)  # others aren't parsed, which takes time
        for node in ast.walk(ast.parse(text))
        for name in imported_by(node)
        if name.rpartition(".")[2].startswith("test_")
    ]
    assert found == []


def test_no_function_of_the_way_takes_the_body_of_a_question():
    """What was read is returned to it, so that "go to definition" gets from a call to its value."""
    functions = [
        node
        for node in ast.walk(MODULES["_enter/entry.py"])
        if isinstance(node, ast.FunctionDef)
        and any("Callable" in ast.unparse(arg) for arg in ast.walk(node.args) if is_annotated(arg))
    ]
    assert {function.name for function in functions} == {
        "public",
        "decorate",
        "_make_binder",
    }


def is_annotated(node):
    return isinstance(node, ast.arg) and node.annotation is not None


def reads_table(node):
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "tables.read"


def test_one_place_reads_tables():
    places = {"_enter/entry.py": 1}
    assert found_in(reads_table) == places


def imports_by_name(node):
    """Whether a call imports a module of the package by its name, which no contract sees."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func) != "import_module":
        return False
    return (
        ast.unparse(node.args[0])
        .lstrip("f")
        .strip("'\"")
        .startswith(("sklearn_ap", "{__package__}", "{__name__}"))
    )


def test_one_registry_imports_modules_of_ours_by_name():
    assert found_in(imports_by_name) == {"_package.py": 1}


def changes_words(node):
    """Whether code replaces what an error says, or searches in it."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(each, ast.Attribute) and each.attr == "args" for each in targets)
    words = ("str(error)", "f'{error}'")
    if isinstance(node, ast.Compare):
        return any(ast.unparse(each) in words for each in (node.left, *node.comparators))
    if not isinstance(node, ast.Call):
        return False
    method = node.func.value if isinstance(node.func, ast.Attribute) else None
    is_search = ast.unparse(node.func).startswith("re.")
    is_of_words = method is not None and ast.unparse(method) in words
    return is_of_words or (is_search and any(ast.unparse(each) in words for each in node.args))


def test_no_text_of_an_error_is_data():
    """Errors know what they say as fields of a `Refusal`, but for those of other libraries."""
    assert found_in(changes_words) == {
        "readers/csv_files.py": 1,  # of pandas
        "_read/columns.py": 4,  # of scikit-learn
        "_words/refusals.py": 2,  # makes a refusal of words, and words of a refusal
    }


def matches_pattern(node):
    """Whether a call searches or replaces in text, by a pattern or without one."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return ast.unparse(node.func.value) == "re" or node.func.attr == "replace"


def test_one_function_of_the_command_line_changes_sentences():
    """It writes parameters as options. The others read the values of options."""
    functions = [node for node in MODULES["__main__.py"].body if isinstance(node, ast.FunctionDef)]
    found = {each.name for each in functions if any(map(matches_pattern, ast.walk(each)))}
    assert found == {
        *("_write_as_options", "_annotate"),
        *("_add_options", "_format_option", "_parse_cell", "_read_label", "_name_models_by_files"),
    }


TAKE_TEXT_APART = {
    *("partition", "rpartition", "split", "rsplit", "removeprefix", "removesuffix"),
    *("startswith", "endswith", "replace"),
}
# Functions of compat that read what others wrote, or shorten names that are shown
READERS_OF_TEXT = {
    "audit_sentences.py": {"_end_error"},  # of errors of others
    "audited_scorers.py": {"_is_scorer", "_name_function"},  # names of parameters, a repr
    "differences.py": {"applies_to"},  # ranges of versions
    "expectations.py": {"_read_definition", "_find_last_quality", "_normalize"},  # of a caller
    "explanation.py": {"_conjugate", "_name_definitions"},
    "identification.py": {"_read_reported", "_select_plainest"},
    "peers.py": {"_read_peers", "_read_version", "_name_tool"},  # of peers.toml
    "ranking_files.py": {"read_returned"},  # of a program
}


def takes_text_apart(node):
    """Whether a call has no arguments but text, as `data_set.split(rows)` has others."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    is_of_text = all(isinstance(each, ast.Constant | ast.JoinedStr) for each in node.args[:1])
    is_name = node.func.attr in ("startswith", "replace") and not node.keywords
    return node.func.attr in TAKE_TEXT_APART and (is_of_text or is_name)


def test_what_compat_does_hangs_on_no_sentence_of_its_own():
    """Sentences are made of facts at the end, and nothing is looked up in them."""
    found = {
        module.name: names
        for module in (PACKAGE / "compat").glob("*.py")
        if (
            names := {
                function.name
                for function in ast.walk(MODULES[f"compat/{module.name}"])
                if isinstance(function, ast.FunctionDef)
                if any(map(takes_text_apart, ast.walk(function)))
            }
        )
    }
    assert found == READERS_OF_TEXT


CHANGES_OF_THE_PROCESS = {
    *("catch_warnings", "simplefilter", "filterwarnings", "resetwarnings", "showwarning"),
    *("redirect_stdout", "redirect_stderr", "seterr", "set_printoptions", "setlocale", "chdir"),
    *("set_config", "rc_context", "setrecursionlimit", "set_int_max_str_digits", "signal"),
}
CHECKS_THAT_CATCH_WARNINGS = {"check_array", "check_X_y", "column_or_1d", "type_of_target"}


def changes_process(node):
    """Whether code names what changes the warnings, streams or formats of all threads."""
    if isinstance(node, ast.ImportFrom) and str(node.module).startswith("sklearn"):
        return bool(CHECKS_THAT_CATCH_WARNINGS & {each.name for each in node.names})
    name = getattr(node, "attr", getattr(node, "id", ""))
    return name in CHANGES_OF_THE_PROCESS


def test_no_call_changes_the_process():
    """The command line has a process of its own."""
    assert found_in(changes_process) == {"__main__.py": 4}


RIMS = ("boosting", "compat", "datasets", "displays", "readers", "reports", "spark", "thresholds")
NAMES_OF_RIMS = re.compile(
    r"\b(?:report|operating_point|OperatingPoint\w*|judged_at|load_payments|read_(?:coco|runs|trec|voc)|"
    r"from_(?:predictions|estimator|cv_results)|\w+Display|xgboost_metric|lightgbm_metric|"
    r"MetricEvaluator|(?:boosting|compat|displays|readers|reports|spark|thresholds)\.\w+)\b"
)


def sentences_of(tree):
    """Return the text of a module with spaces, without docstrings and the values in f-strings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and " " in node.value
        and id(node) not in docstrings
    ]


def test_inner_rings_name_functions_of_rims_only_where_the_reader_needs_them():
    found = {
        (module, name)
        for module, tree in MODULES.items()
        if not module.startswith((*RIMS, "__main__"))
        for sentence in sentences_of(tree)
        for name in NAMES_OF_RIMS.findall(sentence)
    }
    assert found == {
        # Which functions take several models, several metrics or several tables
        ("_enter/metric.py", "report"),
        ("_read/tables.py", "from_predictions"),
        ("_read/tables.py", "report"),
        ("_read/tables.py", "report"),
        ("_words/parameters.py", "report"),
        ("_words/refusals.py", "report"),
        ("metrics.py", "report"),
        # What leaves out the groups that a model lacks
        ("_infer/sentences.py", "readers.answered"),
        # What to use where scorers are refused
        ("scorers/binding.py", "compat.trapezoidal_average_precision_score"),
        ("scorers/score_functions.py", "operating_point"),
    }


def is_point_without_type(node):
    if isinstance(node, ast.arg):
        return node.arg == "point" and ast.unparse(node.annotation or ast.Name("")) == "Any"
    return isinstance(node, ast.AnnAssign) and ast.unparse(node) == "point: Any"


def test_points_have_a_type_everywhere():
    assert not found_in(is_point_without_type)


RNG = np.random.default_rng(0)
LABEL, QUERY = RNG.random(200) < 0.4, np.repeat(np.arange(10), 20)
SCORE = np.round(LABEL + RNG.standard_normal(200), 1)
POINT = ap.operating_point(LABEL, SCORE, min_recall=0.8)
COLUMNS = {"label": LABEL, "score": SCORE, "query": QUERY}
RECALL, GROUPS = {"min_recall": 0.8}, {"groups": "query"}


@pytest.mark.parametrize(
    ("function", "given", "through"),
    [
        (ap.average_precision_score, {}, ["average_values", "from_scores"]),
        (ap.average_precision_score, GROUPS, ["average_values", "from_groups"]),
        (ap.confidence_interval, {}, ["CountPlan.estimate_from_influence"]),
        (ap.operating_point, RECALL, ["choose_place", "choose_threshold"]),
        (POINT.check, {}, ["sum_kinds", "judge_kinds"]),
    ],
)
def test_memory_and_tables_share_their_way(function, given, through):
    groups = {name: given[name] for name in given if name == "groups"}
    options = {name: given[name] for name in given if name != "groups"}
    arrays = {name: COLUMNS[column] for name, column in groups.items()}
    lazy = pytest.importorskip("polars").from_dict(COLUMNS).lazy()
    ways = [
        lambda: function(LABEL, SCORE, **arrays, **options),
        lambda: function("label", "score", **given, data=lazy),
    ]
    for way in ways:
        assert {*through} <= called_by(way)


def called_by(way):
    """Return the names of the package's functions that are called."""
    found = set()

    def note(frame, event, _):
        if event == "call" and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            found.add(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        way()
    finally:
        sys.setprofile(None)
    return found


def top_level(tree):
    """Return the names of functions and classes that a module defines, without underscores."""
    return {
        node.name.lstrip("_")
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        if not node.name.startswith("__")  # which Python calls
    }


def test_each_top_level_name_has_one_meaning():
    where = {}
    for module, tree in MODULES.items():
        for name in top_level(tree):
            where.setdefault(name, []).append(module)
    assert {name: modules for name, modules in where.items() if len(modules) > 1} == {}


def test_each_module_has_a_name_of_its_own():
    names = [Path(module).stem for module in MODULES if not module.endswith("__init__.py")]
    assert sorted(names) == sorted(set(names))


def names_in_reach(tree):
    """Return what a module imports by name or defines, but for imports from the future."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    names = {
        alias.asname or alias.name
        for node in imports
        if node.module != "__future__"
        for alias in node.names
    }
    defined = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return names | {node.name for node in defined}


def locals_of(function):
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    arguments = [*function.args.args, *function.args.kwonlyargs]
    return stored | {argument.arg for argument in arguments}


def test_no_local_hides_a_function_of_its_module():
    hiding = {
        f"{module}: {function.name}: {name}"
        for module, tree in MODULES.items()
        for in_reach in [names_in_reach(tree)]
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for name in locals_of(function) & in_reach
    }
    assert hiding == set()


TOP_LEVEL = {
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "conftest.py",
    "docs",
    "pyproject.toml",
    "sklearn_ap",
    "tests",
}


def test_nothing_is_left_lying_at_the_top():
    """A log of a test run was once committed there."""
    files = run_git("ls-files", folder=Path(__file__).parents[1])
    if not files:
        pytest.skip("not a checkout")
    assert {name.partition("/")[0] for name in files.decode().splitlines()} == TOP_LEVEL
