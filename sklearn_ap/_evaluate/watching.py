"""What updates of new data say about a threshold, some of whose labels come later."""

from __future__ import annotations

from base64 import b64decode, b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib import import_module
from itertools import accumulate
from math import nan
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .._read.columns import (
    are_missing,
    check_lengths,
    is_missing,
    listed_exactly,
    read_scores,
    rows_at,
)
from .._read.labels import warn_of_only_label
from .._read.rankings import Seen, check_together, read_chunk
from .._show.results import Note
from .._show.saved import Record
from .._words.arrays import to_host
from .._words.errors import InvalidParameterError
from .._words.inputs import Inputs
from .._words.messages import about
from .._words.parameters import check_unmasked
from ..core.cutoff import as_fraction
from ..core.watching import Watched, chance_of_spread
from ..core.within import Array
from .checks import Estimate
from .jobs import are_flagged

_MOST_UPDATES = 1000  # older ones are then joined in pairs, so that the saved state stays small
DEFAULT_LEVEL = 0.95
_HASH = 8  # bytes, so that a billion pairs of ids hardly ever have equal ones
_MOST_IDS = 2**20  # of rows with labels; the oldest ones are forgotten
_MOST_EXACT = 2**53  # floats represent all integers up to here
_RARE = 0.05  # a spread of updates that is rarer by chance is told
_ENOUGH = 5  # updates that tell whether they differ
TARGETS = ("min_recall", "min_precision")

# --- counts ---------------------------------------------------------------------------------------


@dataclass
class Update:
    """The counts of one update, or of several that are joined."""

    n_updates: int = 1
    n_samples: int = 0
    n_flagged: int = 0
    n_positives: int = 0  # of the rows with labels
    true_positives: int = 0
    n_pending: int = 0
    n_flagged_pending: int = 0

    def is_complete(self, target: str) -> bool:
        """Whether all labels that a target depends on have come."""
        return not (self.n_pending if target == "min_recall" else self.n_flagged_pending)

    def counts(self, target: str) -> tuple[int, int]:
        """Return how many of the rows that a target is about were found, and how many not."""
        of_rows = self.n_positives if target == "min_recall" else self.n_flagged
        return self.true_positives, of_rows - self.true_positives

    @property
    def flagged_share(self) -> float:
        return self.n_flagged / self.n_samples if self.n_samples else nan

    def join(self, other: Update) -> Update:
        return Update(*(a + b for a, b in zip(_values(self), _values(other), strict=True)))


def _values(update: Update) -> list[int]:
    return [getattr(update, name) for name in COUNTS]


COUNTS = tuple(Update.__dataclass_fields__)


