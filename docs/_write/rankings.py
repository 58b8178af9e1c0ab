"""Write rankings.json, the values of each definition for rankings: python docs/_write/rankings.py

The build of the site writes it beside the pages, so it isn't part of the repository. Rankings are
those of `sklearn_ap.compat.audit`, and values those of tests/oracle.py, which has no code of the
package.
"""

import json
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from sklearn_ap import __version__
from sklearn_ap.compat.trials import MOST_UNTIED, CallLog
from tests import oracle

ROOT = Path(__file__).parents[2]
# By their names in `identify`: the names in tests/oracle.py, with their options
DEFINITIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "step": ("step", {}),
    "envelope": ("envelope", {}),
    "11-point": ("n-point", {"n_points": 11}),
    "101-point": ("n-point", {"n_points": 101}),
    "linear": ("linear", {}),
    **{
        f"AP@{k} / {denominator}": ("at-k", {"k": k, "denominator": denominator})
        for k in (5, 10)
        for denominator in oracle.DENOMINATORS
    },
    **{f"precision@{k}": ("precision-at-k", {"k": k}) for k in (5, 10)},
    **{f"recall@{k}": ("recall-at-k", {"k": k}) for k in (5, 10)},
    "R-precision": ("r-precision", {}),
    "reciprocal rank": ("reciprocal-rank", {}),
    "reciprocal rank@10": ("reciprocal-rank-at-k", {"k": 10}),
    "hit rate@10": ("hit-rate-at-k", {"k": 10}),
}
ABOUT = (
    "Labels and prediction scores of rankings, rows in any order, and the values of each "
    "definition for them, in the order of the rankings. Tied samples count as one operating "
    "point. null is a value that is undefined, because there are no positives. Fractions are "
    f"those of the first rankings, which have at most {MOST_UNTIED} rows."
)
Ranking = tuple[list[int], list[float]]


def rankings() -> list[Ranking]:
    """The rankings that `audit` tries with random_state=0, up to 200 rows, the small ones first."""
    log = CallLog(oracle.step, random_state=0)  # which isn't called
    return [(labels.tolist(), scores.tolist()) for labels, scores in log.rankings()]


def exact(name: str, each: Ranking) -> Fraction | None:
    """The value of a definition; None if it is undefined."""
    definition, options = DEFINITIONS[name]
    value: Fraction | None = oracle.RULES[definition](*each, **options)
    return value


def contents(chosen: Iterable[Ranking]) -> dict[str, Any]:
    """What the file says about some rankings, the small ones first."""
    chosen = list(chosen)
    values = {name: [exact(name, each) for each in chosen] for name in DEFINITIONS}
    n_small = sum(len(labels) <= MOST_UNTIED for labels, _ in chosen)
    return {
        "about": ABOUT,
        "package": "sklearn_ap",
        "version": __version__,
        "license": (ROOT / "LICENSE").read_text(encoding="utf-8"),
        "rankings": [{"y_true": labels, "y_score": scores} for labels, scores in chosen],
        "values": {
            name: [None if value is None else float(value) for value in column]
            for name, column in values.items()
        },
        "fractions": {
            name: [None if value is None else str(value) for value in column[:n_small]]
            for name, column in values.items()
        },
    }


def written(chosen: Iterable[Ranking]) -> str:
    """The text of the file."""
    return json.dumps(contents(chosen), separators=(",", ":"), allow_nan=False)


if __name__ == "__main__":
    sys.stdout.write(written(rankings()))
