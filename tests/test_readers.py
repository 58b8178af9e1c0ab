"""Tables that know their columns, and the readers that make them."""

import bz2
import gzip
import json
import lzma
import sys
import tracemalloc
from fractions import Fraction
from functools import partial
from io import StringIO

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._enter import entry
from sklearn_ap.core import rankings
from sklearn_ap.readers import read_runs, read_trec, read_voc

from .detections import DIFFICULT, detected
from .retrieval import EXIST, QRELS, QUERIES, RELEVANT, RUN, SCORES, engine, trec

GIVEN = {"n_positives": EXIST, "groups": QUERIES}


CALLS = {
    "metric": ap.mean_average_precision_score,
    "at k": partial(ap.precision_at_k_score, k=2, average=None),
    "object": ap.metric("MAP"),
    "by name": ap.metric("P@2").by_name,
    "interval": lambda *args, **data: tuple(ap.confidence_interval(*args, metric="MAP", **data)),
    "report": lambda *args, **data: [
        # Arrays have no name, and may have all candidates, so that they can be shuffled.
        json.loads(json.dumps(row).replace(" (query)", "")) | {"chance": None}
        for row in ap.report(*args, metrics=["MAP", "P@2"], **data).to_dict()
    ],
    "curve": lambda *args, **data: ap.hit_curve(*args, **data)["eel"],
    "threshold": partial(ap.operating_point, min_recall=0.4),
    "explained": lambda *args, **data: ap.compat.explain(*args, **data).to_dict(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_table_that_knows_its_columns_needs_no_names(call):
    np.testing.assert_equal(call(data=engine()), call(RELEVANT, SCORES, **GIVEN))


def test_what_is_passed_takes_precedence_over_what_the_table_knows():
    found = ap.recall_at_k_score(data=engine(), n_positives=EXIST | {"eel": 0}, zero_division=1.0)
    assert found == pytest.approx((1 + 0.5 + 1) / 3)


QRELS_OF_FOUR = {
    "q1": {"d1": 1, "d3": 2},
    "q2": {"d1": 1, "d4": 1},
    "q3": {"d9": 1},
    "q4": {"d2": 1},
}
LACKS_Q3 = {
    "q1": {"d1": 0.9, "d2": 0.8, "d5": 0.7},
    "q2": {"d4": 0.5, "d1": 0.4},
    "q4": {"d1": 3, "d2": 2},
}
HAS_ALL = {
    "q1": {"d2": 0.9, "d1": 0.8},
    "q2": {"d4": 0.5, "d7": 0.4},
    "q3": {"d9": 0.2},
    "q4": {"d2": 3, "d1": 2},
}


def of_two_engines():
    """As many rows of two engines, which belong to other queries."""
    tables = read_runs(QRELS_OF_FOUR, {"a": LACKS_Q3, "b": HAS_ALL})
    assert len(tables["a"]) == len(tables["b"])
    return tables


def test_segments_of_queries_are_those_of_each_table():
    tables = of_two_engines()
    by = {"q1": "x", "q2": "x", "q3": "y", "q4": "y"}
    of_both = ap.report(data=tables, by=by)
    for engine_name, table in tables.items():
        alone = ap.report(data=table, by=by)
        found = {row.segment: row.value for row in of_both.rows if row.model == engine_name}
        assert found == {row.segment: row.value for row in alone.rows}


def test_judged_documents_count_what_a_table_lacks():
    tables = {"a": trec(), "b": trec(run="\n".join(RUN.splitlines()[1:]))}
    found = ap.compare(data=tables, metric="nDCG")
    assert [row.value for row in found.rows] == [
        ap.ndcg_score(data=table) for table in tables.values()
    ]


@pytest.mark.parametrize("compared", [
    ap.compare, ap.report, partial(ap.report, by={"q1": 1, "q2": 1, "q3": 2, "q4": 2})
])  # fmt: skip
def test_what_pairs_tables_and_counts_their_positives_is_needed(compared):
    """The rows of two engines are different ones, and so are the positives that they lack."""
    tables = of_two_engines()
    words = r"tables of 'a', 'b' have different rows\. So comparing them takes n_positives, which"
    with pytest.raises(ValueError, match=words):
        compared(data=tables, n_positives=None)
    if compared in (ap.compare, ap.report):
        with pytest.raises(ValueError, match=r"takes groups or clusters, which pair them\. Don't"):
            compared(data=tables, groups=None, n_positives=8)


@pytest.mark.parametrize("compared", [
    ap.compare, ap.report, ap.AveragePrecisionDisplay.from_predictions
])  # fmt: skip
def test_other_tables_of_models_are_refused_with_a_merge_that_loses_nothing(compared):
    pd = pytest.importorskip("pandas")
    a = pd.DataFrame({"id": [1, 2, 3, 4], "label": [1, 0, 1, 0], "score": [4.0, 3.0, 2.0, 1.0]})
    b = pd.DataFrame({"id": [4, 2, 1], "score": [1.0, 4.0, 3.0]})
    with pytest.raises(ValueError, match=r"only if functions of sklearn_ap\.readers") as refusal:
        compared("label", "score", data={"a": a, "b": b})
    with pytest.raises(ValueError, match="only if functions of") as of_both:
        compared(data={"a": engine(), "b": b})
    assert str(of_both.value) == str(refusal.value)
    code = str(refusal.value).split("`")[1]
    both = eval(code, {"a": a, "b": b})
    assert len(both) == 4
    with pytest.raises(ValueError, match=r"y_score contains NaN.*the column 'score_b'"):
        compared("label", ["score_a", "score_b"], data=both)


def test_engines_with_a_table_each_are_compared_without_names():
    tables = {"bm25": engine(), "dense": engine([9, 1, 8, 1, 2])}
    report = ap.report(data=tables, metrics="MAP", baseline="bm25")
    assert [row.value for row in report.rows] == pytest.approx([13 / 36, 0.5])
    compared = ap.compare(data=tables, baseline="bm25")
    assert compared.rows[1].difference == pytest.approx(5 / 36)
    for display in (ap.AveragePrecisionDisplay, ap.HitCurveDisplay):
        shown = display.from_predictions(data=tables, confidence_level=0.95)
        for row, mean in zip(report.rows, shown.mean_, strict=True):
            interval = f"MAP = {row.value:.3f}, 95% {row.low:.3f} to {row.high:.3f}, 3 groups"
            assert mean.get_label().replace("Step ", "") == f"{row.model} ({interval} (query))"
        assert not any(line.get_visible() for line in shown.line_)


def test_trec_files_become_a_table_in_order_of_rank():
    table = trec()
    assert repr(table) == "<Retrieved: 3 groups (query), 6 rows, 66.7% judged>"
    assert table.n_positives == {"cat": 2, "dog": 1, "eel": 1}
    rows = zip(*(table.columns[name].tolist() for name in TREC), strict=True)
    assert [*rows] == [
        ("cat", "d2", 1, False, True),
        ("cat", "d8", 2, False, False),  # tied with d3 in single precision, and later by name
        ("cat", "d3", 3, True, True),
        ("cat", "d1", 4, True, True),
        ("dog", "d5", 1, False, False),
        ("dog", "d4", 2, True, True),
    ]
    scores = table.columns["score"]
    assert (np.diff(scores[:4]) < 0).all()
    assert scores.astype("f").tolist() == np.float32([0.8, 0.7, 0.7, 0.5, 7, 0.001]).tolist()
    assert ap.mean_average_precision_score(data=table) == pytest.approx((5 / 12 + 1 / 2) / 3)
    assert ap.recall_at_k_score(data=trec(min_grade=2), k=3, zero_division=0.0) == 1 / 3
    assert [table.judged_at(k) for k in (1, 2, 3)] == [1 / 2, 2 / 4, 3 / 5]
    assert {*map(type, trec(min_grade=np.float32(1)).n_positives.values())} == {int}
    judged = trec(unjudged="drop")
    assert judged.columns["document"].tolist() == ["d2", "d3", "d1", "d4"]
    assert judged.columns["rank"].tolist() == [1, 3, 4, 2]  # in the whole run
    assert trec(min_grade=-1).n_positives == {"cat": 3, "dog": 1, "eel": 1}  # -1 isn't judged
    assert [trec(min_grade=grade).min_grade for grade in (-1, np.int64(-1), np.int64(2))] == [
        0,
        0,
        2,
    ]
    with pytest.raises(ValueError, match="'a' and 'b' have different min_grade"):
        ap.report(data={"a": trec(min_grade=1), "b": trec(min_grade=2)}, metrics=["nDCG"])
    more = trec(run=RUN + "emu Q0 d1 1 3 me", unjudged_queries="drop")
    assert more.columns["query"].tolist() == table.columns["query"].tolist()
    tied = trec(run="cat Q0 d1 1 1 me\ncat Q0 d2 2 1 me\ndog Q0 d4 1 1 me\n")
    assert tied.columns["score"].tolist() == [1, np.nextafter(1, 0), 1]  # not across queries


TREC = ["query", "document", "rank", "relevant", "judged"]


def test_tables_become_frames_that_share_nothing_with_them(monkeypatch):
    pd = pytest.importorskip("pandas")
    for table in (trec(), engine(), detected(), read_voc(*DIFFICULT)):
        frame = table.to_frame()
        pd.testing.assert_frame_equal(frame, pd.DataFrame(dict(table.columns)))
        before = [column.tolist() for column in table.columns.values()]
        frame.loc[:, table.roles["y_score"]] = -1.0
        np.testing.assert_equal([column.tolist() for column in table.columns.values()], before)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas: pip install pandas$"):
        trec().to_frame()


def test_trec_files_can_be_paths_and_compressed(tmp_path):
    qrels, run = tmp_path / "qrels", tmp_path / "run.gz"
    qrels.write_text("\ufeff" + QRELS.replace("\n", "\r\n"), encoding="utf-8")  # as on Windows
    for compress in (bz2.compress, lzma.compress, gzip.compress):
        run.write_bytes(compress(RUN.encode()))
        with run.open("rb") as file:
            for source in (run, str(run), file):
                found = read_trec(qrels, source)
                assert found.columns["score"].tolist() == trec().columns["score"].tolist()
                assert found.n_positives == trec().n_positives
    run.write_bytes(run.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"run\.gz cannot be read: it is not a complete gzip file"):
        read_trec(qrels, run)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_counted_with_every_kind_of_line_end(newline):
    found = trec(QRELS.replace("\n", newline), RUN.replace("\n", newline))
    assert found.columns["document"].tolist() == trec().columns["document"].tolist()
    with pytest.raises(ValueError, match="line 8 of runs: runs must have"):
        trec(run=(RUN + "cat").replace("\n", newline))


def test_tied_documents_rank_by_the_bytes_of_their_names():
    names = ["d1", "d10", "d", "e", "\u00e9", "\U0001f600", "\uffee"]
    run = "".join(f"cat Q0 {name} 0 {score} me\n" for score in ("0", "-0.0") for name in names)
    half = run.splitlines(keepends=True)[:4] + run.splitlines(keepends=True)[11:]  # of both zeros
    found = trec(run="".join(half) + "cat Q0 a 0 1 me\ncat Q0 z 0 -1 me\n")
    expected = ["a", *sorted(names, key=str.encode, reverse=True), "z"]
    assert found.columns["document"].tolist() == expected


def test_one_long_name_takes_no_memory_in_other_rows():
    long, rows = "x" * 5000, range(3000)
    qrels = f"{long} 0 d1 1\n" + "".join(f"q{i} 0 d{i} 1\n" for i in rows)
    run = f"q0 Q0 {long} 1 1 me\n{long} Q0 d1 1 1 me\n"
    run += "".join(f"q{i} Q0 d{i} 1 {i % 7} me\n" for i in rows)
    sources = StringIO(qrels), StringIO(run)
    tracemalloc.start()
    try:
        table = read_trec(*sources)
        value = ap.mean_average_precision_score(data=table)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert value == pytest.approx((3000 + 1 - (1 - 1 / 2)) / 3001)
    assert peak < 5e6  # a cell of 5,000 bytes in each row would take 15e6


def test_grades_of_a_table_can_be_cut_elsewhere_with_counts_for_them():
    table, exist = trec(unjudged="drop"), {"cat": 1, "dog": 0, "eel": 0}
    metric = ap.metric("MAP", min_grade=2, zero_division=0.0)
    assert metric("grade", data=table, n_positives=exist) == pytest.approx(1 / 2 / 3)


def test_trec_eval_is_found_in_a_table_whose_ties_were_broken():
    found = ap.compat.explain(data=trec())
    (step,) = [row for row in found.rows if row.definition == "step"]
    assert step.value == pytest.approx(ap.mean_average_precision_score(data=trec()))
    assert "trec_eval map with -c" in step.reported_by


@pytest.mark.filterwarnings("ignore:There are no rows")
def test_an_engine_that_found_nothing_has_a_table_too():
    table = ap.readers.read_runs({"cat": {"d1": 1}}, {"cat": {}})
    assert repr(table) == "<Retrieved: 1 group (query), 0 rows>"
    assert ap.metric("MAP")(data=table, zero_division=0.0) == 0


def random_trec(seed):
    """Return judgments and a run with ties, some of them only in single precision."""
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" if i % 3 else f"é{i}" for i in range(rng.integers(3, 60))]
    qrels, run = {}, {}
    for query in map(str, range(rng.integers(1, 8))):
        judged = rng.permutation(documents[1:])[: rng.integers(1, len(documents))]
        qrels[query] = {d: int(rng.integers(-2, 4)) for d in judged} | {"d1": 0}
        if rng.random() < 0.85 or query == "0":
            found = rng.permutation(documents)[: rng.integers(1, len(documents) + 1)].tolist()
            n = len(found)
            steps = [rng.random(n), rng.integers(-3, 4, n), 1 + rng.integers(0, 9, n) * 2e-8]
            steps += [rng.choice([-np.inf, -1e39, -3e38, 3e38, 1e39, np.inf], n)]
            run[query] = dict(zip(found, rng.choice(steps).astype(float).tolist(), strict=True))
    return qrels, run


MEASURES = ["map", "P_5", "P_10", "map_cut_10", "Rprec", "recip_rank", "success_1", "recall_10"]


@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 400), marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.filterwarnings("ignore::UserWarning")  # of queries without positives, or of no rows
def test_values_are_those_of_trec_eval(seeds):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    families = {measure.rstrip("_0123456789") for measure in MEASURES}
    for seed in seeds:
        qrels, run = random_trec(seed)
        judged, found = ({d for own in each.values() for d in own} for each in (qrels, run))
        if not judged & found:
            continue  # which is refused
        files = "\n".join(lines("{} 0 {} {}", qrels)), "\n".join(lines("{} Q0 {} 0 {!r} me", run))
        level, drop = 1 + seed % 2, bool(seed % 3 == 0)
        table = trec(*files, min_grade=level, unjudged="drop" if drop else "negative")
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, families, level, drop)
        theirs = evaluator.evaluate(run)
        for measure in MEASURES:
            # pytrec_eval leaves out queries that the run doesn't have, which count 0.
            expected = {query: theirs.get(query, {}).get(measure, 0.0) for query in qrels}
            actual = ap.metric(measure).by_name(data=table)
            assert actual == pytest.approx(expected, abs=1e-12), (seed, measure)
            mean = np.mean([*expected.values()])
            assert ap.metric(measure)(data=table) == pytest.approx(mean, abs=1e-12)


