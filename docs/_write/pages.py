"""Write what is made from the package, which are pages and types: python docs/_write/pages.py"""

import json
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import Parameter, cleandoc, getdoc, signature
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import sklearn_ap
from sklearn_ap import compat
from sklearn_ap._inputs.metric_names import parse_metric_name, suggest_function, write_rule
from sklearn_ap._inputs.records import Inputs, find_needed_parameters
from sklearn_ap._package import read_toml
from sklearn_ap.compat import PEERS, Peer
from sklearn_ap.compat.data_sets import DataSet
from sklearn_ap.compat.mistakes import BOTH_CLASSES, BOTH_COLUMNS, NO_MISTAKE
from sklearn_ap.compat.peers import RULES_BY_DEFINITION, VALUES_WITHOUT_POSITIVES, find_order
from sklearn_ap.compat.readings import Reading, ThresholdBins
from sklearn_ap.compat.tie_orders import Order
from sklearn_ap.compat.variant_rules import RocArea, RuleWithoutCutoff
from sklearn_ap.compat.variants import list_definitions
from sklearn_ap.core.rules import RULES, Linear, Rule

sys.path.insert(0, str(Path(__file__).parent))
import differences

DOCS = Path(__file__).parents[1]
STUB = Path(sklearn_ap.__file__).with_suffix(".pyi")
PROJECT = tomllib.loads(DOCS.parent.joinpath("pyproject.toml").read_text("utf-8"))["project"]
CITATION = DOCS.parent.joinpath("CITATION.cff").read_text("utf-8")
LABELS, RANKING = [0, 1, 1, 0, 1, 0, 0, 1, 0, 0], range(10, 0, -1)


class Definition(NamedTuple):
    """A section of metrics.toml, which explains the keys."""

    name: str
    also: str = ""
    questions: Sequence[Sequence[str]] = ()
    readme: Sequence[str] = ()
    pages: Sequence[str] = ()
    formula: str = ""

    @property
    def score(self) -> str | None:
        """The public function; None if only `compat` has it."""
        return suggest_function(self.name)

    @property
    def options(self) -> dict[str, Any]:
        """What the function needs to know, besides which function it is."""
        options = parse_metric_name(self.name).options
        return (
            {}
            if suggest_function(str(parse_metric_name(self.name).metric)) != self.score
            else options
        )

    @property
    def example(self) -> dict[str, Any]:
        """The option in the example."""
        option = getattr(parse_metric_name(self.name).make, "number", "")
        return {option: NUMBERS[option]} if option else {}

    @property
    def rule(self) -> Rule:
        return parse_metric_name(self.name).rule(**self.example)

    @property
    def meaning(self) -> str:
        """What the docstring of the rule says, or README.md."""
        text = str(getdoc(type(self.rule)) if self.name in DEFINITIONS else self.readme[1])
        if not self.readme[0].startswith("N-point"):
            text = re.sub(r"\bN\b", self.name.partition("-")[0], text)
        return text[0].lower() + text[1:].removesuffix(".")


# The tools that are for a field; all others are for machine learning in general.
OTHER_FIELD = "Machine learning and statistics"
TOOLS_BY_FIELD = {
    "Search and RAG": (
        *("BEIR", "deepeval", "Haystack", "ir_measures", "LlamaIndex", "MatchZoo", "mteb", "ragas"),
        *("ranx", "Rax", "sentence-transformers", "TF-Ranking", "trec_eval", "trectools"),
    ),
    "Recommender systems": (
        *("Cornac", "implicit", "ml_metrics", "RecBole", "recmetrics", "recommenders", "RecTools"),
        *("RePlay", "rexmex"),
    ),
    "Object detection and images": (
        *("Cartucho/mAP", "detectron2", "faster-coco-eval", "globox", "hotcoco", "mapcalc"),
        *("mean_average_precision (bes-dev)", "mmdet", "Object-Detection-Metrics", "OpenPCDet"),
        *("PASCAL VOC devkit", "py-faster-rcnn", "pycocotools", "pytorch-metric-learning"),
        *("Revisited Oxford and Paris", "supervision", "tidecv", "Ultralytics", "YOLOv5"),
    ),
    "Anomalies": ("aeon", "anomalib", "PyOD"),
    "Chemistry, biology and medicine": ("cell-eval", "MONAI", "RDKit", "TDC"),
}

# The options in the examples of the definitions that need one.
NUMBERS = {"k": 3, "min_recall": 0.75, "min_precision": 0.6}

METRICS = {
    name: Definition(name, **keys)
    for name, keys in tomllib.loads((DOCS / "metrics.toml").read_text(encoding="utf-8")).items()
}
DEFINITIONS = {name: row for name, row in METRICS.items() if name != "MAP"}

STUB_START = """\
# The types of the public names. Written by docs/_write/pages.py; edit the functions themselves.

from collections.abc import Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
"""

