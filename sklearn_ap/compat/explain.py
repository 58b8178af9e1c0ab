"""All the numbers of a data set, side by side, and why they differ."""

from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import ArrayLike

from .._typing import Label
from .._validation import validated
from . import table
from .causes import cause
from .numbers import Number, Sample, numbers
from .peers import PEERS

_HEADER = ("number", "value", "difference", "reported by, and why it differs here")


@dataclass(frozen=True)
class Row:
    """One number of an explanation."""

    number: str
    value: float
    difference: float  # from step average precision
    reported_by: str
    why: str  # empty where it does not differ


@dataclass(frozen=True)
class Explanation:
    """What `explain` gives: print it, or take its rows."""

    title: str
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        return f"{self.title}\n\n{table.aligned(_HEADER, self._cells())}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return table.html(_HEADER, self._cells(), self.title)

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [
            (
                row.number,
                f"{row.value:.6f}",
                f"{row.difference:+.6f}" if row.why or row.difference else "same",
                ": ".join(filter(None, (row.reported_by, row.why))),
            )
            for row in self.rows
        ]

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The rows by the name of their number."""
        return {row.number: asdict(row) for row in self.rows}

    def to_frame(self) -> Any:
        """The rows as a pandas DataFrame, with the numbers' names as index."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_frame needs pandas: pip install pandas") from None
        return pd.DataFrame([asdict(row) for row in self.rows]).set_index("number")


@validated
def explain(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Explanation:
    r"""Explain which numbers are called average precision on this data, and why they differ.

    Each is compared with step average precision, :math:`\sum_i \frac{r_i}{R}\, p_i`. A cause that
    does not act on this data is not named.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    k : int, default=None
        A cut-off, for AP@k with every denominator.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 do not exist; tie policies other than 'grouped' are
        left out with weights.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample: the numbers are means over groups then, and groups without
        positives count 0.

    Returns
    -------
    explanation : Explanation
        Rows with `number`, `value`, `difference`, `reported_by` and `why`. It prints as a table,
        shows as one in a notebook, and has `to_dict` and `to_frame`.

    See Also
    --------
    identify : Which of these numbers is a reported one?

    Examples
    --------
    >>> from sklearn_ap.compat import explain
    >>> rows = explain([0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]).to_dict()
    >>> rows["step"]["value"], rows["envelope"]["value"]
    (0.533333, 0.6)
    >>> print(rows["envelope"]["why"])
    the curve rises again after 2 of its points, by up to 0.1000
    """
    sample = Sample.of(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, groups=groups
    )
    each = [(number, number.value(sample)) for number in numbers(sample, () if k is None else (k,))]
    reference = each[0][1]
    rows = tuple(
        Row(
            number=number.name,
            value=value,
            difference=value - reference,
            reported_by=reported_by(number, sample),
            why=cause(number, value, reference, sample),
        )
        for number, value in each
        if value == value  # nan: an old release had no number for this
    )
    return Explanation(_title(sample), rows)


def reported_by(number: Number, sample: Sample) -> str:
    """The tools whose number this is, if they count ties and empty groups so."""
    if ", ties" in number.name:
        return ""
    empty = {0.0: "0", 1.0: "1"}.get(sample.empty, "left out")
    tools = dict.fromkeys(
        f"{peer.tool} {peer.version}"
        for peer in PEERS
        if peer.number == number.row
        and (not sample.has_empty or peer.no_positives.partition(" ")[0] == empty.partition(" ")[0])
    )
    return ", ".join(tools)


def _title(sample: Sample) -> str:
    rankings, points = sample.rankings, sample.points
    parts = [f"{rankings.scores.size} samples", f"{points.n_positives.sum():g} positives"]
    if sample.is_weighted:
        parts[1] = f"positives of weight {points.n_positives.sum():g}"
    if sample.is_grouped:
        parts.append(f"mean over {points.n_positives.size} groups")
    return "Average precision: " + ", ".join(parts)
