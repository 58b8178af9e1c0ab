"""The prediction scores of an estimator, and the samples of each fold."""

from collections.abc import Iterator
from typing import Any

from sklearn.metrics import make_scorer

from .._validation.pictures import check_binary_classifier, check_cv_results


def response(estimator: Any, X: Any, y: Any, method: str, pos_label: Any) -> tuple[Any, Any]:
    """Return the prediction scores of a binary classifier, and its positive label."""
    pos_label = check_binary_classifier(estimator, pos_label)
    methods = ("predict_proba", "decision_function") if method == "auto" else method
    # A scorer is scikit-learn's public way to compute them. The metric of this one returns them.
    scorer = make_scorer(_scores, response_method=methods, pos_label=pos_label)
    return scorer(estimator, X, y), pos_label


def _scores(y_true: Any, y_score: Any, *, pos_label: Any) -> Any:
    return y_score


def folds(cv_results: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the estimator of each fold, with the samples that it was not fitted on."""
    tests = check_cv_results(cv_results, X, y, sample_weight)
    for estimator, test in zip(cv_results["estimator"], tests, strict=True):
        weight = None if sample_weight is None else _rows(sample_weight, test)
        yield estimator, _rows(X, test), _rows(y, test), weight


def _rows(data: Any, places: Any) -> Any:
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    if hasattr(data, "tocsr"):  # not all sparse formats support indexing by row
        return data.tocsr()[places]
    return data.iloc[places] if hasattr(data, "iloc") else data[places]
