"""Tune Spark ML models by the metrics in this package.

The metrics themselves accept a Spark DataFrame as ``data=``, as in
``average_precision_score("label", "probability", data=df)``. Both compute values on the executors,
where `sklearn_ap` must be installed, too.
"""

from __future__ import annotations

from typing import Any

from ._enter.metric import Metric, check_no_function
from ._inputs.records import Label
from ._words.parameters import is_mapping
from .scorers.binding import bind_metric

__all__ = ["MetricEvaluator"]

_missing: ImportError | None = None
try:
    import pyarrow as _  # noqa: F401
    from pyspark.ml.evaluation import Evaluator
    from pyspark.ml.param import Param, Params
    from pyspark.ml.param.shared import HasLabelCol, HasRawPredictionCol, HasWeightCol
    from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

    class _Base(
        Evaluator,
        HasLabelCol,
        HasRawPredictionCol,
        HasWeightCol,
        DefaultParamsReadable,
        DefaultParamsWritable,
    ):
        """What PySpark expects of evaluators that are saved and loaded."""
except ImportError as error:
    _missing = error

    class _Base:  # type: ignore[no-redef]
        """In its place without PySpark, so that this module can still be imported and read."""

        def __init__(self) -> None:
            raise ImportError(
                'MetricEvaluator needs PySpark and PyArrow: pip install "pyspark[sql]"'
            ) from _missing

        @classmethod
        def load(cls, path: str) -> Any:
            return cls()


DataFrame = Any  # a PySpark DataFrame, classic or of Spark Connect


def _param(name: str, doc: str) -> Any:
    """Make a parameter. NumPy numbers become Python numbers, because Spark cannot save others."""
    if _missing:
        return doc
    return Param(Params._dummy(), name, doc, lambda v: v.item() if hasattr(v, "item") else v)


class MetricEvaluator(_Base):
    """Evaluator of average precision for Spark's ``CrossValidator`` and ``TrainValidationSplit``.

    It has the same metrics and options as :func:`sklearn_ap.make_ap_scorer`, and returns the same
    values.

    Parameters
    ----------
    metric : str, default="average_precision"
        The name of a metric, as in :func:`sklearn_ap.make_ap_scorer`. With `groupCol`, it can also
        be the mean of a metric over groups, such as "mean_average_precision_at_10".
    labelCol : str, default="label"
        The column of binary labels.
    rawPredictionCol : str, default="rawPrediction"
        The column of prediction scores. If the labels are 0 and 1, it can contain vectors of two
        entries, where the entry at index `pos_label` is the prediction score.
    weightCol : str, default=None
        The column of sample weights.
    groupCol : str, default=None
        The column of groups. Each group is ranked separately, and the result is the mean over
        groups, which is MAP for the default metric.
    pos_label : int, float, bool or str, default=1
        The label of the positive class, either in `labelCol`, or in the strings from which
        ``StringIndexer`` made `labelCol`.
    **options
        Other parameters of the metric, such as `k`, `ties`, `denominator`, `average`, `n_points`,
        `grid`, `n_positives`, `zero_division` or `min_grade`. Pass `n_positives` only to evaluate a
        fixed test set, not in a `CrossValidator`, because it is the same for every DataFrame.

    See Also
    --------
    sklearn_ap.make_ap_scorer : Make a scorer for scikit-learn.

    Examples
    --------
    >>> from sklearn_ap.spark import MetricEvaluator
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> MetricEvaluator(rawPredictionCol="score").evaluate(df)
    0.833333
    >>> MetricEvaluator("precision_at_2", rawPredictionCol="score").evaluate(
    ...     df
    ... )
    0.5
    """

    metric: Any = _param("metric", "the name of a metric, with or without a number in it")
    groupCol: Any = _param("groupCol", "the column of groups, which are ranked separately")
    pos_label: Any = _param("pos_label", "the label of the positive class")
    average: Any = _param("average", "how the values of groups are averaged: macro or weighted")
    zero_division: Any = _param("zero_division", "the value where there are no positives")
    n_positives: Any = _param("n_positives", "how many positives exist, found or not")
    k: Any = _param("k", "the cutoff: how many of the top-ranked samples count, or which share")
    k_counts: Any = _param("k_counts", "what k counts if there are weights: weight or samples")
    denominator: Any = _param("denominator", "what AP@k is divided by: min, relevant, k or hits")
    ties: Any = _param("ties", "how tied samples are ranked: grouped, expected, best or worst")
    n_points: Any = _param("n_points", "the number of recall levels to interpolate at")
    grid: Any = _param("grid", "how recall is compared with the levels: exact or float")
    min_recall: Any = _param("min_recall", "the minimum recall")
    min_precision: Any = _param("min_precision", "the minimum precision")
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
        params = {
            "metric": metric,
            "labelCol": labelCol,
            "rawPredictionCol": rawPredictionCol,
            "weightCol": weightCol,
            "groupCol": groupCol,
            "pos_label": pos_label,
        }
        defaults = {param.name: value for param, value in self._defaultParamMap.items()}
        changed = {name: value for name, value in params.items() if value != defaults.get(name)}
        self.setParams(**changed, **options)

    def setParams(self, **params: Any) -> MetricEvaluator:
        """Set parameters by their names."""
        names = [param.name for param in self.params]
        for name in params:
            if name not in names:
                raise TypeError(
                    f"MetricEvaluator has no parameter {name!r}; it has {', '.join(names)}."
                )
        self._set(**params)
        self._read()
        return self

    def isLargerBetter(self) -> bool:
        """Return True, because the model with the highest value is the best."""
        return True

    def _evaluate(self, dataset: DataFrame) -> float:
        metric, options = self._read()
        column, min_grade = options["y_true"], metric.options.get("min_grade")
        labels = _list_indexed_labels(dataset, column)
        if labels and min_grade is not None:  # the numbers are in order of frequency
            raise ValueError(
                f"min_grade={min_grade!r} compares grades, but {column!r} contains the numbers "
                "that StringIndexer assigned to strings. Use a column with the grades themselves."
            )
        if options["pos_label"] in labels:
            options["pos_label"] = labels.index(options["pos_label"])
        return float(metric(data=dataset, **options))

    def _read(self) -> tuple[Metric, dict[str, Any]]:
        """Return the metric, and what to call it with besides the table."""
        params = {param.name: value for param, value in self.extractParamMap().items()}
        columns = {ours: params.pop(theirs, None) for ours, theirs in _COLUMNS.items()}
        name, pos_label = str(params.pop("metric")), params.pop("pos_label")
        bound = bind_metric(name, params, pos_label, "MetricEvaluator")
        check_no_function("MetricEvaluator", bound)
        if bound.is_mean and columns["groups"] is None:
            raise ValueError(f"metric={name!r} is a mean over groups, so it needs groupCol.")
        if is_mapping(params.get("n_positives")):
            raise ValueError("n_positives must be a number for an evaluator, not a mapping.")
        return bound, columns | {"pos_label": pos_label}


_COLUMNS = {
    "y_true": "labelCol",
    "y_score": "rawPredictionCol",
    "sample_weight": "weightCol",
    "groups": "groupCol",
}


def _list_indexed_labels(df: Any, column: Any) -> list[Any]:
    """Return the labels that StringIndexer has numbered in a column, if any."""
    for field in df.schema.fields:
        if field.name == column and field.dataType.typeName() != "string":
            return list(field.metadata.get("ml_attr", {}).get("vals", []))
    return []