STUB_IMPORTS = (
    """\
from ._inputs.records import (
    Average,
    Denominator,
    Grid,
    GroupAverage,
    KCounts,
    Label,
    NPositives,
    Ties,
    ZeroDivision,
)""",
    "from .curves import Curve",
    "from .inference import Comparison, Comparisons, SearchComparison",
    "from .readers import Retrieved",
    "from .thresholds import OperatingPoint, OperatingPointTable",
)

REPLACE_PAGE = """\
<!-- Written by docs/_write/pages.py from _words/not_here.toml. -->

# Switch from scikit-learn

Import `sklearn_ap as ap`, and replace these calls of `sklearn.metrics`:

| in scikit-learn | here |
| --- | --- |
| `average_precision_score(y, s)` | `ap.average_precision_score(y, s)`, which returns the same \
value with [a few exceptions](differences.md) |
| `precision_recall_curve(y, s)` | keep scikit-learn's function. For the interpolated curve, call \
`ap.interpolated_precision_recall_curve(y, s)` |
| `scoring="average_precision"` | `scoring=ap.get_scorer("AP")`. If no label is 1, \
[`ap.make_ap_scorer(pos_label="bad")`](in_scikit_learn.md) |
| `make_scorer(average_precision_score, response_method=..., pos_label="bad")` | \
`ap.make_ap_scorer(pos_label="bad")` |
| `PrecisionRecallDisplay` | [`ap.AveragePrecisionDisplay`](#displays) |
| `eval_metric=average_precision_score`, which XGBoost minimizes | \
[`eval_metric=sklearn_ap.boosting.xgboost_metric("AP")`](boosting.md#xgboost) |

## Displays

The methods `from_predictions`, `from_estimator`, `from_cv_results` and `plot` keep their names.
These arguments and attributes change:

| `PrecisionRecallDisplay` | `AveragePrecisionDisplay` |
| --- | --- |
| `color="red"` and other keywords of lines | `curve_kwargs={{"color": "red"}}` |
| `pos_label=None` in `from_estimator`, which means the last class | `pos_label=1`, the default. \
If labels are strings, name the class |
| `chance_level_kwargs` of `from_cv_results` | `chance_level_kw` |
| `display.average_precision` | `display.value` |
| `display.precision`, `display.recall` | `display.curves[0].precision`, `.recall` |

| task | what to pass or call |
| --- | --- |
| hide the shaded area | `fill_kwargs={{"visible": False}}` |
| hide the dots | `points_kwargs={{"visible": False}}` |
| save the figure | `display.figure_.savefig("curve.png")` |
"""

