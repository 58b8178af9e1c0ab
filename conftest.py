"""What the tests share with the examples of docstrings: a session of Spark."""

import gc
import os
import shutil
import sys
import warnings
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import pytest

# Threads that spin while they wait for a busy core make gradient boosting up to 60 times as slow.
# Libraries read this when they are first imported. It is only a default: set it to test threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Set where a skip would go unnoticed: then these tests have to run.
REQUIRED = "SPARK_REQUIRED" in os.environ
# Set where another package could be met unnoticed: the folder of the one that is to be tested.
TESTED = os.environ.get("TESTED_PACKAGE")

OF_SPARK = [
    "sklearn_ap/spark.py",
    "sklearn_ap/_on_spark.py",
    "sklearn_ap/_read/from_spark.py",
    "tests/spark_daemon.py",
]
collect_ignore = ["tests/recorded"]  # no tests
if not (find_spec("pyspark") or REQUIRED):
    collect_ignore += OF_SPARK


def pytest_collection():
    """Look for garbage only once the tests are collected, as it isn't worth it before."""
    gc.disable()


def pytest_collection_finish():
    """In each process, once the tests have imported the package."""
    # Modules and tests stay until the end, so searches through all of them are rare. `gc.freeze`
    # would hide them from Hypothesis, which looks for what refers to its random generators.
    gc.set_threshold(50_000, 20, 100)
    gc.enable()
    if TESTED and (found := Path(sys.modules["sklearn_ap"].__file__).parent) != Path(TESTED):
        pytest.exit(f"the tests met {found}, not {TESTED}", returncode=3)


def pytest_itemcollected(item):
    """Keep ignoring what pyproject.toml ignores with -W error, which would take precedence."""
    if not item.config.getoption("pythonwarnings"):
        return
    for each in item.config.getini("filterwarnings"):
        if each.startswith("ignore"):
            item.add_marker(pytest.mark.filterwarnings(each))


# Each of these examples calls a function thousands of times.
SLOW_EXAMPLES = (
    "sklearn_ap.compat.Audit",
    "sklearn_ap.compat.ScoringAudit",
    "sklearn_ap.compat.audits.",
    "sklearn_ap.compat.findings.",
    "sklearn_ap.compat.metric_checks.",
    "sklearn_ap.compat.ranking_files.",
)


def pytest_addoption(parser):
    parser.addoption(
        "--slow-one-in",
        type=int,
        default=1,
        metavar="N",
        help="run one in N of the slow cases; N consecutive numbers as --hypothesis-seed run all",
    )


def drawn(items, one_in, turn=0):
    """Return one in so many of these cases, others in each turn, and at least one in turn 0.

    A checksum puts them in order, because every n-th one could have the same value of a parameter.
    """
    in_drawn_order = sorted(items, key=lambda item: crc32(item.name.encode()))
    n_drawn = -(-len(items) // one_in)
    first = turn % one_in * n_drawn
    return set(in_drawn_order[first : first + n_drawn])


def is_slow(item):
    return item.get_closest_marker("slow") is not None


def mark_slow(items):
    """Mark what is slow: examples, and the cases of `sweep(n)` except for one in n."""
    cases_of = defaultdict(list)
    for item in items:
        if item.name.startswith(SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)
        elif item.get_closest_marker("sweep") and not is_slow(item):
            cases_of[item.module, item.originalname].append(item)
    for cases in cases_of.values():
        (n,) = cases[0].get_closest_marker("sweep").args
        for item in set(cases) - drawn(cases, n):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)  # before slow tests are left out
def pytest_collection_modifyitems(items, config):
    """Mark slow cases, and leave out those that --slow-one-in doesn't draw."""
    mark_slow(items)
    one_in = config.getoption("--slow-one-in")
    if one_in == 1:
        return
    slow = [*filter(is_slow, items)]
    turn = int(config.getoption("--hypothesis-seed", None) or 0)
    left_out = set(slow) - drawn(slow, one_in, turn)
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(tryfirst=True)
def pytest_configure():
    """Let the cache of pytest be lost if the checkout can't be written."""
    warnings.simplefilter("ignore", pytest.PytestCacheWarning)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    """As in `pytest_configure`, whose filters are gone by then.

    pytest is about to look for garbage several times, among objects that all stay until the end.
    One search is enough.
    """
    warnings.simplefilter("ignore", pytest.PytestCacheWarning)
    gc.collect()
    gc.freeze()


def has_java():
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=Path(home, "bin") if home else None) is not None


@pytest.fixture(scope="session")
def spark():
    """A session on this machine, which tries a task again where it died."""
    if not (has_java() or REQUIRED):
        pytest.skip("Spark needs Java 17 or later, and there is no Java")
    from pyspark.sql import SparkSession

    if session := SparkSession.getActiveSession():
        session.stop()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        session = (
            SparkSession.builder.master("local[2, 4]")
            .config("spark.driver.host", "localhost")
            # Most of what the JVM compiles runs only a few times.
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.python.daemon.module", "tests.spark_daemon")
            .config("spark.ui.enabled", False)
            .config("spark.ui.showConsoleProgress", False)
            .getOrCreate()
        )
        yield session
        session.stop()


@pytest.fixture(autouse=True)
def needed_by_docstrings(request, doctest_namespace):
    if request.node.name.startswith("sklearn_ap.spark."):
        doctest_namespace["spark"] = request.getfixturevalue("spark")


def pytest_runtest_teardown():
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
