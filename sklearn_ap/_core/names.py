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
    r"(.*[@ ])? *-\s*\d.*": "Its number is negative.",
    r"ef[ _-]*[\d.]+": "For the top 1%, write 'EF@1%'; for the first sample, write 'EF@1'.",
    r"(coco )?m?ap[ _-]*\d+.*|(coco )?m?ap[ _@-]*(\[|0?\.\d+ ?:).*": "For an overlap of boxes, "
    "keep its rows of read_coco's table, and pass 'COCO mAP'; for the top k, write 'AP@10'.",
    r"m?ar[ _@-]*\d+": "It's a mean recall of boxes: use pycocotools.",
    r"map_at_\d+": "Write 'MAP@10' for the denominator min(k, R), or 'map_cut_10' for R.",
    r"au(c[ _-]*)?prc?|prc?[ _-]*auc": "It's ambiguous: write 'AP' for steps, or 'linear' for "
    "straight lines.",
    r"(p|precision|prec)[ _]?(@|at)[ _]?n": "Write 'R-precision' or 'P@10'.",
    r"(mean )?(hit[ -]?rate|hr) ?@ ?[\d.]+%": "Write 'P@1%' for precision, or 'success@1%'.",
    r"40[ _-]?point.*": "KITTI's 40 levels leave recall 0 out; for 0, 1/39, ... pass n_points=40.",
    r"bpref|inf[ _]?ap|gm[ _]?map|(m?err|rbp|judged|set[ _]?(p|r|f|ap))([ _@].*)?": (
        "It isn't here: use the package ir_measures."
    ),
    r"(roc[ _-]?auc|auc[ _-]?roc|auroc|auc)([ _]score)?": (
        "Pass metric=sklearn.metrics.roc_auc_score."
    ),
    r"precision|recall": "Write 'P@10' or 'R@100'; for a threshold, call operating_point.",
    r"sensitivity|specificity|[pn]pv": "For rates of a threshold, call operating_point.",
    r"f1([ _]score)?([ _]?@.*)?": (
        "Pass metric=sklearn.metrics.f1_score, and predicted labels in place of scores."
    ),
    r"(neg[ _])?log[ _-]?loss": (
        "Pass metric=metric(sklearn.metrics.log_loss, greater_is_better=False)."
    ),
}

# How titles say some options, with "#" for their word; others as "k counts samples"
_PHRASES = {"denominator": "divided by #", "gains": "# gains", "ties": "ties in # order"}

_NUMBER = re.compile(r"(?<![a-z\d.])(\d*\.?\d+)(%?)")


def _simplify(name: str) -> str:
    """Write a name in small letters, with single spaces between its words."""
    simple = name.strip().lower().removeprefix("pascal ").replace("@", " at ")
    # Titles say over which groups a mean is; that over both classes is what `audit` prints.
    simple = re.sub(r"^(.+), mean over (?!both classes).*", r"mean \1", simple)
    simple = re.sub(r"(\d)\s*(percent|%)", r"\1%", simple)
    simple = re.sub(r"^ef ?(?=\d)", "ef at ", simple)  # EF1%
    simple = re.sub(r"(?<=[a-z])\.(?=\d)", " ", simple)  # P.10
    simple = re.sub(r"[\s_-]+", " ", simple).strip().removesuffix(" score")
    simple = re.sub(r"\bvoc (?=\d)", "voc", simple)  # The year isn't an option.
    simple = re.sub(r"^(coco )?m(ap|rr)\b", r"mean \1\2", simple)
    return re.sub(r"\bap\b", "average precision", simple)


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


def describe_option(option: str, word: Any) -> str:
    """Say in words what an option is, as `parse_name` reads it."""
    phrase = _PHRASES.get(option, f"{option.replace('_', ' ')} #")
    return phrase.replace("#", DENOMINATORS[word] if option == "denominator" else str(word))


@cache
def _list_phrases() -> dict[str, tuple[str, str]]:
    """Return the phrases that may follow a name, and the option and the word that each means."""
    phrases = {"ties by row": ("ties", "input")}  # sklearn_ap.compat says so.
    for rule in RULES:
        for option, words in rule.list_words().items():
            spelled = option.replace("_", " ")
            for word in words:
                forms = [describe_option(option, word), f"{spelled}={word}", f"{spelled} {word}"]
                forms += [f"divided by {word}"] if option == "denominator" else []
                phrases |= dict.fromkeys(forms, (option, word))
    return phrases


def _split_options(simple: str) -> tuple[str, dict[str, Any]]:
    """Split a simplified name from options behind it, as in "ap at 10 / hits, ties=best"."""
    simple = re.sub(r" ?/ ?", " divided by ", simple)
    options = {}
    for phrase, (option, word) in _list_phrases().items():
        name = re.sub(rf"[, ]*\b{re.escape(phrase)}(?![\w(])", "", simple)
        if name != simple:
            options[option] = word
        simple = name
    return simple, options


@lru_cache
def parse_name(name: str) -> ParsedName:
    """Return what a name means, and raise UnknownMetricError if that isn't clear."""
    simple, options = _split_options(_simplify(name))
    form, advice = _NUMBER.sub("#", simple), find_advice(name.strip(), _ADVICE)
    if advice or "#" in simple or form not in _list_forms():
        hint = advice or _suggest_name(simple)
        raise UnknownMetricError(f"{name!r} is not the name of a metric.{hint}")
    meaning = _list_forms()[form]
    if unknown := {*options} - {*meaning.rule_type.list_options()}:
        raise UnknownMetricError(f"{name!r} says {min(unknown)}, which this metric doesn't have.")
    option = meaning.rule_type.number_option
    for digits, percent in _NUMBER.findall(simple):
        assert option is not None  # The form has a number.
        options[option] = _read_number(name, option, digits, percent)
    return replace(meaning, options=meaning.options | options)


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


def _suggest_name(simple: str) -> str:
    """Ask whether the nearest name was meant, with the number that was passed."""
    form, numbers = _NUMBER.subn("#", simple)
    # "precision at k" is a name, but doesn't say k.
    forms = _list_forms().items()
    complete = [form for form, of in forms if "#" in form or not of.rule_type.needs_number()]
    number = _NUMBER.search(simple)
    # A number adds letters to a form that "lift" hasn't; "nope" isn't "envelope".
    near = suggest(form, complete, 0.7) or suggest(form, [each for each in complete if "#" in each])
    if numbers < 2 and near:
        return near.replace("#", number[0] if number else "10")
    return " get_scorer_names() lists names, and metric(function) takes functions of your own."


def list_names() -> list[str]:
    """Return a name for each metric, with a typical number where the name has one."""
    return sorted(name for rule in RULES for name in rule.listed_names)


def write_name(rule: Rule, is_mean: bool = False) -> str:
    """Write the name of a rule, with the options that aren't the usual ones."""
    name, options = rule.split_name()
    for option, value in options.items():
        name += f"_{option}={value}"
    return f"mean_{name}" if is_mean else name
