"""The pages of the guide that a page of the reference links to, best one first."""

SCORES = {
    "average_precision_score": ("which_ap", "ties", "weights"),
    "interpolated_average_precision_score": ("which_ap", "why_different"),
    "eleven_point_average_precision_score": ("which_ap", "detection"),
    "average_precision_at_k_score": ("top_k", "alerts", "retrieval", "ties"),
    "precision_at_k_score": ("top_k", "alerts", "screening"),
    "recall_at_k_score": ("top_k", "alerts", "retrieval"),
    "precision_at_recall_score": ("top_k", "alerts"),
    "recall_at_precision_score": ("top_k", "alerts"),
    "mean_average_precision_score": ("groups", "retrieval", "detection"),
}
ENGINES = ("dask", "spark")

# By the name of a function or class, behind "sklearn_ap.".
PAGES = {
    **SCORES,
    "interpolated_precision_recall_curve": ("which_ap",),
    "hit_curve": ("screening", "stories"),
    "AveragePrecisionDisplay": ("which_ap", "inference"),
    "HitCurveDisplay": ("screening", "stories"),
    "make_ap_scorer": ("in_scikit_learn",),
    "make_map_scorer": ("groups", "in_scikit_learn"),
    "make_outlier_ap_scorer": ("in_scikit_learn",),
    "make_multi_scorer": ("in_scikit_learn",),
    "get_scorer": ("in_scikit_learn",),
    "get_scorer_names": ("in_scikit_learn",),
    "boosting.lightgbm_metric": ("boosting", "alerts"),
    "boosting.xgboost_metric": ("boosting",),
    "inference.confidence_interval": ("inference",),
    "inference.compare": ("inference", "alerts"),
    "inference.influence": ("inference",),
    "streaming.AveragePrecisionAccumulator": ("large_data", "inference"),
    "streaming.average_precision_from_chunks": ("large_data",),
    **{
        f"{engine}.{name}": ("large_data", pages[0])
        for engine in ENGINES
        for name, pages in SCORES.items()
    },
    **{f"{engine}.average_precision_bounds": ("large_data",) for engine in ENGINES},
    "spark.AveragePrecisionEvaluator": ("large_data",),
    "compat.explain": ("why_different",),
    "compat.Explanation": ("why_different",),
    "compat.identify": ("why_different",),
    "compat.Identification": ("why_different",),
    "compat.trapezoidal_average_precision_score": ("which_ap", "why_different"),
    "compat.sklearn_average_precision_score": ("why_different",),
    "compat.Difference": ("differences",),
    "compat.Peer": ("peers",),
}
