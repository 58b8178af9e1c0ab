"""The names of rules: `write_rule` is the only writer, and `parse_metric_name` its inverse.

`parse_metric_name` takes everything that `write_rule` writes, the names of the public functions,
and what people and other tools call these metrics. It makes no difference whether letters are
capital, and whether words are joined by spaces, hyphens or underscores.
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from inspect import Parameter, signature
from typing import Any, NamedTuple

from .._package import read_toml
from ..core import rules
from ..core.cutoff import DEFAULT_COUNTS, format_decimal
from ..core.rules import GRADED, RULES, Graded, GroupFunction, Rule

MAP = "mean_average_precision"  # the mean over groups, which is not a rule of its own
FUNCTION = "_function_of_groups"  # what `metric` makes of a function

_UNSIGNED = re.compile(r"[0-9]*\.?[0-9]+")
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+%?")
_APART = re.compile(r"(?<![a-z0-9.])[0-9]*\.?[0-9]+%?")  # unlike the 1 of "f1 at 10"
_LACKS_AT = re.compile(r"([A-Za-z]+)[\s_-]*([0-9]+(?:\.[0-9]+)?)\s*(%|percent)?")

_LACKS_PERCENT = re.compile(r"(?<=[@_ .-])(0*\.[0-9]+|1\.0+)(?![0-9%])")  # a cutoff k such as 0.5

_IN_CODE = re.compile(r"[a-z][a-z0-9_.]*")  # a name as functions and scorers have it

_OVERLAP = r"0*\.[0-9]+|1\.0+"  # of boxes, which is no cutoff
_USUAL_OVERLAPS = 25, *range(50, 100, 5)  # as people write them in percent, in AP50


def _read_words(name: str) -> Any:
    """Return one of the lists of metric_names.toml."""
    return read_toml("_inputs/metric_names.toml")[name]


class NamedRule(NamedTuple):
    """The meaning of a name: the rule that `make` returns for these and other options."""

    make: Callable[..., Rule]
    options: dict[str, Any]  # the options that are part of the name
    metric: str  # the public metric without `_score`; empty if there is none
    is_mean: bool = False  # whether the name is that of a mean over groups

    def rule(self, **options: Any) -> Rule:
        return self.make(**{**self.options, **options})


def function_of_groups(rule: GroupFunction) -> Rule:
    return rule


def make_interpolated_rule(n_points: int | None = None, grid: str = "exact") -> Rule:
    if grid == "float":
        if n_points is None:
            raise ValueError(
                "grid='float' is about recall levels, so pass their number, too, as n_points=11."
            )
        return rules.FloatGrid(n_points)
    return rules.Envelope() if n_points is None else rules.NPoint(n_points)


def reciprocal_rank(k: float | None = None, ties: str = "grouped") -> Rule:
    return rules.ReciprocalRank(ties) if k is None else rules.ReciprocalRankAtK(k, ties)


def make_ndcg_rule(k: float | None = None, gains: Any = "linear") -> Rule:
    if isinstance(gains, Mapping):
        gains = tuple(sorted(gains.items()))
    return rules.NDCG(gains) if k is None else rules.NDCGAtK(gains, k)


# The functions that return rules of several classes, and which of these have no name without a
# number.
_MADE_BY: dict[type[Rule], Callable[..., Rule]] = {
    rules.Envelope: make_interpolated_rule,
    rules.NPoint: make_interpolated_rule,
    rules.FloatGrid: make_interpolated_rule,
    rules.ReciprocalRank: reciprocal_rank,
    rules.ReciprocalRankAtK: reciprocal_rank,
    rules.NDCG: make_ndcg_rule,
    rules.NDCGAtK: make_ndcg_rule,
}
_NUMBERED = rules.NPoint, rules.FloatGrid, rules.ReciprocalRankAtK, rules.NDCGAtK
_OPTIONS_IN_NAME: dict[type[Rule], dict[str, Any]] = {rules.FloatGrid: {"grid": "float"}}


def mean_average_precision(
    k: float | None = None,
    denominator: str = "min",
    ties: str = "grouped",
    k_counts: str = DEFAULT_COUNTS,
    n_points: int | None = None,
    grid: str = "exact",
) -> Rule:
    """Return the rule whose values are averaged over groups."""
    if k is None:
        for option, value in (("denominator", denominator), ("k_counts", k_counts)):
            if value not in ("min", DEFAULT_COUNTS):
                raise ValueError(f"{option}={value!r} is for a cutoff: pass k, too.")
    if n_points is not None:
        if k is not None:
            raise ValueError(
                f"n_points={n_points} and k={k} can't be combined, because recall levels are those "
                "of the whole ranking: pass one of them."
            )
        if ties != "grouped":
            raise ValueError(
                f"ties={ties!r} is not available with n_points, because tied samples reach a "
                "recall level together: use ties='grouped'."
            )
    if n_points is not None or grid != "exact":
        return make_interpolated_rule(n_points, grid)
    if k is None:
        return rules.Step(ties)
    return rules.AveragePrecisionAtK(k=k, denominator=denominator, ties=ties, k_counts=k_counts)


# --- writing --------------------------------------------------------------------------------------


def write_rule(rule: Rule, style: str = "title") -> str:
    """Write the "name", the "title", the "short" form or the "term" of a rule with its options.

    Options with default values are left out. Terms have no ties, because `compat` ranks tied
    samples in more ways than rules do.
    """
    if isinstance(rule, GroupFunction):
        return rule.called
    template: str = getattr(rule, style) or rule.name
    text = template.format(n=_option_in_words(rule, style), rule=rule)
    for option, forms in _read_words("options").items():
        value = vars(rule).get(option)
        default = getattr(type(rule), option, forms["default"])
        is_said = value != default or (style == "term" and default == forms["default"])
        if isinstance(value, tuple):  # pairs of a grade and its gain
            value = ", ".join(":".join(map(format_decimal, pair)) for pair in value)
        if value and style in forms and is_said:
            text += forms[style].format(value)
    return text


def write_as_passed(name: Any, rule_name: str) -> str:
    """Return the name of a metric as a caller passed it, or that of its rule if the caller's is one
    in code, such as "average_precision", or one of a mean, or a function.
    """
    meaning = find_meaning(name)
    if meaning is None or meaning.is_mean or not isinstance(name, str) or _IN_CODE.fullmatch(name):
        return rule_name
    return name


def add_min_grade(title: str, rule: Rule, min_grade: Any) -> str:
    """Add the lowest positive grade to the title of a metric, unless it reads all grades."""
    if min_grade is None or isinstance(rule, Graded):
        return title
    return f"{title} (min_grade={min_grade})"


def write_mean_title(rule: Rule, average: str | None) -> str:
    """Write the title of a mean over groups or rows."""
    mean = "Weighted mean" if average == "weighted" else "Mean"
    return f"{mean} {lower_first(write_rule(rule))}"


def lower_first(text: str) -> str:
    """Write a name or a sentence as it stands within a sentence: "AP" and the "R" of "R-precision"
    are no words, unlike the article "A".
    """
    is_word = text[1:2].islower() or text.startswith("A ")
    return text[:1].lower() + text[1:] if is_word else text


def _option_in_words(rule: Rule, style: str) -> str:
    """Write the number of a rule, such as its k, as it stands in this style of name."""
    if rule.cut is None:
        return format_decimal(getattr(rule, rule.number)) if rule.number else ""
    if style == "name" or not rule.cut.counts_rows:
        return str(rule.cut)
    of = " of" if style == "title" and rule.cut.is_share else ""
    return f"{rule.cut}{of} row{'' if str(rule.cut) == '1' else 's'}"


# --- reading --------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def parse_metric_name(text: str) -> NamedRule:
    """Look up the meaning of a name. Raise KeyError if it is unknown."""
    name, options = _split_options(_lower(text))
    named = _lookup_words(_spaced(name))
    is_said_twice = not options.keys().isdisjoint(named.options)
    if is_said_twice or not options.keys() <= find_parameters(named.make).keys():
        raise KeyError(text)
    return named._replace(options=named.options | options)


def find_meaning(name: Any) -> NamedRule | None:
    """Look up the meaning of a name that a caller passed, or of a function of groups; None if there
    is none, or if the name means something else to others.
    """
    if isinstance(name, GroupFunction):
        return NamedRule(function_of_groups, {"rule": name}, FUNCTION)
    return _find(name) if isinstance(name, str) else None


@lru_cache(maxsize=256)
def _find(name: str) -> NamedRule | None:
    try:
        named = parse_metric_name(name)
    except KeyError:
        return None
    return None if _is_unclear(name, named) else named


def _is_unclear(text: str, named: NamedRule) -> bool:
    """Whether a name that we could read has several readings, such as AP@0.5 or AP@k."""
    name, _ = _split_options(_lower(text))
    k = named.options.get("k")
    if isinstance(k, float) and _LACKS_PERCENT.search(name):
        return True  # a fraction, or in detection an overlap
    unclear = _read_words("unclear")
    return any(re.fullmatch(pattern, name.strip()) for pattern in unclear)


def _lookup_words(name: str) -> NamedRule:
    """Look up the meaning of a name whose words are separated by spaces."""
    name = name.removesuffix(" score")
    if "#" in name:
        raise KeyError(name)
    number, apart = "".join(_NUMBER.findall(name)), "".join(_APART.findall(name))
    # Forms of the name, with "#" for its number, and the number as text. No form has two numbers,
    # but it may have words with digits, in which only numbers apart from letters are replaced.
    forms_and_numbers = (
        (name, ""),
        (_UNSIGNED.sub("#", name), number.removesuffix("%")),
        (_APART.sub("#", name), apart),
    )
    also, forms = _also_called(), _forms()
    for form, number in forms_and_numbers:
        if form in also:
            return parse_metric_name(also[form].replace("{n}", number))
    if name.startswith("mean "):
        return _mean_over_groups(_lookup_words(name.removeprefix("mean ")), apart)
    for form, number in forms_and_numbers:
        if form in forms:
            named, option = forms[form]
            if option:
                value = _option_value(number, option)
                named = named._replace(options={option: value} | named.options)
            return named
    raise KeyError(name)


def _mean_over_groups(named: NamedRule, number: str) -> NamedRule:
    """Return the meaning of a mean over groups. MAP has a function of its own."""
    has_k = number and not re.fullmatch(_OVERLAP, number)
    if named.is_mean or (named.make is rules.AveragePrecisionAtK and not has_k):
        raise KeyError(number)
    if named.make in (rules.Step, rules.AveragePrecisionAtK):
        return NamedRule(mean_average_precision, named.options, MAP, is_mean=True)
    return named._replace(is_mean=True)


def _option_value(text: str, option: str) -> float:
    """Return the number of an option from a name, such as 0.01 for "1%"."""
    if option == "n_points" and not text.isdigit():
        raise KeyError(text)
    if text.endswith("%"):
        return float(f"{text[:-1]}e-2")
    return float(text) if "." in text else int(text)


@cache
def _forms() -> dict[str, tuple[NamedRule, str]]:
    """Map names, with "#" for their number, to their meaning and the option of the number."""
    forms = {}
    for kind in (*RULES, *GRADED):
        named = NamedRule(_MADE_BY.get(kind, kind), _OPTIONS_IN_NAME.get(kind, {}), kind.metric)
        if kind.metric and kind not in _NUMBERED:
            forms[_spaced(kind.metric)] = named, ""
        names = kind.name, kind.title, kind.short, kind.term, *kind.also_called
        for template in filter(None, names):
            forms[_form(template)] = named, kind.number if "{n}" in template else ""
    return forms


@cache
def _also_called() -> dict[str, str]:
    """Map what others call a metric, as `_form` writes it, to the name here."""
    return {_form(name): ours for name, ours in _read_words("also_called").items()}


def _form(template: str) -> str:
    """Return a name as `_lookup_words` looks it up, with "#" for {n}."""
    return _spaced(_lower(template.format(n="98765"))).replace("98765", "#")


@cache
def find_parameters(make: Callable[..., Rule]) -> Mapping[str, Parameter]:
    """Return the parameters of what makes a rule, which are its options."""
    return signature(make).parameters


@cache
def find_rule_options() -> frozenset[str]:
    """Return the options that any metric has."""
    makes = {named.make for named, _ in _forms().values()} | {mean_average_precision}
    return frozenset(option for make in makes for option in find_parameters(make))


@cache
def _suffixes() -> list[tuple[str, re.Pattern[str]]]:
    """Return patterns of what `write_rule` appends, each with the option that it tells."""
    patterns = [("k_counts", re.compile(r"(?<=[0-9%])( of)? (?P<word>rows?)\b"))]
    for option, forms in _read_words("options").items():
        for form in {*forms.values()} - {forms["default"], " {}"}:
            pattern = form.replace(" / ", " ?/ ?").replace("=", "[=_]")
            patterns.append((option, re.compile(pattern.replace("{}", "(?P<word>[a-z]+)"))))
    return patterns


def _split_options(name: str) -> tuple[str, dict[str, Any]]:
    """Split the options off a name that `write_rule` appends, such as ties. Return both."""
    options = {}
    for option, pattern in _suffixes():
        if match := pattern.search(name):
            word = match["word"]
            options[option] = "samples" if word.startswith("row") else word
            name = name[: match.start()] + name[match.end() :]
    return name, options


def _lower(name: str) -> str:
    """Write a name in small letters, and percentages without a space and as "%"."""
    return re.sub(r"(?<=[0-9])(\s+%|[\s_]percent(?![a-z]))", "%", name.strip().lower())


def _spaced(name: str) -> str:
    """Separate the words of a name by spaces, and write out abbreviations."""
    name = name.replace("@", " at ")
    name = re.sub(r"(?<=[\s_-])-(?=\.?[0-9])", "minus", name)  # which is no number that a name has
    name = re.sub(r"[\s_=-]+", " ", name)
    for short, long in _read_words("abbreviations").items():
        name = re.sub(short, long, name)
    return name


def read_overlap(name: Any) -> tuple[float, str] | None:
    """Read the cutoff k in a name as the overlap (IoU) that it means in object detection.

    Return it with the call that means the cutoff, or None if the name can't mean an overlap.
    """
    named = find_meaning(name)
    if not named or named.make not in (rules.AveragePrecisionAtK, mean_average_precision):
        return None
    k = named.options.get("k", 0)
    if named.options != {"k": k} or k not in _USUAL_OVERLAPS:
        return None
    return k / 100, f"metric({named.metric!r}, k={k})"


# --- names that are not known ---------------------------------------------------------------------


def scorer_names() -> list[str]:
    """Return a name for each metric, those with a number with a typical one."""
    of_rules = {
        kind.name.format(n=number)
        for kind in (*RULES, *GRADED)
        if kind.metric
        for number in (kind.examples if kind.number else ("",))
    }
    return sorted(of_rules.union(_read_words("scorers")))


def short_names() -> list[str]:
    """Return the short names that people use."""
    return [*_read_words("short")]


def describe_meaning(name: Any) -> str:
    """Say what a name means that is no metric here, or more than one; empty if it isn't known."""
    if not isinstance(name, str):
        return ""
    says, plain = "", _lower(name)
    for pattern, text in (_read_words("unclear") | _read_words("no_metric")).items():
        if not says and (match := re.fullmatch(pattern, plain)):
            says = text.format(name=name, **match.groupdict())
    if share := _LACKS_PERCENT.search(name):
        in_percent = f"{name[: share.start()]}{float(share[0]) * 100:g}%{name[share.end() :]}"
        if find_meaning(in_percent):
            says += f" For a fraction of each ranking, write {in_percent!r}."
        elif not says:
            says = describe_meaning(in_percent)
    return says.strip()


