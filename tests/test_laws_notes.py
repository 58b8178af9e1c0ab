"""Notes: what results say besides their numbers, as that a model has failed."""

import ast
import json
import re
import warnings
from functools import cache
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap import __main__ as command_line
from sklearn_ap._infer import sentences
from sklearn_ap._read.group_names import make_plural
from sklearn_ap._show.results import Note, sort_notes
from sklearn_ap._words import messages
from sklearn_ap._words.messages import format_count
from sklearn_ap.compat.feature_limits import FeatureLimit
from sklearn_ap.core.cutoff import Cut
from sklearn_ap.reports.reporting import _count_documents
from sklearn_ap.reports.segment_results import SegmentFacts, make_segment_notes

from .values import compare_values

QUERY = np.repeat(np.arange(12), 5)
RNG = np.random.default_rng(0)
LABEL = (RNG.random(60) < 0.4).astype(int)
LABEL[::5] = 1
SCORE = RNG.standard_normal(60) + LABEL
COUNTS = {query: int(LABEL[query == QUERY].sum()) for query in range(12)}
GIVEN = {"y_true": "label", "groups": "query", "n_positives": COUNTS}


def table(n_queries):
    """The rows of the first queries."""
    rows = QUERY < n_queries
    return {
        "label": LABEL[rows],
        "score": SCORE[rows],
        "query": QUERY[rows],
        "user": QUERY[rows] // 2,
    }


def words(number, model="The model 'b'", is_alone=False):
    answered = (
        " To compare the models where all of them have rows, leave out the other groups, as "
        "readers.answered(tables) does with tables of the readers."
    )
    return (
        f"{model} has no rows for {number} of 12 groups (query), which count as 0.\n"
        f"Was the table cut off, or are its groups named differently?{'' if is_alone else answered}"
    )


QRELS = {
    f"q{query}": {f"d{row}": int(LABEL[row]) for row in np.flatnonzero(query == QUERY)}
    for query in range(12)
}


def retrieved(n_queries):
    """What an engine retrieved that answered the first queries."""
    run = {
        query: {document: SCORE[int(document[1:])] for document in QRELS[query]}
        for query in [*QRELS][:n_queries]
    }
    return ap.readers.read_runs(QRELS, run)


def compare(*tables, **given):
    return ap.compare(data=dict(zip("abc", tables, strict=False)), **given)


def report(*tables, **given):
    return ap.report(data=dict(zip("abc", tables, strict=False)), **given)


def texts(result):
    """Return the texts of all notes but those on judged documents, which reports have, and on
    differences that rest on few groups.
    """
    others = "documents", "few_deciding"
    return [note.text for note in result.notes if note.code not in others]


@pytest.mark.parametrize("call", [compare, report])
@pytest.mark.parametrize("metric", ["AP", "MRR"])
def test_a_model_without_rows_for_groups_that_another_has(call, metric):
    given = {"metrics" if call is report else "metric": metric}
    whole = retrieved(12)
    for kept in range(1, 12):
        found = call(whole, retrieved(kept), **given)
        assert texts(found) == [words(12 - kept)]
        rest_on_few = [note.text for note in found.notes if note.code == "few_deciding"]
        n_lacking = 12 - kept
        groups = "1 group (query)" if n_lacking == 1 else "2 groups (query)"
        words_on_few = (
            f"The difference rests on {groups}: other samples may have more of that kind, or none."
        )
        assert rest_on_few == [words_on_few] * (n_lacking < 3)
    assert texts(call(retrieved(3), whole, retrieved(2), **given)) == [
        words(9, "The model 'a'"),
        words(10, "The model 'c'"),
    ]


def test_groups_that_no_model_has_count_as_0_for_each():
    both = compare(retrieved(6), retrieved(6))
    assert sorted(texts(both)) == [words(6, "The model 'a'"), words(6)]
    assert texts(compare(retrieved(7), retrieved(7))) == []
    assert texts(compare(retrieved(8), retrieved(7))) == [words(1)]