def lines(layout, nested):
    return [layout.format(q, d, value) for q, each in nested.items() for d, value in each.items()]


# --- dicts of dicts, and JSON lines ---------------------------------------------------------------


def nested(text, name, value):
    """Turn the lines of a TREC file into a dict of dicts."""
    found = {}
    for parts in map(str.split, filter(str.strip, text.splitlines())):
        found.setdefault(parts[0], {})[parts[name]] = float(parts[value])
    return found


JUDGED = {query: {d: int(g) for d, g in own.items()} for query, own in nested(QRELS, 2, 3).items()}
FOUND = nested(RUN, 2, 4)


def json_lines(given):
    lines = [
        json.dumps({"query-id": query, "corpus-id": document, "score": value})
        for query, own in given.items()
        for document, value in own.items()
    ]
    return "\n".join(lines) + "\n\n"


def assert_same(one, other):
    assert one.columns.keys() == other.columns.keys()
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, other.columns[name])
    assert (one.n_positives, one.roles) == (other.n_positives, other.roles)


@pytest.mark.parametrize(
    "options", [{}, {"min_grade": 2}, {"unjudged": "drop"}, {"min_grade": -1}], ids=str
)
def test_dicts_and_json_lines_are_read_as_files_of_trec(options, tmp_path):
    expected = trec(**options)
    assert_same(read_runs(JUDGED, FOUND, **options), expected)
    qrels, run = tmp_path / "qrels.jsonl", tmp_path / "run.jsonl.gz"
    qrels.write_text(json_lines(JUDGED), encoding="utf-8")
    run.write_bytes(gzip.compress(json_lines(FOUND).encode()))
    assert_same(read_runs(qrels, str(run), **options), expected)
    assert_same(read_runs(JUDGED, StringIO(json_lines(FOUND)), **options), expected)
    several = read_runs(qrels, {"one": FOUND, "two": run, "three": {"cat": {}}}, **options)
    assert list(several) == ["one", "two", "three"]
    for model in ("one", "two"):
        assert_same(several[model], expected)
    assert several["three"].n_positives == expected.n_positives
    assert not several["three"].columns["query"].size


