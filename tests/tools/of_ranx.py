"""ranx"""

from ranx import Qrels, Run, evaluate

from . import Function, K
from .of_pytrec_eval import name_documents

PACKAGES = ["ranx", "pytrec-eval-terrier", "ir-measures"]


def of(metric):
    def compute(queries):
        judged, runs = name_documents(queries)
        # ranx takes no judgments of 0, and no query without judgments.
        relevant = {
            query: {name: grade for name, grade in grades.items() if grade} or {"none": 0}
            for query, grades in judged.items()
        }
        return evaluate(Qrels(relevant), Run(runs), metric)

    return Function(of_queries=compute, missed=True)


FUNCTIONS = {
    "ranx": {
        "evaluate(metrics='map')": of("map"),
        "evaluate(metrics='map@k')": of(f"map@{K}"),
        "evaluate(metrics='precision@k')": of(f"precision@{K}"),
        "evaluate(metrics='recall@k')": of(f"recall@{K}"),
        "evaluate(metrics='r-precision')": of("r-precision"),
        "evaluate(metrics='mrr')": of("mrr"),
        "evaluate(metrics='hit_rate@k')": of(f"hit_rate@{K}"),
    }
}
