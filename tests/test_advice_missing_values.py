"""Missing and infinite values are refused, and following the advice gives the right value."""

import re

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap import hit_curve
from sklearn_ap._arrays.conversion import as_numbers, encode_column

from .examples import AP, MAP, NAN, S
from .tables import (
    each_table,
)

pa = pytest.importorskip("pyarrow")

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
]

MISSING = {
    "pandas": lambda pd: [
        *(pd.Series([0, 1, None], dtype=kind) for kind in ("Int64", "int64[pyarrow]")),
        pd.Series([True, False, None], dtype="boolean"),
        *(pd.Series(["a", "b", None], dtype=kind)
          for kind in (None, "string[python]", "string[pyarrow]", object, "category")),
        pd.Series(["a", "b", pd.NA], dtype=object),
        pd.Series([1, 2, None]).astype("Int64").astype("category")],
    "polars": lambda pl: [
        pl.Series([0, 1, None]), pl.Series(["a", "b", None]),
        pl.Series(["a", "b", None], dtype=pl.Categorical), pl.DataFrame({"one": [0.5, None, 1.0]})],
    "pyarrow": lambda pa: [
        pa.array([0, 1, None]), pa.array(["a", "b", None]), pa.chunked_array([["a"], ["b", None]]),
        pa.array(["a", "b", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["a", None]))],
    "numpy": lambda np: [
        ["a", "b", None], [0, 1, None], [True, None, False], ["a", NAN, "b"], ["a", NAN, "a"],
        np.array(["a", "b", np.nan], dtype=object)],
}  # fmt: skip


@pytest.mark.parametrize(("library", "build"), MISSING.items())
def test_what_is_missing_is_refused(library, build):
    for column in build(pytest.importorskip(library)):
        assert as_numbers(column) is column
        assert encode_column(column) is None
        for function in (AP, hit_curve, ap.confidence_interval):
            with pytest.raises(ValueError, match=r"^Input y_true contains NaN"):
                function(column, S[:3])
        for given in ({"y_score": column}, {"y_score": S[:3], "sample_weight": column}):
            with pytest.raises((ValueError, TypeError)):
                AP([0, 1, 1], **given)
        with pytest.raises(ValueError, match="missing values"):
            MAP([0, 1, 1], S[:3], groups=column)


def refused(kind, bad, row=1, **given):
    """The error, which says how many values are missing, and where."""
    words = rf"1 of 4 rows, .* row {row} \(counted from 0"
    with pytest.raises(ValueError, match=words) as caught:
        AP(data=bad(kind), **given)
    return caught.value


@pytest.mark.sweep(12)
@each_table
@pytest.mark.parametrize(
    "options",
    [
        {"y_true": "unlabeled"},
        {"groups": "nan"},
        {"groups": ["label", "nameless"]},
        {"groups": ["label", "nan"]},
        {"sample_weight": "gap"},
    ],
    ids=str,
)
def test_advice_on_missing_labels_groups_and_weights(bad, kind, options):
    """Nothing is known of these rows, so they can only be left out."""
    given = {"y_true": "label", "y_score": "score", "zero_division": 0.0, **options}
    lacking = 2 if "y_true" in options else 1
    error = refused(kind, bad, lacking, **given)
    advice = "Leave these rows out."
    if "y_true" in options:
        advice = (
            "Leave these rows out if it's chance which labels are missing. If labels come late, "
            "see the page on thresholds."
        )
    (name,) = options.values()
    assert str(error).endswith(f"{name!r}) {advice}")


@pytest.mark.sweep(8)
@each_table
@pytest.mark.parametrize("options", [{}, {"groups": "text", "zero_division": 0.0}], ids=str)
@pytest.mark.parametrize("y_score", ["gap", "nan", "whole", "single"])
def test_advice_on_missing_scores(bad, kind, y_score, options):
    """These rows rank last, because without them the ranking would be shorter."""
    given = {"y_true": "label", "y_score": y_score, **options}
    error = refused(kind, bad, **given)
    assert "To rank these rows last, rather than leave them out, give them a score" in str(error)
    assert str(error).endswith(f"sign first. (y_score is the column {y_score!r})")


def test_failures_do_not_change_how_many_samples_there_are():
    """20 of 1000 compounds failed, 2 of them active. Without these, the factor is too high."""
    rng = np.random.default_rng(0)
    label = np.zeros(1000, dtype=int)
    label[rng.permutation(1000)[:20]] = 1
    score = np.round(rng.random(1000) + 0.2 * label, 4)
    failed = np.append(np.flatnonzero(label)[:2], np.flatnonzero(label == 0)[:18])
    score[failed] = np.nan
    with pytest.raises(ValueError, match="such as -1e38") as caught:
        ap.enrichment_factor_score(label, score, k=0.05)
    assert caught.value.args
    filled = np.where(np.isnan(score), -1e38, score)
    top = np.argsort(-filled)[:50]
    by_hand = label[top].sum() / 50 / (20 / 1000)
    assert ap.enrichment_factor_score(label, filled, k=0.05) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    "scores",
    [
        [np.nan, 1.0, -1e300],  # -1e38 would not be the lowest
        [None, 2**60, 2**60 + 1],  # which floats don't have
        [np.nan, 1.0, 2.0**60],  # which may have been integers
    ],
)
def test_no_number_is_advised_that_would_not_rank_last(scores):
    with pytest.raises(ValueError, match=r"NaN|missing") as caught:
        AP([1, 0, 1], scores)
    assert "1e38" not in str(caught.value)


