"""Names of the rules, with their public functions, titles, formulas and references.

This is the only module that turns names with options into rules. `read_name` accepts the name of a
definition ("step", "51-point", "at-k") and that of a public metric with or without `_score`, either
with numbers in it ("precision_at_25", "precision_at_1%", "101_point_average_precision"), as well as
the names in legends, sentences and tables ("AP@20 / hits", "P@10", "Average precision at 5").
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from inspect import signature
from typing import Any, NamedTuple

from .core.cutoff import DEFAULT_COUNTS, Cut, as_written
from .core.rules import (
    RULES,
    AtK,
    EnrichmentFactor,
    Envelope,
    HitRateAtK,
    Linear,
    NPoint,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    ReciprocalRank,
    RPrecision,
    Rule,
    Step,
)


@dataclass(frozen=True)
class Definition:
    """A row of the table of definitions."""

    name: str
    title: str
    make: Callable[..., Rule]  # takes those options of the public function that define the rule
    score: str | None  # the public function; None if only `compat` has it
    formula: str
    reference: str
    options: Mapping[str, Any] = field(default_factory=dict)  # how to select it in there
    number: str = ""  # the option that names contain as a number

    @property
    def metric(self) -> str | None:
        return self.score and self.score.removesuffix("_score")

    @property
    def stem(self) -> str:
        """The part of a name before its number, such as "precision_at" or "precision_at_recall"."""
        stem = str(self.metric).removesuffix("_at_k")
        return f"{stem}_at" if self.number == "k" else stem

    def rule(self, **options: Any) -> Rule:
        return self.make(**self.options, **options)


def interpolated(n_points: int | None = None) -> Rule:
    return Envelope() if n_points is None else NPoint(n_points)


def eleven_point() -> Rule:
    return NPoint(11)


def mean_average_precision(
    k: float | None = None,
    denominator: str = "min",
    ties: str = "grouped",
    k_counts: str = DEFAULT_COUNTS,
    n_points: int | None = None,
) -> Rule:
    """Return the rule whose values are averaged over groups."""
    if n_points is not None:
        return NPoint(n_points)
    if k is None:
        return Step(ties)
    return AtK(k=k, denominator=denominator, ties=ties, k_counts=k_counts)


_STEP = r"\sum_i \frac{r_i}{R}\, p_i"
_ENVELOPE = r"\sum_i \frac{r_i}{R} \max_{j \ge i} p_j"
_N_POINT = r"\frac{1}{N} \sum_{l=0}^{N-1} \max_{j:\, T_j (N-1) \ge l R} p_j"
_LINEAR = r"\sum_i \frac{r_i}{R}\, \frac{p_i^- + p_i}{2}"
_AT_K = r"\frac{1}{D} \sum_{N_i \le k} r_i\, p_i"
_PRECISION_AT_K = r"\frac{1}{k} \sum_{N_i \le k} r_i"
_RECALL_AT_K = r"\frac{1}{R} \sum_{N_i \le k} r_i"
_ENRICHMENT_FACTOR = r"\frac{n}{k\, R} \sum_{N_i \le k} r_i"
_R_PRECISION = r"\frac{1}{R} \sum_{N_i \le R} r_i"
_RECIPROCAL_RANK = r"\frac{1}{N_{i-1} + (n_i + 1)/(r_i + 1)}, \quad i = \min \{j: r_j > 0\}"
_HIT_RATE_AT_K = r"1 - \frac{\binom{n_i - r_i}{k - N_{i-1}}}{\binom{n_i}{k - N_{i-1}}}"
_PRECISION_AT_RECALL = r"\max_{j:\, T_j \ge \rho R} p_j"
_RECALL_AT_PRECISION = r"\max_{j:\, p_j \ge \pi} \frac{T_j}{R}"

DEFINITIONS: dict[str, Definition] = {
    row.name: row
    for row in (
        Definition(
            name="step",
            title="Average precision",
            make=Step,
            score="average_precision_score",
            formula=_STEP,
            reference="scikit-learn 0.19 and later; non-interpolated average precision",
        ),
        Definition(
            name="envelope",
            title="Interpolated average precision",
            make=interpolated,
            score="interpolated_average_precision_score",
            formula=_ENVELOPE,
            reference="PASCAL VOC 2010 and later; Manning, Raghavan and Schuetze (2008), 8.4",
            number="n_points",
        ),
        Definition(
            name="11-point",
            title="11-point interpolated average precision",
            make=eleven_point,
            score="eleven_point_average_precision_score",
            formula=_N_POINT,
            reference="PASCAL VOC 2007; TREC",
        ),
        Definition(
            name="101-point",
            title="101-point interpolated average precision",
            make=interpolated,
            score="interpolated_average_precision_score",
            formula=_N_POINT,
            reference="COCO",
            options={"n_points": 101},
        ),
        Definition(
            name="linear",
            title="Area under the linearly interpolated curve",
            make=Linear,
            score=None,
            formula=_LINEAR,
            reference="scikit-learn before 0.19; auc(recall, precision)",
        ),
        Definition(
            name="at-k",
            title="Average precision at k",
            make=AtK,
            score="average_precision_at_k_score",
            formula=_AT_K,
            reference="MAP@k, which is its mean; see `denominator` for which tool divides by what",
            number="k",
        ),
        Definition(
            name="precision-at-k",
            title="Precision at k",
            make=PrecisionAtK,
            score="precision_at_k_score",
            formula=_PRECISION_AT_K,
            reference="P@k; trec_eval P_k",
            number="k",
        ),
        Definition(
            name="recall-at-k",
            title="Recall at k",
            make=RecallAtK,
            score="recall_at_k_score",
            formula=_RECALL_AT_K,
            reference="R@k; trec_eval recall_k",
            number="k",
        ),
        Definition(
            name="enrichment-factor",
            title="Enrichment factor at k",
            make=EnrichmentFactor,
            score="enrichment_factor_score",
            formula=_ENRICHMENT_FACTOR,
            reference="EF1%, EF5% in virtual screening; the lift in marketing",
            number="k",
        ),
        Definition(
            name="r-precision",
            title="R-precision",
            make=RPrecision,
            score="r_precision_score",
            formula=_R_PRECISION,
            reference="trec_eval Rprec; the precision at which precision equals recall",
        ),
        Definition(
            name="reciprocal-rank",
            title="Reciprocal rank",
            make=ReciprocalRank,
            score="reciprocal_rank_score",
            formula=_RECIPROCAL_RANK,
            reference="MRR, which is its mean over groups; trec_eval recip_rank",
        ),
        Definition(
            name="hit-rate-at-k",
            title="Hit rate at k",
            make=HitRateAtK,
            score="hit_rate_at_k_score",
            formula=_HIT_RATE_AT_K,
            reference="HR@k and hit@k of recommender systems; trec_eval success_k",
            number="k",
        ),
        Definition(
            name="precision-at-recall",
            title="Precision at a recall",
            make=PrecisionAtRecall,
            score="precision_at_recall_score",
            formula=_PRECISION_AT_RECALL,
            reference="precision at 90% recall",
            number="min_recall",
        ),
        Definition(
            name="recall-at-precision",
            title="Recall at a precision",
            make=RecallAtPrecision,
            score="recall_at_precision_score",
            formula=_RECALL_AT_PRECISION,
            reference="recall at 90% precision; Keras RecallAtPrecision",
            number="min_precision",
        ),
    )
}


# The public metrics by their names without `_score`.
METRICS = {row.metric: row for row in DEFINITIONS.values() if row.metric and not row.options}

# The metrics whose names can end in a number, by the part before the number.
_NUMBERED = {row.stem: row for row in METRICS.values() if row.number and row.number != "n_points"}

MAP = "mean_average_precision"  # the mean over groups, which is not a rule of its own

_NUMBER = r"([0-9]*\.?[0-9]+%?)"

# What means overlaps of boxes rather than a cut-off: "mAP@0.5", "AP50", "mAP@[.5:.95]".
_OVERLAP = r"(0*\.[0-9]+|1\.0+)"
_OVERLAPS = re.compile(
    r"(mean[\s_-]*(ap|average[\s_-]*precision)|m?ap)([\s_@=(\[]|at|iou)*"
    rf"({_OVERLAP}|[5-9][05])(([\s_,:-]|to)+({_OVERLAP}|[5-9][05]))*([\s\])]|iou)*"
)

# The short names that people use, to list when a name is unknown.
SHORT_NAMES = (
    *("AP", "AP@10", "P@10", "R@1%", "EF@1%", "MAP", "MAP@10", "11-point", "101-point"),
    *("interpolated_average_precision", "precision_at_recall_0.9", "recall_at_precision_0.9"),
)

# Names to suggest when somebody misspells one.
_KNOWN = [
    *METRICS,
    *(f"{stem}_10" for stem in _NUMBERED),
    "101_point_average_precision",
    "linear",
    MAP,
    f"{MAP}_at_10",
]


class Named(NamedTuple):
    """The meaning of a name: the rule that `make` returns for these and other options."""

    make: Callable[..., Rule]
    options: dict[str, Any]  # the options that are part of the name
    metric: str | None  # the public metric without `_score`, if there is one
    grouped: bool = False  # whether the name is that of a mean over groups


def read_name(name: str) -> Named:
    """Look up the meaning of a name. Raise KeyError if it is unknown."""
    with suppress(KeyError):
        return _read_long(name.removesuffix("_score"))
    name, options = _split_options(_plain(name))
    named = _read_long(_spelled_out(name).removesuffix("_score"))
    if not options.keys() <= signature(named.make).parameters.keys():
        raise KeyError(name)
    return named._replace(options=named.options | options)


def nearest_name(name: Any) -> str | None:
    """Find the known name closest to a misspelled one; None if none is close.

    It has the number of the misspelled name, or the example 10, and a word for each of its words,
    because what is left out could be an option or a unit.
    """
    if not isinstance(name, str):
        return None
    spelled = _spelled_out(_plain(name))
    numbers = re.findall(_NUMBER, spelled)
    words = re.sub(_NUMBER, "#", spelled).split("_")
    known = {
        re.sub(_NUMBER, "#", each): each
        for each in _KNOWN
        if len(re.findall(_NUMBER, each)) == len(numbers) or not numbers
    }
    near = get_close_matches("_".join(words), known, 1, cutoff=0.85)
    if not near or not _are_like(words, near[0].split("_")):
        return None
    meant = known[near[0]]
    if numbers:
        meant = re.sub(_NUMBER, numbers[0], meant)
    return None if names_overlap(meant) else meant


def nearest_score(name: str) -> str | None:
    """Find the public function that a name such as "mAP" or "p_at_10_score" stands for."""
    name = name.removesuffix("_score")
    try:
        named = read_name(name)
    except KeyError:
        near = nearest_name(name)
        return near and nearest_score(near)
    if named.grouped and named.metric != MAP:
        return None  # a mean has no function of its own
    return named.metric and f"{named.metric}_score"


def _are_like(words: list[str], known: list[str]) -> bool:
    """Whether each word is close to a known one, or words were only written together."""
    if not all(re.fullmatch("[a-z]+|#", word) for word in words) or len(words) > len(known):
        return False
    return len(words) < len(known) or all(
        get_close_matches(word, [meant], cutoff=0.6) or (word, meant) == ("k", "#")
        for word, meant in zip(words, known, strict=True)
    )


def names_overlap(name: Any) -> bool:
    """Whether a name says which boxes count as detected, as in "mAP@0.5" and "mAP@[.5:.95]"."""
    return isinstance(name, str) and bool(_OVERLAPS.fullmatch(_plain(name)))


def _read_long(name: str) -> Named:
    """Look up the meaning of a name that is spelled out."""
    if name.startswith("mean_"):
        return _read_mean(name.removeprefix("mean_"))
    if match := re.fullmatch(r"([0-9]+)(?:-point|_point_average_precision)", name):
        return Named(interpolated, {"n_points": int(match[1])}, "interpolated_average_precision")
    if name in METRICS:
        return Named(METRICS[name].make, {}, name)
    if match := re.fullmatch(rf"(\w+)_{_NUMBER}", name):
        row = _NUMBERED[match[1]]
        return Named(row.make, {row.number: _read_number(match[2])}, row.metric)
    if name == NPoint.name:
        raise KeyError(name)  # a number is missing
    return Named(RULES[name], {}, DEFINITIONS[name].metric if name in DEFINITIONS else None)


def _read_mean(name: str) -> Named:
    """Look up a mean over groups. That of average precision has a function of its own."""
    named = _read_long(name)
    if named.grouped or (named.make is AtK and re.fullmatch(rf".*_{_OVERLAP}", name)):
        raise KeyError(name)  # the mean of a mean; an overlap
    if f"mean_{name}" == MAP or (named.make is AtK and "k" in named.options):
        return Named(mean_average_precision, named.options, MAP, grouped=True)
    if named.make is AtK:
        raise KeyError(name)  # a number is missing
    return named._replace(grouped=True)


# Options after a printed name, as in "AP@20 rows / hits, ties best".
_SUFFIXES = {
    "denominator": r" ?/ ?(\w+)| divided by (\w+)|_denominator[=_]([a-z]+)",
    "ties": r", ties (\w+)| with (\w+) ties|_ties[=_]([a-z]+)",
    "k_counts": r"(?<=[0-9%]) (rows)\b|_k_counts[=_]([a-z]+)| \(k_counts=([a-z]+)\)",
}


def _split_options(name: str) -> tuple[str, dict[str, Any]]:
    options = {}
    for option, pattern in _SUFFIXES.items():
        if match := re.search(pattern, name):
            word = next(filter(None, match.groups()))
            options[option] = "samples" if word == "rows" else word
            name = name[: match.start()] + name[match.end() :]
    return name, options


# Abbreviations and their meanings, after separators between words have been replaced by "_".
_WORDS = (
    (r"^map(?=_|$)", MAP),
    (r"^p(?=_at_)", "precision"),
    (r"^r(?=_at_)", "recall"),
    (r"^ef(?=_|$)", "enrichment_factor"),
    (r"_ap(?=_|$)|^ap(?=_|$)", "_average_precision"),
    (r"_at_(a_)?r(ecall)?(_of_|[_=]*)(?=\.?[0-9])", "_at_recall_"),
    (r"_at_(a_)?p(recision)?(_of_|[_=]*)(?=\.?[0-9])", "_at_precision_"),
    (r"^_?step_average_precision$", "average_precision"),
    (r"^_?envelope_average_precision$", "interpolated_average_precision"),
    (r"^_?linear_average_precision$|^area_under_the_linearly_interpolated_curve$", "linear"),
    (r"^([0-9]+)_point(_interpolated)?(_average_precision)?$", r"\1_point_average_precision"),
    (r"^_", ""),
)


def _plain(name: str) -> str:
    """Write a name in small letters, and percentages without a space and as "%"."""
    return re.sub(r"(?<=[0-9])(\s+%|[\s_]percent(?![a-z]))", "%", name.strip().lower())


def _spelled_out(name: str) -> str:
    name = name.strip().replace("@", " at ")
    name = re.sub(r"(?<=[\s_-])-(?=\.?[0-9])", "minus", name)  # which is no number that a name has
    name = re.sub(r"[\s_-]+", "_", name)
    mean = "mean_" * name.startswith("mean_")
    name = name.removeprefix("mean_")
    for short, long in _WORDS:
        name = re.sub(short, long, name)
    return mean + name


def write_name(metric: str, options: Mapping[str, Any]) -> str:
    """Write the name of a metric, including its number if it has one."""
    option = "k" if metric == MAP else METRICS[metric].number
    if options.get(option) is None:
        return metric
    if metric == MAP:
        return f"{MAP}_at_{Cut(options[option])}"
    if option == "n_points":
        return f"{options[option]}_point_average_precision"
    number = Cut(options[option]) if option == "k" else as_written(options[option])
    return f"{METRICS[metric].stem}_{number}"


def title_of(rule: Rule) -> str:
    """Return the name of a metric for sentences."""
    if isinstance(rule, NPoint):
        title = f"{rule.n_points}-point {DEFINITIONS['envelope'].title.lower()}"
    else:
        row = DEFINITIONS[rule.name]
        number = getattr(rule, row.number, None)
        title = row.title
        if rule.depth is not None:
            title = f"{title.removesuffix(' k')} {rule.depth}"
        elif number is not None:
            title = f"{title} of {as_written(number)}"
    if isinstance(rule, AtK) and rule.denominator != "min":
        title += f" divided by {rule.denominator}"
    return title if rule.ties == "grouped" else f"{title} with {rule.ties} ties"


def mean_title_of(rule: Rule, average: str | None) -> str:
    """Return the name of a mean over groups or rows for sentences."""
    title, mean = title_of(rule), "Weighted mean" if average == "weighted" else "Mean"
    return f"{mean} {title[0].lower()}{title[1:]}"


def _read_number(text: str) -> float:
    if text.endswith("%"):
        return float(f"{text[:-1]}e-2")
    return float(text) if "." in text else int(text)
