"""What all results print, as text, in HTML and in Markdown: one table, and nothing twice."""

import re
from functools import cache
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._show.results import Measurement, Note, format_whole

from .results import KINDS, examples

pytestmark = pytest.mark.usefixtures("few_rankings")

WIDTH = 79
WITHOUT_VERDICT = {"baseline", "best", "no positives", "no interval"}
WORDS = {"better", "worse", "unclear", "equivalent", "no worse", "no better", "met", "not met", ""}
ODD_NAMES = [
    "",
    "a%b",
    "a_25_b",
    "a=b",
    "a/b",
    "..",
    ".",
    "_0_",
    "a" * 60,
    "a b",
    "a_b",
    "Ä",
    1,
    "1",
]


@cache
def table():
    """Return rows of three days and four countries, one of which has no positives."""
    rng = np.random.default_rng(0)
    country = np.repeat(["DE", "FR", "NL", "PT"], [150, 100, 30, 20])
    y = (rng.random(300) < 0.3) & (country != "PT")
    return {
        "y": y.astype(int),
        "good": y + rng.normal(size=300),
        "better": y + 0.5 * rng.normal(size=300),
        "useless": rng.normal(size=300),
        "country": country,
        "half": np.arange(300) % 2,
        "user": np.arange(300) // 6,
        "weight": 1.0 + np.arange(300) % 3,
    }


BOTH, THREE = ["good", "better"], ["good", "better", "useless"]
CALLS = {
    "interval": lambda d: ap.confidence_interval("y", "good", data=d),
    "named": lambda d: ap.confidence_interval(
        "y", "good", name="a name that is very long, far beyond what a column has room for", data=d
    ),
    "weighted": lambda d: ap.confidence_interval("y", "good", sample_weight="weight", data=d),
    "upside down": lambda d: ap.confidence_interval("y", -d["better"], data=d),
    "pair": lambda d: ap.compare("y", *BOTH, margin=0.01, data=d),
    "groups": lambda d: ap.compare("y", *BOTH, groups="user", data=d),
    "chosen": lambda d: ap.compare("y", THREE, data=d),
    "alone": lambda d: ap.compare("y", THREE, baseline="useless", joint=False, data=d),
    "report": lambda d: ap.report("y", THREE, metrics=["AP", "P@10"], margin=0.05, data=d),
    "segments": lambda d: ap.report("y", BOTH, by="country", baseline="good", data=d),
    "all segments": lambda d: ap.report("y", THREE, by=["country", "half"], data=d),
    "0/0 is 0": lambda d: ap.report("y", BOTH, by="country", zero_division=0.0, data=d),
    "one model": lambda d: ap.report("y", "good", by="country", metrics=["AP", "P@10"], data=d),
    "no name": lambda d: ap.report(d["y"], d["good"], by=d["country"]),
    "odd names": lambda d: ap.report(
        d["y"], {f"{name} {place}": d["good"] for place, name in enumerate(ODD_NAMES)}
    ),
    "point": lambda d: ap.operating_point("y", "good", min_recall=0.5, data=d),
    "nothing": lambda d: ap.operating_point("y", "good", threshold=np.inf, data=d),
    "budget": lambda d: ap.operating_point("y", "good", k=2, groups="user", data=d),
    "points": lambda d: ap.operating_point("y", BOTH, min_recall=0.5, data=d),
    "check": lambda d: ap.operating_point("y", "good", min_recall=0.5, data=d).check(data=d),
    "check of others": lambda d: ap.operating_point(
        "y", "good", min_recall=0.9, min_precision=0.2, sample_weight="weight", data=d
    ).check("y", "useless", sample_weight=False, data=d),
    "check of a budget": lambda d: ap.operating_point(
        "y", "good", k=2, groups="user", data=d
    ).check("y", "better", data=d),
}


@cache
def results_of(name):
    """Return the result of a call, or those in the example of a class."""
    if name in CALLS:
        return [CALLS[name](table())]
    (kind,) = [kind for kind in KINDS if kind.__name__ == name]
    return examples(kind)


