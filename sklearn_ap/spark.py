"""Tune Spark ML models by the metrics in this package, which take DataFrames as ``data=``."""

from __future__ import annotations

from typing import Any

from pyspark.ml.evaluation import Evaluator
from pyspark.ml.param import Param, Params
from pyspark.ml.param.shared import HasLabelCol, HasRawPredictionCol, HasWeightCol
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from ._core import metric as make_metric

__all__ = ["MetricEvaluator"]


class MetricEvaluator(
    Evaluator,  # type: ignore[misc]  # PySpark has no types
    HasLabelCol,  # type: ignore[misc]
    HasRawPredictionCol,  # type: ignore[misc]
    HasWeightCol,  # type: ignore[misc]
    DefaultParamsReadable,  # type: ignore[misc]
    DefaultParamsWritable,  # type: ignore[misc]
):
    """Evaluator for Spark's ``CrossValidator`` and ``TrainValidationSplit``.

    Parameters
    ----------
    metric : str, default="average_precision"
        The name of a metric, as in :func:`sklearn_ap.metric`.
    labelCol : str, default="label"
        The column of binary labels. A ``StringIndexer`` makes them numbers, so `pos_label` is then
        0 or 1.
    rawPredictionCol : str, default="rawPrediction"
        The column of scores, or of vectors of two, whose entry `pos_label` is the score.
    weightCol : str, default=None
        The column of weights.
    groupCol : str, default=None
        The column of groups, which are ranked separately.
    **options
        Parameters of the metric, such as `k`, `ties`, `pos_label` or `min_grade`.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from sklearn_ap.spark import MetricEvaluator
    >>> spark = SparkSession.builder.master("local[1]").getOrCreate()
    >>> predictions = [(1, 0.9), (0, 0.8), (1, 0.4)]
    >>> table = spark.createDataFrame(predictions, ["label", "rawPrediction"])
    >>> MetricEvaluator("P@2").evaluate(table)
    0.5

    Choose a model by the precision in the top 1%::

        CrossValidator(
            estimator=classifier, estimatorParamMaps=grid, evaluator=MetricEvaluator("P@1%")
        )
    """

    metric = Param(Params._dummy(), "metric", "the name of a metric")
    groupCol = Param(Params._dummy(), "groupCol", "the column of groups, which are ranked apart")
    options = Param(Params._dummy(), "options", "parameters of the metric")

    def __init__(
        self,
        metric: str = "average_precision",
        *,
        labelCol: str = "label",
        rawPredictionCol: str = "rawPrediction",
        weightCol: str | None = None,
        groupCol: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        columns = {"weightCol": weightCol, "groupCol": groupCol}
        chosen = {name: column for name, column in columns.items() if column is not None}
        make_metric(metric, **options)  # A wrong name or option is refused here.
        self._set(
            metric=metric,
            labelCol=labelCol,
            rawPredictionCol=rawPredictionCol,
            options=options,
            **chosen,
        )

    def _evaluate(self, dataset: Any) -> float:
        options = dict(self.getOrDefault(self.options))
        for name, param in (("sample_weight", self.weightCol), ("groups", self.groupCol)):
            if self.isDefined(param):
                options[name] = self.getOrDefault(param)
        evaluate = make_metric(self.getOrDefault(self.metric), **options)
        labels, scores = self.getOrDefault(self.labelCol), self.getOrDefault(self.rawPredictionCol)
        return float(evaluate(labels, scores, data=dataset))