CITE_PAGE = """\
<!-- Written by docs/_write/pages.py from _words/not_here.toml; edit that, or the texts there. -->

# What to cite, and what isn't here

## What to cite

Say which definition you used, for example "average precision by steps (sklearn_ap
{{sub-ref}}`release`)", and cite the package:

```bibtex
@software{{sklearn_ap,
  author  = {{The sklearn_ap developers}},
  title   = {{sklearn_ap: average precision and related metrics
             for scikit-learn}},
  version = {{{version}}},
  year    = {{{year}}},
}}
```

There is no release yet, so add the commit, which `git rev-parse --short HEAD` prints.

| what you report | what to cite |
| --- | --- |
| step average precision, or MAP | `zhu2004` |
| 11-point | `everingham2010` |
| interpolated average precision (envelope) | `everingham2015` |
| 101-point, COCO's mAP | `lin2014` |
| the area under straight lines | `davis2006`, which shows that this area is too high |
| precision at k, R-precision | `manning2008` |
| values with `ties="expected"` | `mcsherry2008` |
| nDCG | `jarvelin2002` |
| reciprocal rank | `craswell2009` |
| enrichment factor, BEDROC | `truchon2007` |
| a confidence interval | `boyd2013` for the logit scale |

<!-- looked up -->

```bibtex
@techreport{{zhu2004,
  author = {{Zhu, Mu}}, institution = {{University of Waterloo}},
  title  = {{Recall, Precision and Average Precision}},
  number = {{2004-09}}, year = {{2004}},
}}
@article{{everingham2010,
  author  = {{Everingham, Mark and Van Gool, Luc and Williams,
             Christopher K. I. and Winn, John and Zisserman, Andrew}},
  title   = {{The {{PASCAL}} Visual Object Classes ({{VOC}}) Challenge}},
  journal = {{International Journal of Computer Vision}},
  volume  = {{88}}, pages = {{303--338}}, year = {{2010}},
}}
@article{{everingham2015,
  author  = {{Everingham, Mark and Eslami, S. M. Ali and Van Gool, Luc
             and Williams, Christopher K. I. and Winn, John and
             Zisserman, Andrew}},
  title   = {{The {{PASCAL}} Visual Object Classes Challenge:
             A Retrospective}},
  journal = {{International Journal of Computer Vision}},
  volume  = {{111}}, pages = {{98--136}}, year = {{2015}},
}}
@inproceedings{{lin2014,
  author    = {{Lin, Tsung-Yi and others}},
  title     = {{Microsoft {{COCO}}: Common Objects in Context}},
  booktitle = {{ECCV}}, pages = {{740--755}}, year = {{2014}},
}}
@inproceedings{{davis2006,
  author    = {{Davis, Jesse and Goadrich, Mark}},
  title     = {{The Relationship Between Precision-Recall and {{ROC}}
               Curves}},
  booktitle = {{ICML}}, pages = {{233--240}}, year = {{2006}},
}}
@book{{manning2008,
  author    = {{Manning, Christopher D. and Raghavan, Prabhakar and
               Sch{{\\"u}}tze, Hinrich}},
  title     = {{Introduction to Information Retrieval}},
  publisher = {{Cambridge University Press}}, year = {{2008}},
}}
@inproceedings{{mcsherry2008,
  author    = {{McSherry, Frank and Najork, Marc}},
  title     = {{Computing Information Retrieval Performance Measures
               Efficiently in the Presence of Tied Scores}},
  booktitle = {{ECIR}}, pages = {{414--421}}, year = {{2008}},
}}
@article{{jarvelin2002,
  author  = {{J{{\\"a}}rvelin, Kalervo and
             Kek{{\\"a}}l{{\\"a}}inen, Jaana}},
  title   = {{Cumulated Gain-Based Evaluation of {{IR}} Techniques}},
  journal = {{ACM Transactions on Information Systems}},
  volume  = {{20}}, pages = {{422--446}}, year = {{2002}},
}}
@incollection{{craswell2009,
  author    = {{Craswell, Nick}}, title = {{Mean Reciprocal Rank}},
  booktitle = {{Encyclopedia of Database Systems}},
  publisher = {{Springer}}, year = {{2009}},
}}
@article{{truchon2007,
  author  = {{Truchon, Jean-Fran{{\\c{{c}}}}ois and Bayly, Christopher I.}},
  title   = {{Evaluating Virtual Screening Methods: Good and Bad Metrics
             for the ``Early Recognition'' Problem}},
  journal = {{Journal of Chemical Information and Modeling}},
  volume  = {{47}}, pages = {{488--508}}, year = {{2007}},
}}
@inproceedings{{boyd2013,
  author    = {{Boyd, Kendrick and Eng, Kevin H. and Page, C. David}},
  title     = {{Area under the Precision-Recall Curve: Point Estimates
               and Confidence Intervals}},
  booktitle = {{ECML PKDD}}, pages = {{451--466}}, year = {{2013}},
}}
```

<!-- end of what is looked up -->

## What isn't here

<!-- looked up -->

{not_here}

<!-- end of what is looked up -->
"""

GLOSSARY_PAGE = """\
<!-- Written by docs/_write/pages.py from docs/metrics.toml; edit that, or the texts there. -->

# Glossary and formulas

You can print <a href="cheat_sheet.pdf">all definitions with pictures on one page</a>.

## Glossary

<!-- looked up -->

{glossary}

<!-- end of what is looked up -->

## Formulas

Here, "score i" is the i-th highest distinct prediction score.

| symbol | meaning |
| --- | --- |
| $R$ | the number of positives |
| $r_i$, $n_i$ | the number of positives and of all samples with score i |
| $T_i$, $N_i$ | the number of positives and of all samples with scores 1 to i. For i = 0, \
both are 0 |
| $p_i = T_i / N_i$, $T_i / R$ | precision and recall at score i |
| $p_i^-$ | precision at the next higher score. Above the highest score, it's 1 |
| $N$ | without an index, the number of recall levels |
| $Q$ | the number of rankings |
| $m_i = \\min(n_i, \\max(k - N_{{i-1}}, 0))$ | the number of samples with score i in the top k: \
$n_i$ if all fit, the places that are left if only some fit, or 0 |
| $h_i = r_i m_i / n_i$ | the number of positives among these $m_i$ samples. If k cuts \
ties, a fraction $m_i / n_i$ of the tied positives counts |
| $D$ | one of [four denominators](groups.md#ap-at-k): $\\min(k, R)$ (default), $R$, $k$ or \
$\\sum_i h_i$ |

With weights, sums of weights replace numbers of samples. The precision at a recall
level counts as 0 if no score reaches this level, for example because some positives weren't
retrieved.

The examples have ten samples, with positives at ranks 2, 3, 5 and 8. With k=3, D is 3.

<!-- looked up -->

{formulas}

<!-- end of what is looked up -->

## Variants that tools compute

| variant | what it is |
| --- | --- |
| KITTI's R40 | the mean of the envelope at the recalls 1/40, 2/40, ..., 1 |
| MAP@R | MAP@k, where k is the number of positives of each query |
| lwlrap | step average precision with `average="samples", sample_weight=y_true.sum(axis=1)` |
| Precision-Recall-Gain | a transformed curve, which isn't in this package. Use [balanced \
average precision](troubleshooting.md#data-sets-with-different-fractions-of-positives) instead |

For other names that `ap.compat.identify` prints, such as "curved", see
[What differs between tools](peers.md#what-differs-between-tools).
"""

