"""The names of metrics: what people and tools call each rule, and how a rule is written."""

import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from numbers import Integral
from typing import Any

from ..exceptions import UnknownMetricError
from .checks import CHOICES, DENOMINATORS, check, suggest
from .rules import (
    NDCG,
    RULES,
    AveragePrecisionAtK,
    Interpolated,
    RecallAtK,
    ReciprocalRank,
    Rule,
    Step,
)


@dataclass(frozen=True)
class Meaning:
    """What a name says: a rule, some of its options, and whether it is a mean over groups."""

    rule: type[Rule]
    options: dict[str, Any] = field(default_factory=dict)
    is_mean: bool = False


_VOC_2007 = Meaning(Interpolated, {"n_points": 11, "grid": "float"})
_COCO = {"n_points": 101, "grid": "float", "ties": "input"}

# Names that aren't those of a rule alone, in small letters, with "#" for their number
_MORE_NAMES = {
    "eleven point ap": Meaning(Interpolated, {"n_points": 11}),
    # Names of benchmarks mean what their tools compute, which for VOC break ties in several ways.
    **dict.fromkeys(("voc07", "voc 07", "voc2007", "voc 2007", "voc 2007 ap"), _VOC_2007),
    **dict.fromkeys(("voc 2010", "voc 2012", "voc 2010 ap"), Meaning(Interpolated)),
    **dict.fromkeys(("coco", "coco ap"), Meaning(Interpolated, _COCO)),
    "coco map": Meaning(Interpolated, _COCO, is_mean=True),
    "# point float": Meaning(Interpolated, {"grid": "float"}),
    "# point float ap": Meaning(Interpolated, {"grid": "float"}),
    "map": Meaning(Step, is_mean=True),
    "map at #": Meaning(AveragePrecisionAtK, is_mean=True),
    "map cut #": Meaning(AveragePrecisionAtK, {"denominator": "relevant"}, is_mean=True),
    "mrr": Meaning(ReciprocalRank, is_mean=True),
    "mrr at #": Meaning(ReciprocalRank, is_mean=True),
    "ndcg exponential": Meaning(NDCG, {"gains": "exponential"}),
    "ndcg at # exponential": Meaning(NDCG, {"gains": "exponential"}),
    "r cap at #": Meaning(RecallAtK, {"denominator": "min"}),
}

# Names that have more than one reading, as they are written in small letters, and what to write
_UNCLEAR = {
    r"(.*[@ ])? *-\s*\d.*": "Its number is negative.",
    r"ef[ _-]*[\d.]+": "For the top 1%, write 'EF@1%'; for the first sample, write 'EF@1'.",
    r"(coco )?m?ap[ _-]*\d+.*|(coco )?m?ap[ _@-]*\[.*": "For the overlap of boxes, match "
    "detections first, and write 'COCO'; for the top k, write 'AP@10'.",
    r"map_at_\d+": "Write 'MAP@10' for the denominator min(k, R), or 'map_cut_10' for R.",
    r"au(c[ _-]*)?prc?|prc?[ _-]*auc": "Write 'AP' for steps, or 'linear' for straight lines.",
    r"(p|precision|prec)[ _]?(@|at)[ _]?n": "Write 'R-precision' or 'P@10'.",
    r"(mean )?(hit[ -]?rate|hr) ?@ ?[\d.]+%": "Write 'P@1%' for precision, or 'success@1%'.",
    r"40[ _-]?point.*": "KITTI's 40 levels leave recall 0 out; for 0, 1/39, ... pass n_points=40.",
}

# What sklearn_ap.compat calls other definitions and metrics
_RECOGNIZED = (
    r"curved( ap)?|linear after the first point|fraction of positives|area under the roc curve|"
    r"best f1 of all thresholds|\w+ of predicted labels|lines between \d+ points.*|r40.*|ap at r|"
    r"mean of all precisions|mean of p at 1 to p at \d+"
)

# The options of rules whose values are words, which may follow a name
_WORD_OPTIONS = sorted(
    {option for rule in RULES for option in rule.list_options() if option != rule.number}
)

# How titles say what those options are, with "#" for their word
_PHRASES = {"gains": "# gains", "k_counts": "k counts #", "ties": "ties in # order"}

_NUMBER = re.compile(r"(?<![a-z\d.])(\d*\.?\d+)(%?)")