def test_it_stands_wherever_the_result_does():
    tables = retrieved(12), retrieved(1)
    for result in (compare(*tables), report(*tables, metrics="AP")):
        assert words(11).partition("\n")[0] in " ".join(str(result).split())
        for text in (result.to_markdown(), result._repr_html_()):
            assert " ".join(words(11).split()) in " ".join(unescape(text).split())
        rows = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        for row in rows:
            assert row["notes"][0] == {"code": "no_rows", "text": words(11)}
            assert [note["code"] for note in row["notes"][1:]] in ([], ["documents"])
        assert "notes" not in result.to_frame()


def lazily(rows):
    return pytest.importorskip("polars").DataFrame(rows).lazy()


def test_a_single_model_in_each_way():
    arrays = {
        name: table(2)[column]
        for name, column in {"y_true": "label", "y_score": "score", "groups": "query"}.items()
    }
    expected = words(10, "The model 'score'", is_alone=True)
    for data in (table(2), lazily(table(2))):
        for found in (
            ap.confidence_interval(y_score="score", data=data, **GIVEN),
            ap.report(y_score="score", data=data, **GIVEN),
        ):
            (text,) = (note.text for note in found.notes if note.code != "no_random")
            assert text == expected
            assert expected.partition("\n")[0] in " ".join(str(found).split())
    found = ap.confidence_interval(n_positives=COUNTS, **arrays)
    assert texts(found) == [words(10, "The model", is_alone=True).replace(" (query)", "")]
    pairs = {(query, query // 2): number for query, number in COUNTS.items()}
    for groups, clusters in (("query", "user"), ("user", "query")):
        counts = pairs if groups == "query" else {key[::-1]: n for key, n in pairs.items()}
        given = {"groups": groups, "clusters": clusters, "n_positives": counts}
        few, many = (
            ap.confidence_interval("label", "score", data=table(n), **given) for n in (4, 10)
        )
        assert [note.code for note in few.notes] == ["no_rows"]
        assert many.notes == ()


def test_only_zeros():
    values, zeros = RNG.random(30), np.zeros(30)
    text = (
        "The model 'B' has a value of 0 in all 30 groups.\nDid it fail, or were missing values "
        "filled with 0?"
    )
    for other in (values, -values):
        found = compare_values(other, zeros)
        assert (texts(found), found.notes[0].code) == ([text], "only_zeros")
        assert compare_values(other, other + 1).notes == ()
    several = compare_values({"A": values, "B": zeros, "C": values**2})
    assert texts(several) == [text]
    assert text.partition("\n")[0] in " ".join(str(several).split())
    by_cluster = compare_values(values, zeros, clusters=np.arange(30) // 3)
    assert texts(by_cluster) == [text]
    assert compare_values(values[:9], zeros[:9]).notes == ()  # which may be chance
    almost = np.where(np.arange(30) == 3, 1e-9, 0)
    assert compare_values(values, almost).notes == ()


@pytest.mark.parametrize(
    ("given", "units"),
    [
        ({}, "1 row"),
        ({"clusters": np.arange(100) // 2}, "1 cluster"),
        ({"n_positives": 31}, None),
        ({"method": "bootstrap", "n_resamples": 2, "random_state": 0}, None),
    ],
)
def test_a_model_that_fails_on_a_single_row(given, units):
    """Neither resamples nor missed positives tell on how many units a difference rests."""
    y, a = np.arange(100) < 30, -np.arange(100.0)
    notes = ap.compare(y, a, np.where(a == 0, -200, a), **given).notes
    words = f"The difference rests on {units}: other samples may have more of that kind, or none."
    assert [note.text for note in notes] == [words] * (units is not None)


@pytest.mark.parametrize("call", [ap.compare, ap.report])
def test_a_function_without_values_for_half_of_the_groups(call):
    """All rows of a group have the same score where the model has failed."""
    metric = ap.metric(lambda _, y_score: np.ptp(y_score) or np.nan, name="range", limits=(0, 9))
    given = {"metrics" if call is ap.report else "metric": metric, "groups": "query"}
    for kept in range(1, 12):
        data = table(12) | {"b": np.where(QUERY < kept, SCORE, 0)}
        found = call("label", ["score", "b"], data=data, zero_division=0.0, **given)
        words = f"The model 'b' has no finite value for {12 - kept} of 12 groups (query)."
        assert texts(found)[: kept <= 6] == [f"{words}\nDid it fail there?"] * (kept <= 6)
        rest_on_few = [note.text for note in found.notes if note.code == "few_deciding"]
        assert len(rest_on_few) == (kept > 9)


def first(y_true, y_score):
    return float(y_true[np.argmax(y_score)])


METRICS = ["AP", "P@2", "P@50%", "R@2", "EF@2", "AP@2", "Rprec", "RR", "MRR@2", "HR@2", "envelope"]
METRICS += ["11-point", "precision_at_recall_0.5", "recall_at_precision_0.5", "nDCG", "nDCG@2"]
METRICS += [ap.metric(first, name="first")]


@pytest.mark.sweep(6)
@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan], ids=str)
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_only_values_that_are_undefined_are_called_so(metric, zero_division):
    """P@k of a group without positives is 0, whatever `zero_division` says."""
    label, given = np.where(QUERY % 3, LABEL, 0), {"groups": QUERY, "average": None}
    undefined = np.isnan(ap.metric(metric)(label, SCORE, zero_division=np.nan, **given))
    given = {"metrics": [metric], "groups": QUERY, "zero_division": zero_division}
    reports = [ap.report(label, SCORE, **given)]
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"label": label, "score": SCORE, "query": QUERY})
    reports.append(ap.report("label", "score", data=lazy, **given | {"groups": "query"}))
    for found in reports:
        said = [note.text for note in found.notes if note.code == "undefined"]
        assert len(said) == undefined.any()
        assert all(text.startswith(f"{undefined.sum()} of 12 groups") for text in said)


def test_only_zeros_of_some_metrics():
    """Each query has its only positive below the other rows."""
    label, score = np.tile([0, 0, 0, 1], 12), np.tile([4, 3, 2, 1], 12)
    given = {"metrics": ["P@1", "AP", "P@2"], "groups": np.arange(48) // 4}
    note, upside_down = ap.report(label, {"Old": score}, **given).notes
    assert note.text.startswith(
        "For precision at 1 and precision at 2, the model 'Old' has a value of 0 in all 12 groups."
    )
    assert ap.report(label, {"Old": score}, **given | {"metrics": "AP"}).notes == (upside_down,)
    assert upside_down.code == "upside_down"
    rows = ap.confidence_interval(
        label.reshape(12, 4), score.reshape(12, 4), metric="P@1", average="samples"
    )
    assert "in all 12 rows" in texts(rows)[0]
    # Of segments it isn't said: each model has only zeros in one of them.
    label, score = np.append(label, np.tile([1, 0, 0, 0], 12)), np.tile([4, 3, 2, 1], 24)
    given = {"metrics": "P@1", "groups": np.arange(96) // 4, "by": np.repeat(["a", "b"], 48)}
    assert ap.report(label, {"Old": score, "New": -score}, baseline="Old", **given).notes == ()


def test_at_most_three_are_printed_the_most_serious_first():
    names = [f"model {place}" for place in range(6)]
    data = dict(zip(names, [retrieved(12), *map(retrieved, range(1, 6))], strict=True))
    by = {**table(12), "by": np.where(QUERY < 6, "x", None)}
    found = ap.report(data=data)
    assert len(texts(found)) == 5
    assert str(found).count("has no rows for") == 3
    one = ap.report("label", "score", by="by", groups="query", data=by)
    assert [note.code for note in one.notes] == ["no_segment"]
    assert sort_notes([*one.notes[::-1], *found.notes[:1]]) == (found.notes[0], *one.notes)
    assert sort_notes([Note("no_rows", "x"), Note("no_rows", "x")]) == (Note("no_rows", "x"),)


def test_the_command_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    judged = "\n".join(f"{q} 0 d{row} {LABEL[row]}" for row, q in enumerate(QUERY))
    run = [f"{q} Q0 d{row} 1 {SCORE[row]} x" for row, q in enumerate(QUERY)]
    for name, text in {
        "qrels": judged,
        "a.run": "\n".join(run),
        "b.run": "\n".join(run[:5]),
    }.items():
        (tmp_path / name).write_text(text + "\n")
    line = "trec qrels a.run b.run --metrics MAP --baseline a --fail-if-worse"
    assert command_line.main(line.split()) == 1
    assert " ".join(words(11).split()) in " ".join(capsys.readouterr().out.split())
    assert command_line.main(f"{line} --format json".split()) == 1
    assert json.loads(capsys.readouterr().out)[0]["notes"][0]["code"] == "no_rows"


@pytest.mark.parametrize(
    ("n_sets", "noise", "apart", "least", "most"),
    [
        (20, "lognormal", 3.2, 0.7, 1),
        (20, "normal", 2.0, 0, 0.1),
        pytest.param(200, "lognormal", 3.2, 0.85, 1, marks=pytest.mark.slow),
        *(
            pytest.param(200, noise, 3.0, 0, 0.05, marks=pytest.mark.slow)
            for noise in ("normal", "t")
        ),
    ],
)
def test_any_recall_at_a_precision(n_sets, noise, apart, least, most):
    """Lognormal negatives leave precision just below 0.5 down to the last positive."""
    rng, n_told = np.random.default_rng(0), 0
    draw = {
        "lognormal": lambda: rng.lognormal(size=500),
        "normal": lambda: rng.standard_normal(500),
        "t": lambda: rng.standard_t(3, 500),
    }[noise]
    for _ in range(n_sets):
        y = rng.random(500) < 0.1
        given = {"metric": "recall_at_precision_0.5", "random_state": 0, "n_resamples": 499}
        found = ap.confidence_interval(y, draw() + apart * y, **given)
        told = [note.code for note in found.notes] == ["any_recall"]
        assert told == (found.high - found.low > 0.98)
        n_told += told
    assert least <= n_told / n_sets <= most
    few = ap.confidence_interval([1, 0, 1, 0], [4, 3, 2, 1], metric="recall_at_precision_0.9")
    assert few.high - few.low > 0.98
    assert [note.code for note in few.notes] == ["few_groups"]


FEW = np.array([[0, 1, 2, 0], [1, 0, 1, 0], [2, 1, 0, 0]])
FEW_SCORES = np.random.default_rng(1).random(FEW.shape)
FEW_GROUPS = np.repeat(["a", "b", "c"], 4)


@pytest.mark.parametrize("metric", ["AP", "P@2", "nDCG"])
@pytest.mark.parametrize(("labels", "scores", "given", "units"), [
    (FEW, FEW_SCORES, {"average": "samples"}, "3 rows"),
    (FEW.ravel(), FEW_SCORES.ravel(), {"groups": FEW_GROUPS}, "3 groups"),
    (FEW.ravel(), FEW_SCORES.ravel(),
     {"groups": FEW_GROUPS, "clusters": np.repeat([1, 2, 2], 4)}, "2 clusters"),
], ids=["rows", "groups", "clusters"])  # fmt: skip
def test_a_note_on_few_units_calls_them_as_the_basis_does(metric, labels, scores, given, units):
    if metric == "nDCG":
        given = {name: value for name, value in given.items() if name != "average"}
    else:
        labels = (labels > 0).astype(int)
    found = ap.confidence_interval(labels, scores, metric=metric, **given)
    (note,) = [note.text for note in found.notes if note.code == "few_groups"]
    assert units in found.basis
    assert re.match(rf"({units}|Effectively [\d.]+ {units[2:]}) are few: ", note)


def test_usual_data_have_no_notes():
    scores = {"a": SCORE, "b": RNG.random(60)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ap.report(LABEL, scores, groups=QUERY, metrics=["AP", "P@3"]).notes == ()
        assert ap.compare(LABEL, scores, clusters=QUERY).notes == ()
        assert ap.confidence_interval(LABEL, SCORE).notes == ()


# --- verbs after a count -------------------------------------------------------------------------

PLURAL = r"(have|are|were|do|differ|count|lack|belong)\b"
# {} is what is formatted: "{} of {} groups have", "{} {} are", "{} rows were"
AFTER_A_COUNT = re.compile(
    rf"\{{\}} of (the )?\{{\}}[^.;:,]*? {PLURAL}|\{{\}} (\{{\}}|[a-z]+s) {PLURAL}"
)
AFTER_ONE = re.compile(rf"\b1 of [\d,]+ [^.;:,]*? {PLURAL}")
NEVER_ONE = [
    "{} {} have the id",  # which two or more have
    "scores between two of {} thresholds are tied",  # the scores are
    "{} of {} {} are shown",  # a constant
]


@cache
def parse_modules():
    """Return the syntax tree of each module by its path."""
    paths = sorted(Path(ap.__file__).parent.rglob("*.py"))
    return {path: ast.parse(path.read_text("utf-8")) for path in paths}


def templates(tree):
    """The formatted texts of a module, without those that are one of two for a condition."""
    chosen = {
        id(text)
        for node in ast.walk(tree)
        if isinstance(node, ast.IfExp)
        for text in (node.body, node.orelse)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in chosen:
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield "".join(parts)


def test_no_verb_is_plural_whatever_the_count():
    texts = [text for tree in parse_modules().values() for text in templates(tree)]
    found = [text for text in texts if AFTER_A_COUNT.search(text)]
    assert [text for text in found if not any(known in text for known in NEVER_ONE)] == []
    assert len(found) == len(NEVER_ONE)
    assert AFTER_A_COUNT.search("{} of {} {} have no positives")


NOUNS = "account box class cookie day family loss movie patch positive query tie user win"


@pytest.mark.parametrize("word", NOUNS.split())
def test_one_of_a_plural_is_its_singular(word):
    many = make_plural(word)
    assert (format_count(2, many), format_count(1, many)) == (f"2 {many}", f"1 {word}")


ONE_EMPTY = {"groups": QUERY, "zero_division": 0.0}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: ap.confidence_interval(LABEL * (QUERY != 3), SCORE, **ONE_EMPTY),
            "1 of 12 groups has no positives, so its value is undefined (0/0) and set to 0.0.",
        ),
        (
            lambda: ap.confidence_interval(LABEL * (QUERY < 10), SCORE, **ONE_EMPTY),
            "2 of 12 groups have no positives, so their values are undefined (0/0) and set to 0.0.",
        ),
        (
            lambda: ap.compat.explain([1, 0, 1], [0.3, 0.2, 0.1], n_positives=3),
            "1 of 3 positives was not scored, and is not counted",
        ),
        (
            lambda: ap.compat.explain([1, 0, 1], [0.3, 0.2, 0.1], k=1),
            "1 of 2 positives is below the top k",
        ),
    ],
)
def test_a_verb_after_a_count_of_one_is_singular(call, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = call()
    notes = texts(result) if hasattr(result, "notes") else []
    said = " ".join(" ".join([str(result), *map(str, notes), json.dumps(result.to_dict())]).split())
    assert text in said
    assert not AFTER_ONE.search(said)


# How many there are, as an attribute or a size. A table of messages hardly has large ones.
COUNT = re.compile(r"(\w+\.)*n_\w+|[\w.]+\.size")
# Those that don't grow with the data, or are written as they were passed
FEW = {
    *("axes.size", "n_columns", "n_decimals", "n_folds", "n_models", "n_more", "n_points"),
    *("first.values.size", "way.values.size"),  # of folds
    *("each.n_thresholds", "n_thresholds", "self.n_points", "self.n_thresholds"),
    "variant.reading.n_thresholds",
    *("metric.size", "part.size"),  # in words
}
AS_PASSED = {("base.py", "n_positives")}


def test_counts_that_grow_with_the_data_are_written_with_commas():
    plain, n_found = set(), 0
    for path, tree in parse_modules().items():
        for node in ast.walk(tree):
            counted = ast.unparse(node.value) if isinstance(node, ast.FormattedValue) else ""
            if COUNT.fullmatch(counted) and counted not in FEW:
                n_found += 1
                if node.format_spec is None or "," not in ast.unparse(node.format_spec):
                    plain.add((path.name, counted))
    assert plain == AS_PASSED
    assert n_found > 40


OWN = ["a", "b"]
TIMES = np.array(["2026-01-01", "2026-01-02"], dtype="M8[s]")
NAMED = pd.Series([1, 0, 1], index=pd.Index([3, 4, 5], name="payment"))
REPEATED = NAMED.set_axis(pd.Index([3, 4, 4], name="payment"))
WARNED = [
    (
        lambda: messages.warn_of_weighed_k(Cut(25), np.array([1.0, 2.0])),
        ["k=25 counts weight", "a total weight", "the first 25 samples"],
    ),
    (
        lambda: messages.warn_of_weighed_k(Cut(0.125), np.array([1.0, 2.0])),
        ["k=12.5% counts weight", "a fraction of", "the first 12.5% of the samples"],
    ),
    (
        lambda: messages.warn_of_own_groups(Cut(25), OWN, 1_234, 1_235),
        ["1,234 groups for 1,235 rows", "k=25 leaves nothing out", "such as a user"],
    ),
    (
        lambda: messages.warn_of_own_groups(Cut(25), TIMES, 1_234, 1_235),
        ["1,234 groups for 1,235 rows", "The groups are times"],
    ),
    (lambda: messages.warn_of_heavy_negatives(1.2345), ["negatives of weight 1.23 largely"]),
    (
        lambda: messages.warn_of_heavy_negatives(0.0012345, by_group=True),
        ["negatives of weight 0.00123 largely", "of each group"],
    ),
    (
        lambda: messages.warn_of_heavy_negatives(12.345, "patients"),
        ["A few patients, each with about 12.3 negatives"],
    ),
    (
        lambda: messages.warn_of_heavy_missed(1.5678, "Amounts", 0.8125, 0.012345),
        ["Amounts with low", "weigh 1.57 times", "min_recall=0.8125 may", "than 0.0123."],
    ),
    (
        lambda: messages.warn_of_one_hit("'MRR'", 1_234_567, 1_234),
        ["'MRR' looks", "1,234,567 rows with 1,234 positives"],
    ),
    (
        lambda: messages.warn_of_other_order([("y_true", NAMED), ("sample_weight", NAMED[::-1])]),
        [
            "y_true and sample_weight have",
            "('payment')",
            "sample_weight.reindex(y_true.index)",
            "pass sample_weight.to_numpy()",
        ],
    ),
    (
        lambda: messages.warn_of_other_order(
            [("y_true", REPEATED), ("y_score", {"old": REPEATED[::-1]})]
        ),
        [
            "y_true and y_score['old'] have",
            "('payment')",
            "Some values occur more than once",
            "pass y_score['old'].to_numpy()",
        ],
    ),
    (lambda: messages.warn_no_positives(" of 'b'"), ["found in y_true of 'b', recall is"]),
]


@pytest.mark.parametrize(("warn", "words"), WARNED)
def test_warnings_name_what_they_are_about_and_round_as_little_as_they_say(warn, words):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn()
    (warning,) = caught
    for text in words:
        assert text in str(warning.message)


def test_each_warning_of_the_package_has_a_row():
    names = {name for name in vars(messages) if name.startswith("warn_")}
    called = {name for call, _ in WARNED for name in call.__code__.co_names}
    without_values = {"warn_of_no_rows", "warn_of_equal_decimals"}
    assert names - called == without_values


# A warning, the last value of its argument that it isn't given for, and the first that it is
MANY = {"y": np.arange(1_001) < 2, "s": np.arange(1_001)}
LIMITS = [
    (lambda ratio: messages.warn_of_heavy_missed(ratio, "Positives", 0.8, 0.05), 1.25, 1.26),
    (lambda n_rows: messages.warn_of_one_hit("'MRR'", n_rows, 2), 1_000, 1_001),
    (lambda n_found: messages.warn_of_one_hit("'MRR'", 5_000, n_found), 1, 2),
    (lambda score: score("y", "s", data=MANY), ap.r_precision_score, ap.reciprocal_rank_score),
    (lambda n_groups: messages.warn_of_own_groups(Cut(5), OWN, n_groups, 100), 90, 91),
    (lambda n_rows: messages.warn_of_own_groups(Cut(5), OWN, n_rows, n_rows), 19, 20),
    (lambda k: messages.warn_of_own_groups(Cut(k), OWN, 100, 100), 1, 2),
]


@pytest.mark.parametrize(("warn", "at_limit", "beyond"), LIMITS)
def test_warnings_begin_beyond_their_limits(warn, at_limit, beyond):
    warn(at_limit)
    with pytest.warns(UserWarning, match=r"\."):
        warn(beyond)


@pytest.mark.parametrize(
    ("number", "what", "words"),
    [
        (0, "rows", "0 rows"),
        (1, "rows", "1 row"),
        (2, "rows", "2 rows"),
        (1_234_567, "rows", "1,234,567 rows"),
        (1, "clusters with positives", "1 cluster with positives"),
        (1_000, "clusters with positives", "1,000 clusters with positives"),
    ],
)
def test_a_count_has_commas_and_the_number_of_its_noun(number, what, words):
    assert messages.format_count(number, what) == words


def test_many_groups_without_positives_are_counted_with_commas():
    label, query = np.tile([0, 1, 0], 2_500), np.arange(7_500) // 3
    label[: 3 * 1_200] = 0
    with pytest.warns(UndefinedMetricWarning, match="for 1,200 of 2,500 groups"):
        ap.mean_average_precision_score(label, np.arange(7_500), groups=query)


# --- digits and commas ---------------------------------------------------------------------------

TOP_FIRST, TOP_LAST = [2, 1], [1, 2]  # scores of a group with a positive and a negative


def count_documents(n_models):
    """Each model has retrieved one document more than the one before."""
    models = {
        f"m{place}": SimpleNamespace(
            rankings=SimpleNamespace(n_rows=1_000 + place), group_words="queries"
        )
        for place in range(n_models)
    }
    judged = {query: {0: 1, 1: 1} for query in range(1_200)}
    return _count_documents(judged, models, "documents").text


WRITTEN = [
    (
        lambda: ap.compare(
            [1, 0] * 3_600,
            TOP_FIRST * 2_400 + TOP_LAST * 1_200,
            TOP_LAST * 1_200 + TOP_FIRST * 2_400,
            groups=np.arange(7_200) // 2,
        ),
        "A has 1,200 wins, 1,200 ties and 1,200 losses.",
    ),
    (
        lambda: ap.report(
            [1, 0, 1, 0] * 5,
            {"a": np.arange(20), "b": -np.arange(20)},
            metrics=["AP", "P@2"],
            margin={"AP": 0.01234, "P@2": 0.5},
            baseline="a",
        ),
        "Margin: 0.01234 (Average precision), 0.5 (Precision at 2).",
    ),
    (
        lambda: sentences.note_least_margin("2,000 positives", 0.01234).text,
        "With 2,000 positives, the smallest margin within which equivalence can be shown is 0.012.",
    ),
    (
        lambda: sentences.describe_units_of_plan(
            SimpleNamespace(cluster_words="clusters"),
            SimpleNamespace(rankings=SimpleNamespace(group=None), n_scored=3_600, cluster=None),
            SimpleNamespace(n_units=np.ones(1_200)),
        ),
        "1,200 classes, 3,600 samples",
    ),
    (lambda: FeatureLimit("samples", 1_200, is_least=True), "with 1,200 samples or more"),
    (lambda: count_documents(1), "1,200 queries have 2,400 judged documents; retrieved: 1,000 by"),
    (lambda: count_documents(20), "; retrieved: 1,000 to 1,019 by each model."),
    (
        lambda: next(make_segment_notes(SegmentFacts(1_200, False, False, None, False, None))).text,
        "1,200 groups have no rows",
    ),
    # With the last row first, labels are 1, 0, 1: (1 + 2/3) / 2 = 0.8333.
    (
        lambda: [row.why for row in ap.compat.explain([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.25]).rows],
        "you passed no ids, so the row shows the range over all orders; if ids increase with the "
        "rows it is 0.8333",
    ),
]


@pytest.mark.parametrize(("say", "words"), WRITTEN)
def test_sentences_write_large_counts_with_commas_and_other_numbers_with_few_digits(say, words):
    assert words in " ".join(str(say()).split())


def test_a_mean_number_of_samples_has_four_digits():
    with pytest.warns(UserWarning, match=r"the mean number of samples per group, 1234, so all"):
        ap.operating_point([1, 0] * 1_234, [2, 1] * 1_234, k=2_000, groups=np.arange(2_468) % 2)


def test_judged_documents_of_grade_0_are_no_positives():
    counts = {"a": {1: 2, 0: 3}, "b": {1: 1, 0: 2}}
    report = ap.report(
        [1, 0, 0, 1], [4, 3, 2, 1], groups=[*"aabb"], n_positives=counts, metrics=["nDCG"]
    )
    assert report.rows[0].n_positives == 3


def draw_report(rng):
    """Return a report on few positives, whose margin is too small, by a random metric."""
    n_rows, n_positives = rng.integers(50, 600), rng.integers(2, 14)
    y = np.arange(n_rows) < n_positives
    models = {"a": rng.random(n_rows) + 0.5 * y, "b": rng.random(n_rows) + 0.4 * y}
    kind = rng.choice(["rows", "by", "clusters", "sample_weight"])
    given = {
        "rows": {},
        "by": {"by": rng.integers(0, 3, n_rows)},
        "clusters": {"clusters": rng.permutation(n_rows) // rng.integers(1, 9)},
        "sample_weight": {"sample_weight": 5 * rng.random(n_rows)},
    }[kind]
    metric = rng.choice(["AP", "P@5%", "EF@1%", "R@2%", "P@3", "R@50", "11-point", "AP@5"])
    return ap.report(y, models, metrics=metric, baseline="a", margin=0.01, random_state=0, **given)


@pytest.mark.filterwarnings("ignore")
def test_notes_count_only_what_cells_count_or_what_is_at_the_top():
    """A number of positives or clusters in a note stands in the heading or in a cell, too."""
    rng, counted = np.random.default_rng(0), set()
    for _ in range(60):
        found = draw_report(rng)
        notes = [*found.notes]
        said = " ".join(str(found).split())
        for note in notes:
            said = said.replace(" ".join(note.text.split()), "")
        numbers = {number.rstrip(",.") for number in re.findall(r"[\d,.]+", said)}
        for note in notes:
            if note.code not in ("few_groups", "least_margin"):
                continue
            number, units = re.search(
                r"([\d,.]+) (positives?|clusters?|rows?)\b", note.text
            ).groups()
            counted.add(units)
            assert number in numbers or "the top" in note.text
            if not note.text.startswith("In the segment"):
                *_, with_positives = re.findall(r"[\d.]+", found.rows[0].basis)
                is_cut = float(number) < float(with_positives)
                assert ("the top" in note.text) is is_cut, (note.text, found.rows[0].basis)
    assert counted == {"positives", "clusters", "row", "rows"}
