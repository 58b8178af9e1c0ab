"""The formulas of docstrings and of "Which average precision is this?", evaluated in fractions."""

import re
import runpy
from fractions import Fraction
from inspect import getdoc
from math import comb, log2
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import compat

from . import oracle
from .documentation import script
from .registry import GRADED

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "glossary.md").read_text(encoding="utf-8").split("## Formulas")[1]
SYMBOLS = "".join(re.findall(r"^\| \$.+\|\n", PAGE, re.M))
DEFINITIONS = script("pages").METRICS
PLAIN = runpy.run_path(str(DOCS / "_ext" / "formulas.py"))["write_plain"]
FORMULAS = {row.readme[0]: row.formula for row in DEFINITIONS.values() if row.formula}

OVER = re.compile(r"\\(sum|max)_(?:\{(\w)=(.+?)\}\^\{(.+?)\}|\{(\w):(.+?)\}|\{((\w) .+?)\}|(\w))")
TOKEN = re.compile(r"@\d|\d+|[A-Za-z](?:_(?:\w|\{[^{}]*\}))?(?:\^-)?|\\[a-z]+|[^\s]")
END = "+-)},"


class Reader:
    """Translate LaTeX into Python. Symbols with an index become functions of the index."""

    def __init__(self, text):
        self.over = []  # the sums and maxima
        text = re.sub(r"\\[,;]|\\mathrm\{(\w)\w*\}", r" \1", text)
        self.tokens = TOKEN.findall(OVER.sub(self.keep, text))

    def keep(self, match):
        name, index, first, last, where, condition, from_here, start, alone = match.groups()
        clause = f"for {index or where or start or alone} in "
        clause += f"range(int({python(first)}), int({python(last)}) + 1)" if index else "scores"
        if condition or from_here:
            left, right = (condition or from_here).split(r"\ge")
            clause += f" if {python(left)} >= {python(right)}"
        self.over.append(("sum" if name == "sum" else "largest", clause))
        return f"@{len(self.over) - 1}"

    def take(self):
        return self.tokens.pop(0)

    def terms(self):
        code = self.factors()
        while self.tokens and self.tokens[0] in "+-":
            code += self.take() + self.factors()
        return code

    def factors(self):
        """Read up to the next sign, which is how far sums and maxima reach."""
        code = self.factor()
        while self.tokens and self.tokens[0] not in END:
            if self.tokens[0] == "^":
                code += f"**{self.take() and self.factor()}"
            else:
                code += f"{self.take() if self.tokens[0] == '/' else '*'}{self.factor()}"
        return code

    def factor(self):
        token = self.take()
        if token.isdigit():
            return f"Fraction({token})"
        if token[0] == "@":
            name, clause = self.over[int(token[1:])]
            return f"{name}({self.factors()} {clause})"
        if token in "({":
            code = [self.terms()]
            while self.take() == ",":
                code.append(self.terms())
            return f"({','.join(code)})"
        if token == r"\frac":
            return f"({self.factor()}/{self.factor()})"
        if token == r"\binom":
            return f"binomial({self.factor()},{self.factor()})"
        if token == r"\log":
            assert self.take() + self.take() == "_2"
            return f"log2{self.factor()}"
        if token in (r"\min", r"\max"):
            return f"{token[1:]}{self.factor()}"
        name, _, index = token.removeprefix("\\").removesuffix("^-").partition("_")
        name += "_above" * token.endswith("^-")
        return f"{name}_({python(index.strip('{}'))})" if index else name


def python(text):
    reader = Reader(text)
    code = reader.terms()
    assert not reader.tokens, (text, reader.tokens)
    return code


def value_of(formula, known):
    """Evaluate a formula, which may end in "if ..., else ..." or in ", k = R"."""
    formula, *given = re.split(r", \\quad", formula)
    for name, meaning in (each.split("=") for each in given):
        known = known | {name.strip(): value_of(meaning, known)}
    first, *others = re.split(r"\\text\{ if \}|, \\text\{ else \}", formula)
    if others:
        left, right = others[0].split(">")
        holds = value_of(left, known) > value_of(right, known)
        return value_of(first if holds else others[1], known)
    known = dict(known)
    for symbol, index, meaning in re.findall(r"\$(\w)_(\w) = (.+?)\$", SYMBOLS):
        code = compile(python(meaning), meaning, "eval")
        known[f"{symbol}_"] = lambda at, code=code, index=index: eval(code, known | {index: at})
    return eval(python(first), known)