def tsv(given):
    lines = [
        f"{query}\t{document}\t{value}"
        for query, own in given.items()
        for document, value in own.items()
    ]
    return "\n".join(["query-id\tcorpus-id\tscore", *lines, "", ""])


@pytest.mark.parametrize("of_runs", ["TREC", "JSON lines", "TSV"])
@pytest.mark.parametrize("of_qrels", ["TREC", "JSON lines", "TSV"])
@pytest.mark.parametrize("read", [read_trec, read_runs])
def test_files_of_all_tools_can_be_mixed(read, of_qrels, of_runs, tmp_path):
    """Several engines are a mapping for both functions, and read_runs names the other one."""
    qrels = {"TREC": QRELS, "JSON lines": json_lines(JUDGED), "TSV": tsv(JUDGED)}[of_qrels]
    runs = {"TREC": RUN, "JSON lines": json_lines(FOUND), "TSV": tsv(FOUND)}[of_runs]
    paths = {name: tmp_path / name for name in ("qrels", "run")}
    paths["qrels"].write_text("\ufeff" + qrels, encoding="utf-8")
    paths["run"].write_text(runs, encoding="utf-8")
    given = {"one": paths["run"], "two": StringIO(runs)}
    if read is read_runs and "TREC" in (of_qrels, of_runs):
        with pytest.raises(ValueError, match=r"line 1 of .* Read files of TREC by read_trec\."):
            read(paths["qrels"], given)
        return
    for table in (read(str(paths["qrels"]), paths["run"]), *read(paths["qrels"], given).values()):
        assert_same(table, trec())


