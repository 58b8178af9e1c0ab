import os
import warnings
from functools import cache
from importlib.util import find_spec

import pytest
from hypothesis import settings
from hypothesis.errors import HypothesisWarning

# SciPy reads this when it is first imported, and scikit-learn dispatches on arrays only with it.
if find_spec("array_api_strict") or find_spec("torch"):
    os.environ.setdefault("SCIPY_ARRAY_API", "1")

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures without a screen

in_ci = "CI" in os.environ  # where examples are the same each time, and failures aren't kept
with warnings.catch_warnings():  # if the checkout can't be written, so they are kept in memory
    warnings.simplefilter("ignore", HypothesisWarning)
    database = None if in_ci else settings.default.database

# How many examples a property is tested with. .ci/run has the thorough sweep, with examples that
# depend on --hypothesis-seed also in CI, and .ci/nightly a longer one.
settings.register_profile(
    "quick", max_examples=10, deadline=None, derandomize=in_ci, database=database
)
settings.register_profile(
    "thorough", settings.get_profile("quick"), max_examples=30, derandomize=False
)
settings.register_profile("nightly", settings.get_profile("thorough"), max_examples=100)
settings.load_profile("quick")

# The helpers that assert, so that a failure shows the values
pytest.register_assert_rewrite("tests.calls", "tests.documentation")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make tables of this kind, each of them only once."""

    from .tables import ROWS, SORTED, TABLES, arrow

    @cache
    def make(kind, is_sorted=False):
        columns = SORTED if is_sorted else ROWS
        return TABLES[kind](arrow(columns), tmp_path_factory.mktemp("tables"))

    return make


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    """Make tables of columns that are refused, each of them only once."""
    from .tables import BAD, LISTS, TABLES

    pa = pytest.importorskip("pyarrow")

    @cache
    def make(kind):
        # A dict of lists is a dict of matrices, or of numbers if they can be read as such.
        columns = BAD if kind == "dict" else BAD | LISTS
        return TABLES[kind](pa.table(columns), tmp_path_factory.mktemp("tables"))

    return make


@pytest.fixture
def no_random_orders(monkeypatch):
    """Draw no random rankings where tests aren't about them."""
    monkeypatch.setattr(
        "sklearn_ap._infer.chance.RandomBaseline.estimate_mean", lambda *_: float("nan")
    )


@pytest.fixture
def few_random_orders(monkeypatch):
    """Draw at most 80 random rankings instead of 10,000, where tests aren't about their values."""
    monkeypatch.setattr("sklearn_ap._infer.chance._MAX_ORDERS", 80)


# About 400 rankings instead of the 1,500 that audits try
FEW_RANKINGS = {
    "_MAX_TIED_SAMPLES": 4,
    "MAX_UNTIED_SAMPLES": 5,
    "_RANDOM_SIZES": sorted([10, 21, 50, 97, 200] * 12),
    "_LARGE_SIZES": (2000,),
    "N_RANKED_SAMPLES": 30,
    "_MILLESIMAL_RANKS": [1, 2, 3, 5, 6, 20, 21, 499, 500, 501],
    "_N_DRAWN_SIZES": 4,
    "_DRAWN_SIZE_RANGE": (201, 2_000),
}


@pytest.fixture
def clock(monkeypatch):
    """Let the clock of audits stand still unless a test moves it: a slow machine is no fault."""
    now = [0.0]
    for name in ("perf_counter", "process_time"):
        monkeypatch.setattr(f"sklearn_ap.compat.call_log.{name}", lambda: now[0])
    return now


@pytest.fixture
def all_rankings():
    """Let audits try all rankings in a test whose file has `few_rankings`."""


@pytest.fixture
def few_rankings(request, monkeypatch, clock):
    """Let audits try few rankings, where more show nothing else, on a clock that stands still."""
    if "all_rankings" not in request.fixturenames:
        for name, value in FEW_RANKINGS.items():
            monkeypatch.setattr(f"sklearn_ap.compat.call_log.{name}", value)
