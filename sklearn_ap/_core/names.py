"""The names of metrics: what people and tools call each rule, and how a rule is written."""

import re
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from typing import Any

from ..exceptions import UnknownMetricError
from .checks import CHOICES, DENOMINATORS
from .rules import RULES, Rule


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

# Names of metrics that aren't here, as for those above, and where they are
_IN_IR_MEASURES = "bpref|inf[ _]?ap|gm[ _]?map|(m?err|rbp|judged|set[ _]?(p|r|f|ap))([ _@].*)?"
_IN_SKLEARN = {
    r"(roc[ _-]?auc|auc[ _-]?roc|auroc|auc)([ _]score)?": "metric=sklearn.metrics.roc_auc_score",
    r"f1([ _]score)?": "metric=sklearn.metrics.f1_score, and predicted labels in place of scores",
    r"(neg[ _])?log[ _-]?loss": "metric=metric(sklearn.metrics.log_loss, greater_is_better=False)",
}

# The options of rules whose values are words, which may follow a name
_WORD_OPTIONS = sorted(
    {option for rule in RULES for option in rule.list_options() if option != rule.number_option}
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
    simple = re.sub(r"\bvoc (?=\d)", "voc", simple)  # The year isn't an option.
    return simple.replace("average precision", "ap")


@cache
def _list_forms() -> dict[str, ParsedName]:
    """Return what each form of a name means, with "#" for its number."""
    forms = {}
    for rule in RULES:
        for name in rule.names:
            forms[_simplify(name)] = ParsedName(rule)
        for name, options in rule.names_with_options.items():
            forms[_simplify(name)] = ParsedName(rule, options)
        for name, options in rule.names_of_mean.items():
            forms[_simplify(name)] = ParsedName(rule, options, is_mean=True)
    means = {f"mean {form}": replace(parsed, is_mean=True) for form, parsed in forms.items()}
    return forms | means


def _split_options(simple: str) -> tuple[str, dict[str, str]]:
    """Split a simplified name from options behind it, as in "ap at 10, ties=best"."""
    options = {}
    for option, phrase in _PHRASES.items():
        words = "|".join(map(str, CHOICES[option]))
        simple = re.sub(phrase.replace("#", f"({words})"), rf"{option}=\1", simple)
    # sklearn_ap.compat says so.
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


def parse_name(name: str) -> ParsedName:
    """Return what a name means, and raise UnknownMetricError if that isn't clear."""
    for pattern, why in _UNCLEAR.items():
        if re.fullmatch(pattern, name.strip().lower()):
            raise UnknownMetricError(f"{name!r} is ambiguous. {why}")
    simple, written = _split_options(_simplify(name))
    form = _NUMBER.sub("#", simple)
    if "#" in simple or form not in _list_forms():
        hint = _find_elsewhere(name) or _suggest_name(name)
        raise UnknownMetricError(f"{name!r} is not the name of a metric.{hint}")
    parsed = _list_forms()[form]
    if unknown := {*written} - {*parsed.rule_type.list_options()}:
        raise UnknownMetricError(f"{name!r} says {min(unknown)}, which this metric doesn't have.")
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


def _suggest_name(name: str) -> str:
    """Ask whether the nearest name was meant, with the number that was passed."""

    def spell(each: str) -> str:
        return _NUMBER.sub("#", re.sub(r"[\s_-]+", " ", each.lower().replace("@", " at ")))

    known = {spell(each): each for each in list_names()}
    for rule in RULES:
        for each in [*rule.names, *rule.names_with_options, *rule.names_of_mean]:
            if "#" in each or not rule.needs_number():  # "precision_at_k" doesn't say k.
                known.setdefault(spell(each), each)
    near = get_close_matches(spell(name), known, n=1)
    if not near:
        return (
            " sklearn_ap.get_scorer_names() lists names, and metric(function) makes a metric of "
            "any function of labels and scores."
        )
    number = _NUMBER.search(name)
    suggested = _NUMBER.sub("#", known[near[0]]).replace("#", number[0] if number else "10")
    return f" Did you mean {suggested!r}?"


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
    described = []
    for option, value in options.items():
        if option == "denominator":
            described.append(f"divided by {DENOMINATORS[value]}")
        else:
            described.append(_PHRASES[option].replace("#", value))
    return described