def _simplify(name: str) -> str:
    """Write a name in small letters, with single spaces between its words."""
    simple = name.strip().lower().removeprefix("pascal ").replace("@", " at ")
    simple = re.sub(r"(\d)\s*(percent|%)", r"\1%", simple)
    simple = re.sub(r"^ef ?(?=\d)", "ef at ", simple)  # EF1%
    simple = re.sub(r"(?<=[a-z])\.(?=\d)", " ", simple)  # P.10
    simple = re.sub(r"[\s_-]+", " ", simple).strip().removesuffix(" score")
    return simple.replace("average precision", "ap")


@cache
def _list_forms() -> dict[str, Meaning]:
    """Return what each form of a name means, with "#" for its number."""
    forms = {_simplify(name): Meaning(rule) for rule in RULES for name in rule.names}
    forms |= _MORE_NAMES
    means = {
        f"mean {form}": Meaning(meaning.rule, meaning.options, is_mean=True)
        for form, meaning in forms.items()
    }
    return forms | means


def _split_options(simple: str) -> tuple[str, dict[str, str]]:
    """Split a simplified name from options behind it, as in "ap at 10, ties=best"."""
    options = {}
    for option, phrase in _PHRASES.items():
        words = "|".join(map(str, CHOICES[option]))
        simple = re.sub(phrase.replace("#", f"({words})"), rf"{option}=\1", simple)
    # The words of sklearn_ap.compat
    simple = re.sub(r"\bties by row$", "ties=input", simple)
    for denominator, words in DENOMINATORS.items():
        simple = re.sub(rf" divided by {re.escape(words)}(?=,|$)", f" / {denominator}", simple)
    for option in _WORD_OPTIONS:
        if found := re.search(rf"[, ]*\b{option.replace('_', '[ _]')}[= ]([a-z]+)", simple):
            options[option] = found[1]
            simple = simple.replace(found[0], "")
    if found := re.search(r"[, ]*/ ?(min|relevant|k|hits)\b", simple):
        options["denominator"] = found[1]
        simple = simple.replace(found[0], "")
    return simple, options


def find_metric(name: str) -> Meaning:
    """Return what a name means, and raise UnknownMetricError if that isn't clear."""
    for pattern, why in _UNCLEAR.items():
        if re.fullmatch(pattern, name.strip().lower()):
            raise UnknownMetricError(f"{name!r} has more than one reading. {why}")
    simple, written = _split_options(_simplify(name))
    numbers = _NUMBER.findall(simple)
    form = _NUMBER.sub("#", simple)
    forms = _list_forms()
    if simple in forms and "#" not in simple:
        meaning, numbers = forms[simple], []  # The number is part of names such as VOC 2010.
    elif form in forms and len(numbers) == 1 and "#" not in simple:
        meaning = forms[form]
    else:
        raise UnknownMetricError(_explain_unknown(name, simple))
    options: dict[str, Any] = meaning.options | written
    for digits, percent in numbers:
        assert meaning.rule.number is not None
        options[meaning.rule.number] = _read_number(name, meaning.rule.number, digits, percent)
    if unknown := {*written} - {*meaning.rule.list_options()}:
        raise UnknownMetricError(f"{name!r} says {min(unknown)}, which this metric doesn't have.")
    return Meaning(meaning.rule, options, meaning.is_mean)


def _explain_unknown(name: str, simple: str) -> str:
    """Say what a name of sklearn_ap.compat means, or which known name is like it."""
    if re.fullmatch(_RECOGNIZED, simple):
        return (
            f"sklearn_ap.compat recognizes {name!r}, but no function computes it. Pass one of your "
            "own: metric(function)."
        )
    known, _, change = name.partition(", ")
    if change and _NUMBER.sub("#", _split_options(_simplify(known))[0]) in _list_forms():
        option, equals, _ = change.partition("=")
        if equals and (question := suggest(option, _WORD_OPTIONS)):
            return f"{known!r} has no option {option!r}.{question}"
        return f"{name!r} is {known!r} after a change that is no option of a metric: {change}."
    near = _find_near(name)
    if not near:
        return (
            f"{name!r} is not the name of a metric. sklearn_ap.get_scorer_names() lists names, and "
            "metric(function) makes a metric of any function of labels and scores."
        )
    *others, last = map(repr, near)
    listed = f"{', '.join(others)} or {last}" if others else last
    return f"{name!r} is not the name of a metric. Did you mean {listed}?"


