"""Names and cells can't change a terminal, or the order in which a text is shown."""

import re

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.__main__ import main

EVIL = "a\x1b]0;owned\x07", "b\u202etxt.exe", "c\x9b31m\u2066\x00", "d\x08\x08\u200f"
HIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, 80)
GROUPS = [EVIL[place % 4] for place in range(80)]
MODELS = {name: RNG.normal(size=80) + LABELS for name in EVIL[:3]}
FIRST = MODELS[EVIL[0]]
TABLE = {EVIL[0]: LABELS, EVIL[1]: FIRST, EVIL[2]: GROUPS}
POINT = ap.operating_point(LABELS, FIRST, k=3, groups=GROUPS)
NAMED = ap.operating_point(EVIL[0], EVIL[1], k=3, groups=EVIL[2], data=TABLE)


def by_name(y_true, y_score):
    return float(np.mean(y_true))


RESULTS = {
    "report": lambda: ap.report(LABELS, MODELS, by=GROUPS),
    "report by groups": lambda: ap.report(LABELS, MODELS, groups=GROUPS, metrics=["MAP"]),
    "weighted": lambda: ap.report(
        *EVIL[:2], sample_weight=EVIL[3], data=TABLE | {EVIL[3]: FIRST**2}
    ),
    "compare": lambda: ap.compare(LABELS, MODELS),
    "interval": lambda: ap.confidence_interval(
        LABELS, FIRST, groups=GROUPS, metric=ap.metric(by_name, name=EVIL[1])
    ),
    "points": lambda: ap.operating_point(LABELS, MODELS, k=3, groups=GROUPS),
    "check": lambda: POINT.check(LABELS[:40].repeat(2), FIRST, groups=GROUPS),
    "check of columns": lambda: NAMED.check(data=TABLE),
    "check without": lambda: NAMED.check(data=TABLE, groups=False),
}


@pytest.mark.sweep(3)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_results_show_hidden_characters(name):
    result = RESULTS[name]()
    texts = str(result), repr(result), result._repr_html_(), result.to_markdown()
    for text in texts:
        assert not HIDDEN.search(text)
    assert any(each in text for text in texts for each in (r"\x1b", r"\u202e", r"\x9b", r"\x08"))


def test_errors_of_the_command_line_show_them(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text(f"label,score,{EVIL[1]}\n1,0.5,x\n0,{EVIL[1]},y\n", encoding="utf-8")
    assert main(["report", str(path), "--y-true", "label", "--y-score", "score"]) == 2
    err = capsys.readouterr().err
    assert r"\u202e" in err
    assert not HIDDEN.search(err)