def known_of(labels, scores, weights=None, n_positives=None, **given):
    """Return what the symbols of the page stand for, except for those with a formula there."""
    curve = [(0, 0, 0, 0), *oracle.points(labels, scores, weights)]
    r, n, T, N = zip(*curve, strict=True)
    scores = range(1, len(curve))
    return {
        **{"r_": of_index(r), "n_": of_index(n), "T_": of_index(T), "N_": of_index(N)},
        "p_above_": lambda i: T[i - 1] / N[i - 1] if i > 1 else 1,
        "R": Fraction(T[-1] if n_positives is None else n_positives),
        "n": N[-1],
        "f": next((i for i in scores if r[i]), None),
        "scores": scores,
        **{"Fraction": Fraction, "binomial": binomial, "largest": largest, "log2": log2},
        **given,
    }


def of_index(values):
    return lambda index: values[int(index)]


def binomial(n, k):
    return Fraction(comb(int(n), int(k)))


def largest(values):
    return max(values, default=Fraction(0))


def cases(takes_weights):
    """Yield rankings with ties, some of them with weights or positives that nobody ranked."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = int(rng.integers(1, 13))
        labels, scores = rng.integers(0, 2, n), 2 + rng.integers(0, rng.integers(1, 10), n)
        labels[rng.integers(n)] = 1
        weights = rng.integers(1, 4, n) if takes_weights and rng.random() < 0.3 else None
        missed = int(rng.integers(0, 3))
        found = int(labels.sum() if weights is None else weights @ labels)
        yield labels, scores, weights, found + missed if missed else None


# The functions, and what the symbols of their options are called
OF_PAGE = {row.readme[0]: row for row in DEFINITIONS.values()}
OF_GRADES = [name for name, row in OF_PAGE.items() if row.name in GRADED]
LETTERS = {"k": "k", "n_points": "N", "min_recall": "rho", "min_precision": "pi"}
OPTIONS = {
    "k": [*range(1, 15)],
    "n_points": [2, 5, 11, 101],
    "min_recall": [0.1, 0.5, 0.75, 1.0],
    "min_precision": [0.2, 0.5, 0.75, 1.0],
}


def test_every_definition_has_a_formula():
    have_words = {"reciprocal rank at k", "11-point float", "101-point float"}
    assert set(FORMULAS) == set(OF_PAGE) - have_words


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", [name for name in FORMULAS if name not in {"MAP", *OF_GRADES}])
def test_formulas_give_the_value_of_the_function(name):
    row = OF_PAGE[name]
    function = getattr(ap, row.score or "", compat.trapezoidal_average_precision_score)
    options = row.options or row.example
    for seed, (labels, scores, weights, exist) in enumerate(cases(row.rule.takes_weights)):
        rng = np.random.default_rng(seed)
        chosen = {option: rng.choice(OPTIONS[option]).item() for option in options}
        given = {LETTERS[option]: oracle.as_written(value) for option, value in chosen.items()}
        known = known_of(labels, scores, weights, exist, **given)
        for more, symbols in denominators(known) if name == "AP@k" else [({}, {})]:
            weighted = {} if weights is None else {"sample_weight": weights}
            if weights is not None and "k" in chosen:
                more |= {"k_counts": "weight"}
            value = function(labels, scores, n_positives=exist, **weighted, **chosen, **more)
            assert value == oracle.near(value_of(FORMULAS[name], known | symbols)), chosen


def denominators(known):
    """Yield the denominators of AP@k as options and as the page's symbol."""
    (cell,) = re.findall(r"^\| \$D\$ \|.*: (.+) \|$", SYMBOLS, re.M)
    formulas = re.findall(r"\$(.+?)\$", cell)
    for name, formula in zip(oracle.DENOMINATORS, formulas, strict=True):
        # Without positives in the top k, the sum is 0, too.
        yield {"denominator": name}, {"D": value_of(formula, known) or Fraction(1)}