def suggest_name(name: Any) -> str | None:
    """Find the known name closest to a misspelled one; None if none is close.

    It has the number of the misspelled name, or an example, and a word for each of its words,
    because what is left out could be an option or a unit.
    """
    if not isinstance(name, str):
        return None
    match = _LACKS_AT.fullmatch(name.strip())
    if match and not describe_meaning(name):
        word, number, unit = match.groups()
        if find_meaning(meant := f"{word}@{number}{'%' if unit else ''}"):
            return meant
    spaced = _spaced(_lower(name))
    numbers, words = _APART.findall(spaced), _APART.sub("#", spaced).split(" ")
    examples: dict[str, str] = {}  # a name for each form, which has "#" for its number
    metrics = (kind.metric for kind in (*RULES, *GRADED) if kind.metric)
    for example in ("linear", *scorer_names(), *metrics):
        if len(_APART.findall(example)) == len(numbers) or not numbers:
            examples.setdefault(_APART.sub("#", _spaced(example)), example)
    near = get_close_matches(" ".join(words), examples, 1, cutoff=0.85)
    if not near:
        return None
    near_words = near[0].split(" ")
    are_words = all(word in near_words or re.fullmatch("[a-z]+", word) for word in words)
    if not are_words or len(words) > len(near_words):
        return None  # something would be left out
    if words[0][0] != near_words[0][0]:
        return None  # "r-precision" is not meant by "precision"
    meant = _APART.sub(numbers[0], examples[near[0]]) if numbers else examples[near[0]]
    return meant if find_meaning(meant) else None


def suggest_function(name: str) -> str | None:
    """Find the public function that a name such as "mAP" or "p_at_10_score" stands for."""
    name = name.removesuffix("_score")
    named = find_meaning(name)
    if named is None:
        near = suggest_name(name)
        return near and suggest_function(near)
    if named.is_mean and named.metric != MAP:
        return None  # a mean has no function of its own
    if named.options == {"n_points": 11}:
        return "eleven_point_average_precision_score"
    return f"{named.metric}_score" if named.metric else None
