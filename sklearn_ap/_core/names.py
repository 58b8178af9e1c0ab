"""The names of metrics: what people and tools call each rule, and how a rule is written."""

import re
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any

from ..exceptions import UnknownMetricError
from .rules import DENOMINATORS, RULES, Rule


@dataclass(frozen=True)
class ParsedName:
    """What a name says: a rule, some of its options, and whether it is a mean over groups."""

    rule_type: type[Rule]
    options: dict[str, Any] = field(default_factory=dict)
    is_mean: bool = False


# Names that have more than one reading, as they are written in small letters, and what to write
_UNCLEAR = {
    r"(.*[@ ])? *-\s*\d.*": "Its number is negative.",
    r"ef[ _-]*[\d.]+": "For the top 1%, write 'EF@1%'; for the first sample, write 'EF@1'.",
    r"(coco )?m?ap[ _-]*\d+.*|(coco )?m?ap[ _@-]*(\[|0?\.\d+ ?:).*": "For the overlap of boxes, "
    "match detections first, and write 'COCO'; for the top k, write 'AP@10'.",
    r"map_at_\d+": "Write 'MAP@10' for the denominator min(k, R), or 'map_cut_10' for R.",
    r"au(c[ _-]*)?prc?|prc?[ _-]*auc": "Write 'AP' for steps, or 'linear' for straight lines.",
    r"(p|precision|prec)[ _]?(@|at)[ _]?n": "Write 'R-precision' or 'P@10'.",
    r"(mean )?(hit[ -]?rate|hr) ?@ ?[\d.]+%": "Write 'P@1%' for precision, or 'success@1%'.",
    r"40[ _-]?point.*": "KITTI's 40 levels leave recall 0 out; for 0, 1/39, ... pass n_points=40.",
}

# What errors say to those who pass what `audit` has printed
_OF_COMPAT = " (audit and identify also print what is not a metric of this package.)"

# Names of metrics that aren't here, as for those above, and where they are
_IN_IR_MEASURES = "bpref|inf[ _]?ap|gm[ _]?map|(m?err|rbp|judged|set[ _]?(p|r|f|ap))([ _@].*)?"
_IN_SKLEARN = {
    r"(roc[ _-]?auc|auc[ _-]?roc|auroc|auc)([ _]score)?": "metric=sklearn.metrics.roc_auc_score",
    r"f1([ _]score)?": "metric=sklearn.metrics.f1_score, and predicted labels in place of scores",
    r"(neg[ _])?log[ _-]?loss": "metric=metric(sklearn.metrics.log_loss, greater_is_better=False)",
}

# How titles say some of those options, with "#" for their word; others as "k counts samples"
_PHRASES = {"gains": "# gains", "ties": "ties in # order"}

_NUMBER = re.compile(r"(?<![a-z\d.])(\d*\.?\d+)(%?)")


def _simplify(name: str) -> str:
    """Write a name in small letters, with single spaces between its words."""
    simple = name.strip().lower().removeprefix("pascal ").replace("@", " at ")
    simple = re.sub(r"(\d)\s*(percent|%)", r"\1%", simple)
    simple = re.sub(r"^ef ?(?=\d)", "ef at ", simple)  # EF1%
    simple = re.sub(r"(?<=[a-z])\.(?=\d)", " ", simple)  # P.10
    simple = re.sub(r"[\s_-]+", " ", simple).strip().removesuffix(" score")
    simple = re.sub(r"\bvoc (?=\d)", "voc", simple)  # The year isn't an option.
    simple = re.sub(r"^(coco )?m(ap|rr)\b", r"mean \1\2", simple)
    return re.sub(r"\bap\b", "average precision", simple)


@cache
def _list_words() -> dict[str, set[str]]:
    """Return the words of all options that may follow a name."""
    words: dict[str, set[str]] = {}
    for rule in RULES:
        for option, of_rule in rule.list_words().items():
            words.setdefault(option, set()).update(of_rule)
    return words


@cache
def _list_forms() -> dict[str, ParsedName]:
    """Return what each form of a name means, with "#" for its number."""
    forms = {}
    for rule in RULES:
        for name in rule.names:
            forms[_simplify(name)] = ParsedName(rule)
        for name, options in rule.names_with_options.items():
            forms[_simplify(name)] = ParsedName(rule, options)
    means = {f"mean {form}": replace(parsed, is_mean=True) for form, parsed in forms.items()}
    return forms | means


