"""How an interval or a comparison is computed: the rule, the method, and the draws."""

from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils import check_random_state

from .._inputs.metric_names import write_rule
from .._inputs.records import ZeroDivision
from ..core.rules import AreaRule, Graded, Rule

_DEFAULT_RESAMPLES = 499
_MAX_SEED = 2**31 - 1


class IntervalSettings(NamedTuple):
    """What a caller asks of an interval or comparison: the metric, the method and the draws."""

    rule: Rule
    method: str
    n_resamples: int | None
    seed: int  # what the caller can pass as random_state to get the same draws
    zero_division: ZeroDivision = "warn"
    called: str = ""  # what pictures call the metric, if the caller has a name of its own for it

    @property
    def times(self) -> int:
        """How often to draw."""
        return _DEFAULT_RESAMPLES if self.n_resamples is None else self.n_resamples

    @property
    def generator(self) -> np.random.Generator:
        """A new generator, so that the draws are the same for each model that is compared."""
        return np.random.default_rng(check_random_state(self.seed).randint(_MAX_SEED))

    def get_draw_fields(self) -> dict[str, Any]:
        """The fields in which a result says how often and with which seed it drew; empty if it
        didn't.
        """
        if self.method != "bootstrap":
            return {}
        return {"n_resamples": self.times, "random_state": self.seed}

    @property
    def quiet_zero_division(self) -> ZeroDivision:
        """What replaces 0/0 if a warning was given before: a number or nan. If nobody knows the
        worst value, as of a function without limits, it is "warn", with which 0/0 is refused.
        """
        if self.zero_division != "warn":
            return float(self.zero_division)
        return self.rule.worst if np.isfinite(self.rule.worst) else "warn"

    def with_method(self, units_have_values: bool) -> Self:
        """Check the method, and choose one for "auto": the closed form, if there is one.

        `units_have_values` says whether each sampling unit has values of its own.
        """
        rule, method = self.rule, self.method
        if not units_have_values and (rule.looks_for_first or isinstance(rule, Graded)):
            raise ValueError(
                f"{write_rule(rule)} is one value of a whole ranking, so a single ranking doesn't "
                "tell how much it varies. Pass groups=, and clusters= only if "
                "they consist of whole groups, or average='samples' if each row is a query."
            )
        if method == "auto":
            method = "influence" if units_have_values or rule.is_smooth else "bootstrap"
        elif method != "bootstrap" and not units_have_values:
            check_smooth(rule)
        return self._replace(method=method)


def check_margin(rule: Rule, margin: float | None) -> None:
    """Refuse a margin with which all models are equivalent."""
    if margin is not None and margin >= rule.extent:
        raise ValueError(
            f"A margin of {margin:g} isn't smaller than the range of {write_rule(rule)}, which is "
            f"{rule.extent:g}. Pass the smallest difference that matters, such as 0.01 for 1%."
        )


def make_seed(random_state: Any) -> int:
    """Return the int that random_state is, or one that is drawn from it or at random."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_MAX_SEED))
    generator = check_random_state(random_state)
    is_seed = isinstance(random_state, Integral)
    return int(random_state if is_seed else generator.randint(_MAX_SEED))


def check_smooth(rule: Rule) -> AreaRule:
    """Check that a rule has influences in closed form."""
    if not isinstance(rule, AreaRule) or not rule.is_smooth:
        raise ValueError(
            f"{write_rule(rule)} has no influence in closed form, because it is not smooth in the "
            "weights of the samples. Use method='bootstrap', which works for every metric."
        )
    return rule