def test_names_in_tsv_can_have_spaces_and_quotes():
    text = 'query-id\tcorpus-id\tscore\n"my ""q"""\ta b\t2\n'
    assert read_runs(StringIO(text), {'my "q"': {"a b": 0.5}}).n_positives == {'my "q"': 1}


def test_runs_can_be_compared_and_queries_without_results_count():
    qrels = {"cat": {"d1": 1, "d2": 0}, "dog": {"d1": 2}, "eel": {"d9": 1}}
    bm25 = {"cat": {"d2": 0.9, "d1": 0.8}}
    dense = {"cat": {"d1": 0.9}, "dog": {"d3": 0.4, "d1": 0.1}}
    tables = read_runs(qrels, {"bm25": bm25, "dense": dense})
    found = ap.report(data=tables, metrics=["MAP", "MRR@10"], baseline="bm25")
    assert [row.value for row in found] == pytest.approx([0.5 / 3, 1.5 / 3] * 2)
    more = dense | {"emu": {"d1": 1.0}}
    with pytest.raises(ValueError, match="'emu' is not in qrels"):
        read_runs(qrels, more)
    assert_same(read_runs(qrels, more, unjudged_queries="drop"), tables["dense"])


@pytest.mark.parametrize("unusual", [Fraction, np.float16, np.longdouble])
def test_dicts_of_usual_numbers_are_read_as_others_are(unusual):
    """Those aren't checked one by one."""
    qrels, run = beir(0)
    others = {
        query: {document: unusual(7 * score) for document, score in own.items()}
        for query, own in run.items()
    }
    usual = {
        query: {document: float(score) for document, score in own.items()}
        for query, own in others.items()
    }
    numbers = {
        query: {d: np.int64(grade) for d, grade in own.items()} for query, own in qrels.items()
    }
    assert_same(read_runs(qrels, usual), read_runs(numbers, others))


