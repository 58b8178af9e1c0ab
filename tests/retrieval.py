"""Results of search engines: a table with its columns, and files of TREC."""

from io import StringIO

import numpy as np

from sklearn_ap.readers import Retrieved, read_trec

QUERIES = ["cat", "cat", "cat", "dog", "dog"]
RELEVANT, SCORES = [1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 9.0, 8.0]
EXIST = {"cat": 2, "dog": 2, "eel": 1}
ROLES = {"y_true": "relevant", "y_score": "score", "groups": "query"}


def engine(scores=SCORES, exist=EXIST):
    columns = {"query": QUERIES, "relevant": RELEVANT, "score": scores}
    return Retrieved({name: np.asarray(each) for name, each in columns.items()}, ROLES, exist)


QRELS = """\
cat 0 d1 1
cat 0 d2 0
cat 0 d3 2
cat 0 d8 -1
dog 0 d4 1
eel 0 d9 1
"""
RUN = """\
cat Q0 d1 1 0.5 me
cat Q0 d2 2 0.8 me

cat Q0 d8 3 0.70000001 me and you
cat Q0 d3 4 0.7 me
dog\tQ0\td5\t1\t7\tme
dog Q0 d4 2 1e-3 me
"""


def trec(qrels=QRELS, run=RUN, **options):
    return read_trec(StringIO(qrels), StringIO(run), **options)