@pytest.mark.parametrize("kind", ["pandas", "polars", "LazyFrame", "Arrow", "DuckDB"])
def test_no_number_is_advised_that_would_round_integers(kind):
    """Floats, which a column with -1e38 has, would tie 2**60 and 2**60 + 1."""
    pl, pd, duckdb = map(pytest.importorskip, ("polars", "pandas", "duckdb"))
    rows = pl.DataFrame({"y": [1, 0, 0], "s": [2**60 + 1, None, 2**60]})
    table = {
        "pandas": lambda: rows.to_pandas().assign(s=pd.array(rows["s"].to_list(), dtype="Int64")),
        "polars": lambda: rows,
        "LazyFrame": rows.lazy,
        "Arrow": rows.to_arrow,
        "DuckDB": lambda: duckdb.from_arrow(rows.to_arrow()),
    }[kind]()
    words = r"give them a score below all others\. If a lower .* \(y_score is the column 's'\)$"
    with pytest.raises(ValueError, match=words):
        AP("y", "s", data=table)


def test_advice_on_missing_integers_holds_for_the_next_batches():
    """A LazyFrame is read in batches, of which the first alone would fit into floats."""
    pl = pytest.importorskip("polars")
    scores = [None, *range(20), 2**60, 2**60 + 1]
    rows = pl.DataFrame({"y": [*[0] * 21, 1, 0], "s": scores})
    with pytest.raises(ValueError, match=r"score below all others\. If .* \("):
        AP("y", "s", data=rows.lazy())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_advice_on_infinity(dtype):
    scores = np.array([0.5, -np.inf, np.inf, 0.25], dtype=dtype)
    with pytest.raises(ValueError, match=r"as in np\.clip\(.*\)\.$") as caught:
        AP([1, 1, 0, 0], scores)
    code = re.search(r"as in (np.*)\.$", str(caught.value))[1]
    found = AP([1, 1, 0, 0], eval(code, {"np": np, "y_score": scores}))
    assert found == AP([1, 1, 0, 0], [3, 1, 4, 2])
    with pytest.raises(ValueError, match="infinity") as caught:
        AP([1, 0, 1], [np.inf, 1.0, 1e300])
    assert "clip" not in str(caught.value)


@each_table
@pytest.mark.parametrize("name", ["gap", "nan"])
def test_advice_on_documents_that_nobody_judged(bad, kind, name):
    """They can be left out, or count as not relevant."""
    words = "nobody judged count as not relevant: give them grade 0"
    with pytest.raises(ValueError, match=words):
        AP(name, "score", min_grade=0.2, data=bad(kind))


def test_missing_values_in_folders(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    for day in ("2026-06-31", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / f"day={day}").mkdir()
        table = pa.table({"label": [0, 1], "score": [0.1, 0.2]})
        pq.write_table(table, tmp_path / f"day={day}" / "0.parquet")
    with pytest.raises(ValueError, match=r"groups contains nulls\..* 'day'\) Leave these rows out"):
        MAP("label", "score", groups="day", data=tmp_path)
    day = tmp_path / "day=2026-06-31"
    assert MAP("label", "score", groups="day", data=day) == 1.0
    pq.write_table(pa.table({"label": [0, 1, None], "score": [0.1, 0.2, 0.3]}), day / "0.parquet")
    for data in (day, [day / "0.parquet"]):
        with pytest.raises(ValueError, match="y_true contains nulls"):
            MAP("label", "score", groups="day", data=data)


def test_what_was_not_returned_is_left_out_rather_than_ranked_last():
    """Filled scores would credit items that were never returned."""
    given = {"groups": [1, 1, 2, 2], "n_positives": {1: 3, 2: 2}}
    for data in (dict, pd.DataFrame):
        table = data({"y": [1, 0, 1, 0], "s": [0.5, 0.4, np.nan, 0.2], "q": [1, 1, 2, 2]})
        with pytest.raises(ValueError, match="Leave these rows out: n_positives counts") as caught:
            AP("y", "s", data=table, **given | {"groups": "q"})
        assert "rank" not in str(caught.value).replace("has no rank", "")
    with pytest.raises(ValueError, match="Leave these rows out: n_positives counts"):
        ap.report([1, 0, 1, 0], {"a": [0.5, 0.4, np.nan, 0.2]}, **given)
    with pytest.raises(ValueError, match="must be binary") as caught:
        AP([1, 0, 2, 0], [0.5, 0.4, 0.3, 0.2], **given)
    assert str(caught.value) == (  # and nothing of rows to leave out
        "With groups, y_true must be binary; multilabel-indicator and multiclass formats are not "
        "supported. For grades, pass min_grade, the lowest grade that counts as positive. For "
        "classes, evaluate one at a time, as in y_true == label. If each row is a query, use "
        "average='samples' without groups."
    )


def test_filled_scores_rank_last_after_the_sign_was_changed():
    """As both hints say: first the sign, then the value below all others."""
    rng = np.random.default_rng(0)
    active = rng.random(2000) < 0.05
    energy = -(rng.normal(size=2000) + 2 * active)
    energy[:20] = np.nan
    with pytest.raises(ValueError, match="If a lower score means more positive, change the sign"):
        AP(active, energy)
    filled = np.where(np.isnan(energy), -1e38, energy)
    (note,) = ap.confidence_interval(active, filled).notes
    assert "If missing scores were filled with -1e+38, fill them after that" in note.text
    (other,) = ap.confidence_interval(active, np.nan_to_num(energy, nan=0.5)).notes
    assert "filled" not in other.text