# What the glossary explains besides the definitions: the name here, other names, what it is, and
# where it is computed or explained.
IDEAS = (
    (
        "recall",
        "sensitivity, true positive rate (medicine); hit rate (signal detection)",
        "the fraction of all positives that are flagged",
        "{py:func}`~sklearn_ap.operating_point`",
    ),
    (
        "precision",
        "positive predictive value, PPV (medicine); purity (physics); 1 - false discovery rate",
        "the fraction of positives among the samples that are flagged at one threshold",
        "{py:func}`~sklearn_ap.operating_point`",
    ),
    (
        "hit curve",
        "gains curve, lift curve (marketing); cumulative accuracy profile (credit scoring)",
        "recall, drawn against the fraction of samples that are flagged",
        "{py:class}`~sklearn_ap.HitCurveDisplay`",
    ),
    (
        "ROC AUC",
        "c-statistic, concordance (medicine)",
        "the probability that a random positive scores higher than a random negative",
        "[Imbalanced data](choose_metric.md#imbalanced-data)",
    ),
    (
        "sampling unit",
        "cluster",
        "what was sampled independently: a single row, or all rows of one patient",
        "[Choose the sampling unit](confidence_intervals.md#choose-the-sampling-unit)",
    ),
    (
        "prevalence",
        "base rate, positive rate, class balance",
        "the fraction of positives",
        "[Estimate values at another "
        "prevalence](weights.md#correct-for-a-different-fraction-of-positives)",
    ),
)

CHOOSE_PAGE = """\
<!-- Written by docs/_write/pages.py from docs/metrics.toml; edit that, or the texts there. -->

# Choose a metric

In these calls, `y` holds labels, `s` holds prediction scores, and `q` holds the group of each
sample, such as its query.

{purposes}

## Imbalanced data

If 2% of the payments are fraud, a model that flags nothing has an accuracy of 98%. Other metrics
tell you more:

```python
import sklearn_ap as ap
from sklearn.metrics import f1_score, roc_auc_score

payments = ap.datasets.load_payments(as_frame=False)
fraud = payments["fraud"]
for model in ("model_a", "model_b"):
    score = payments[model]
    top = ap.precision_at_k_score(fraud, score, k=200)
    print(
        f"{{model}}: ROC AUC {{roc_auc_score(fraud, score):.3f}},",
        f"AP {{ap.average_precision_score(fraud, score):.3f}},",
        f"F1 {{f1_score(fraud, score >= 0.5):.3f}},",
        f"{{200 * top:.0f}} frauds in the top 200",
    )
```

```text
model_a: ROC AUC 0.932, AP 0.432, F1 0.341, 124 frauds in the top 200
model_b: ROC AUC 0.940, AP 0.512, F1 0.420, 136 frauds in the top 200
```

Model B finds 12 more frauds in the top 200, though its ROC AUC is hardly higher.

| metric | what to know |
| --- | --- |
| ROC AUC | It counts all pairs of a positive and a negative. With either model, most negatives \
rank far below most positives, so the few negatives at the top hardly change the value |
| average precision | The top of the ranking matters most. The value [falls as positives get \
rarer](troubleshooting.md#data-sets-with-different-fractions-of-positives) |
| F1 | The value depends on the threshold, and 0.5 is rarely a good one. [Choose the \
threshold](choose_threshold.md) first |

Compute other metrics and tests as follows:

| metric or test | how to compute it |
| --- | --- |
| ROC AUC, Brier score | scikit-learn's `roc_auc_score` and `brier_score_loss` |
| a test of two ROC AUCs (instead of DeLong's test) | `scipy.stats.bootstrap((y, a, b), \
difference, paired=True)`, where `difference(y, a, b)` subtracts one AUC from the other |
| Gini coefficient | `2 * roc_auc_score(y, s) - 1` |
| KS statistic | SciPy's `ks_2samp(s[y == 1], s[y == 0])` |

## All metrics, and their names

Pass a metric by its short name or name, as in `metric="P@1%"` or
`ap.get_scorer("precision_at_recall_0.9")`. You can change the number in a name: `P@5%` instead of
`P@1%`.

<!-- looked up -->

{metrics}

<!-- end of what is looked up -->
"""

