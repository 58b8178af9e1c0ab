"""The names of metrics: what people and tools call each rule, and how a rule is written."""

import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from ..exceptions import UnknownMetricError
from .rules import DENOMINATORS, RULES, Rule
from .suggestions import find_advice, suggest


@dataclass(frozen=True)
class ParsedName:
    """What a name says: a rule, some of its options, and whether it is a mean over groups."""

    rule_type: type[Rule]
    options: dict[str, Any] = field(default_factory=dict)
    is_mean: bool = False


# Patterns of names that have more than one reading or are those of other packages, and what to do
_ADVICE = {
    r"(.*[\s_@=-])?-\s*\.?\d.*": "Its number is negative.",
    r"ef[ _-]*[\d.]+": "For the top 1%, write 'EF@1%'; for the first sample, write 'EF@1'.",
    r"(?-i:mAP)": "For queries or users, write 'MAP'; for boxes, write 'COCO mAP'.",
    r"(coco )?m?ap[ _-]*\d+.*|(coco )?m?ap[ _@-]*(\[|0?\.\d+ ?:).*": "For an overlap of boxes, "
    "keep the rows of this overlap, and pass 'COCO mAP'; for the top k, write 'AP@10'.",
    r"map_at_\d+": "Write 'MAP@10' for the denominator min(k, R), or 'map_cut_10' for R.",
    r"au(c[ _-]*)?prc?|prc?[ _-]*auc": "It's ambiguous: write 'AP' for steps, or 'linear' for "
    "straight lines.",
    r"(mean )?(hit[ -]?rate|hr) ?@ ?[\d.]+%": "Write 'P@1%' for precision, or 'success@1%'.",
    r"40[ _-]?point.*": "KITTI's 40 levels leave recall 0 out; for 0, 1/39, ... pass n_points=40.",
    r"(roc[ _-]?auc|auc[ _-]?roc|auroc|auc|f1)([ _]score)?": "Pass it as a function, such as "
    "sklearn.metrics.roc_auc_score, and for F1 predicted labels as scores.",
    "(sensitivity|specificity|npv|[tf][pn]r)([ _@].*)?|ppv": "For rates of a threshold, call "
    "operating_point.",
}

# How people spell names, as patterns, and how forms of names have it
_SPELLINGS = {
    r"@": " at ",
    r"[\s_-]+": " ",
    r"^ | $": "",
    r"^pascal ": "",
    # Titles say over which groups a mean is; that over both classes is what `audit` prints.
    r"^(.+), mean over (?!both classes).*": r"mean \1",
    r"(\d) ?(percent|%)": r"\1%",
    r"^ef ?(?=\d)": "ef at ",  # EF1%
    r"(?<=[a-z])\.(?=\d)": " ",  # P.10
    r" ?/ ?": " denominator=",
    # sklearn_ap.compat says so.
    **{f" divided by {re.escape(text)}": f" denominator={n}" for n, text in DENOMINATORS.items()},
    r"\bties by row$": "ties=input",
    r" score$": "",
    r"\bvoc (?=\d)": "voc",  # The year isn't an option.
    r"^(coco )?m(ap|rr)\b": r"mean \1\2",
    r"\bprec\b": "precision",
    r"\bap\b": "average precision",
    r" exponential$": " gains=exponential",
    r"(?<=[^n]) average precision\b": "",  # as in "11-point AP", but not in "mean AP"
}
_NUMBER = re.compile(r"(?<![a-z\d.])(\d*\.?\d+)(%?)")
# Options stand behind a name, as in "average precision at 10, denominator=hits, ties=best".
_WORDED = {option.replace("_", " ") for rule in RULES for option in rule.list_words()}
_WITH_OPTION = re.compile(rf"(.+?),? ({'|'.join(_WORDED)})[= ](\w+)")


def _simplify(name: str) -> str:
    """Write a name in small letters, and as the forms of names are spelled."""
    simple = name.lower()
    for pattern, spelling in _SPELLINGS.items():
        simple = re.sub(pattern, spelling, simple)
    return simple


@cache
def _list_forms() -> dict[str, ParsedName]:
    """Return what each form of a name means, with "#" for its number."""
    forms = {}
    for rule in RULES:
        for name in rule.names:
            forms[_simplify(name)] = ParsedName(rule)
        for name, options in rule.names_with_options.items():
            forms[_simplify(name)] = ParsedName(rule, options)
    means = {f"mean {form}": replace(meaning, is_mean=True) for form, meaning in forms.items()}
    return forms | means


@lru_cache
def parse_name(name: str) -> ParsedName:
    """Return what a name means, and raise UnknownMetricError if that isn't clear."""
    form = _simplify(name)
    options: dict[str, Any] = {}
    while with_option := _WITH_OPTION.fullmatch(form):
        form, option, word = with_option.groups()
        options[option.replace(" ", "_")] = word

    found = _NUMBER.search(form)
    meaning = _list_forms().get(_NUMBER.sub("#", form))
    advice = find_advice(name.strip(), _ADVICE)
    if advice or meaning is None or "#" in form:
        hint = ""
        if len(_NUMBER.findall(form)) < 2:
            typical, forms = found[0] if found else "10", _list_forms().items()
            # A target has no typical number.
            names = [
                each.replace("#", typical)
                for each, of in forms
                if ("#" in each and of.rule_type.number_option == "k")
                or not of.rule_type.needs_number()
            ]
            hint = suggest(f"{form} at {typical}", names, 1.0) or suggest(form, names, 0.7)
        hint = hint or " get_scorer_names() lists names, and metric(function) takes functions."
        raise UnknownMetricError(f"{name!r} is not the name of a metric.{advice or hint}")
    if unknown := {*options} - {*meaning.rule_type.list_options()}:
        raise UnknownMetricError(f"{name!r} says {min(unknown)}, which this metric doesn't have.")

    if found and meaning.rule_type.number_option:
        digits, percent = found.groups()
        is_whole = "." not in digits and not percent
        if meaning.rule_type.number_option == "k" and not is_whole and not percent:
            raise UnknownMetricError(
                f"{name!r} could be an overlap of boxes or a fraction of the ranking. For a "
                "fraction, write it in percent, as in 'AP@50%'."
            )
        number: int | float = int(digits) if is_whole else float(digits)
        if percent:  # 33.3% is the float 0.333, which 33.3 / 100 is not.
            number = float(f"{digits}e-2")
        options[meaning.rule_type.number_option] = number
    return replace(meaning, options=meaning.options | options)


def list_names() -> list[str]:
    """Return a name for each metric, with a typical number where the name has one."""
    return sorted(name for rule in RULES for name in rule.listed_names)


def write_name(rule: Rule, is_mean: bool = False) -> str:
    """Write the name of a rule, with the options that aren't the usual ones."""
    name, options = rule.split_name()
    for option, value in options.items():
        name += f"_{option}={value}"
    return f"mean_{name}" if is_mean else name
