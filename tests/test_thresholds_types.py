"""A threshold flags the same rows if scores become another type, or text, or a note says so."""

import io
import json
import math
import subprocess
import sys
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap.thresholds import OperatingPoint


def logits(rng, size):
    return rng.normal(size=size) * 3


def boosting(rng, size):
    """Return probabilities of a sum of few leaves, many of which are near 0 and 1."""
    leaves = rng.normal(size=(30, 8))
    total = sum(leaf[rng.integers(0, 8, size)] for leaf in leaves) * 3
    return 1 / (1 + np.exp(-total))


SCORES = {
    **{
        f"{decimals} decimals": lambda rng, size, decimals=decimals: np.round(
            rng.random(size), decimals
        )
        for decimals in range(1, 8)
    },
    "card": lambda rng, size: rng.integers(300, 850, size).astype(float),
    "card of halves": lambda rng, size: rng.integers(600, 1700, size) / 2,
    "logits": logits,
    "continuous": lambda rng, size: rng.random(size),
    "boosting": boosting,
    "near 1": lambda rng, size: 1 - rng.random(size) * 1e-6,
    "large": lambda rng, size: rng.normal(size=size) * 1e9,
    "tiny": lambda rng, size: rng.random(size) * 1e-9,
    "integers": lambda rng, size: rng.integers(-50, 50, size),
    "large integers": lambda rng, size: rng.integers(2**24, 2**40, size),
    "dense integers": lambda rng, size: 2**30 + rng.integers(0, 500, size),
}


def csv(scores):
    text = pd.DataFrame({"s": scores}).to_csv(index=False)
    return pd.read_csv(io.StringIO(text))["s"].to_numpy()


def from_json(scores):
    return np.array(json.loads(json.dumps(scores.tolist())))


WAYS = {
    "float64": lambda s: s.astype(np.float64),
    "float32": lambda s: s.astype(np.float32),
    "CSV": csv,
    "CSV of float32": lambda s: csv(s.astype(np.float32)),
    "JSON": from_json,
    "float16": lambda s: s.astype(np.float16),
}
CHOSEN = "float64", "float32", "float16", "as is"


def point_of(rng, labels, scores):
    """Choose a threshold in one of several ways, or measure one, and send it through JSON."""
    quantile = float(np.quantile(scores.astype(float), rng.random()))
    given = [
        {"min_recall": float(rng.uniform(0.05, 1))},
        {"k": float(rng.uniform(0.01, 0.9))},
        {"k": int(rng.integers(1, scores.size))},
        {"threshold": float(scores[0])},
        {"threshold": round(quantile, 1)},
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        point = ap.operating_point(labels, scores, **given[rng.integers(5)])
    return OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))


