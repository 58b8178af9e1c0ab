"""The pages of the guide that a page of the reference links to, the most useful one first."""

import tomllib
from pathlib import Path

from sklearn_ap._inputs.metric_names import suggest_function

METRICS = tomllib.loads(Path(__file__).parents[1].joinpath("metrics.toml").read_text("utf-8"))

# By the name of the function or class, without "sklearn_ap.".
PAGES = {
    **{
        suggest_function(name): tuple(row["pages"])
        for name, row in METRICS.items()
        if "pages" in row
    },
    "interpolated_precision_recall_curve": ("which_definition",),
    "hit_curve": ("screening",),
    "operating_point": ("choose_threshold", "alerts"),
    "thresholds.OperatingPoint": ("choose_threshold",),
    "thresholds.OperatingPointTable": ("choose_threshold",),
    "thresholds.ThresholdCheck": ("choose_threshold",),
    "AveragePrecisionDisplay": ("which_definition", "confidence_intervals"),
    "HitCurveDisplay": ("screening",),
    "report": ("compare_models", "alerts"),
    "reports.Report": ("compare_models", "alerts"),
    "inference.IntervalDisplay": ("compare_models",),
    "metric": ("alerts", "in_scikit_learn", "boosting"),
    "Metric": ("choose_metric", "in_scikit_learn"),
    "make_ap_scorer": ("in_scikit_learn",),
    "make_multi_scorer": ("in_scikit_learn",),
    "get_scorer": ("in_scikit_learn",),
    "get_scorer_names": ("in_scikit_learn",),
    "boosting.lightgbm_metric": ("boosting", "alerts"),
    "boosting.xgboost_metric": ("boosting",),
    "confidence_interval": ("confidence_intervals",),
    "compare": ("compare_models", "alerts"),
    "compare_folds": ("compare_models", "in_scikit_learn"),
    "inference.Interval": ("confidence_intervals",),
    "inference.Comparison": ("compare_models",),
    "inference.Comparisons": ("compare_models",),
    "inference.SearchComparison": ("in_scikit_learn",),
    "spark.MetricEvaluator": ("large_data",),
    "readers.Retrieved": ("detection", "retrieval"),
    "readers.read_coco": ("detection",),
    "readers.read_voc": ("detection",),
    "readers.report_coco": ("detection", "command_line"),
    "readers.read_trec": ("retrieval",),
    "readers.read_runs": ("retrieval",),
    "readers.answered": ("retrieval",),
    "datasets.load_payments": ("getting_started", "alerts"),
    "exceptions.InvalidParameterError": ("replace_names",),
    "exceptions.NoPositivesError": ("confidence_intervals",),
    "exceptions.NotReachableError": ("choose_threshold",),
    "exceptions.SingleUnitError": ("confidence_intervals",),
    "compat.audit": ("which_definition",),
    "compat.check_metric": ("which_definition",),
    "compat.audit_cases": ("which_definition",),
    "compat.rankings": ("which_definition",),
    "compat.Audit": ("which_definition",),
    "compat.ScoringAudit": ("which_definition",),
    "compat.explain": ("which_definition",),
    "compat.Explanation": ("which_definition",),
    "compat.identify": ("which_definition",),
    "compat.Identification": ("which_definition",),
    "compat.trapezoidal_average_precision_score": ("which_definition",),
    "compat.Difference": ("differences",),
    "compat.Peer": ("peers",),
}