@pytest.mark.parametrize("name", OF_GRADES)
def test_formulas_of_grades_give_the_value_of_the_function(name):
    row, rng = OF_PAGE[name], np.random.default_rng(0)
    for _ in range(60):
        grades = [None, 0, 1, 2]
        order = [grades[i] for i in rng.integers(0, 4, rng.integers(1, 9))]
        scores = rng.integers(2, 6, len(order)).tolist()
        missed = rng.integers(0, 3, 3).tolist()
        judged = sorted([*missed, *(grade for grade in order if grade is not None)])
        options = {option: int(rng.integers(1, 15)) for option in row.options}
        known = known_of([bool(grade) for grade in order], scores) | options
        known |= grades_of(order, scores, judged)
        found = getattr(ap, row.score)(
            np.array(order, float),
            scores,
            groups=["q"] * len(order),
            n_positives={"q": {grade: judged.count(grade) for grade in judged}},
            zero_division=0.0,
            **options,
        )
        expected = value_of(FORMULAS[name], known) if any(judged) else 0
        assert found == oracle.near(expected)


def grades_of(order, scores, judged):
    """Return what the symbols of grades stand for."""
    gains = []
    for score in sorted({*scores}, reverse=True):
        own = [grade or 0 for grade, other in zip(order, scores, strict=True) if other == score]
        gains += [Fraction(sum(own), len(own))] * len(own)
    best = [0, *sorted(judged, reverse=True), *[0] * 20]
    return {
        **{"g_": of_index([0, *gains, *[0] * 20]), "b_": of_index(best), "e": len(judged)},
    }


def test_the_formula_of_map_is_a_mean():
    labels, scores, groups = [1, 0, 1, 0, 1, 0], [3, 2, 1, 3, 2, 1], [*"aaabbb"]
    each = [oracle.step(labels[:3], scores[:3]), oracle.step(labels[3:], scores[3:])]
    known = known_of(labels, scores, Q=2, A_=of_index([None, *each]))
    value = ap.mean_average_precision_score(labels, scores, groups=groups)
    assert value == oracle.near(value_of(FORMULAS["MAP"], known))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_docstrings_have_the_same_formulas(name):
    """Except for nDCG without k."""
    row = DEFINITIONS[name]
    function = getattr(ap, row.score or "", compat.trapezoidal_average_precision_score)
    math = getdoc(function).partition("\n\nParameters\n")[0]
    assert (f"{PLAIN(row.formula)}``" in math) == (name != "ndcg")


def test_help_has_no_latex():
    """Docstrings have plain text, of which the site makes formulas."""
    paths = Path(ap.__file__).parent.rglob("*.py")
    texts = {path.name: path.read_text(encoding="utf-8") for path in paths}
    assert [name for name, text in texts.items() if re.search(":math:|math::", text)] == []


@pytest.mark.parametrize(
    ("formula", "plain"),
    [
        (r"\sum_{l=0}^{N-1} \max_{j:\, T_j \ge 3} p_j", "sum_(l=0)^(N-1) max_(j: T_j >= 3) p_j"),
        (r"\frac{T_{i-1} + 1}{k R}, \quad k = R", "(T_(i-1) + 1)/(k R), k = R"),
        (r"1 - \frac{\binom{n}{r_f}}{\log_2 R}", "1 - C(n, r_f)/(log2 R)"),
    ],
)
def test_formulas_as_plain_text(formula, plain):
    assert PLAIN(formula) == plain


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\frac{n}{2 R} - r_1 / n_1", Fraction(5, 4) - Fraction(1, 2)),
        (r"\sum_i r_i^2 + \max_{j: T_j \ge 2} p_j", 1 + 1 + Fraction(2, 5)),
        (r"\sum_{l=0}^{n-1} l - \binom{n}{2}", 0),
        (r"\max_{j:\, T_j \ge 3} p_j", 0),
        (r"\max(n, 2 k) - \min(n, k), \quad k = R", 3),
        (r"7 \text{ if } k > 3, \text{ else } \frac{1}{k}", Fraction(1, 3)),
    ],
)
def test_the_reader_of_formulas(formula, expected):
    """Two positives among five samples, of which the first two are tied."""
    known = known_of([1, 0, 0, 0, 1], [4, 4, 3, 2, 1], k=3)
    assert value_of(formula, known) == expected