# What a model is for, and how to measure it.
PURPOSES = (
    ("ranking all samples", "ap.average_precision_score(y, s)"),
    ("flagging the top 1%", "ap.precision_at_k_score(y, s, k=0.01)"),
    (
        "finding 90% of the positives with few false alarms",
        "ap.precision_at_recall_score(y, s, min_recall=0.9)",
    ),
    (
        "ranking the samples of each query, user or day",
        "ap.mean_average_precision_score(y, s, groups=q)",
    ),
    (
        "showing ten recommendations to each user",
        "ap.average_precision_at_k_score(y, s, k=10, groups=q)",
    ),
    ("showing one answer to each query", "ap.reciprocal_rank_score(y, s, groups=q)"),
    ("testing the top 1% of a library of compounds", "ap.enrichment_factor_score(y, s, k=0.01)"),
    (
        "detecting objects (COCO's AP for one class)",
        'ap.interpolated_average_precision_score(y, s, n_points=101, grid="float")',
    ),
)

PEERS_PAGE = """\
<!-- Written by docs/_write/pages.py from sklearn_ap/compat/peers.toml; edit that. -->

# What each tool computes

This page names the definition of each tool, and the call that computes this definition here. For
your own predictions, `explain` lists the values that tools return:

```pycon
>>> import sklearn_ap as ap
>>> payments = ap.datasets.load_payments()
>>> ap.compat.explain("fraud", "model_b", data=payments)
Average precision: 20,000 samples, 395 positives
value      diff  definition and tools
0.5133  +0.0012  101-point: tidecv, pycocotools, 7 more
0.5129  +0.0007  envelope: PASCAL VOC devkit, Cartucho/mAP, 5 more
0.5124  +0.0002  11-point: trec_eval, PASCAL VOC devkit 2007, 4 more
0.5121           step: scikit-learn, torchmetrics, 19 more
0.5117  -0.0004  linear: scikit-learn auc, CatBoost, 8 more
...
```

So pycocotools would report 0.5133, and scikit-learn 0.5121. Tools with a cutoff appear only if you
pass `k`.

<!-- looked up -->

{links}

<!-- end of what is looked up -->

| part of an entry | meaning |
| --- | --- |
| **step** | a definition of the [glossary](glossary.md) |
| **AP@k / min** | AP@k, and its [denominator](groups.md#ap-at-k) |
| `y`, `s`, `q` | labels 0 and 1, prediction scores, and the query of each row |
| ties: grouped | The order of tied samples doesn't matter |
| ✓ | tested against the tool itself. Other entries say which code was run or read |

If some positives were never scored, also pass
[`n_positives`](groups.md#relevant-documents-that-were-not-retrieved).

<!-- looked up -->

{tools}

<!-- end of what is looked up -->

## What differs between tools

These are the most common differences from step average precision, which scikit-learn computes:

{common}

<details>
<summary>All differences, with their tools</summary>

<!-- looked up -->

{differences}

<!-- end of what is looked up -->

</details>
"""

# The options about the data, by what they are about.
OPTIONS = {
    "Labels": ("pos_label", "min_grade", "classes"),
    "Weights": ("sample_weight", "n_positives"),
    "Rankings": ("groups", "average", "clusters", "zero_division"),
    "Table": ("data",),
}


def pages() -> dict[str, str]:
    """The text of each page by its name."""
    return {
        "differences.md": differences.page(_table),
        "choose_metric.md": CHOOSE_PAGE.format(
            metrics=_table(
                ("question", "short name", "name", "function"),
                (
                    (question, f"`{name}`", *_named(name))
                    for row in METRICS.values()
                    for question, name in row.questions
                ),
            ),
            purposes=_table(
                ("what your model is for", "how to measure it"),
                ((purpose, f"`{call}`") for purpose, call in PURPOSES),
            ),
        ),
        "replace_names.md": REPLACE_PAGE.format(),
        "peers.md": PEERS_PAGE.format(
            links=" · ".join(_link(tool) for tool in tools()),
            tools="\n\n".join(_by_field()),
            common=_table(("tools", "difference", "meaning"), differences.count_tools()),
            differences=_table(
                ("difference", "meaning", "tools"), differences.list_tool_rows(_link)
            ),
        ),
        "cite.md": CITE_PAGE.format(
            not_here=_table(("task", "what to use"), _not_here()),
            version=PROJECT["version"],
            year=re.search(r"^date-released: (\d+)", CITATION, re.M)[1],
        ),
        "glossary.md": GLOSSARY_PAGE.format(
            glossary=_table(
                ("name", "other names", "what it is", "function or page"),
                (*map(_explained, METRICS.values()), *IDEAS),
            ),
            formulas=_table(("name", "formula", "example"), _formulas()),
        ),
        "api.rst": _with_options(_filled_in("api.rst", _reference())),
        "../README.md": _filled_in(
            "../README.md",
            _table(
                ("definition", "value", "function", "also known as"),
                (_in_readme(row) for row in METRICS.values() if row.score and is_called_ap(row)),
            ),
        ),
    }