def _find_near(name: str) -> list[str]:
    """Return names that look like this one, the nearest first, of at most three metrics."""

    def compare_by(each: str) -> str:
        return re.sub(r"[\s_-]+", " ", each.lower().replace("@", " at "))

    known: dict[str, tuple[str, Meaning]] = {}
    of_rules = {each: Meaning(rule) for rule in RULES for each in rule.names}
    of_means = {_NUMBER.sub("#", each): find_metric(each) for each in list_names()}
    for written, meaning in (of_means | of_rules | _MORE_NAMES).items():
        rule = meaning.rule
        # "precision_at_k" doesn't say k
        needs_number = bool(rule.number) and rule.get_default_number() is MISSING
        if "#" in written or not needs_number:
            known.setdefault(compare_by(written), (written, meaning))
    number = "".join(next(iter(_NUMBER.findall(name)), ("10",)))
    near: list[str] = []
    meanings: list[Meaning] = []
    for form in get_close_matches(_NUMBER.sub("#", compare_by(name)), known, n=20):
        written, meaning = known[form]
        suggested = written.replace("#", number)
        if meaning not in meanings and _has_fitting_number(suggested):
            meanings.append(meaning)
            near.append(suggested)
    return near[:3]


def _has_fitting_number(name: str) -> bool:
    try:
        meaning = find_metric(name)
        option = meaning.rule.number
        check(**{option: meaning.options[option]} if option in meaning.options else {})
    except ValueError:
        return False
    return True


def _read_number(name: str, option: str, digits: str, percent: str) -> float:
    if percent:
        return float(f"{digits}e-2")
    if "." not in digits:
        return int(digits)
    if option == "k":
        raise UnknownMetricError(
            f"{name!r} could be an overlap of boxes or a fraction of the ranking. For a fraction, "
            "write it in percent, as in 'AP@50%'."
        )
    return float(digits)


def list_names() -> list[str]:
    """Return a name for each metric, with a typical number where the name has one."""
    names = [
        "101_point_float_average_precision",
        "eleven_point_average_precision",
        "mean_average_precision",
        "mean_average_precision_at_10",
        "mean_reciprocal_rank",
    ]
    for rule in RULES:
        if rule.number is None or rule.get_default_number() is None:
            names.append(find_name(rule, has_number=False))
        if rule.number is not None:
            names.append(find_name(rule, has_number=True).replace("#", rule.typical))
    names.remove("linear")  # Nobody should search by it.
    return sorted(names)


def find_name(rule: type[Rule] | Rule, has_number: bool) -> str:
    """Return our name of a rule, with "#" for its number or without one."""
    return next(name for name in rule.names if ("#" in name) == has_number)


def write_numbered_name(rule: Rule) -> tuple[str, dict[str, Any]]:
    """Write the name of a rule with its number, and return its other unusual options."""
    options = rule.list_chosen()
    if rule.number is None or getattr(rule, rule.number) is None:
        return find_name(rule, has_number=False), options
    number = write_number(getattr(rule, rule.number), rule.number)
    name = find_name(rule, has_number=True).replace("#", number)
    options.pop(rule.number, None)
    if options.pop("grid", "exact") == "float":
        name = name.replace("_point_", "_point_float_")
    return name, options


def write_name(rule: Rule, is_mean: bool = False) -> str:
    """Write the name of a rule, with the options that aren't the usual ones."""
    if rule.own_name is not None:
        return rule.own_name
    name, options = write_numbered_name(rule)
    for option, value in options.items():
        name += f"_{option}={value}"
    return f"mean_{name}" if is_mean else name


def describe_options(options: dict[str, Any]) -> Iterator[str]:
    """Say in words what options are, as `find_metric` reads them."""
    for option, value in options.items():
        if option == "denominator":
            yield f"divided by {DENOMINATORS[value]}"
        else:
            yield _PHRASES[option].replace("#", value)


def write_number(number: float, option: str) -> str:
    """Write a number without an exponent and with all of its digits, so that a name can be read."""
    written = Decimal(str(number))
    if option == "k" and not isinstance(number, Integral):
        return f"{(written * 100).normalize():f}%"
    return f"{written:f}"