each = pytest.mark.parametrize("name", [*CALLS, *(kind.__name__ for kind in KINDS)])
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def read_markdown(result):
    """Return the rows of the table, of which headings have one cell, and the paragraphs."""
    rows, paragraphs = [], []
    for line in result.to_markdown().splitlines():
        if line.startswith("| :--"):
            continue
        if line.startswith("| "):
            cells = [read_text(cell) for cell in re.split(r"(?<!\\) ?\| ?", line)[1:-1]]
            is_heading = cells[0].startswith("**")
            rows.append([cells[0].strip("*")] if is_heading else cells)
        elif line:
            paragraphs.append(read_text(line))
    return rows, paragraphs


def read_text(cell):
    return re.sub(r"\\(.)", r"\1", cell.strip())


def read_html(result):
    html = result._repr_html_()
    rows = [
        [unescape(cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall("<tr>(.*?)</tr>", html, re.S)
    ]
    above = [
        line for p in re.findall("<strong>(.*?)</strong>", html, re.S) for line in p.split("<br>")
    ]
    below = re.findall("<p>(.*?)</p>", html, re.S)
    return rows, [" ".join(unescape(text).split()) for text in above + below]


@quiet
@each
def test_text_html_and_markdown_have_the_same_cells(name):
    for result in results_of(name):
        rows, paragraphs = read_markdown(result)
        assert read_html(result) == (rows, paragraphs)
        if isinstance(result, ap.inference.Interval):  # whose text is two lines
            values = " ".join(str(result).split())
            assert all(cell in values for row in rows[1:] for cell in row)
            continue
        words = [word for row in rows for cell in row for word in cell.split()]
        if not rows[1:]:  # nothing is below the header, which isn't printed
            words = []
        texts = format_whole(result).split()
        expected = [word for text in paragraphs for word in text.split()] + words
        if not any("…" in text for text in texts):
            assert sorted("".join(texts)) == sorted("".join(expected))  # of broken words, too


@quiet
@each
def test_every_line_is_at_most_75_wide_or_a_row(name):
    for result in results_of(name):
        rows, _ = read_markdown(result)
        firsts = tuple(row[0][:15] for row in rows if row[0])
        for line in str(result).splitlines():
            assert len(line) <= WIDTH or line.startswith(firsts), line


@quiet
@each
def test_nothing_is_said_twice(name):
    for result in results_of(name):
        printed = result._printed_fully()
        said = [*printed.lines, *printed.notes]
        assert len({*said}) == len(said)
        headings = [printed.title, *(basis for _, basis, _ in printed.blocks)]
        for text in said:
            assert not any(heading and heading in text for heading in headings)
            assert not re.search(r"significantly (better|worse)|can't be told apart", text)
            assert not any(text in other for other in said if other != text)


@quiet
@each
def test_two_rows_are_never_alike(name):
    for result in results_of(name):
        blocks = [[]]
        for row in read_markdown(result)[0][1:]:
            if len(row) == 1:  # the heading of the rows below
                blocks.append([])
            else:
                blocks[-1].append(tuple(row))
        for rows in blocks:
            assert len({*rows}) == len(rows)


@quiet
@each
def test_a_result_prints_at_most_three_notes_of_one_sentence(name):
    for result in results_of(name):
        notes = getattr(result, "notes", ())
        whole = [note.text if isinstance(note, Note) else note for note in notes]
        first = [text.partition("\n")[0] for text in whole]
        text = " ".join(str(result).split())
        for sentence in first[:3]:
            assert sentence in text
            if isinstance(notes[0], Note):
                assert not re.search(r"[\w)'][.?!] [A-Z]", sentence), sentence
        n_more = len(notes) - 3
        assert (f"`notes` has {n_more} more." in text) == (n_more > 0)
        for words in whole:
            assert " ".join(words.split()) in " ".join(format_whole(result).split())


@quiet
@each
def test_a_verdict_is_the_attribute_or_says_why_there_is_none(name):
    for result in results_of(name):
        rows, _ = read_markdown(result)
        header, *cells = [row for row in rows if len(row) > 1]
        place = [place for place, column in enumerate(header) if column.startswith("verdict at ")]
        assert place or not {"p", "target"} & {*header}
        if not place:
            continue
        assert header[-1] == f"verdict at {100 * result.confidence_level:g}%"
        found = [row[-1] for row in cells]
        assert {*found} <= WORDS | WITHOUT_VERDICT
        verdicts = [row.verdict for row in getattr(result, "rows", ()) if hasattr(row, "verdict")]
        printed = [cell for cell in found if cell not in WITHOUT_VERDICT]
        if verdicts and len(header) > 1:
            assert sorted(printed) == sorted(verdict for verdict in verdicts if verdict)


# --- floats for loggers ---------------------------------------------------------------------------

SETTINGS = {"confidence_level", "margin", "min_recall", "min_precision"}
OF_MARGIN = {"margin_low", "margin_high"}


def check_key(key):
    """Check that MLflow takes a name: no other signs, and a path that is normal."""
    assert re.fullmatch(r"[\w./ -]+", key), key
    parts = key.split("/")
    assert "" not in parts
    assert not {".", ".."} & {*parts}
    assert not parts[0].startswith("..")


def count_floats(result):
    """Count the defined floats in the rows of a result."""
    rows = result._list_logged_rows()
    floats = [
        value
        for row in rows
        for name, value in row.items()
        if name not in SETTINGS | OF_MARGIN
        and (isinstance(value, float) or name == "threshold")
        and not (name == "difference" and row["verdict"] is None)  # as of the baseline
    ]
    return int(np.isfinite(np.array(floats, dtype=float)).sum())


@quiet
@each
def test_loggers_get_each_defined_float_once(name):
    for result in results_of(name):
        if not isinstance(result, Measurement):
            assert not hasattr(result, "to_metrics")
            continue
        metrics = result.to_metrics()
        assert len(metrics) == count_floats(result)
        for key, value in metrics.items():
            check_key(key)
            assert type(value) is float
            assert np.isfinite(value)


@quiet
def test_different_names_stay_different_for_loggers_whatever_else_is_there():
    """Names of models, segments and metrics, of which each has the same key in other company."""
    data = table()
    names = [*dict.fromkeys(map(str, ODD_NAMES))]
    several = ap.report(
        data["y"],
        dict.fromkeys(names, data["good"]),
        by=np.array(names)[np.arange(300) % len(names)],
        metrics=dict.fromkeys(names[1::3], "AP"),
    )
    found = several.to_metrics()
    assert len(found) == count_floats(several)
    for key in found:
        check_key(key)
    for one, other in pairwise(names):
        pair = ap.report(data["y"], {one: data["good"], other: data["useless"]}, metrics="AP")
        keys = [key for key in pair.to_metrics() if key.endswith("_chance")]
        first = {key.partition("/")[0] for key in keys}
        assert first <= {key.partition("/")[0] for key in found}


def test_a_value_that_would_be_lost_is_refused():
    metrics = {"Average precision": "AP", "average_precision": "P@1"}
    report = ap.report([1, 0, 1, 0], [4, 3, 2, 1], metrics=metrics)
    with pytest.raises(ValueError, match="Two values are called 'average_precision'"):
        report.to_metrics()


def test_keys_say_of_what_a_value_is():
    data = table()
    given = {"metrics": ["AP", "P@10%"], "baseline": "good", "by": "half", "data": data}
    report = ap.report("y", BOTH, **given)
    found = report.to_metrics()
    row = report.rows[-1]
    start = "1/better/precision_at_10_percent"
    assert (row.segment, row.model, row.metric) == (1, "better", "Precision at 10%")
    assert found[start] == row.value
    assert (found[f"{start}_low"], found[f"{start}_high"]) == (row.low, row.high)
    ends = found[f"{start}_difference_low"], found[f"{start}_difference_high"]
    assert ends == (row.difference_low, row.difference_high)
    assert [*ap.report("y", BOTH, **given, margin=0.05).to_metrics()] == [*found]
    assert not any("_margin_" in key for key in found)
    assert "1/good/precision_at_10_percent_difference" not in found  # which is always 0
    by_columns = ap.report("y", "good", by=["country", "half"], data=data, zero_division=0.0)
    assert "country_DE/good/average_precision" in by_columns.to_metrics()
    pair = ap.compare("y", *BOTH, data=data).to_metrics()
    assert {"good/average_precision_difference_low", "better/average_precision"} <= {*pair}
    interval = ap.confidence_interval("y", "good", data=data)
    assert [*interval.to_metrics()][:3] == [
        "average_precision", "average_precision_low", "average_precision_high"
    ]  # fmt: skip