@dataclass
class Ledger:
    """The counts of all updates, the tests, and the rows whose labels haven't come yet."""

    tests: dict[str, Watched]  # of each target
    n_entered: dict[str, int]  # how many updates each test contains
    broken_in: dict[str, int]  # the number of the update that broke a target, counted from 1
    updates: list[Update] = field(default_factory=list)
    pending: dict[Any, tuple[int, bool]] = field(default_factory=dict)  # update, and if flagged
    labels: frozenset[Any] = frozenset()  # those that occurred
    n_left_out: int = 0
    labeled: bytes = field(default=b"", compare=False)  # hashes of the ids of rows with labels
    n_repeated: int = 0

    @classmethod
    def of(cls, targets: Mapping[str, float], confidence_level: float) -> Ledger:
        error = float(1 - as_fraction(confidence_level)) / len(targets)
        tests = {name: Watched(float(target), error) for name, target in targets.items()}
        return cls(tests, dict.fromkeys(tests, 0), {})

    @property
    def total(self) -> Update:
        """The counts of all updates together."""
        total = Update(0)
        for update in self.updates:
            total = total.join(update)
        return total

    def firsts(self) -> list[int]:
        """Return the number of updates before each entry of `updates`."""
        return [*accumulate((update.n_updates for update in self.updates), initial=0)]

    def add(self, rows: NewRows) -> None:
        """Settle rows that were pending, add new ones as an update, and test what is complete."""
        firsts = self.firsts()
        for name, is_positive in rows.settled:
            number, is_flagged = self.pending.pop(name)
            update = self.updates[bisect_right(firsts, number) - 1]
            update.n_pending -= 1
            update.n_flagged_pending -= is_flagged
            update.n_positives += is_positive
            update.true_positives += is_positive and is_flagged
        self.labels |= rows.labels
        self.n_left_out += rows.n_left_out
        self.labeled = (self.labeled + rows.labeled)[-_HASH * _MOST_IDS :]
        self.n_repeated += rows.n_repeated
        if rows.flagged.size:
            self.updates.append(rows.as_update())
            for name, is_flagged in rows.pending:
                self.pending[name] = firsts[-1], is_flagged
        for target in self.tests:
            self._test(target)
        self._join_old()

    def _test(self, target: str) -> None:
        """Enter all updates up to the first one that is incomplete."""
        for update in self.updates[bisect_left(self.firsts(), self.n_entered[target]) :]:
            if not update.is_complete(target):
                return
            self.tests[target] = self.tests[target].add(*update.counts(target))
            self.n_entered[target] += 1
            if self.tests[target].is_broken:
                self.broken_in.setdefault(target, self.n_entered[target])

    def blocking(self) -> list[Any]:
        """Return the ids of the rows for which the first update that can't be tested waits."""
        target = min(self.n_entered, key=self.n_entered.__getitem__)
        return [
            name
            for name, (number, is_flagged) in self.pending.items()
            if number == self.n_entered[target] and (is_flagged or target == "min_recall")
        ]

    def _join_old(self) -> None:
        """Join neighbors among the updates that no test needs any more, if there are too many."""
        if len(self.updates) <= _MOST_UPDATES:
            return
        last = min(self.n_entered.values())
        n_old = bisect_right(self.firsts(), last) - 1
        old = self.updates[: n_old - n_old % 2]
        joined = [one.join(other) for one, other in zip(old[::2], old[1::2], strict=True)]
        self.updates[: len(old)] = joined

    def rows(self) -> list[dict[str, Any]]:
        """Return what a table shows of each update."""
        pairs = zip(self.updates, self.firsts(), strict=False)
        return [
            {"update": first + 1, **vars(update), "flagged_share": update.flagged_share}
            for update, first in pairs
        ]

    def kept(self) -> dict[str, bool | None]:
        """Whether each target is kept; None if one can't tell yet."""
        return {name: _is_kept(test) for name, test in self.tests.items()}

    def course(self, target: str) -> tuple[list[int], list[Estimate]]:
        """Return the numbers of updates, and the estimate after each of them."""
        test = self.tests[target]
        blank = Watched(test.target, test.error)
        entered = self._entered(target)
        numbers = accumulate(update.n_updates for update in entered)
        counts = np.cumsum([update.counts(target) for update in entered], axis=0).tolist()
        return [*numbers], [estimate(blank._replace(found=f, missed=m)) for f, m in counts]

    def _entered(self, target: str) -> list[Update]:
        """Return the updates that a test contains."""
        return self.updates[: bisect_left(self.firsts(), self.n_entered[target])]

    def notes(self) -> Iterator[Note]:
        """Say if rows of an update may be alike, which no test allows for."""
        for target, test in self.tests.items():
            counts = np.array([one.counts(target) for one in self._entered(target)], dtype=float)
            counts = counts[counts.any(axis=-1)].reshape(-1, 2)
            what = f"{target.removeprefix('min_')}s of the updates"
            if test.is_broken and len(counts) < _ENOUGH:
                why = f"Fewer than {_ENOUGH} updates don't tell whether the {what} differ by more"
            elif chance_of_spread(counts[:, 0], counts.sum(axis=1)) < _RARE:
                why = f"The {what} differ by more"
            else:
                continue
            yield Note(
                "updates_differ",
                f"{why} than chance. If they go up and down, rather than having fallen, samples of "
                "an update aren't independent, and the confidence of this watch doesn't hold.",
            )


def _is_kept(test: Watched) -> bool | None:
    if test.is_broken:
        return False
    return True if test.limits()[0] >= test.target else None


def estimate(test: Watched) -> Estimate:
    """Return the mean since the start, with its confidence sequence."""
    size = test.found + test.missed
    return Estimate(test.found / size if size else nan, *test.limits())


def targets_of(point: Any, given: Mapping[str, float | None]) -> dict[str, float]:
    """Return the targets to watch: those that were given, and otherwise those of the point."""
    if not point.source.equal_weights:
        raise ValueError(
            "The threshold was chosen with weights that differ between positives, so its recall "
            "and precision are fractions of weight, but watch counts samples. Choose it without "
            "sample_weight."
        )
    own = point.source.request.shares
    targets = {name: own.get(name) if value is None else value for name, value in given.items()}
    found = {name: target for name, target in targets.items() if target is not None}
    if not found:
        raise InvalidParameterError(
            "watch needs a target, and the threshold was chosen without one. Pass min_recall, "
            "min_precision or both."
        )
    return found


# --- rows -----------------------------------------------------------------------------------------