def check_that_it_lasts(rng, kind, chosen, way):
    size = int(rng.integers(30, 400))
    scores = SCORES[kind](rng, size)
    labels = rng.random(size) < 0.3
    labels[:2] = True, False
    with np.errstate(over="ignore"):
        before = scores if chosen == "as is" else scores.astype(chosen)
        here = WAYS[way](scores)
    if not (np.isfinite(before).all() and np.isfinite(here).all()):
        return
    point = point_of(rng, labels, before)
    check = point.check(labels, here)
    flagged = here.astype(float) >= float(point.threshold)
    assert check.n_flagged == flagged.sum()
    is_same = check.n_flagged == point.n_flagged and check.true_positives == point.true_positives
    notes = {note.code: note.text for note in check.notes}
    assert is_same or "other_type" in notes, (kind, chosen, way, point.threshold)
    if "other_type" in notes:
        n_near = int(notes["other_type"].split()[0].replace(",", ""))
        assert n_near >= abs(check.n_flagged - point.n_flagged)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("n_points", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("kind", SCORES)
def test_a_threshold_lasts_or_a_note_says_so(kind, chosen, n_points):
    rng = np.random.default_rng([list(SCORES).index(kind), n_points])
    for way in WAYS:
        for _ in range(n_points):
            check_that_it_lasts(rng, kind, chosen, way)


def printed_by(kind, scores):
    """Return what is read from the text that a type prints."""
    with np.errstate(over="ignore"):
        return np.array([float(str(kind(score))) for score in scores])


def printed_by_float32(scores):
    return printed_by(np.float32, scores)


CLOSE = {
    "steps of float32": lambda rng, size: 0.7 + rng.integers(0, size, size) * 2.0**-24,
    "less than steps of float32": lambda rng, size: 0.7 + rng.random(size) * size * 2.0**-24,
    "negative": lambda rng, size: -rng.random(size) * 1e-3,
    "steps of subnormal numbers": lambda rng, size: rng.integers(-size, size, size) * 1e-45,
    "below float32": lambda rng, size: rng.normal(size=size) * 1e-50,
    "almost above float32": lambda rng, size: rng.normal(size=size) * 1e38,
    "above float32": lambda rng, size: rng.normal(size=size) * 1e300,
    "large float16": lambda rng, size: rng.normal(size=size) * 2e4,
}


@pytest.mark.sweep(4)
@pytest.mark.filterwarnings("ignore:All prediction scores are:UserWarning")
@pytest.mark.parametrize("n_points", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("kind", SCORES | CLOSE)
def test_a_chosen_threshold_is_lasting_exactly_if_a_number_can_be(kind, chosen, n_points):
    """Whether any number keeps the flags is tried with all copies of all scores."""
    rng = np.random.default_rng([[*SCORES, *CLOSE].index(kind), CHOSEN.index(chosen), n_points])
    for _ in range(n_points):
        size = int(rng.integers(3, 60))
        with np.errstate(over="ignore"):
            scores = (SCORES | CLOSE)[kind](rng, size)
            scores = scores if chosen == "as is" else scores.astype(chosen)
            scores = scores[np.isfinite(scores.astype(np.float64))]
            narrow = scores.astype(np.float32)
        if scores.size < 2:
            continue
        labels = np.arange(scores.size) % 2 == 0
        point = ap.operating_point(labels, scores, k=int(rng.integers(1, scores.size)))
        is_flagged = flagged(scores, point.threshold)
        assert is_flagged.sum() == point.n_flagged
        copies = np.stack([  # of shape (n_copies, n_scores)
            scores.astype(np.float64),
            narrow.astype(np.float64),
            printed_by_float32(scores),
            printed_by(scores.dtype.type, scores),
        ])  # fmt: skip

        def keeps_flags(number, copies=copies, is_flagged=is_flagged):
            return ((copies >= number) == is_flagged).all()

        if point.to_dict()["is_lasting"]:
            assert keeps_flags(point.threshold), (scores, point.threshold)
            # NumPy rounds the threshold to the type of the scores.
            assert ((scores >= point.threshold) == is_flagged).all()
            with np.errstate(over="ignore"):
                assert ((narrow >= point.threshold) == is_flagged).all()
        else:
            assert not any(map(keeps_flags, np.unique(copies))), (scores, point.threshold)


def list_copies(score, kind):
    """Return all numbers that a score may become: in its type, as text, and in float32."""
    printed = float(str(kind(score))) if kind is np.float16 else score
    narrow = [np.float32(each) for each in (score, printed)]
    return [score, float(score), printed, *map(float, narrow), *(float(str(x)) for x in narrow)]


def search_threshold(score, lower, kind):
    """Return the threshold of the documented rule by trying decimals of each length; None if some
    copies of the two scores are in the wrong order.
    """
    copies, lowest = list_copies(score, kind), max(list_copies(lower, kind))
    if lowest >= min(copies):
        return None
    value = min(score, copies[2])
    if value == int(value) and abs(value) < 2**24:
        return value
    step = Fraction(float(np.spacing(np.float32(abs(value)))))
    most = min(Fraction(value) - step / 2, Fraction(min(copies)))
    least = Fraction(value) - 10 * step
    for n_digits in range(1, 18):
        found = []
        for power in range(-2, 2):
            unit = Fraction(10) ** (math.floor(math.log10(abs(value))) - n_digits + 1 + power)
            for number in range(math.floor(most / unit), math.ceil(least / unit) - 1, -1)[:20]:
                short = int(number * unit) if isinstance(score, int) else float(number * unit)
                is_above = min(short, float(np.float32(short)), float(kind(short))) > lowest
                if is_above and len(str(abs(number))) <= n_digits:
                    found.append(short)
        if found:
            return max(found)
    return min(copies)


def draw_two_scores(rng, dtype, narrow):
    """Return a score and a lower one, often so close that rounding matters."""
    if dtype in ("int64", "object"):
        score = int(rng.integers(2 ** rng.integers(1, 60))) << (20 if dtype == "object" else 0)
        return score, score - int(2 ** rng.uniform(0, 40))
    size = rng.choice([-1, 1]) * 10 ** rng.uniform(-4, 4)
    decimal = float(np.round(size, rng.choice([1, 2, 5, 11])))
    n_above = rng.choice([0, 4])  # steps of float32, so that the decimal itself is the threshold
    score = float(narrow.type(decimal + n_above * float(np.spacing(np.float32(abs(decimal))))))
    step = np.spacing(rng.choice([narrow, np.dtype("float32")]).type(abs(score)))
    gaps = [*(n_steps * float(step) for n_steps in (1, 2, 5, 20, 1000)), abs(score) * rng.random()]
    return score, float(narrow.type(score - rng.choice(gaps)))


TYPES = ["float64", "float32", "float16", "float64 of float32", "int64", "object"]


@pytest.mark.parametrize("type_", TYPES)
def test_a_threshold_is_the_decimal_that_a_search_finds(type_):
    """And it flags alike in all forms, if some number does."""
    rng = np.random.default_rng(TYPES.index(type_))
    dtype, narrow = np.dtype(type_.split()[0]), np.dtype(type_.split()[-1])
    kind = dtype.type if dtype.kind == "f" else np.float64
    n_lasting = 0
    for _ in range(70):
        score, lower = draw_two_scores(rng, dtype, narrow)
        if score == lower:
            continue
        point = ap.operating_point([1, 0], np.array([score, lower], dtype=dtype), k=1)
        expected = search_threshold(score, lower, kind)
        is_lasting = expected is not None
        assert point.threshold == (expected if is_lasting else score), (score, lower)
        assert point.to_dict()["is_lasting"] == is_lasting
        if is_lasting:
            n_lasting += 1
            assert max(list_copies(lower, kind)) < point.threshold <= min(list_copies(score, kind))
    assert n_lasting > 20


FORMS = {
    "as is": lambda s: s,
    "float32": lambda s: s.astype(np.float32),
    "cast to float32": lambda s: s.astype(np.float32).astype(float),
    "text of float32": printed_by_float32,
    "CSV": csv,
}


def flagged(scores, threshold):
    """Compare as Python numbers, which are exact."""
    return np.array([score >= threshold for score in scores.tolist()])


@pytest.mark.sweep(4)
@pytest.mark.parametrize("n_points", [2, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("here", FORMS)
@pytest.mark.parametrize("chosen", FORMS)
def test_a_form_of_scores_changes_nothing_silently(chosen, here, n_points):
    """A note counts at least the rows that change, and none says that the population does."""
    rng = np.random.default_rng([list(FORMS).index(chosen), list(FORMS).index(here), n_points])
    for _ in range(n_points):
        size, kind = int(rng.integers(30, 1000)), list(SCORES)[rng.integers(len(SCORES))]
        scores = SCORES[kind](rng, size)
        labels = rng.random(size) < 0.3
        labels[:2] = True, False
        before, now = FORMS[chosen](scores), FORMS[here](scores)
        point = point_of(rng, labels, before)
        notes = {note.code: note.text for note in point.check(labels, now).notes}
        is_before, is_now = flagged(before, point.threshold), flagged(now, point.threshold)
        n_changed = np.count_nonzero(is_before != is_now)
        n_told = 0
        if "other_type" in notes:
            n_told = int(notes["other_type"].split()[0].replace(",", ""))
        assert n_told >= n_changed, (kind, point.threshold, n_told, n_changed)
        assert "other_population" not in notes
        if before.tolist() == now.tolist():
            assert not n_told


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "as is"])
def test_a_warning_says_where_an_array_rounds_the_threshold(dtype):
    rng, labels = np.random.default_rng(0), np.arange(3000) < 5
    for kind, make in SCORES.items():
        scores = make(rng, 3000)
        with np.errstate(over="ignore"):
            scores = scores if dtype == "as is" else scores.astype(dtype)
            scores[~np.isfinite(scores)] = 0
            threshold = round(float(rng.choice(scores)), int(rng.integers(1, 4)))
            rounded = scores.dtype.type(threshold) if scores.dtype.kind == "f" else threshold
        n_exact = np.count_nonzero(flagged(scores, threshold))
        n_rounded = np.count_nonzero(scores >= rounded)
        expected = []
        if n_exact != n_rounded:
            expected = [
                f"threshold={threshold} flags {n_exact:,} samples if it is compared exactly, as "
                f"here, but {n_rounded:,} if an array of {dtype} compares, which rounds it first. "
                f"To flag the same samples everywhere, pass np.{dtype}({threshold})."
            ]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            point = ap.operating_point(labels, scores, threshold=threshold)
            same = ap.operating_point(labels, scores, threshold=rounded)
        texts = [str(warning.message) for warning in caught]
        assert [text for text in texts if text.startswith("threshold=")] == expected, kind
        assert (point.n_flagged, same.n_flagged) == (n_exact, n_rounded), kind


@pytest.mark.sweep(3)
@pytest.mark.parametrize("form", FORMS)
def test_scores_of_one_form_are_not_said_to_be_rounded_in_another_way(form):
    """A threshold may be measured where no score is near it, so that their form isn't known."""
    rng = np.random.default_rng(list(FORMS).index(form))
    for kind in SCORES:
        scores = FORMS[form](SCORES[kind](rng, 400))
        threshold = float(np.sort(scores)[200])
        is_other = scores.astype(float) != threshold
        if not is_other.any():
            continue  # so few decimals leave one score
        labels = rng.random(400) < 0.3
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            point = ap.operating_point(labels[is_other], scores[is_other], threshold=threshold)
        texts = [note.text for note in point.check(labels, scores).notes]
        assert not any("rounded in another way" in text for text in texts), (kind, texts)


def one_decimal(size=2000):
    rng = np.random.default_rng(0)
    labels = rng.random(size) < 0.1
    return labels, np.clip(rng.normal(0.4 + 0.15 * labels, 0.15), 0, 1).round(1)


def test_a_measured_threshold_of_one_decimal_on_scores_that_were_float32():
    """float32 stores 0.7 as 0.69999999, so rows with this score aren't flagged anymore."""
    y, s = one_decimal()
    point = ap.operating_point(y, s, threshold=0.7)
    check = point.check(y, s.astype(np.float32).astype(float))
    n_changed = np.count_nonzero(s == 0.7)
    assert point.n_flagged - check.n_flagged == n_changed > 50
    assert [(note.code, note.text) for note in check.notes] == [
        (
            "other_type",
            f"{n_changed} rows lie within one step of float32 from the threshold, and the scores "
            "are rounded in another way than where the threshold was chosen, so other samples may "
            "be flagged.",
        )
    ]
    assert point.check(y, s).notes == ()
    assert point.check(y, printed_by_float32(s)).notes == ()


def test_integers_that_floats_round_are_in_doubt_as_floats():
    y, s = [0, 0, 1, 1], 2**53 + np.arange(4)
    point = ap.operating_point(y, s, k=1)
    (note,) = point.check(y, s.astype(float)).notes
    assert note.text.startswith("4 rows lie within one step of float32 from the threshold")
    assert point.check(y, s).notes == ()


def test_what_types_do_not_explain_is_another_population():
    """No row in doubt could be flagged, but far more are."""
    y, s = one_decimal()
    point = ap.operating_point(y, s, threshold=0.7)
    is_narrow = np.random.default_rng(1).random(s.size) < 0.5
    notes = point.check(y, np.where(is_narrow, s.astype(np.float32), s + 0.3)).notes
    assert [note.code for note in notes] == ["other_type", "other_population"]


def shuffled(rng, columns):
    """Return the same rows in another order."""
    order = rng.permutation(columns["y"].size)
    return {name: column[order] for name, column in columns.items()}


def made(rng):
    """Return columns of some hundred rows with scores of a kind, and how to choose a threshold."""
    size = int(rng.integers(60, 400))
    scores = SCORES[list(SCORES)[rng.integers(len(SCORES))]](rng, size)
    dtype = [scores.dtype, np.float64, np.float32][rng.integers(3)]
    columns = {
        "y": (rng.random(size) < 0.3).astype(int),
        "s": scores.astype(dtype),
        "w": rng.integers(1, 5, size),
        "g": rng.integers(0, 20, size),
    }
    columns["y"][:2] = 1, 0
    given = {}
    if rng.random() < 0.4:
        given["clusters"] = "g"
    elif rng.random() < 0.5:
        given["groups"] = "g"
    if rng.random() < 0.3:
        given["sample_weight"] = "w"
    if rng.random() < 0.3:  # some negatives stand for all
        columns["w"] = np.where(columns["y"], 1, 1 / rng.uniform(0.01, 0.5))
        given["sample_weight"] = "w"
    target = [
        {"min_recall": float(rng.uniform(0.05, 1))},
        {"min_recall": float(rng.uniform(0.05, 0.5)), "k": size, "k_counts": "samples"},
        {"k": float(rng.uniform(0.05, 0.9)), "k_counts": "samples"},
        {"threshold": float(columns["s"][0])},
    ][rng.integers(4)]
    return columns, given | target


FORMATS = {
    "dict": lambda columns: columns,
    "pandas": pd.DataFrame,
    "CSV": lambda columns: pd.read_csv(io.StringIO(pd.DataFrame(columns).to_csv(index=False))),
    "polars": lambda columns: pytest.importorskip("polars").DataFrame(columns),
    "arrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_random_points_are_checked_as_in_memory():
    """Saved, sent to another process, and checked in another type, order of rows and format."""
    n_points = 1000
    rng, points, expected, n_noted = np.random.default_rng(n_points), [], [], 0
    for _ in range(n_points):
        columns, given = made(rng)
        point = ap.operating_point("y", "s", data=columns, **given)
        points.append((columns, point.to_dict()))
        expected.append(point.check(data=columns))
    for (columns, saved), check in zip(sent(points), expected, strict=True):
        way = ["float64", "float32", "CSV of float32", "JSON"][rng.integers(4)]
        there = shuffled(rng, columns | {"s": WAYS[way](columns["s"])})
        table = FORMATS[list(FORMATS)[rng.integers(len(FORMATS))]](there)
        found = OperatingPoint.from_dict(saved).check(data=table)
        assert found.as_chosen == check.as_chosen
        if "other_type" in {note.code for note in found.notes}:
            n_noted += 1
            continue
        assert (found.n_flagged, found.kept) == (check.n_flagged, check.kept)
        assert found.true_positives == check.true_positives
        assert {note.code for note in found.notes} == {note.code for note in check.notes}
        for measure in ("precision", "recall", "flagged_share"):
            np.testing.assert_allclose(getattr(found, measure), getattr(check, measure), atol=1e-9)
    assert n_noted < n_points / 4


def sent(points):
    """Return points that another process has loaded and saved again."""
    code = (
        "import json, sys, sklearn_ap as ap\n"
        "load = ap.thresholds.OperatingPoint.from_dict\n"
        "print(json.dumps([load(point).to_dict() for point in json.load(sys.stdin)]))"
    )
    text = json.dumps([saved for _, saved in points], allow_nan=False)
    done = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True
    )
    return [
        (columns, saved)
        for (columns, _), saved in zip(points, json.loads(done.stdout), strict=True)
    ]