def _filled_in(page: str, metrics: str) -> str:
    """Return a page with its list of metrics rewritten."""
    text = (DOCS / page).read_text(encoding="utf-8")
    place = re.compile(r"(from docs/metrics\.toml.*?\n)(\n*).*?(\n*[^\n]*end of metrics)", re.S)
    text, n_places = place.subn(lambda found: f"{found[1]}{found[2]}{metrics}{found[3]}", text)
    assert n_places == 1, page
    return text


def _with_options(text: str) -> str:
    """Return the reference with its texts on common options rewritten."""
    start = text.index("\n\n", text.index(".. options, written by")) + 2
    end = text.index("\n\n.. end of options")
    return text[:start] + "\n\n".join(_details()) + text[end:]


def _reference() -> str:
    """Return the directive that makes the pages of the metrics."""
    names = dict.fromkeys(row.score for row in METRICS.values() if row.score)
    options = [":toctree: generated", ":nosignatures:", ":caption: Metrics"]
    return "\n   ".join([".. autosummary::", *options]) + "\n\n   " + "\n   ".join(names)


def _as_arguments(options: Mapping[str, Any]) -> list[str]:
    return [f"{option}={json.dumps(value)}" for option, value in options.items()]


def _in_readme(row: Definition) -> tuple[str, ...]:
    definition, value, also = row.readme
    given = ", ".join(_as_arguments(row.options))
    return definition, value, f"`{row.score}{f'({given})' if given else ''}`", also


def _named(short: str) -> tuple[str, str]:
    """The name of a metric, and its function with the options that the name tells."""
    named = parse_metric_name(short)
    name = f"{'mean_' if named.is_mean else ''}{write_rule(named.rule(), 'name')}"
    given = _as_arguments(named.options)
    if named.is_mean:
        given.append("groups=")
    function = f"{{py:func}}`~sklearn_ap.{named.metric}_score`"
    return f"`{name}`", function + (f" with `{', '.join(given)}`" if given else "")


def _described() -> Iterator[tuple[str, str, str, str]]:
    """Yield what each option is about, its name, and the first sentence and the rest about it."""
    _, _, text = cleandoc(Inputs.__doc__ or "").partition("----------\n")
    entries = (part.partition("\n") for part in re.split(r"\n(?=\S)", text))
    plain = {
        head.partition(" : ")[0]: re.sub(r":\w+:`", "`", " ".join(rest.split()))
        for head, _, rest in entries
    }
    for about, names in OPTIONS.items():
        for name in names:
            first, rest = re.split(r"(?<=\.)\s", plain[name], maxsplit=1)
            yield about, name, first, rest


def _details() -> Iterator[str]:
    for about, options in groupby(_described(), itemgetter(0)):
        yield f"{about}\n{'~' * len(about)}"
        for _, name, first, rest in options:
            text = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", f"{first} {rest}")
            filled = textwrap.fill(text, 97, break_on_hyphens=False)
            yield f"``{name}``\n{textwrap.indent(filled, '   ')}"


def _not_here() -> Iterator[tuple[str, str]]:
    """Yield what isn't here, and what to use instead, unless an error says so."""
    for entry in read_toml("_words/not_here.toml")["entries"]:
        want, page = entry["want"], entry.get("page")
        if "names" not in entry or entry.get("listed"):
            yield f"[{want}]({page})" if page else want, entry["use"]


def _explained(row: Definition) -> tuple[str, ...]:
    """The row of the glossary."""
    name = row.score or "compat.trapezoidal_average_precision_score"
    given = ", ".join(_as_arguments(row.options))
    function = f"{{py:func}}`~sklearn_ap.{name}`" + (f" with `{given}`" if given else "")
    return row.readme[0], row.also, row.meaning, function


def is_called_ap(row: Definition) -> bool:
    """Whether somebody calls it average precision."""
    return re.search(r"AP\b|average precision", f"{row.readme[0]} {row.also}") is not None


def _formulas() -> Iterator[tuple[str, str, str]]:
    for row in METRICS.values():
        if not row.formula or not is_called_ap(row):
            continue
        example = _example(row) if row.name in DEFINITIONS else ""
        yield row.readme[0], f"${row.formula}$", example


def _example(row: Definition) -> str:
    function = getattr(sklearn_ap, row.score or "", compat.trapezoidal_average_precision_score)
    options = row.options | row.example
    at = "".join(f" with {option}={value}" for option, value in options.items())
    return f"{function(LABELS, RANKING, **options):.3f}{at}"


