"""Who computes which number under the name of average precision."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """A tool's function, and the number of `compat.numbers` that it gives."""

    tool: str
    version: str  # the version that was looked at, or the versions it holds for
    function: str
    number: str
    ties: str  # which of the samples with one score comes first; "grouped": they count as one
    no_positives: str  # what a query or class without positives gives
    trap: str = ""
    package: str = ""  # the name on PyPI, where the row is tested against the tool itself

    @property
    def denominator(self) -> str:
        """What AP@k is divided by; empty for what is not an AP@k."""
        name, _, denominator = self.number.partition(" / ")
        return denominator if name == "AP@k" else ""


_UNSTABLE = "unstable sort"
_UNKNOWN = "not looked at"
_VOC = "detections of difficult objects are left out: give them weight 0"
_GRID = "recalls .3, .6 and .7 miss their own level"
_COCO = "recalls .35, .70, .95 and seven more miss their own level; 100 detections an image at most"
_TREC = "scores are read as float32, so close ones become ties"
_RETRIEVAL = "a positive with a score of 0 or less does not exist"

# One row a line, in the order of the fields. `number` is how the tool counts; the other columns say
# what else moves it.
# fmt: off
PEERS = (
    Peer("scikit-learn", "1.1 and later", "average_precision_score", "step", "grouped", "0 and a warning", package="scikit-learn"),
    Peer("scikit-learn", "0.19 to 1.0", "average_precision_score", "step", "grouped", "nan"),
    Peer("scikit-learn", "0.16 to 0.18", "average_precision_score", "linear", "grouped", "nan", "prefers a constant score to a useful one where positives are rare; before 0.18 scores closer than 1e-8 are ties"),
    Peer("scikit-learn", "0.13 to 0.15", "average_precision_score", "linear", "grouped", "an error", "in 0.15 scores closer than 1e-8 are ties"),
    Peer("scikit-learn", "1.1 and later", "auc(recall, precision)", "linear", "grouped", "0.5 and a warning", "reported as PR-AUC beside numbers that are not linear", "scikit-learn"),
    Peer("scikit-learn", "1.1 and later", "average_precision_score of the k best", "AP@k / hits", "the caller's order", "0 and a warning", "positives beyond k do not exist: one hit, at the top, is a perfect 1", "scikit-learn"),
    Peer("PASCAL VOC devkit", "2010 and later", "VOCevaldet", "envelope", "input order", "nan", _VOC),
    Peer("PASCAL VOC devkit", "2007, in Octave", "VOCevaldet", "11-point, float grid", "input order", "0", f"{_GRID}; {_VOC}"),
    Peer("py-faster-rcnn", "2017", "voc_eval", "envelope", _UNSTABLE, "nan", _VOC),
    Peer("py-faster-rcnn", "2017", "voc_eval(use_07_metric=True)", "11-point, float grid", _UNSTABLE, "0", f"{_GRID}; {_VOC}"),
    Peer("pycocotools", "2.0.11", "COCOeval.accumulate", "101-point, float grid", "input order", "-1", _COCO, "pycocotools"),
    Peer("trec_eval", "9", "map", "step", "document number, descending", "0", _TREC, "pytrec-eval-terrier"),
    Peer("trec_eval", "9", "map_cut", "AP@k / relevant", "document number, descending", "0", _TREC, "pytrec-eval-terrier"),
    Peer("trec_eval", "9", "11pt_avg", "11-point", "document number, descending", "0", "rounds the hits of a recall level, up in 9 and to nearest in 10: exact only for multiples of 10 positives", "pytrec-eval-terrier"),
    Peer("ranx", "0.3.21", "evaluate(metrics='map')", "step", _UNSTABLE, "0", package="ranx"),
    Peer("ranx", "0.3.21", "evaluate(metrics='map@k')", "AP@k / relevant", _UNSTABLE, "0", package="ranx"),
    Peer("torchmetrics", "1.9.0", "BinaryAveragePrecision", "step", "grouped", "0 and a warning", "float32; scores outside 0 to 1 go through a sigmoid, where large ones become ties", "torchmetrics"),
    Peer("torchmetrics", "1.9.0", "BinaryAveragePrecision(thresholds=n)", "step", "grouped, and so are those between two of n thresholds", "0", "small probabilities all fall below the first threshold and are lost"),
    Peer("torchmetrics", "1.9.0", "RetrievalMAP", "step", _UNSTABLE, "0", _RETRIEVAL, "torchmetrics"),
    Peer("torchmetrics", "1.9.0", "RetrievalMAP(top_k=k)", "AP@k / hits", _UNSTABLE, "0", _RETRIEVAL, "torchmetrics"),
    Peer("torchmetrics", "1.9.0", "retrieval_average_precision(top_k=k)", "AP@k / hits", _UNSTABLE, "0", _RETRIEVAL, "torchmetrics"),
    Peer("LightGBM", "4.7.0", "average_precision", "step", "grouped", "1", package="lightgbm"),
    Peer("LightGBM", "4.7.0", "map@k", "AP@k / min", "input order", "1", package="lightgbm"),
    Peer("XGBoost", "2.0 and later", "map@k", "AP@k / min", "input order", "1", "map without k is map@32; 0 without positives if called map@k-", "xgboost-cpu"),
    Peer("CatBoost", "1.2", "MAP:top=k", "AP@k / min", "worst", "0"),
    Peer("Spark", "1.2 and later", "RankingMetrics.meanAveragePrecision", "step", "the caller's order", "0"),
    Peer("Spark", "3.0 and later", "RankingMetrics.meanAveragePrecisionAt", "AP@k / min", "the caller's order", "0"),
    Peer("Spark", "before 2.3", "BinaryClassificationMetrics.areaUnderPR", "linear", "grouped", "0", "from 2.3 the line begins at the first point's precision, not at 1; from 3.0 it has 1000 bins unless told otherwise, which lowers it where positives are rare"),
    Peer("ml_metrics", "0.1", "apk", "AP@k / min", "the caller's order", "0"),
    Peer("recommenders", "1.2.1", "map_at_k", "AP@k / min", "input order", "left out"),
    Peer("recommenders", "1.2.1", "map", "AP@k / relevant", "input order", "left out", "cut at k=10 unless told otherwise"),
    Peer("PyTorch Geometric", "2.8.1", "LinkPredMAP", "AP@k / min", "the caller's order", "left out"),
    Peer("implicit", "0.4", "mean_average_precision_at_k", "AP@k / min", "the model's order", "left out"),
    Peer("RecTools", "0.19.0", "MAP", "AP@k / relevant", "the caller's order", "left out"),
    Peer("RecTools", "0.19.0", "MAP(divide_by_k=True)", "AP@k / k", "the caller's order", "left out", "cannot reach 1 where there are fewer than k positives"),
    Peer("Rax", "0.4.0", "ap_metric(topn=k)", "AP@k / relevant", "input order, or random with a key", "0"),
    Peer("TF-Ranking", "2026", "MeanAveragePrecisionMetric(topn=k)", "AP@k / relevant", _UNKNOWN, _UNKNOWN),
    Peer("Haystack", "before 2026-08", "DocumentMAPEvaluator", "AP@k / hits", "the caller's order", _UNKNOWN, "positives that were not retrieved do not exist"),
    Peer("MatchZoo", "1.1.1", "MeanAveragePrecision", "step", "input order", "0", "of a list cut at k it is AP@k / hits"),
    Peer("MatchZoo", "1.1.1", "AveragePrecision", "mean of P@1 to P@k", "input order", "0", "k is the length of the list; no average precision by any definition"),
)
# fmt: on
