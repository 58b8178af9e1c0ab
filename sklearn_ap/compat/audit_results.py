"""The results of audits, and how they print."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .._show.results import (
    LazyValue,
    Printed,
    Result,
    Value,
)
from .aspects import EDGE_ASPECTS, SOUNDNESS_ASPECTS
from .audited_scorers import Change
from .findings import Conclusion
from .peers import shorten_tools

NO_TOOLS: LazyValue[tuple[str, ...]] = LazyValue(value=())
_MAX_PRINTED_ROWS = 3
# Those whose title says all, so that no rows are printed
_COMPLETE_CONCLUSIONS = (
    Conclusion.OTHER_METRIC,
    Conclusion.LABELS_RANKED,
    Conclusion.FAILS,
    Conclusion.CONSTANT,
)


@dataclass(frozen=True, eq=False)
class Aspect(Value):
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect : str
        What was examined, such as "ties".
    finding : str
        What the function does.
    agrees : bool or None
        Whether the definition does the same; None if time ended the audit before all was tried.
    y_true, y_score : list or None
        The smallest ranking that shows the difference; None if there is none.
    value, expected : float or None
        The values of the function, nan if it has none, and of the definition.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap.compat import audit
    >>> def in_order(y_true, y_score):
    ...     hits = y_true[(-y_score).argsort(kind="stable")].cumsum()
    ...     found = y_true[(-y_score).argsort(kind="stable")] == 1
    ...     return (hits / (1 + np.arange(hits.size)))[found].sum() / max(
    ...         hits[-1], 1
    ...     )
    >>> ties = audit(in_order).rows[1]
    >>> ties.y_true, ties.y_score, ties.value, ties.expected
    ([1, 0], [0.875, 0.875], 1.0, 0.5)
    """

    aspect: str
    finding: str
    agrees: bool | None
    y_true: list[Any] | None = None
    y_score: list[Any] | None = None
    value: float | None = None
    expected: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """Result of :func:`~sklearn_ap.compat.audit`: print it, or use its `rows`.

    Attributes
    ----------
    definition : str or None
        The definition that equals the function on most rankings without ties, in the words of
        :func:`identify`; None if none equals it on half of them.
    mistake : str or None
        What the function does to that definition, such as "of negated scores"; None if it does
        nothing to it that is known here.
    title : str
        The first line: what the function computes, and where it doesn't.
    ranks_by : str or None
        For scorers, the method whose values they rank by, and the positive class, unless it could
        be either.
    n_rankings : int
        How many rankings were evaluated.
    n_equal : int
        The number of rankings for which the function returns the value of the definition.
    tools : tuple of str
        The tools of `PEERS` that are known to agree with the function in every aspect, weights
        included. They are looked for when they are first read.
    rows : tuple of Aspect
        One row for each aspect, with `aspect`, `finding` and `agrees`. Where the function differs,
        `y_true`, `y_score`, `value` and `expected` are the smallest ranking that shows it.
    notes : tuple of str
        The warnings of the function, and what was not tried.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compat import audit
    >>> result = audit(average_precision_score)
    >>> result.definition, result.agrees
    ('step', True)
    """

    _index = "aspect"

    definition: str | None
    mistake: str | None
    title: str
    ranks_by: str | None
    n_rankings: int
    n_equal: int
    rows: tuple[Aspect, ...]
    notes: tuple[str, ...] = ()
    _tools: LazyValue[tuple[str, ...]] = field(default=NO_TOOLS, repr=False, compare=False)
    _conclusion: Conclusion = field(default=Conclusion.COUNTED, repr=False, compare=False)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of `PEERS` that are known to agree with the function in every aspect, weights
        included. They are looked for when they are first read.
        """
        return self._tools.get()

    @property
    def agrees(self) -> bool | None:
        """Whether the function is that definition in every aspect; None if time ended the audit."""
        agree = {row.agrees for row in self.rows}
        if False not in agree and None in agree:
            return None
        return self.definition is not None and agree == {True}

    def _printed(self) -> Printed:
        """Show what differs, first whatever makes all else unclear."""
        rows = sorted(self.rows, key=lambda row: row.aspect not in SOUNDNESS_ASPECTS)
        differing = [row for row in rows if row.agrees is False]
        in_title = EDGE_ASPECTS if self._conclusion is Conclusion.EXCEPTIONS else ()
        cells = [(row.aspect, row.finding) for row in differing if row.aspect not in in_title]
        n_shown = 0 if self._conclusion in _COMPLETE_CONCLUSIONS else _MAX_PRINTED_ROWS
        said = []
        if differing:
            said.append(f"Aspects that differ: {len(differing):,} of {len(rows):,} in `rows`.")
        if self.tools:
            said.append(f"Tools that do the same: {shorten_tools(self.tools, 'tools')}.")
        block = "", "", cells[:n_shown]
        return Printed(("aspect", "finding"), [block], self.title, said, self.notes)

    def _as_dict(self) -> dict[str, Any]:
        values = {"definition": self.definition, "agrees": self.agrees}
        values |= {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        return values | {"tools": self.tools, "rows": self._rows()}

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]


@dataclass(frozen=True, eq=False, repr=False)
class ScoringAudit(Result):
    """Result of :func:`~sklearn_ap.compat.audit` for several scorers.

    Attributes
    ----------
    names : tuple of str
        The names of the scorers.
    alone : tuple of Audit
        What each of them computes alone.
    audits : dict of Audit
        The same by name.
    changes : tuple
        The scorers whose value changes in company, with the attributes `scorer`, `beside`, `value`,
        `alone` and `why`.
    agrees : bool
        Whether no value changes, and each scorer always computes a definition, or is one of
        scikit-learn's other scorers.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import audit
    >>> result = audit(["roc_auc", "average_precision"])
    >>> result.agrees
    True
    >>> result.audits["roc_auc"].ranks_by
    'decision_function'
    """

    _index = "scorer"

    names: tuple[str, ...]
    alone: tuple[Audit, ...]
    changes: tuple[Change, ...]

    @property
    def audits(self) -> dict[str, Audit]:
        """The audits of the scorers by their names."""
        return dict(zip(self.names, self.alone, strict=True))

    @property
    def agrees(self) -> bool | None:
        """Whether there is nothing to mend; None if time ended an audit."""
        agree = {each._conclusion is Conclusion.OTHER_METRIC or each.agrees for each in self.alone}
        if self.changes or False in agree:
            return False
        return None if None in agree else True

    def _printed(self) -> Printed:
        rows = [(name, each.title) for name, each in self.audits.items()]
        return Printed(("scorer", "finding"), [("", "", rows)], "", [*map(str, self.changes)])

    def _as_dict(self) -> dict[str, Any]:
        audits = {name: each._as_dict() for name, each in self.audits.items()}
        in_company = [change._asdict() for change in self.changes]
        return {"agrees": self.agrees, "audits": audits, "changes": in_company}

    def _rows(self) -> list[dict[str, Any]]:
        columns = ("title", "definition", "agrees", "ranks_by")
        return [
            {"scorer": name} | {column: getattr(each, column) for column in columns}
            for name, each in self.audits.items()
        ]


for _result in (Audit, ScoringAudit):
    _result.__module__ = "sklearn_ap.compat"  # where users find it