_ONE, _SEVERAL = {"y_score": "ArrayLike"}, {"y_score": "Mapping[str, ArrayLike] | list[str]"}
_ALL, _GROUPED = {"groups": "None = None"}, {"groups": "ArrayLike"}
# What sklearn_ap.readers has read knows the columns that other calls have to pass.
_KNOWN = {"y_true": "None = None", "y_score": "None = None", "data": "Retrieved"}
_KNOWN |= {"groups": "ArrayLike | None = None"}
_CURVES = (
    (_SEVERAL | _ALL, "dict[Any, Curve]"),
    (_SEVERAL | _GROUPED, "dict[Any, dict[Any, Curve]]"),
    (_ONE | _ALL, "Curve"),
    (_ONE | _GROUPED, "dict[Any, Curve]"),
    (_KNOWN, "dict[Any, Curve]"),
)

# Two models are compared in sentences, and those of a mapping or a list in a table.
_TABLE, _NO_OTHER = "Mapping[str, ArrayLike] | list[str] | str", {"y_score_b": "None = None"}
_COMPARED = (
    ({"y_score_a": "ArrayLike", "y_score_b": "ArrayLike", "baseline": ""}, "Comparison"),
    ({"y_score_a": _TABLE} | _NO_OTHER, "Comparisons"),
    (
        dict.fromkeys(("y_true", "y_score_a", "y_score_b"), "None = None")
        | {"data": "Mapping[str, Retrieved]"},
        "Comparisons",
    ),
)

# What functions return, by the types of the arguments on which that depends.
RETURNS = {
    "compare": _COMPARED,
    "compare_folds": (
        ({"a": "Mapping[str, Mapping[str, Any] | ArrayLike]", "b": "None = None"}, "Comparisons"),
        ({"b": "None = None", "baseline": ""}, "SearchComparison"),
        (dict.fromkeys("ab", "Mapping[str, Any] | ArrayLike") | {"baseline": ""}, "Comparison"),
    ),
    "interpolated_precision_recall_curve": _CURVES,
    "hit_curve": _CURVES,
    "operating_point": (
        (_SEVERAL, "OperatingPointTable"),
        (_ONE, "OperatingPoint"),
        (_KNOWN, "OperatingPoint"),
    ),
}
_VALUES = {"average": "None"}, "NDArray[np.float64]"
_OF_SCORES = (({}, "float"), _VALUES, (_KNOWN, "float"), (_KNOWN | _VALUES[0], _VALUES[1]))


def stub() -> str:
    """Return the types of the public names.

    Each metric returns an array with average=None, and a float otherwise, from arrays and from
    tables that know their columns.
    Curves, thresholds and comparisons have one for a single model or two, and one for several.
    """
    returns = {name: _OF_SCORES for name in sklearn_ap.__all__ if name.endswith("_score")}
    returns |= RETURNS
    others = {name: sklearn_ap._HOME[name] for name in sklearn_ap.__all__ if name not in returns}
    imports = [f"from . import {module} as {module}" for module in sklearn_ap._MODULES]
    imports += [f"from .{module} import {name} as {name}" for name, module in others.items()]
    lines = [STUB_START, *sorted([*imports, *STUB_IMPORTS]), "", "__version__: str", ""]
    for name, cases in returns.items():
        for types, returned in cases:
            lines += ["@overload", f"def {name}("]
            lines += [f"    {each}," for each in _typed(getattr(sklearn_ap, name), types)]
            lines += [f") -> {returned}: ..."]
    return "\n".join(lines) + "\n"


def _typed(function: Any, types: Mapping[str, str]) -> Iterator[str]:
    """Yield the parameters of a function, some of them with types of one of its signatures."""
    declared_by = signature(function).parameters.values()
    parameters = [each for each in declared_by if types.get(each.name) != ""]
    needed = find_needed_parameters(function.__name__, [each.name for each in parameters])
    for before, each in zip([None, *parameters], parameters, strict=False):
        if each.kind is Parameter.KEYWORD_ONLY and before and before.kind is not each.kind:
            yield "*"
        if each.name in types:
            yield f"{each.name}: {types[each.name]}"
            continue
        if each.kind is Parameter.VAR_KEYWORD:
            yield f"**{each.name}: {each.annotation}"
            continue
        declared = each.annotation
        if each.name == "average":
            declared = declared.removesuffix(" | None")
        is_given = each.default is Parameter.empty or each.name in needed
        declared = declared.removesuffix(" | None") if is_given else declared
        given = "" if is_given else " = " + repr(each.default).replace("'", '"')
        yield f"{each.name}: {declared}{given}"


def tools() -> list[str]:
    """The tools of PEERS in the order of the alphabet."""
    return sorted({row.tool for row in PEERS}, key=str.casefold)


def _link(tool: str) -> str:
    return f"[{tool}](#{anchor(tool)})"


def _by_field() -> Iterator[str]:
    """Yield the headings of fields and tools, and what is said of each tool."""
    elsewhere = {tool for listed in TOOLS_BY_FIELD.values() for tool in listed}
    others = [tool for tool in tools() if tool not in elsewhere]
    for field, listed in {OTHER_FIELD: others, **TOOLS_BY_FIELD}.items():
        yield f"## {field}"
        for tool in sorted(listed, key=str.casefold):
            yield from (f"### {tool}", *_about(tool))