class NewRows(NamedTuple):
    """The rows of an update, after checking them."""

    settled: list[tuple[Any, bool]]  # the ids that were pending, and whether they are positive
    flagged: Array  # of the new rows
    positive: Array  # of those with labels
    pending: list[tuple[Any, bool]]  # the ids of those without, and whether they are flagged
    labels: frozenset[Any]  # that occur
    n_left_out: int
    labeled: bytes  # hashes of the ids of the rows with labels that are new or were pending
    n_repeated: int  # rows whose ids had labels in earlier updates

    def as_update(self) -> Update:
        n_flagged_pending = sum(is_flagged for _, is_flagged in self.pending)
        return Update(
            n_samples=self.flagged.size,
            n_flagged=int(self.flagged.sum()),
            n_positives=int(self.positive.sum()),
            true_positives=int((self.positive & self.flagged).sum()),
            n_pending=len(self.pending),
            n_flagged_pending=n_flagged_pending,
        )


def read_rows(threshold: Any, ledger: Ledger, inputs: Inputs) -> NewRows:
    """Check the rows of an update, and find out which of them are new."""
    ids = inputs.besides["ids"]
    columns = {"y_true": inputs.y_true, "y_score": inputs.y_score, "ids": ids}
    given = {name: to_host(column) for name, column in columns.items() if column is not None}
    for name, column in given.items():
        check_unmasked(name, column)
    y_true, y_score = given["y_true"], given.get("y_score")
    check_lengths(**given)
    size = len(y_true)
    known = ~are_missing(y_true)
    labeled = rows_at(y_true, known)
    chunk, seen = read_chunk(labeled, np.zeros(len(labeled)), inputs.positive)
    check_together(Seen(inputs.positive, labels=ledger.labels).join(seen))
    warn_of_only_label(seen.sorted_labels, inputs.positive)
    positive = np.zeros(size, dtype=bool)
    positive[known] = chunk.labels

    names = [None] * size if ids is None else read_ids(given["ids"])
    has_name = np.array([name is not None for name in names], dtype=bool)
    was_pending = np.array([name in ledger.pending for name in names], dtype=bool)
    hashes = np.zeros(size, np.uint64) if ids is None else _hashes_of(names)
    had_label = np.isin(hashes, np.frombuffer(ledger.labeled, np.uint64)) & has_name & ~was_pending
    is_new = ~was_pending & ~had_label & (known | has_name)
    if y_score is None and is_new.any():
        raise _without_score(names, int(is_new.argmax()))
    scores: Any = np.zeros(0)
    if y_score is not None and is_new.any():
        scores = _read_some_scores(y_score, is_new, inputs.positive)
    flagged = np.zeros(size, dtype=bool)
    flagged[is_new] = are_flagged(scores, np.array([threshold]))
    return NewRows(
        settled=[(names[at], bool(positive[at])) for at in np.flatnonzero(was_pending & known)],
        flagged=flagged[is_new],
        positive=positive[is_new],
        pending=[(names[at], bool(flagged[at])) for at in np.flatnonzero(is_new & ~known)],
        labels=seen.labels,
        n_left_out=int(np.count_nonzero(~known & ~has_name)),
        labeled=hashes[known & has_name & ~had_label].tobytes(),
        n_repeated=int(np.count_nonzero(had_label)),
    )


def _hashes_of(names: Sequence[Any]) -> Array:
    each = (str(name).encode("utf-8", "surrogatepass") for name in names)
    return np.frombuffer(
        b"".join(blake2b(one, digest_size=_HASH).digest() for one in each), np.uint64
    )


def _read_some_scores(y_score: Any, is_new: Array, positive: Any) -> Array:
    try:
        return read_scores(rows_at(y_score, is_new), positive)[0]
    except ValueError:
        rows = zip(listed_exactly(y_score), is_new, strict=True)
        read_scores([score if new else 0.0 for score, new in rows], positive)  # to count all rows
        raise