def test_names_that_are_escaped_bytes_are_read_as_from_files():
    qrels, run = {"q\udcff": {"\udce9": 1}}, {"q\udcff": {"\udce9": 1.0, "\ue000": 1.0, "é": 1.0}}
    table = read_runs(qrels, run)
    assert table.columns["document"].tolist() == ["\ue000", "\udce9", "é"]
    assert table.n_positives == {"q\udcff": 1}
    with pytest.raises(ValueError, match=r"runs, query 'q.*': 'utf-8' codec can't encode"):
        read_runs(qrels, {"q\udcff": {"\ud800": 1.0}})


ENTRY = '{"query-id": "cat", "corpus-id": "%s", "score": 1}'


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (f"{ENTRY}, {ENTRY}\n1\n" % ("a", "b"), "line 1 of runs: it is not JSON"),
        (f"{ENTRY}\n{ENTRY}, 5" % ("a", "b"), "line 2 of runs: it is not JSON"),
        (f"[{ENTRY}\n{ENTRY}]" % ("a", "b"), "line 1 of runs: it is not JSON"),
        (f"{ENTRY}\n{ENTRY}" % ("a", "a"), "line 2 of runs: the document 'a' .* is there twice"),
        (ENTRY.replace("cat", "dog") % "a", "line 1 of runs: the query 'dog'"),
        (f"{ENTRY}\n{ENTRY[:-2]}NaN}}" % ("a", "b"), "line 2 of runs: nan is not a number"),
        (f"{ENTRY}\n{ENTRY[:-2]}true}}" % ("a", "b"), "line 2 of runs: True is not a number"),
    ],
)
def test_json_lines_have_an_object_each(text, match):
    with pytest.raises(ValueError, match=match):
        read_runs({"cat": {"a": 1}}, StringIO(text))