def anchor(tool: str) -> str:
    """The anchor of the heading of a tool, as MyST makes it."""
    return re.sub(r"[^\w -]", "", tool.lower()).replace(" ", "-")


def _about(tool: str) -> Iterator[str]:
    """Yield what is said about the functions of a tool that differ only in their definition."""
    rows = (row for row in PEERS if row.tool == tool)
    for facts, alike in groupby(rows, _besides_definition):
        yield "\n".join([facts, "", *map(_computed_by, alike)])


def _computed_by(row: Peer) -> str:
    """The line of a function: its definition, and how to get its value here."""
    call = call_here(row)
    return f"- `{row.function}`: **{row.definition}**" + (f"; here `{call}`" if call else "")


def _besides_definition(row: Peer) -> str:
    traps = "; ".join(filter(None, (row.trap, _without_rows(row))))
    facts = (
        f"**{row.version}{' ✓' if row.package else ''}**",
        f"ties: {row.ties}",
        f"no positives: {row.no_positives}",
        row.source,
        f"*beware: {traps}*" if traps else "",
    )
    return " · ".join(filter(None, facts))


def call_here(row: Peer) -> str:
    """The call that gives the value of a tool, apart from the order of ties; empty if none does."""
    function, *options = _function_here(row)
    if function:
        given = (*_ranked_here(row), *options, *_averaged_here(row))
        return f"{function}({', '.join(given)})"
    sample = DataSet.from_inputs(Inputs(np.array(LABELS), np.array(RANKING) / 10))
    explained = {each.name for each in list_definitions(sample)}
    if not row.is_known_on(sample) and row.definition not in explained:
        return ""
    cutoff = ["k=k"] if isinstance(row.rule, RuleWithoutCutoff) else []
    groups = ["groups=q"] if row.queries else []
    name, *value = ("identify", "value") if row.is_setting else ("explain",)
    return f"ap.compat.{name}({', '.join((*value, 'y', 's', *cutoff, *groups))})"


def _function_here(row: Peer) -> tuple[str, ...]:
    """The function that has the definition of a tool, with its options; empty if there is none."""
    rule = RULES_BY_DEFINITION[row.definition]
    if isinstance(rule, RuleWithoutCutoff):
        rule = rule.make(k=1)
    if isinstance(rule, Linear):
        return ("ap.compat.trapezoidal_average_precision_score",)
    if isinstance(rule, RocArea):
        return ("sklearn.metrics.roc_auc_score",)
    if type(rule) not in RULES:
        return ("",)
    name = write_rule(rule, "name")
    score, named = suggest_function(name), parse_metric_name(name)
    is_said = suggest_function(named.metric) != score  # by the function, as in eleven_point_...
    options = {} if is_said else dict(named.options)
    if find_order(row) is Order.WORST:
        options["ties"] = "worst"
    given = (f"{key}={'k' if key == 'k' else json.dumps(each)}" for key, each in options.items())
    return f"ap.{score}", *given


def _ranked_here(row: Peer) -> tuple[str, str]:
    """The labels and scores that a tool ranks, as code."""
    if row.ranks is not NO_MISTAKE:
        return "np.column_stack([1 - y, y])", "np.column_stack([1 - s, s])"
    if isinstance(row.reading, ThresholdBins):
        steps = f"s * {row.reading.n_thresholds - 1}"
        return "y", f"np.floor({steps})" if row.reading.goes_up else f"np.ceil({steps}).clip(1)"
    return "y", "np.float32(s)" if row.reading is Reading.SINGLE else "s"


def _averaged_here(row: Peer) -> Iterator[str]:
    """Yield the options that say over what a tool averages."""
    if row.queries:
        yield "groups=q"
    if row.ranks is BOTH_COLUMNS:
        yield 'average="micro"'
    elif row.average != "macro":
        yield f'average="{row.average}"'
    empty = VALUES_WITHOUT_POSITIVES.get(row.no_positives, 0.0)
    if empty != 0 and (row.queries or row.ranks is BOTH_CLASSES):
        yield f"zero_division={'np.nan' if empty is None else empty}"


def _without_rows(row: Peer) -> str:
    """What happens to queries without any retrieved document, unless they count 0."""
    if not row.missed or row.no_rows is NO_MISTAKE:
        return ""
    text = "refuses" if row.no_rows is None else "leaves out"
    unless = f", except with `{row.option}`" if row.option else ""
    return f"{text} queries without rows{unless}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(_rows([head, ("---",) * len(head), *rows]))


def _rows(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for row in rows:
        yield "| " + " | ".join(map(_cell, row)) + " |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
    STUB.write_text(stub(), encoding="utf-8")
