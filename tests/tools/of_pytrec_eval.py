"""trec_eval 9 by pytrec_eval, and ir_measures, which calls it. Documents are numbered by row."""

from importlib.metadata import version

import ir_measures
import pytrec_eval

from . import Function, K

PACKAGES = ["pytrec-eval-terrier", "ir-measures"]
VERSIONS = {
    "trec_eval": f"9 in pytrec-eval-terrier {version('pytrec-eval-terrier')}",
    "ir_measures": version("ir-measures"),
}


def name_documents(queries):
    """Return judgments and runs. Documents that weren't retrieved have no score."""
    judged, runs = {}, {}
    for number, (labels, scores, missed) in enumerate(queries):
        names = [f"d{row:04}" for row in range(len(labels) + missed)]
        grades = [*map(int, labels), *[1] * missed]
        judged[f"q{number}"] = dict(zip(names, grades, strict=True))
        if len(scores):
            runs[f"q{number}"] = dict(zip(names, map(float, scores), strict=False))
    return judged, runs


def of_trec_eval(measure):
    def compute(queries):
        judged, runs = name_documents(queries)
        kind = measure.rpartition("_")[0] if measure[-1].isdigit() else measure
        wanted = f"{kind}.{K}" if measure[-1].isdigit() else measure
        values = pytrec_eval.RelevanceEvaluator(judged, {wanted}).evaluate(runs)
        return sum(each[measure] for each in values.values()) / len(values)

    return Function(of_queries=compute, missed=True)


def of_ir_measures(measure):
    def compute(queries):
        measures = [ir_measures.parse_measure(measure)]
        return next(iter(ir_measures.calc_aggregate(measures, *name_documents(queries)).values()))

    return Function(of_queries=compute, missed=True)


FUNCTIONS = {
    "trec_eval": {
        "map": of_trec_eval("map"),
        "map_cut": of_trec_eval(f"map_cut_{K}"),
        "P": of_trec_eval(f"P_{K}"),
        "recall": of_trec_eval(f"recall_{K}"),
        "Rprec": of_trec_eval("Rprec"),
        "recip_rank": of_trec_eval("recip_rank"),
        "success": of_trec_eval(f"success_{K}"),
        "11pt_avg": of_trec_eval("11pt_avg"),
    },
    "ir_measures": {
        "AP": of_ir_measures("AP"),
        "AP@k": of_ir_measures(f"AP@{K}"),
        "P@k": of_ir_measures(f"P@{K}"),
        "R@k": of_ir_measures(f"R@{K}"),
        "Rprec": of_ir_measures("Rprec"),
        "RR": of_ir_measures("RR"),
        "Success@k": of_ir_measures(f"Success@{K}"),
    },
}
