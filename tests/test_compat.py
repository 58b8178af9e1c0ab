"""explain and identify: every number against the oracle, and only causes that act."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap._catalogue import DEFINITIONS
from sklearn_ap.compat.numbers import Sample, numbers

from . import oracle

GEESE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], list(range(10, 0, -1))
WIGGLY = [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]
TIED = [1, 0, 1, 0, 0, 1], [3, 3, 2, 2, 1, 1]


def near(expected):
    return pytest.approx(float(expected), abs=1e-12)


def naive_float_grid(labels, scores, n, artificial=False):
    """The loop as it is found in the wild, over the points of the curve."""
    curve = oracle.points(labels, scores)
    total = float(oracle.positive_mass(curve))
    precision = np.array([float(T / N) for _, _, T, N in curve] + [1.0] * artificial)
    recall = np.array([float(T) / total for _, _, T, _ in curve] + [0.0] * artificial)
    levels = [max(precision[recall >= t], default=0.0) for t in np.linspace(0, 1, n)]
    return np.mean(levels)


def expectations(labels, scores, k):
    data = labels, scores
    n_11 = oracle.n_point(*data, n_points=11)
    best = float(max(T / N for _, _, T, N in oracle.points(*data)))
    values = {
        "step": oracle.step(*data),
        "step, ties expected": oracle.at_k(*data, k=10**6, denominator="relevant", ties="expected"),
        "step, ties best": oracle.at_k(*data, k=10**6, denominator="relevant", ties="best"),
        "step, ties worst": oracle.at_k(*data, k=10**6, denominator="relevant", ties="worst"),
        "envelope": oracle.envelope(*data),
        "11-point": n_11,
        "101-point": oracle.n_point(*data, n_points=101),
        "linear": oracle.linear(*data),
        "11-point, float grid": naive_float_grid(*data, 11),
        "101-point, float grid": naive_float_grid(*data, 101),
        "11-point, with (0, 1)": float(n_11) + (1 - best) / 11,
        "11-point, float grid, with (0, 1)": naive_float_grid(*data, 11, artificial=True),
        "scikit-learn 0.15 to 0.17": oracle.linear(*data),
        f"mean of P@1 to P@{k}": sum(oracle.precision_at_k(*data, k=i) for i in range(1, k + 1))
        / k,
    }
    for denominator in oracle.DENOMINATORS:
        values[f"AP@{k} / {denominator}"] = oracle.at_k(*data, k=k, denominator=denominator)
    return values


@pytest.mark.parametrize("seed", range(60))
def test_every_number_is_what_its_name_says(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    labels = rng.integers(0, 2, n)
    labels[0] = 1
    scores = rng.integers(0, rng.choice([4, 100]), n)
    k = int(rng.integers(1, 8))
    rows = compat.explain(labels, scores, k=k).to_dict()
    expected = expectations(labels.tolist(), scores.tolist(), k)
    assert set(rows) == set(expected)
    for name, value in expected.items():
        assert rows[name]["value"] == near(value), name
        assert rows[name]["difference"] == near(float(value) - float(expected["step"]))


def test_every_average_precision_has_a_row():
    """What is no average is no number that goes by that name."""
    rows = compat.explain(*GEESE, k=3).to_dict()
    for name, row in DEFINITIONS.items():
        called = "AP@3 / min" if name == "at-k" else name
        assert (called in rows) == (row.score is None or "average_precision" in row.score)


def test_weights_leave_out_what_has_no_meaning():
    weight = [1.0, 0.5, 2.0, 0.0, 1.0]
    rows = compat.explain(*WIGGLY, sample_weight=weight, k=2).to_dict()
    assert not [name for name in rows if "ties" in name]
    assert rows["envelope"]["value"] == near(oracle.envelope(*WIGGLY, weight))
    assert rows["AP@2 / k"]["value"] == near(oracle.at_k(*WIGGLY, weight, k=2, denominator="k"))


def test_groups():
    labels, scores = [1, 0, 1, 0, 1, 1], [1, 2, 3, 1, 2, 3]
    groups = ["b", "a", "b", "a", "b", "a"]
    rows = compat.explain(labels, scores, groups=groups, k=1).to_dict()
    assert rows["step"]["value"] == ap.mean_average_precision_score(labels, scores, groups=groups)
    pooled = rows["step, all rows as one ranking"]
    assert pooled["value"] == ap.average_precision_score(labels, scores)
    assert "between the groups" in pooled["why"]
    assert rows["AP@1 / hits"]["value"] == ap.mean_average_precision_score(
        labels, scores, groups=groups, k=1, denominator="hits"
    )


# Causes


def why(data, name, **options):
    return compat.explain(*data, **options).to_dict()[name]["why"]


def test_a_cause_that_does_not_act_is_not_named():
    perfect = [1, 1, 0, 0], [4, 3, 2, 1]
    for row in compat.explain(*perfect, k=10).rows:
        if row.difference == 0:
            assert row.why == ""
    assert "are tied" not in str(compat.explain(*WIGGLY))
    assert "rises again" not in str(compat.explain(*GEESE))
    assert "(0, 1)" not in why(GEESE, "11-point, with (0, 1)")
    assert "drawn point" not in why(GEESE, "11-point, with (0, 1)")


def test_merged_scores_are_named_where_they_are():
    name = "scikit-learn 0.15 to 0.17"
    assert "1e-8" not in why(WIGGLY, name)
    near_ties = [1, 0, 0], [3e-9, 2e-9, 1e-9]
    assert "scores closer than 1e-8 are tied" in why(near_ties, name)


def test_causes_that_act():
    assert "are tied, positives among them, in 3 scores" in why(TIED, "step, ties best")
    assert "6 samples" in why(TIED, "step, ties best")
    low, high = (float(oracle.at_k(*TIED, k=9, ties=ties)) for ties in ("worst", "best"))
    assert f"{low:.4f} to {high:.4f}" in why(TIED, "step, ties best")
    assert "rises again after 2 of its points" in why(WIGGLY, "envelope")
    assert why(GEESE, "11-point").endswith(
        "; recall hits 2/10, 4/10, 6/10, 8/10 exactly, which a grid of floats could miss"
    )
    assert "as floats 6/10 is missed" in why(GEESE, "11-point, float grid")
    assert "drawn point at recall 0" in why(WIGGLY, "11-point, with (0, 1)")
    constant = [1] * 10 + [0] * 90, [0] * 100
    assert "gain area over steps, most of all between recall 0.00 and 1.00" in why(
        constant, "linear"
    )
    assert "+0.4500" in why(constant, "linear")
    assert why(GEESE, "AP@3 / hits", k=3) == (
        "3 of 5 positives lie beyond k; the sum is divided by the hits alone"
    )
    assert "divided by 3, not by all positives" in why(GEESE, "AP@3 / min", k=3)
    assert why(GEESE, "AP@3 / relevant", k=3) == "3 of 5 positives lie beyond k"
    assert "3 of 4 positives lie beyond k" in why(
        ([1, 1, 1, 0, 1], [5, 5, 5, 4, 3]), "AP@1 / relevant", k=1
    )
    assert "cuts through 1 group" in why(TIED, "AP@1 / min", k=1)
    assert "fewer positives" in why(([1, 0], [2, 1]), "AP@5 / k", k=5)


@pytest.mark.parametrize("groups", [None, np.arange(300) % 3])
@pytest.mark.parametrize("weight", [1e305, 5e-324])
def test_weights_of_any_size_are_explained_alike(weight, groups):
    data = np.tile([0, 0, 0, 1, 1, 1], 50), np.arange(300)  # recall hits every tenth
    given, plain = (
        [
            row
            for row in compat.explain(*data, groups=groups, sample_weight=np.full(300, mass)).rows
            if "float grid" not in row.number  # whose levels are hit or missed by rounding
        ]
        for mass in (weight, 1.0)
    )
    assert [(row.number, row.why) for row in given] == [(row.number, row.why) for row in plain]
    np.testing.assert_allclose([row.value for row in given], [row.value for row in plain], 1e-9)
    assert any("exactly" in row.why for row in given)
    assert any("straight lines" in row.why for row in given)


# How it looks


def test_it_prints_within_100_columns():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 500), np.round(rng.normal(size=500), 1)
    explanation = compat.explain(labels, scores, k=12)
    for text in (explanation, compat.identify("0.5", labels, scores)):
        assert max(map(len, str(text).splitlines())) <= 100
        assert repr(text) == str(text)
    rows = explanation._repr_html_().count("<tr>")
    assert rows == len(explanation.rows) + 1
    assert "&lt;" in compat.explain(*GEESE)._repr_html_() or "<0.19" not in str(explanation)


def test_to_frame():
    pytest.importorskip("pandas")
    frame = compat.explain(*GEESE, k=3).to_frame()
    assert frame.loc["linear", "value"] == near(oracle.linear(*GEESE))
    assert list(frame.columns) == ["value", "difference", "reported_by", "why"]


# Identification


@pytest.mark.parametrize("data", [GEESE, WIGGLY, TIED], ids=["geese", "wiggly", "tied"])
def test_each_number_is_traced_back_to_its_definition(data):
    sample = Sample.of(*data, pos_label=1, sample_weight=None, groups=None)
    for number in numbers(sample, (1, 2, 3)):
        value = number.value(sample)
        found = compat.identify(value, *data, decimals=12)
        assert number.name in found.names
        for match in found.matches:
            assert match.value == pytest.approx(value, abs=1e-11)


def untied_ranking(rng):
    """Enough positives, and few enough near the top, for the definitions to differ."""
    n = 60
    labels = rng.random(n) < 0.35
    labels[[0, 3]] = True
    return labels.astype(int).tolist(), list(range(n, 0, -1))


@pytest.mark.parametrize("peer", compat.PEERS, ids=lambda p: f"{p.tool} {p.function}")
def test_the_number_of_each_peer_is_traced_back_to_it(peer):
    k, rng = 30, np.random.default_rng(len(peer.function))
    labels, scores = untied_ranking(rng)
    expected = expectations(labels, scores, k)
    name = peer.number.replace("@k", f"@{k}")
    reported = float(expected[name])
    found = compat.identify(reported, labels, scores, k=k, decimals=10)
    assert name in found.names
    coincide = {other for other, value in expected.items() if abs(float(value) - reported) < 1e-10}
    assert set(found.names) == coincide
    match = next(match for match in found.matches if match.number == name)
    assert f"{peer.tool} {peer.version}" in match.reported_by


def test_only_what_coincides_matches():
    found = compat.identify(float(oracle.envelope(*WIGGLY)), *WIGGLY, k=2, decimals=9)
    expected = {
        name for name, value in expectations(*WIGGLY, 2).items() if float(value) == near(0.6)
    }
    assert "envelope" in expected
    assert set(found.names) == expected
    assert any(expected == set(same) for same in found.indistinguishable)


@pytest.mark.parametrize(
    ("value", "options", "decimals", "found"),
    [
        ("0.78", {}, 2, True),
        (0.78, {}, 2, True),
        ("0.7833", {}, 4, True),
        ("78.3%", {}, 3, True),
        ("0.782", {}, 3, False),
        ("0.782", {"decimals": 2}, 2, True),
        ("0.780", {}, 3, False),
        ("0.7833333333333333", {}, 12, True),
        (1, {"k": 3}, 1, False),
    ],
)
def test_precision_of_the_report(value, options, decimals, found):
    """The article on geese and planes says 0.782: it adds up precisions cut to two decimals."""
    result = compat.identify(value, *GEESE, **options)
    assert result.decimals == decimals
    assert ("step" in result.names) == found
    if not result.matches:
        step = next(match for match in result.closest if match.number == "step")
        assert step.distance == pytest.approx(abs(result.reported - 0.783333), abs=1e-6)
        assert "No definition gives" in str(result)


@pytest.mark.parametrize("value", ["0.12", "0.13"])
def test_what_lies_half_way_may_have_been_rounded_up_or_down(value):
    """1/8, and in floats it is further than half of 0.01 from either."""
    found = compat.identify(value, [0] * 7 + [1], range(8, 0, -1))
    assert abs(1 / 8 - float(value)) > 0.5 * 10.0**-2
    assert "step" in found.names
    beyond = compat.identify(value, [0] * 7 + [1], range(8, 0, -1), decimals=3)
    assert "step" not in beyond.names


def test_a_small_k_is_found():
    found = compat.identify(0.4, *GEESE)
    assert "AP@3 / relevant" in found.names
    assert all(match.distance <= 0.05 for match in found.matches)


def test_k_beyond_the_data_is_tried_only_where_it_matters():
    names = [match.number for match in compat.identify(0.5, *WIGGLY, decimals=0).matches]
    assert {name for name in names if "@10 " in name} == {"AP@10 / k"}
    assert "AP@5 / relevant" in names


def test_ties_among_positives_alone_matter_below_a_negative():
    """Three tools that break ties say 0.388889 here, which is not the grouped number."""
    data = [0, 1, 1, 0, 1, 0, 1], [5, 4, 4, 3, 2, 1, 0]
    assert "AP@3 / min, ties worst" in compat.identify(0.388889, *data).names
    assert "2 samples are tied" in why(data, "step, ties worst")


@pytest.mark.parametrize(
    "value", [np.float32(oracle.step(*WIGGLY)), float(np.float32(oracle.step(*WIGGLY)))]
)
def test_a_number_in_single_precision(value):
    found = compat.identify(value, *WIGGLY)
    assert "step" in found.names
    assert found.decimals == 6


EMPTY = [1, 0, 0, 1, 0, 0], [1, 2, 1, 2, 3, 1]  # the third group has no positives
PAIRS = [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("empty", "suffix", "tool"),
    [
        (0.0, "", "ranx"),
        (1.0, ", groups without positives 1", "LightGBM"),
        (float("nan"), ", groups without positives left out", "implicit"),
    ],
)
def test_groups_without_positives_are_counted_as_the_tools_count_them(empty, suffix, tool):
    denominator = "relevant" if tool == "ranx" else "min"
    value = ap.mean_average_precision_score(
        *EMPTY, groups=PAIRS, k=2, denominator=denominator, zero_division=empty
    )
    with pytest.warns(UndefinedMetricWarning):
        found = compat.identify(value, *EMPTY, groups=PAIRS, k=2, decimals=9)
    match = next(m for m in found.matches if m.number == f"AP@2 / {denominator}{suffix}")
    assert tool in match.reported_by
    others = {"ranx", "LightGBM", "implicit"} - {tool}
    assert not [other for other in others if other in match.reported_by]


def test_groups_without_positives_are_left_out_of_every_number():
    with pytest.warns(UndefinedMetricWarning):
        sample = Sample.of(*EMPTY, pos_label=1, sample_weight=None, groups=PAIRS)
    for number in numbers(sample, (1, 2)):
        if "all rows" in number.name:
            continue
        counted, left_out, one = (
            number.value(replace(sample, empty=empty)) for empty in (0.0, np.nan, 1.0)
        )
        assert left_out == pytest.approx(counted * 3 / 2)
        assert one == pytest.approx(counted + 1 / 3)


def test_causes_in_groups():
    data = [1, 1, 0, 1, 1, 0, 0, 0], [2, 0, 2, 1, 1, 1, 0, 2]
    groups = [1, 2, 2, 0, 2, 0, 1, 2]
    row = compat.explain(*data, groups=groups).to_dict()["linear"]
    assert row["difference"] > 0
    assert "gain area" in row["why"]
    with pytest.warns(UndefinedMetricWarning):
        rows = compat.explain([1, 0, 0], [0, 0, 0], groups=[2, 2, 1]).to_dict()
    assert "from 0.2500 to 0.5000" in rows["step, ties best"]["why"]


def test_a_level_that_costs_nothing_is_not_named():
    labels = [int(label) for label in "01001011100010001110100"]
    rows = compat.explain(labels, range(len(labels), 0, -1)).to_dict()
    assert rows["11-point, float grid"]["value"] == near(rows["11-point"]["value"])
    assert "missed" not in rows["11-point, float grid"]["why"]


@pytest.mark.parametrize("value", ["abc", "", None, [0.5], 1.2, -0.1, "120%", float("nan"), "inf"])
def test_what_is_no_report(value):
    with pytest.raises((ValueError, TypeError), match="value"):
        compat.identify(value, *GEESE)


@pytest.mark.parametrize(
    "function", [compat.explain, lambda *a, **k: compat.identify(0.5, *a, **k)]
)
@pytest.mark.parametrize(
    ("args", "options", "words"),
    [
        (([], []), {}, r"0 sample\(s\)"),
        (([0, 1], [0.1, float("nan")]), {}, "contains NaN"),
        ((["a", "b"], [1, 2]), {}, "not a valid label"),
        (([0, 1], [1, 2, 3]), {}, "inconsistent numbers"),
        (([0, 1], [1, 2]), {"k": 0}, "'k' parameter"),
        (([0, 1], [1, 2]), {"sample_weight": [1, -1]}, "Negative values"),
        (([0, 1], [1, 2]), {"groups": [1]}, "inconsistent numbers"),
        (([[0, 1], [1, 0]], [[1, 2], [3, 4]]), {}, "One ranking is explained at a time"),
    ],
)
def test_refused_as_the_scores_refuse(function, args, options, words):
    with pytest.raises(ValueError, match=words):
        function(*args, **options)


def test_string_labels():
    labels = np.array(["ham", "spam"])[GEESE[0]]
    rows = compat.explain(labels, GEESE[1], pos_label="spam", k=2).to_dict()
    assert rows["linear"]["value"] == near(oracle.linear(*GEESE))
    assert rows["scikit-learn 0.15 to 0.17"]["value"] == near(oracle.linear(*GEESE))


def test_no_positives():
    with pytest.warns(UndefinedMetricWarning, match="^No positive class found in y_true") as caught:
        rows = compat.explain([0, 0], [1, 2], k=1).to_dict()
    assert "zero_division" not in str(caught[0].message)  # which explain has not
    assert rows["step"]["value"] == 0
    assert "scikit-learn 0.15 to 0.17" not in rows  # nan there
