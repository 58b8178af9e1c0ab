"""Calls in several threads give what each gives alone, and leave the process as it was."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap.readers import read_coco
from sklearn_ap.readers.csv_files import read_csv

from .calls import DISPLAYS, FUNCTIONS, RULES, call, given_in, metric_of
from .detections import evaluated, random_files
from .results import KINDS, examples

pytestmark = pytest.mark.usefixtures("few_rankings")


class OfAnotherThread(UserWarning):
    """What the thread beside the others warns of."""


@pytest.fixture(autouse=True)
def often_switching():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def read_state():
    """Return what calls could change for other threads."""
    return (
        [*warnings.filters],
        warnings.showwarning,
        sys.stdout,
        sys.stderr,
        np.geterr(),
        np.get_printoptions(),
    )


def check_in_threads(function, n_threads=8):
    """Call a function in several threads, and let another one look at the process, and warn."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        expected, before, are_done = function(), read_state(), Event()
        streams, n_given = set(), 0

        def warn_meanwhile():
            nonlocal n_given
            while not are_done.wait(1e-4):
                streams.add((sys.stdout, sys.stderr))
                warnings.warn(str(n_given), OfAnotherThread, stacklevel=1)
                n_given += 1

        with ThreadPoolExecutor(n_threads + 1) as threads:
            another = threads.submit(warn_meanwhile)
            found = [threads.submit(function) for _ in range(n_threads)]
            results = [each.result() for each in found]
            are_done.set()
            another.result()
        assert results == [expected] * n_threads
        assert read_state() == before
    own = [str(each.message) for each in caught if each.category is OfAnotherThread]
    assert own == [str(number) for number in range(n_given)]
    assert streams <= {(sys.stdout, sys.stderr)}


NAMED, ARRAYS = given_in("nothing else")


@pytest.mark.sweep(9)
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_metrics(rule):

    check_in_threads(lambda: metric_of(rule, **ARRAYS))


@pytest.mark.sweep(6)
@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name not in DISPLAYS])
def test_functions(function):
    """Matplotlib isn't made for threads."""
    check_in_threads(lambda: call(function, ARRAYS))


@pytest.mark.sweep(16)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_results(kind):
    (result, *_) = examples(kind)
    check_in_threads(lambda: (str(result), result._repr_html_(), result.to_dict()))


def warn_of_division(y_true, y_score):
    np.divide(np.float64(1), np.float64(0))
    return average_precision_score(y_true, y_score)


def read_wide_file(path):
    with pytest.raises(ValueError, match="more cells than its header") as refused:
        read_csv([str(path)], {"y_true": "y", "y_score": "s"})
    return str(refused.value)


CALLS = {
    "lists": lambda: ap.average_precision_score([0, 1, 1, 0], [0.1, 0.2, 0.05, 0.3]),
    "several labels": lambda: ap.average_precision_score([[0, 1], [1, 0]], [[0.1, 0.9], [0.5, 0]]),
    "no positives": lambda: ap.average_precision_score([0, 0], [0.1, 0.2]),
}


@pytest.mark.parametrize("name", CALLS)
def test_checks_of_scikit_learn(name):
    check_in_threads(CALLS[name])


@pytest.mark.slow
@pytest.mark.parametrize(
    "audited", [warn_of_division, ["average_precision", "roc_auc"]], ids=["function", "scorers"]
)
def test_audits(audited):
    check_in_threads(lambda: str(compat.audit(audited)), n_threads=3)


def test_a_file_of_which_pandas_warns(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("y,s\n0,0.5,7\n1,0.25,7\n", encoding="utf-8")
    check_in_threads(lambda: read_wide_file(path))


def test_matches_that_a_cocoeval_keeps_to_itself():
    """It prints while it makes them again."""
    evaluation = evaluated(*random_files(0))
    evaluation.ious = {}
    check_in_threads(lambda: str(read_coco(evaluation)))