def _split_options(simple: str) -> tuple[str, dict[str, str]]:
    """Split a simplified name from options behind it, as in "ap at 10, ties=best"."""
    options = {}
    for option, phrase in _PHRASES.items():
        words = "|".join(_list_words()[option])
        simple = re.sub(phrase.replace("#", f"({words})"), rf"{option}=\1", simple)
    # sklearn_ap.compat says so.
    simple = re.sub(r"\bties by row$", "ties=input", simple)
    for denominator, words in DENOMINATORS.items():
        simple = re.sub(rf" divided by {re.escape(words)}(?=,|$)", f" / {denominator}", simple)
    for option in sorted(_list_words()):
        if match := re.search(rf"[, ]*\b{option.replace('_', '[ _]')}[= ]([a-z]+)", simple):
            options[option] = match[1]
            simple = simple.replace(match[0], "")
    if match := re.search(r"[, ]*/ ?(min|relevant|k|hits)\b", simple):
        options["denominator"] = match[1]
        simple = simple.replace(match[0], "")
    return simple, options


@lru_cache
def parse_name(name: str) -> ParsedName:
    """Return what a name means, and raise UnknownMetricError if that isn't clear."""
    for pattern, why in _UNCLEAR.items():
        if re.fullmatch(pattern, name.strip().lower()):
            raise UnknownMetricError(f"{name!r} is ambiguous. {why}")
    simple, written = _split_options(_simplify(name))
    form = _NUMBER.sub("#", simple)
    if "#" in simple or form not in _list_forms():
        hint = _find_elsewhere(name) or f"{_suggest_name(simple)}{_OF_COMPAT}"
        raise UnknownMetricError(f"{name!r} is not the name of a metric.{hint}")
    parsed = _list_forms()[form]
    if unknown := {*written} - {*parsed.rule_type.list_options()}:
        raise UnknownMetricError(
            f"{name!r} says {min(unknown)}, which this metric doesn't have.{_OF_COMPAT}"
        )
    options: dict[str, Any] = parsed.options | written
    option = parsed.rule_type.number_option
    for digits, percent in _NUMBER.findall(simple):
        assert option is not None  # The form has a number.
        options[option] = _read_number(name, option, digits, percent)
    return replace(parsed, options=options)


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


def _find_elsewhere(name: str) -> str:
    """Say where a well-known metric is that isn't here."""
    small = name.strip().lower()
    if re.fullmatch(_IN_IR_MEASURES, small):
        return " It isn't here: use the package ir_measures."
    for pattern, written in _IN_SKLEARN.items():
        if re.fullmatch(pattern, small):
            return f" Pass {written}."
    return ""


def _suggest_name(simple: str) -> str:
    """Ask whether the nearest name was meant, with the number that was passed."""
    # "precision at k" is a name, but doesn't say k.
    forms = _list_forms().items()
    spelled = [form for form, of in forms if "#" in form or not of.rule_type.needs_number()]
    if nearest := get_close_matches(_NUMBER.sub("#", simple), spelled, n=1):
        number = _NUMBER.search(simple)
        return f" Did you mean {nearest[0].replace('#', number[0] if number else '10')!r}?"
    return (
        " sklearn_ap.get_scorer_names() lists names, and metric(function) makes a metric of any "
        "function of labels and scores."
    )


def list_names() -> list[str]:
    """Return a name for each metric, with a typical number where the name has one."""
    return sorted(name for rule in RULES for name in rule.listed_names)


def write_name(rule: Rule, is_mean: bool = False) -> str:
    """Write the name of a rule, with the options that aren't the usual ones."""
    name, options = rule.split_name()
    for option, value in options.items():
        name += f"_{option}={value}"
    return f"mean_{name}" if is_mean else name


def describe_options(options: dict[str, Any]) -> list[str]:
    """Say in words what options are, as `parse_name` reads them."""
    phrases = []
    for option, value in options.items():
        if option == "denominator":
            phrases.append(f"divided by {DENOMINATORS[value]}")
        else:
            phrase = _PHRASES.get(option, f"{option.replace('_', ' ')} #")
            phrases.append(phrase.replace("#", value))
    return phrases
