"""Spark ML: tune by the metrics of this package.

The metrics themselves take a Spark DataFrame as ``data=``, as in
``average_precision_score("label", "probability", data=df)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _validation as check
from ._by_name import score_of
from ._typing import Label

try:
    import pyarrow as _  # noqa: F401
    from pyspark.ml.evaluation import Evaluator
    from pyspark.ml.param import Param, Params
    from pyspark.ml.param.shared import HasLabelCol, HasRawPredictionCol, HasWeightCol
    from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
except ImportError as error:
    raise ImportError(
        'sklearn_ap.spark needs PySpark with Arrow: pip install "sklearn_ap[spark]"'
    ) from error

__all__ = ["AveragePrecisionEvaluator"]

DataFrame = Any  # of PySpark: the classic one, or that of Spark Connect


def _param(name: str, doc: str) -> Any:
    """A parameter that is saved as it is: NumPy's numbers would not be."""
    return Param(Params._dummy(), name, doc, lambda v: v.item() if hasattr(v, "item") else v)


# --- tuning --------------------------------------------------------------------------------------


class AveragePrecisionEvaluator(
    Evaluator,
    HasLabelCol,
    HasRawPredictionCol,
    HasWeightCol,
    DefaultParamsReadable,
    DefaultParamsWritable,
):
    """Average precision for Spark's ``CrossValidator`` and ``TrainValidationSplit``.

    It gives the same numbers as the scorers of :func:`sklearn_ap.make_ap_scorer`, with the same
    metrics and options.

    Parameters
    ----------
    metric : str, default="average_precision"
        As in :func:`sklearn_ap.make_ap_scorer`. With `groupCol` also as in
        :func:`sklearn_ap.get_scorer`, such as "mean_average_precision_at_10".
    labelCol : str, default="label"
        The column of binary labels.
    rawPredictionCol : str, default="rawPrediction"
        The column of scores. It may hold vectors of two entries, if the labels are 0 and 1. Then
        the entry of `pos_label` is the score.
    weightCol : str, default=None
        The column of sample weights.
    groupCol : str, default=None
        The column of groups. Each group is ranked separately, and the number is the mean over
        groups. With the default metric that is MAP.
    pos_label : int, float, bool or str, default=1
        The label of the positive class: in `labelCol`, or before ``StringIndexer`` made `labelCol`.
    **options
        Other keywords of the score, such as `k`, `ties`, `denominator`, `average`, `n_points`,
        `n_positives`, `zero_division` or `min_grade`.
        `n_positives` is the same for every DataFrame that is evaluated, so it is right only for a
        fixed test set, not in a `CrossValidator`.

    See Also
    --------
    sklearn_ap.make_ap_scorer : The same for scikit-learn.

    Examples
    --------
    >>> from sklearn_ap.spark import AveragePrecisionEvaluator
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> AveragePrecisionEvaluator(rawPredictionCol="score").evaluate(df)
    0.833333
    >>> AveragePrecisionEvaluator(
    ...     "precision_at_2", rawPredictionCol="score"
    ... ).evaluate(df)
    0.5
    """

    metric: Any = _param("metric", "the name of a score, with or without a number in it")
    groupCol: Any = _param("groupCol", "the column of groups, each of them a ranking")
    pos_label: Any = _param("pos_label", "the label of the positive class")
    average: Any = _param("average", "how the mean over groups is taken: macro or weighted")
    zero_division: Any = _param("zero_division", "the value where there are no positives")
    n_positives: Any = _param("n_positives", "how many positives exist, found or not")
    k: Any = _param("k", "how many samples count, best first, or which share of them")
    k_counts: Any = _param("k_counts", "what k counts: weight, or samples whatever they weigh")
    denominator: Any = _param("denominator", "what AP@k is divided by: min, relevant, k or hits")
    ties: Any = _param("ties", "the order of ties: grouped, expected, best or worst")
    n_points: Any = _param("n_points", "at how many recall levels to interpolate")
    min_recall: Any = _param("min_recall", "the recall to be had at least")
    min_precision: Any = _param("min_precision", "the precision to be had at least")
    min_grade: Any = _param("min_grade", "the lowest grade that counts as positive")

    def __init__(
        self,
        metric: str = "average_precision",
        *,
        labelCol: str = "label",
        rawPredictionCol: str = "rawPrediction",
        weightCol: str | None = None,
        groupCol: str | None = None,
        pos_label: Label = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        self._setDefault(metric="average_precision", pos_label=1)
        given = {
            "metric": metric,
            "labelCol": labelCol,
            "rawPredictionCol": rawPredictionCol,
            "weightCol": weightCol,
            "groupCol": groupCol,
            "pos_label": pos_label,
        }
        defaults = {param.name: value for param, value in self._defaultParamMap.items()}
        self.setParams(
            **{name: v for name, v in given.items() if v != defaults.get(name)}, **options
        )

    def setParams(self, **params: Any) -> AveragePrecisionEvaluator:
        """Set parameters by their names."""
        check.check_params(params, [param.name for param in self.params])
        self._set(**params)
        self._read()
        return self

    def isLargerBetter(self) -> bool:
        """True: the model with the largest number is the best."""
        return True

    def _evaluate(self, dataset: DataFrame) -> float:
        score, options = self._read()
        check.check_not_indexed(dataset, options["y_true"], options.get("min_grade"))
        pos_label = check.find_indexed(dataset, options["y_true"], options["pos_label"])
        return float(score(data=dataset, **options | {"pos_label": pos_label}))

    def _read(self) -> tuple[Callable[..., Any], dict[str, Any]]:
        """The metric, and what to call it with."""
        params = {param.name: value for param, value in self.extractParamMap().items()}
        columns = {ours: params.pop(theirs, None) for ours, theirs in _COLUMNS.items()}
        name, options = check.check_evaluated(params, columns["groups"])
        score, pos_label = score_of(name), options.pop("pos_label")
        check.check_bindable(score, options, pos_label, "Spark evaluator")
        return score, options | columns | {"pos_label": pos_label}


_COLUMNS = {
    "y_true": "labelCol",
    "y_score": "rawPredictionCol",
    "sample_weight": "weightCol",
    "groups": "groupCol",
}
