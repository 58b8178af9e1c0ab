"""Models with a table each: runs of search engines, and detectors."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sklearn_ap as ap
from sklearn_ap.readers import read_trec
from tests.test_readers import write_files

METRICS = {"MAP": "map", "P@10": "P_10", "R@100": "recall_100", "nDCG@10": "ndcg_cut_10"}


@pytest.fixture(scope="module")
def runs():
    """Judgments, and runs that found other documents, and nothing for some queries."""
    rng, names = np.random.default_rng(0), [f"d{number}" for number in range(40)]
    grades = [-1, 0, 1, 2]
    qrels = {f"q{n}": {d: int(rng.choice(grades)) for d in names[:30]} for n in range(30)}
    qrels["q3"] = {"d1": 0}  # nothing is relevant
    runs = {}
    for name, skill in {"old": 0.1, "new": 0.4, "other": 0.4}.items():
        found = {q: rng.choice(names, 20, replace=False) for q in qrels if rng.random() < 0.9}
        runs[name] = {
            q: {d: round(rng.normal(skill * qrels[q].get(d, 0)), 1) for d in found[q].tolist()}
            for q in found
        }
    files = {name: write_files(qrels, run)[1] for name, run in runs.items()}
    return qrels, runs, *read_trec(write_files(qrels, {})[0], files)


@pytest.mark.filterwarnings("ignore:No positive class")
@pytest.mark.parametrize("metric", METRICS)
def test_runs_are_compared_query_by_query(runs, metric):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, found, tables, counts = runs
    asked = {"groups": "query", "n_positives": counts, "metric": metric}
    asked |= {} if metric == "nDCG@10" else {"min_grade": 1}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {METRICS[metric]})
    values = {}
    for name, table in tables.items():
        by_query = evaluator.evaluate(found[name])
        expected = {q: by_query.get(q, {METRICS[metric]: 0})[METRICS[metric]] for q in qrels}
        values[name] = ap.values_by_group("grade", "score", data=table, **asked)
        assert [*values[name]] == sorted(qrels)
        assert values[name] == pytest.approx(expected, abs=1e-12)
    assert ap.values_by_group("grade", "score", data=tables, **asked) == values
    compared = ap.compare("grade", "score", data=tables, baseline="old", **asked)
    assert [row.model for row in compared] == [*tables]
    for row in (compared["new"], compared["other"]):
        d = [values[row.model][query] - values["old"][query] for query in qrels]
        test = stats.ttest_1samp(d, 0)
        ends = test.confidence_interval(1 - 0.05 / 2)
        assert row.pvalue == pytest.approx(min(2 * test.pvalue, 1))
        assert (row.difference, row.low, row.high) == pytest.approx((np.mean(d), *ends))


@pytest.mark.filterwarnings("ignore:No positive class")
def test_a_report_of_runs_has_metrics_with_and_without_min_grade(runs):
    _, _, tables, counts = runs
    asked = {"groups": "query", "n_positives": counts, "baseline": "old", "data": tables}
    report = ap.report("grade", "score", metrics=[*METRICS], min_grade=1, **asked)
    assert [row.model for row in report] == 4 * [*tables]
    for place, metric in enumerate(METRICS):
        least = {} if metric == "nDCG@10" else {"min_grade": 1}
        compared = ap.compare("grade", "score", metric=metric, **least, **asked)
        for row, other in zip(report.rows[3 * place :], compared, strict=False):
            assert (row.value, row.verdict) == (other.value, other.verdict)
    assert "random" not in str(report)  # which would be another number for each run
    with pytest.raises(ValueError, match="reads grades as they are"):
        ap.report("grade", "score", metrics="nDCG@10", min_grade=2, **asked)


@pytest.mark.filterwarnings("ignore:No positive class")
def test_types_of_queries_are_segments(runs):
    """Of all queries, also those that an engine returned nothing for."""
    _, _, tables, counts = runs
    type_of_query = {query: "short" if query < "q2" else "long" for query in counts}
    asked = {"min_grade": 1, "groups": "query"}
    of_all = {"n_positives": counts, "metrics": "MAP", "by": type_of_query}
    report = ap.report("grade", "score", data=tables, baseline="old", **of_all, **asked)
    assert [row.segment for row in report] == [None] * 3 + ["long"] * 3 + ["short"] * 3
    assert "in no segment" not in str(report)
    for part in ("short", "long"):
        counts_of_part = {q: counts[q] for q in counts if type_of_query[q] == part}
        of_part = {name: t[t["query"].map(type_of_query) == part] for name, t in tables.items()}
        compared = ap.compare(
            "grade",
            "score",
            metric="MAP",
            n_positives=counts_of_part,
            data=of_part,
            baseline="old",
            confidence_level=1 - 0.05 / 2,
            **asked,
        )
        rows = {row.model: row for row in report if row.segment == part}
        for other in compared:
            row = rows[other.model]
            ends = row.difference_low, row.difference_high
            assert (row.value, row.difference) == pytest.approx(
                (other.value, other.difference), nan_ok=True
            )
            assert ends == pytest.approx((other.low, other.high), nan_ok=True)
    one = ap.report("grade", "score", data=tables["old"], **of_all, **asked)
    values = [row.value for row in report if row.model == "old"]
    assert [row.value for row in one] == pytest.approx(values)


def test_segments_of_counts_in_a_series():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"q": np.arange(60) % 6, "y": rng.random(60) < 0.4, "s": rng.random(60)})
    counts = table.groupby("q")["y"].sum() + 1
    asked = {"metrics": "MAP", "groups": "q", "by": {q: q % 2 for q in range(6)}, "data": table}
    one, other = (ap.report("y", "s", n_positives=n, **asked) for n in (counts, counts.to_dict()))
    assert str(one) == str(other)
    with pytest.raises(ValueError, match="by= is a mapping from groups to segments"):
        ap.report("y", "s", by={0: 1}, data=table)


@pytest.mark.filterwarnings("ignore:No positive class")
def test_runs_have_groups_of_several_columns(runs):
    _, _, tables, counts = runs
    several = {name: table.assign(of="a") for name, table in tables.items()}
    asked = {"min_grade": 1, "metric": "MAP"}
    one, both = (
        ap.compare("grade", "score", groups=groups, n_positives=n, data=data, **asked)
        for groups, n, data in (
            ("query", counts, tables),
            (["of", "query"], {("a", query): n for query, n in counts.items()}, several),
        )
    )
    assert [vars(row) for row in one] == [vars(row) for row in both]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"n_positives": None}, "pass n_positives"),
        ({"groups": None}, "columns of y_true, y_score and groups"),
        ({"groups": np.array(["q1"])}, "inconsistent numbers of samples"),
        ({"groups": ["query", "q1"]}, "no column 'q1'"),
        ({"by": "query"}, "or by='query' only if .* mapping from all groups to segments"),
        ({"by": {"q0": "long"}}, "by= has no segment for the group 'q1'"),
        (
            {"clusters": "document"},
            "clusters='document' or .* only if .* columns of groups=.'query'",
        ),
        ({"clusters": np.arange(9)}, "only if it's known where unscored positives are"),
    ],
)
def test_what_runs_need(runs, changed, named):
    asked = {"groups": "query", "n_positives": runs[3], "min_grade": 1, "data": runs[2]}
    with pytest.raises(ValueError, match=named):
        ap.report("grade", "score", metrics="MAP", **asked | changed)
    with pytest.raises(ValueError, match="Only compare, report and values_by_group take one"):
        ap.confidence_interval("grade", "score", metric="MAP", **asked)
    with pytest.raises(ValueError, match="values_by_group needs groups="):
        ap.values_by_group([0, 1], [1, 2])
    asked = {"groups": "query", "data": runs[2], "min_grade": 1}
    with pytest.raises(TypeError, match="data must be a table"):
        ap.mean_average_precision_score("grade", "score", **asked)


def test_dicts_are_read_as_files(runs):
    qrels, found, tables, counts = runs
    read, numbers = read_trec(qrels, found)
    assert [*read] == [*tables]
    assert numbers == counts
    for name, table in tables.items():
        assert read[name].equals(table)
        assert read_trec(qrels, found[name])[0].equals(table)


@pytest.mark.filterwarnings("ignore:No positive class")
def test_runs_cross_queries_and_seeds(runs):
    """A query that failed with a seed belongs to this query and this seed."""
    qrels, found, _, counts = runs
    asked = {"groups": ["query", "seed"], "metric": "MAP", "min_grade": 1}
    asked["n_positives"] = {(q, seed): n for q, n in counts.items() for seed in (1, 2, 3)}
    tables = {}
    for name, parts in {"a": ("old", "new", "new"), "b": ("new", "other", "other")}.items():
        each = [read_trec(qrels, found[part])[0] for part in parts]
        kept = [t[t["query"] != f"q{seed}"].assign(seed=seed) for seed, t in enumerate(each, 1)]
        tables[name] = pd.concat(kept)
    values = {
        name: ap.values_by_group("grade", "score", data=table, **asked)
        for name, table in tables.items()
    }
    d = np.array([[values["a"][q, s] - values["b"][q, s] for s in (1, 2, 3)] for q in counts])
    V = {
        "query": d.mean(axis=1).var(ddof=1) / len(counts),
        "seed": d.mean(axis=0).var(ddof=1) / 3,
    }
    for clusters in ("query", "seed", ["query", "seed"]):
        kinds = clusters if isinstance(clusters, list) else [clusters]
        compared = ap.compare(
            "grade", "score", data=tables, baseline="b", clusters=clusters, **asked
        )["a"]
        assert compared.difference == pytest.approx(d.mean())
        assert compared.standard_error == pytest.approx(np.sqrt(sum(V[kind] for kind in kinds)))
        one = ap.confidence_interval("grade", "score", data=tables["a"], clusters=clusters, **asked)
        x = np.array([[values["a"][q, s] for s in (1, 2, 3)] for q in counts])
        means = {"query": x.mean(axis=1), "seed": x.mean(axis=0)}
        expected = np.sqrt(sum(means[kind].var(ddof=1) / means[kind].size for kind in kinds))
        assert one.standard_error == pytest.approx(expected)


# --- detectors, whose clusters are the same images ------------------------------------------------

OF_DETECTORS = {"groups": "class", "clusters": "image", "n_positives": "rows"}


def draw_detectors(seed, n_images=60, better=0.0):
    """Return the detections of two detectors, and the objects that they missed, as hits without a
    score. Some objects are difficult for both.
    """
    rng = np.random.default_rng(seed)
    rows = {"old": [], "new": []}
    for image in range(n_images):
        ease = rng.normal(0.6, 0.5)
        for kind in rng.choice(["cat", "dog"], rng.integers(0, 6), p=[0.7, 0.3]).tolist():
            of_object = ease + rng.normal()
            for name, more in (("old", 0), ("new", better)):
                score = of_object + more + rng.normal(0, 0.5)
                rows[name].append((image, kind, True, round(score, 1) if score > 0 else np.nan))
        for detector in rows.values():
            for kind in rng.choice(["cat", "dog"], rng.poisson(1.5)).tolist():
                detector.append((image, kind, False, round(rng.normal(0.5, 0.7), 1)))
    columns = ["image", "class", "hit", "score"]
    return {name: pd.DataFrame(of_one, columns=columns) for name, of_one in rows.items()}


def bootstrap(tables, metric, n_resamples):
    """Return the values of both detectors on images that are drawn again with their objects."""
    rng, values = np.random.default_rng(1), []
    rows = {name: [*table.groupby("image").indices.items()] for name, table in tables.items()}
    n_images = 1 + max(table["image"].max() for table in tables.values())
    by_image = {name: dict(of_one) for name, of_one in rows.items()}
    nothing = np.zeros(0, dtype=np.int64)
    for _ in range(n_resamples):
        drawn = rng.integers(0, n_images, n_images).tolist()
        of_resample = []
        for name, table in tables.items():
            taken = [by_image[name].get(image, nothing) for image in drawn]
            data = table.iloc[np.concatenate(taken)]
            of_resample.append(
                ap.metric(metric)("hit", "score", groups="class", n_positives="rows", data=data)
            )
        values.append(of_resample)
    return np.array(values)


@pytest.mark.parametrize(
    "metric",
    ["COCO mAP", *(pytest.param(each, marks=pytest.mark.slow) for each in ("MAP", "VOC2010"))],
)
def test_detectors_vary_as_in_resamples_of_images(metric):
    tables = draw_detectors(0, 80, better=0.3)
    resampled = bootstrap(tables, metric, 300)
    compared = ap.compare("hit", "score", metric=metric, data=tables, **OF_DETECTORS)
    spread = (resampled[:, 0] - resampled[:, 1]).std()
    assert abs(compared["old"].standard_error / spread - 1) < 0.12
    for name, spread in zip(tables, resampled.std(axis=0), strict=True):
        one = ap.confidence_interval(
            "hit", "score", metric=metric, data=tables[name], **OF_DETECTORS
        )
        assert abs(one.standard_error / spread - 1) < 0.12
        assert one.value == compared[name].value


@pytest.mark.parametrize("metric", ["MAP", "COCO mAP", "P@10"])
def test_names_of_images_and_the_order_of_rows_and_detectors_decide_nothing(metric):
    """Resamples only depend on the order of rows that hold the same, which is of little weight."""
    tables = draw_detectors(1)
    asked = {"metric": f"{metric}", "baseline": "old"} | OF_DETECTORS
    compared = ap.compare("hit", "score", data=tables, **asked)["new"]
    names = np.random.default_rng(0).permutation(60)
    renamed = {
        name: table.assign(image=names[table["image"]]).sort_values("image", kind="stable")
        for name, table in tables.items()
    }
    if metric != "COCO mAP":  # which ranks tied rows in their order
        again = ap.compare("hit", "score", data=renamed, **asked)["new"]
        assert again.pvalue == pytest.approx(
            compared.pvalue, rel=0.05 if metric == "P@10" else 1e-6
        )
        assert again.difference == pytest.approx(compared.difference)
    swapped = dict(reversed(tables.items()))
    again = ap.compare("hit", "score", data=swapped, **asked | {"baseline": "new"})["old"]
    assert again.pvalue == pytest.approx(compared.pvalue)
    assert (again.low, again.high) == pytest.approx((-compared.high, -compared.low))


def test_tables_with_the_same_rows_are_compared_as_columns():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"image": np.repeat(range(40), 5), "hit": rng.random(200) < 0.4})
    table["class"] = np.where(rng.random(200) < 0.5, "cat", "dog")
    for name in ("old", "new"):
        table[name] = np.where(rng.random(200) < 0.2, np.nan, table["hit"] + rng.normal(size=200))
    tables = {name: table.assign(score=table[name]) for name in ("old", "new")}
    for metric in ("MAP", "VOC2010", "COCO mAP"):
        asked = {"metric": metric, "baseline": "old"} | OF_DETECTORS
        one = ap.compare("hit", ["old", "new"], data=table, **asked)["new"]
        apart = ap.compare("hit", "score", data=tables, **asked)["new"]
        assert vars(apart) == pytest.approx(vars(one))


def test_segments_of_detectors():
    tables = draw_detectors(3, better=0.3)
    asked = {"baseline": "old"} | OF_DETECTORS
    report = ap.report("hit", "score", metrics="COCO", by="class", data=tables, **asked)
    rows = {(row.segment, row.model): row for row in report}
    assert [*rows] == [(kind, name) for kind in (None, "cat", "dog") for name in tables]
    for kind in ("cat", "dog"):
        of_kind = {name: each[each["class"] == kind] for name, each in tables.items()}
        alone = ap.compare("hit", "score", metric="COCO", data=of_kind, **asked)["new"]
        row = rows[kind, "new"]
        assert (row.value, row.difference) == (alone.value, alone.difference)
        assert row.pvalue == pytest.approx(min(2 * alone.pvalue, 1))
    assert rows[None, "new"].value == pytest.approx(
        (rows["cat", "new"].value + rows["dog", "new"].value) / 2
    )


@pytest.mark.parametrize(
    ("column", "value", "rows", "asked", "named"),
    [
        ("image", 99, 1, {}, "same positives .* 'old' and 'new' differ"),
        ("class", "eel", 1, {}, "same positives .* 'old' and 'new' differ"),
        ("hit", True, -1, {}, "same positives .* 'old' and 'new' differ"),
        ("class", "eel", -1, {}, "same positives .* 'old' and 'new' differ"),
        ("of", 1, -1, {"by": "of"}, "All tables need the same segments. 'new' has .0, 1."),
    ],
)
def test_what_detectors_need(column, value, rows, asked, named):
    tables = {name: each.assign(of=0) for name, each in draw_detectors(4).items()}
    new = tables["new"]
    new.loc[new.index[new["hit"] == (rows > 0)][:1], column] = value
    with pytest.raises(ValueError, match=named):
        ap.report("hit", "score", metrics="MAP", data=tables, **OF_DETECTORS | asked)


def test_segments_without_an_interval_count_the_rows_of_each_table():
    rng = np.random.default_rng(0)
    tables = {}
    for name, n_rows in (("A", 10), ("B", 4)):
        query = np.repeat(["q1", "q2", "q3"], n_rows)
        hit = np.tile(np.arange(n_rows) < 2, 3)
        tables[name] = pd.DataFrame({"q": query, "y": hit, "s": rng.random(3 * n_rows)})
    found = ap.report(
        "y",
        "s",
        groups="q",
        n_positives=dict.fromkeys(["q1", "q2", "q3"], 3),
        by={"q1": "x", "q2": "y", "q3": "y"},
        data=tables,
    )
    sizes = {row.model: row.n_samples for row in found if row.segment == "x"}
    assert sizes == {"A": 10, "B": 4}