@about("ids")
def read_ids(ids: Any) -> list[Any]:
    """Return each id as text, so that those of CSV files are those of other tables, too; None where
    it is missing.
    """
    names = [_read_id(name) for name in listed_exactly(ids)]
    present = [name for name in names if name is not None]
    if len(set(present)) < len(present):
        seen = set[Any]()
        twice = next(name for name in present if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(
            f"ids contains {twice!r} twice. Pass one row for each sample in an update; its label "
            "can come in a later one."
        )
    return names


def _read_id(name: Any) -> Any:
    if is_missing(name):
        return None
    if isinstance(name, str):
        return str(name)
    if isinstance(name, Integral) and not isinstance(name, bool | np.bool_):
        return str(int(name))
    if isinstance(name, float) and name.is_integer() and abs(name) < _MOST_EXACT:
        return str(int(name))  # of a column of integers with missing values
    raise ValueError(
        f"ids must be strings or integers, but contains {name!r}. Convert them to strings."
    )


def _without_score(names: Sequence[Any], place: int) -> ValueError:
    row = f"Row {place} (counted from 0)"
    which = f"its id {names[place]!r} isn't pending" if names[place] is not None else "it has no id"
    return ValueError(
        f"{row} has no prediction score, and {which}. Pass y_score for samples that are new, and "
        "only ids and labels for those whose labels were missing."
    )


# --- saving ---------------------------------------------------------------------------------------


def state_of(ledger: Ledger) -> dict[str, Any]:
    """Return the state as what JSON has."""
    of_each = zip(*map(_values, ledger.updates), strict=True)
    columns = dict(zip(COUNTS, map(list, of_each), strict=True)) if ledger.updates else {}
    tests = {
        name: test._asdict()
        | {"n_entered": ledger.n_entered[name], "broken_in": ledger.broken_in.get(name)}
        for name, test in ledger.tests.items()
    }
    return {
        "tests": tests,
        "updates": {name: columns.get(name, []) for name in COUNTS},
        "pending": [[name, *where] for name, where in ledger.pending.items()],
        "labels": sorted(ledger.labels, key=lambda label: (isinstance(label, str), label)),
        "n_left_out": ledger.n_left_out,
        "labeled": b64encode(ledger.labeled).decode(),
        "n_repeated": ledger.n_repeated,
    }


def read_record(record: Record, confidence_level: float) -> Ledger:
    """Return the state that was saved."""
    tests = record.get("tests")
    targets = {name: tests[name]["target"] for name in TARGETS if name in tests}
    ledger = Ledger.of(targets, confidence_level)
    columns = record.get("updates")
    ledger.updates = [Update(*each) for each in zip(*(columns[n] for n in COUNTS), strict=True)]
    ledger.pending = {name: (number, flagged) for name, number, flagged in record.get("pending")}
    ledger.labels, ledger.n_left_out = frozenset(record.get("labels")), record.get("n_left_out")
    ledger.labeled, ledger.n_repeated = b64decode(record.get("labeled")), record.get("n_repeated")
    for name in targets:
        saved = dict(tests[name])
        ledger.n_entered[name] = saved.pop("n_entered")
        if (broken_in := saved.pop("broken_in")) is not None:
            ledger.broken_in[name] = broken_in
        saved |= {"values": tuple(map(float, saved["values"])), "most": float(saved["most"])}
        ledger.tests[name] = Watched(**saved)
    return ledger


# --- picture --------------------------------------------------------------------------------------


def draw(ledger: Ledger, flagged_share: float, ax: Any) -> Array:
    """Draw what the tests have seen, and the fraction flagged in each update."""
    count = len(ledger.tests) + 1
    if ax is None:
        size = 6.4, 1.2 + 2.2 * count
        pyplot = import_module("matplotlib.pyplot")
        ax = pyplot.subplots(count, sharex=True, figsize=size, layout="constrained")[1]
    axes = np.ravel(ax)
    if axes.size != count:
        raise ValueError(
            f"ax must have {count} Axes, one for each target and one for the fraction flagged. Got "
            f"{axes.size}."
        )
    for panel, (target, test) in zip(axes, ledger.tests.items(), strict=False):
        numbers, found = ledger.course(target)
        (line,) = panel.plot(numbers, [each.value for each in found])
        bounds = [each.low for each in found], [each.high for each in found]
        panel.fill_between(numbers, *bounds, alpha=0.2, color=line.get_color(), linewidth=0)
        panel.axhline(test.target, linestyle="--", color="0.5")
        if target in ledger.broken_in:
            panel.axvline(ledger.broken_in[target], color="tab:red")
            panel.set_title(f"broken, as update {ledger.broken_in[target]:,} showed")
        what = target.removeprefix("min_").capitalize()
        panel.set(ylabel=f"{what} since the start\ndashed: at least {test.target:g}")
    numbers = [
        first + each.n_updates for first, each in zip(ledger.firsts(), ledger.updates, strict=False)
    ]
    last = axes[-1]
    last.xaxis.get_major_locator().set_params(integer=True)
    last.plot(numbers, [each.flagged_share for each in ledger.updates], marker=".", linestyle="")
    last.axhline(flagged_share, linestyle="--", color="0.5")
    last.set(
        xlabel="Update", ylabel="Fraction of samples flagged\ndashed: when chosen", ylim=(0, None)
    )
    return axes
