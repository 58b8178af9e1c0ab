"""What displays get: the arguments of their methods, estimators and folds."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from sklearn.metrics import make_scorer

from .._inputs import Inputs
from .._validation.pictures import check_binary_classifier, check_cv_results, check_drawable
from ..core.rankings import Rankings


def accepted_by(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the given arguments that the function accepts too."""
    return {name: given[name] for name in signature(function).parameters if name in given}


def response(estimator: Any, X: Any, y: Any, method: str, pos_label: Any) -> Any:
    """Return the prediction scores of a binary classifier."""
    check_binary_classifier(estimator, pos_label)
    methods = ("predict_proba", "decision_function") if method == "auto" else method
    # A scorer is scikit-learn's public way to compute them. The metric of this one returns them.
    scorer = make_scorer(_scores, response_method=methods, pos_label=pos_label)
    return scorer(estimator, X, y)


def _scores(y_true: Any, y_score: Any, *, pos_label: Any) -> Any:
    return y_score


def rankings_of_folds(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Any,
    sample_weight: Any,
    method: str,
    pos_label: Any,
    confidence_level: float | None,
) -> list[Rankings]:
    """Rank the samples of each fold by its estimator, which was not fitted on them."""
    rankings = []
    tests = check_cv_results(cv_results, X, y, sample_weight, confidence_level)
    for estimator, test in zip(cv_results["estimator"], tests, strict=True):
        y_test = _rows(y, test)
        y_score = response(estimator, _rows(X, test), y_test, method, pos_label)
        weight = None if sample_weight is None else _rows(sample_weight, test)
        inputs = Inputs(y_test, y_score, pos_label=pos_label, sample_weight=weight)
        rankings.append(check_drawable(inputs)[0])
    return rankings


def _rows(data: Any, places: Any) -> Any:
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    if hasattr(data, "tocsr"):  # not all sparse formats support indexing by row
        return data.tocsr()[places]
    return data.iloc[places] if hasattr(data, "iloc") else data[places]
