"""Measure how often thresholds keep a budget on future days, if days depend on each other.

Run it with python -m benchmarks.budgets. A threshold for at most K alerts on 90% of the days is
chosen on the scores of some past days, once to be right on average and once promised with 95%
confidence. It is then applied to the next 60 days, and to 1,000 days after them unless the data
drift. The number of alerts of a future day has a Poisson distribution, given how busy the day is,
so the fraction of days within the budget is computed rather than drawn.
"""

import argparse
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter
from scipy.stats import norm, poisson

from sklearn_ap import operating_point

K, QUANTILE, LEVEL = 15, 0.9, 0.95
_NEXT, _LATER = 60, 1000  # days
_SIZE = 300  # samples on a typical day


@dataclass(frozen=True)
class Days:
    """Days with a lognormal number of samples, whose scores are normal.

    `spread` is the standard deviation of the logarithm of that number, and `memory` its correlation
    from day to day. Weekends have `weekend` times as many samples. Each day, the number grows by
    `growth`, and the scores rise by `rise`.
    """

    what: str
    spread: float = 0.3
    memory: float = 0.0
    weekend: float = 1.0
    growth: float = 0.0
    rise: float = 0.0

    @property
    def drifts(self):
        return bool(self.growth or self.rise)

    def draw(self, rng, n_days):
        """Return how many samples each day has on average, and the mean of its scores."""
        noise = rng.standard_normal(n_days) * np.sqrt(1 - self.memory**2)
        noise[0] = rng.standard_normal()
        busy = np.exp(self.spread * lfilter([1.0], [1.0, -self.memory], noise))
        day = np.arange(n_days)
        busy *= np.where(day % 7 >= 5, self.weekend, 1.0) * (1 + self.growth) ** day
        return _SIZE * busy, self.rise * day


CASES = [
    Days("independent days"),
    Days("twice as many at weekends", weekend=2.0),
    Days("busy weeks: correlation .7 from day to day", memory=0.7),
    Days("busy months: correlation .95", memory=0.95),
    Days("both: .7, and weekends", memory=0.7, weekend=2.0),
    Days("0.3% more samples each day", growth=0.003),
    Days("scores rise by .001 standard deviations a day", rise=0.001),
]


def outcomes(rng, case, n_days):
    """Return the fraction of the later days within the budget, on average and if promised."""
    mean, level = case.draw(rng, n_days + _NEXT + (0 if case.drifts else _LATER))
    size = 1 + rng.poisson(mean[:n_days])
    day = np.repeat(np.arange(n_days), size)
    score = rng.standard_normal(day.size) + level[day]
    given = {"k": K, "groups": day, "quantile": QUANTILE}
    found = []
    for confidence_level in (None, LEVEL):
        point = operating_point(
            np.zeros(day.size, dtype=int), score, confidence_level=confidence_level, **given
        )
        flagged = mean[n_days:] * norm.sf(point.threshold - level[n_days:])
        within = poisson.cdf(K, flagged)
        found += [within[:_NEXT].mean(), within.mean(), flagged.mean()]
    return found


def budgets(repeats, n_days):
    yield ["days", "past days", "within", "within, promised", "broken", "broken, next 60", "alerts"]
    for case in CASES:
        for number in n_days:
            cells = np.array(
                [outcomes(np.random.default_rng(i), case, number) for i in range(repeats)]
            )
            soon, late, alerts = cells.T.reshape(2, 3, repeats).transpose(1, 0, 2)
            shares = [*late.mean(axis=1), *(each[1] < QUANTILE for each in (late, soon))]
            texts = [f"{100 * np.mean(share):.1f}%" for share in shares]
            yield [case.what, number, *texts, f"{alerts[1].mean() / alerts[0].mean():.2f}"]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budgets", description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="data sets for each value")
    options = parser.parse_args(arguments)
    for number, line in enumerate(budgets(options.repeats, (60, 240))):
        print(f"| {' | '.join(map(str, line))} |", flush=True)
        if not number:
            print("|---" * len(line) + "|")


if __name__ == "__main__":
    main()