def test_objects_in_json_lines_can_have_other_fields():
    more = ENTRY[:-1] + ', "more": {"query-id": 1, "corpus-id": 2, "score": 3}}'
    table = read_runs({"cat": {"a": 1}}, StringIO(f"{ENTRY}\n\n{more}\n" % ("b", "a")))
    assert table.columns["document"].tolist() == ["b", "a"]


def test_a_report_reads_counts_and_counts_rankings_once(monkeypatch):
    calls = []
    for module, name in ((entry, "read_judged"), (rankings, "from_groups")):
        function = getattr(module, name)

        def counted(*args, function=function):
            calls.append(function.__name__)
            return function(*args)

        monkeypatch.setattr(module, name, counted)
    names = [
        "MAP",
        "MRR@10",
        "P@5",
        "recall@100",
        "R-precision",
        "hit_rate@10",
        "11-point",
        "AP@10",
    ]
    ap.report(data=read_runs(*beir(0)), metrics=names, zero_division=0.0)
    assert sorted(calls) == ["from_groups", "read_judged"]


def test_numbers_in_json_lines_are_names(tmp_path):
    lines = '{"query-id": 7, "corpus-id": 12, "score": 1, "more": null}\n'
    table = read_runs(StringIO(lines), {"7": {"12": 0.5}})
    assert table.columns["document"].tolist() == ["12"]
    assert table.n_positives == {"7": 1}


def beir(seed):
    """Judgments and a run with grades, ties, unjudged documents, and queries without results."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for query in range(40):
        documents = [f"doc{i}" for i in rng.permutation(60)]
        judged = documents[: rng.integers(1, 12)]
        qrels[f"q{query}"] = {
            d: int(g) for d, g in zip(judged, rng.integers(0, 4, 60), strict=False)
        }
        scores = rng.integers(0, 12, 60) / 7 if query % 2 else rng.normal(size=60)
        listed = rng.permutation(documents)[: rng.integers(0, 40)].tolist()
        run[f"q{query}"] = {d: float(s) for d, s in zip(listed, scores, strict=False)}
    return qrels, {query: own for query, own in run.items() if own}


def test_queries_without_relevant_documents_can_be_left_out():
    """As the page says, and sentence-transformers does, also of P@k, which is 0 for them."""
    judgments = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 0}, "q3": {"b": 1}}
    run = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in judgments}
    relevant = {query: own for query, own in judgments.items() if any(own.values())}
    table = read_runs(relevant, run, unjudged_queries="drop")
    for name, expected in {"P@1": 0.5, "P@2": 0.5, "HR@1": 0.5, "R@2": 0.75}.items():
        assert ap.metric(name)(data=table) == expected
    whole = read_runs(judgments, run)
    assert ap.metric("P@1")(data=whole, zero_division=float("nan")) == pytest.approx(1 / 3)


# Queries that all engines have answered


TWENTY = [f"q{i}" for i in range(20)]
LACKED = {"a": {"q3"}, "b": {"q5", "q6"}}  # queries without an answer, by model
ANSWERED = [query for query in TWENTY if query not in LACKED["a"] | LACKED["b"]]


def tables_of(queries):
    """Return tables of both models with these queries alone, and the queries that a model lacks."""
    rng = np.random.default_rng(0)
    grades = {q: {f"d{i}": int(rng.integers(0, 3)) for i in range(6)} for q in TWENTY}
    runs = {m: {q: {f"d{i}": rng.random() for i in range(8)} for q in TWENTY} for m in LACKED}
    return read_runs(
        {q: grades[q] for q in queries},
        {m: {q: runs[m][q] for q in queries if q not in LACKED[m]} for m in LACKED},
    )


def test_answered_leaves_out_what_a_model_lacks():
    found, expected = ap.readers.answered(tables_of(TWENTY)), tables_of(ANSWERED)
    for model, table in found.items():
        assert table.n_positives == expected[model].n_positives
        assert table.n_judged == expected[model].n_judged
        for name, column in table.columns.items():
            np.testing.assert_array_equal(column, expected[model].columns[name])


def test_answered_changes_no_table_and_takes_a_single_one():
    table = tables_of(TWENTY)["a"]
    alone = ap.readers.answered(table)
    assert list(alone.n_positives) == [query for query in TWENTY if query not in LACKED["a"]]
    assert list(table.n_positives) == TWENTY
    assert len(table) == len(alone) == 19 * 8


def test_a_report_says_that_only_answered_queries_count():
    given = {"metrics": ["MAP", "nDCG@5", "MRR"], "baseline": "a"}
    tables = tables_of(TWENTY)
    report = ap.report(data=ap.readers.answered(tables), **given)
    assert report.conditions == {"only_answered": True}
    assert report == ap.report(data=tables_of(ANSWERED), **given)
    assert "no_rows" not in [note.code for note in report.notes]
    assert [note.code for note in ap.compare(data=tables, baseline="a").notes] == ["no_rows"] * 2


def test_what_all_answered_is_of_tables_that_share_queries():
    one = read_runs({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 1.0}})
    other = read_runs({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q2": {"d1": 1.0}})
    with pytest.raises(ValueError, match="no query for which all tables have rows"):
        ap.readers.answered({"a": one, "b": other})
    for wrong in ([one], {"a": {"query": [1]}}, None):
        with pytest.raises(TypeError, match="a mapping from models to such tables"):
            ap.readers.answered(wrong)


# As trec_eval 10 reads files

CLOSE_RUN = "q Q0 a 1 0.50000001 me\nq Q0 b 2 0.5 me\n"


def test_scores_are_read_in_the_precision_of_a_version():
    """In single precision, both documents are tied, and the last name is ranked first."""
    qrels = StringIO("q 0 a 1\nq 0 b 0\n")
    single = read_trec(qrels, StringIO(CLOSE_RUN))
    assert single.columns["document"].tolist() == ["b", "a"]
    qrels.seek(0)
    double = read_trec(qrels, StringIO(CLOSE_RUN), precision="double")
    assert double.columns["document"].tolist() == ["a", "b"]
    assert double.columns["score"].tolist() == [0.50000001, 0.5]
    assert [ap.metric("map")(data=table) for table in (single, double)] == [0.5, 1.0]


def test_lines_that_begin_with_a_number_sign_are_comments():
    qrels = "# made in 2026\nq 0 a 1\n#q 0 b 1\nq 0 b 0\n"
    run = "# a b c\n" + CLOSE_RUN + "# query Q0 document rank score name\n"
    table = read_trec(StringIO(qrels), StringIO(run))
    assert table.columns["query"].tolist() == ["q", "q"]
    assert table.n_positives == {"q": 1}


def test_scores_beyond_floats_are_refused():
    with pytest.raises(ValueError, match="is more than floats can hold"):
        ap.readers.read_runs({"q": {"d": 1}}, {"q": {"d": 10**400}})


QRELS_OF_TOOLS = {"cat": {"d1": 1, "d2": 0, "d3": 2}, "dog": {"d1": 2}}
RUN_OF_TOOLS = {"cat": {"d2": 0.9, "d1": 0.8}, "dog": {"d3": 0.75, "d1": 0.25}}


def as_columns(by_query, value):
    rows = [(query, doc, x) for query, docs in by_query.items() for doc, x in docs.items()]
    return dict(zip(["query_id", "doc_id", value], map(list, zip(*rows, strict=True)), strict=True))


def of_ranx(qrels, run):
    ranx = pytest.importorskip("ranx")
    return ranx.Qrels(qrels), ranx.Run(run)


def of_frames(library):
    def read(qrels, run):
        frame = pytest.importorskip(library).DataFrame
        return frame(as_columns(qrels, "relevance")), frame(as_columns(run, "score"))

    return read


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(of_ranx, marks=pytest.mark.slow),  # which compiles
        of_frames("pandas"),
        of_frames("polars"),
    ],
    ids=["ranx", "pandas", "polars"],
)
def test_what_other_tools_hold_is_read_as_dicts_are(convert):
    qrels, run = convert(QRELS_OF_TOOLS, RUN_OF_TOOLS)
    expected = read_runs(QRELS_OF_TOOLS, RUN_OF_TOOLS)
    for table in [
        read_runs(qrels, run),
        read_runs(qrels, {"new": run})["new"],
        read_runs(QRELS_OF_TOOLS, {"new": run, "old": RUN_OF_TOOLS})["new"],
    ]:
        assert table.n_positives == expected.n_positives == {"cat": 2, "dog": 1}
        assert table.n_judged == expected.n_judged
        for name, column in expected.columns.items():
            np.testing.assert_array_equal(table.columns[name], column)
    # The first relevant document is the second one of each query.
    assert ap.mean_average_precision_score(data=read_runs(qrels, run)) == (0.25 + 0.5) / 2


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_that_are_no_runs_say_which_columns_they_lack(library):
    frame = pytest.importorskip(library).DataFrame
    columns = as_columns(RUN_OF_TOOLS, "score")
    with pytest.raises(ValueError, match="'query_id', 'doc_id', 'relevance', as in ir_measures"):
        read_runs(frame(columns), RUN_OF_TOOLS)
    twice = {name: [*column, column[0]] for name, column in columns.items()}
    with pytest.raises(ValueError, match="runs: the document 'd2' of query 'cat' is there twice"):
        read_runs(QRELS_OF_TOOLS, frame(twice))
    more = as_columns(QRELS_OF_TOOLS, "relevance")
    more["iteration"] = ["0"] * 4  # as every Qrel of ir_measures has it
    expected = read_runs(QRELS_OF_TOOLS, RUN_OF_TOOLS)
    assert_same(read_runs(frame(more), frame(columns)), expected)
    text = columns | {"score": ["high"] * 4}
    with pytest.raises(ValueError, match="runs, query 'cat': 'high' is not a number"):
        read_runs(QRELS_OF_TOOLS, frame(text))
