"""Record what a release of scikit-learn returns, in sklearn_history.json next to this file.

Run it once in an environment with each release. It is plain Python, so it runs on 2.7 as well as
on current versions::

    python record_sklearn.py             # add the answers of the installed release
    python record_sklearn.py --inputs    # start a new file with only the inputs

If a release was recorded before, its answers are replaced, and those of other releases are kept.
Releases that agree to the last digit share a line. These wheels can be installed together::

    Python   scikit-learn                            numpy, scipy
    2.7      0.17.1                                  1.11.3, 0.17.1
    3.6      0.18.2                                  1.13.3, 0.19.1
    3.6      0.19.2                                  1.14.6, 1.1.0
    3.6      0.20.0, 0.20.4                          1.16.6, 1.2.3
    3.6      0.21.3                                  1.17.5, 1.3.3
    3.7      0.22.2.post1                            1.18.5, 1.4.1
    3.7      0.23.2                                  1.19.5, 1.5.4
    3.7      0.24.2                                  1.20.3, 1.6.3
    3.7      1.0.2                                   what pip picks
    3.8      1.1.0, 1.1.3                            what pip picks
    3.9      1.2.2                                   1.24.4, 1.10.1
    3.9      1.3.2, 1.4.2                            what pip picks
    3.11     1.5.2, 1.6.1, 1.7.2, 1.8.0, 1.9.1       what pip picks

for example::

    python3.7 -m venv old
    old/bin/pip install --only-binary :all: scikit-learn==0.24.2 numpy==1.20.3 scipy==1.6.3
    old/bin/python record_sklearn.py

For Python 2.7 and 3.6 make the environment with virtualenv 20.15, the last one to know them.
Before 0.17 there are no wheels for Linux: with a C++ compiler, Python 2.7 and the numpy and scipy
of 0.17.1, `python setup.py install` in the unpacked sources builds 0.13.1, 0.14.1, 0.15.2, 0.16.1.

An answer holds `ap`, what `average_precision_score` returns ("nan" for nan), or `error`, the type
of what it raises; `auc`, what `auc` makes of `precision_recall_curve` where that is a number; and
`warnings`, how the UserWarnings on the way begin.
"""

import itertools
import json
import os
import platform
import random
import sys
import warnings

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sklearn_history.json")

AVERAGES = ("macro", "micro", "weighted", "samples", None)


# --- inputs --------------------------------------------------------------------------------------


def case(name, y_true, y_score, y_score_dtype="float64", **kwargs):
    return {
        "name": name,
        "y_true": y_true,
        "y_score": y_score,
        "y_score_dtype": y_score_dtype,
        "kwargs": kwargs,
        "answers": [],
    }


def below(rng, n):
    """An integer; by random() alone, whose stream is the same in every Python."""
    return int(rng.random() * n)


def distinct_score(rng):
    return round(rng.random(), 4)


def tied_score(rng):
    return below(rng, 4) / 4.0


def near_score(rng):
    """Three clusters in which neighbours are 1e-10 to 1.1e-8 apart, so that they form chains."""
    gap = (1e-10, 1e-9, 4e-9, 9e-9, 1.1e-8)[below(rng, 5)]
    return (below(rng, 3) + 1) / 4.0 + below(rng, 4) * gap


def random_weights(rng, n, kind):
    if kind == "unweighted":
        return {}
    weight = [round(rng.random() + 0.01, 2) for _ in range(n)]
    if kind == "some of weight 0":
        weight = [w if rng.random() < 0.7 else 0.0 for w in weight]
        weight[below(rng, n)] = 1.0
    return {"sample_weight": weight}


def binary_cases(rng):
    scores = (("distinct", distinct_score), ("tied", tied_score), ("near ties", near_score))
    for score_name, score in scores:
        for kind in ("unweighted", "weighted", "some of weight 0"):
            for i in range(5):
                n = 3 + below(rng, 14)
                prevalence = (0.2, 0.5, 0.8)[below(rng, 3)]
                name = "random, " + score_name + ", " + kind + ", " + str(i + 1)
                y_true = [int(rng.random() < prevalence) for _ in range(n)]
                y_score = [score(rng) for _ in range(n)]
                yield case(name, y_true, y_score, **random_weights(rng, n, kind))


def multilabel_cases(rng):
    shapes = (
        ("tied", tied_score, "unweighted", False),
        ("near ties", near_score, "weighted", False),
        ("distinct, a class and a sample without positives", distinct_score, "unweighted", True),
        ("tied, a class and a sample without positives", tied_score, "some of weight 0", True),
    )
    for name, score, kind, empty in shapes:
        n = 7
        y_true = [[int(rng.random() < 0.5) for _ in range(3)] for _ in range(n)]
        for i in range(n):
            y_true[i][i % 3] = 1
        weights = random_weights(rng, n, kind)
        if empty:
            for row in y_true:
                row[1] = 0
            y_true[4] = [0, 0, 0]
            if weights:
                weights["sample_weight"][4] = 0.0
        y_score = [[score(rng) for _ in range(3)] for _ in range(n)]
        for average in AVERAGES:
            full = "multilabel, " + name + ", " + kind + ", " + str(average)
            yield case(full, y_true, y_score, average=average, **weights)


def multiclass_cases(rng):
    y_true = [0, 2, 1, 1, 0, 2, 2, 1]
    y_score = [[tied_score(rng) for _ in range(3)] for _ in y_true]
    weight = random_weights(rng, len(y_true), "some of weight 0")
    for average in AVERAGES:
        yield case("multiclass, " + str(average), y_true, y_score, average=average)
    yield case("multiclass, weighted samples", y_true, y_score, **weight)
    yield case("multiclass, strings", [["a", "b", "c"][y] for y in y_true], y_score)
    yield case("multiclass, pos_label", y_true, y_score, pos_label=2)


def published_cases():
    yield case("issue 9618", [0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1])
    yield case("the docstring's example", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    for labels in ("1101010001", "111000011", "0101100100", "10110", "01011"):
        scores = [(len(labels) - i) / 10.0 for i in range(len(labels))]
        yield case("labels " + labels, [int(label) for label in labels], scores)


def one_class_cases():
    yield case("no positives", [0, 0, 0, 0], [0.1, 0.4, 0.4, 0.8])
    yield case("no positives, weighted", [0, 0, 0], [0.1, 0.4, 0.8], sample_weight=[1.0, 0.5, 2.0])
    yield case("no positives, constant scores", [0, 0, 0], [0.5, 0.5, 0.5])
    yield case("no positives among -1", [-1, -1], [0.1, 0.2])
    yield case("all positives", [1, 1, 1], [0.1, 0.4, 0.4])
    yield case("one negative sample", [0], [0.5])
    yield case("one positive sample", [1], [0.5])
    yield case("label 2 alone", [2, 2], [0.1, 0.2])
    yield case("one string alone", ["ham", "ham"], [0.1, 0.2])
    yield case("one string alone, positive", ["ham", "ham"], [0.1, 0.2], pos_label="ham")
    for average in AVERAGES:
        name = "multilabel, no positives at all, " + str(average)
        y_score = [[0.1, 0.2], [0.2, 0.1], [0.2, 0.5]]
        yield case(name, [[0, 0], [0, 0], [0, 0]], y_score, average=average)


def near_tie_cases():
    y = [1, 0, 1, 0, 1, 0]
    yield case("exactly 1e-8 apart", [1, 0], [1e-8, 0.0])
    yield case("a little more than 1e-8 apart", [1, 0], [1.0001e-8, 0.0])
    yield case("a chain of 8e-9", y, [i * 8e-9 for i in range(6, 0, -1)])
    yield case("two chains", y, [6.4e-8, 5.6e-8, 4.8e-8, 3e-8, 2.2e-8, 1.4e-8])
    yield case("all scores below 1e-8", y, [6e-9, 5e-9, 4e-9, 3e-9, 2e-9, 1e-9])
    yield case("1e-6 apart in a million", y, [1e6 + i * 1e-6 for i in range(6, 0, -1)])
    yield case("5e-9 apart in ten", y, [10 + i * 5e-9 for i in range(6, 0, -1)])
    yield case("around zero", y, [6e-9, 0.0, -0.0, -6e-9, -1e-8, -3e-8])
    float32 = [0.01 + i * 4e-9 for i in range(6, 0, -1)]
    yield case("near ties in float32", y, float32, y_score_dtype="float32")
    yield case("integer scores", y, [5, 4, 4, 2, 1, 0], y_score_dtype="int64")
    columns = [[0.5, 0.5 + 5e-9], [0.5 + 6e-9, 0.7], [0.1, 0.7 - 5e-9]]
    for average in AVERAGES:
        name = "near ties in and across columns, " + str(average)
        yield case(name, [[1, 0], [0, 1], [1, 0]], columns, average=average)


def zero_weight_cases():
    y, s = [0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]
    yield case("weight 0 on top", y, s, sample_weight=[0.0, 1.0, 1.0, 1.0])
    yield case("a positive of weight 0 on top", [1, 1, 0, 1], s, sample_weight=[0.0, 1.0, 1.0, 1.0])
    yield case("weight 0 on top, tied", y, [0.8, 0.8, 0.7, 0.6], sample_weight=[0.0, 1.0, 1.0, 1.0])
    near = [0.8 + 5e-9, 0.8, 0.7, 0.6]
    yield case("weight 0 on top, nearly tied", y, near, sample_weight=[0.0, 1.0, 1.0, 1.0])
    yield case("weight 0 within", y, s, sample_weight=[1.0, 1.0, 0.0, 1.0])
    yield case("weight 0 at the end", [1, 0, 1, 0], s, sample_weight=[1.0, 1.0, 1.0, 0.0])
    bridge = [0.5 + 1.4e-8, 0.5 + 7e-9, 0.5, 0.1]
    weight = [1.0, 0.0, 1.0, 1.0]
    yield case("weight 0 links a chain", [1, 0, 0, 1], bridge, sample_weight=weight)
    yield case("weight 0 links a chain to a positive", [0, 1, 1, 1], bridge, sample_weight=weight)
    yield case("all positives of weight 0", y, s, sample_weight=[1.0, 0.0, 1.0, 0.0])
    yield case("all negatives of weight 0", y, s, sample_weight=[0.0, 1.0, 0.0, 1.0])
    yield case("all weights 0", y, s, sample_weight=[0.0, 0.0, 0.0, 0.0])
    yield case("integer weights", y, s, sample_weight=[1, 2, 0, 3])
    y, s = [[0, 1], [1, 1], [0, 1]], [[0.9, 0.1], [0.8, 0.7], [0.7, 0.9]]
    for average in AVERAGES:
        kwargs = {"average": average, "sample_weight": [0.0, 1.0, 2.0]}
        yield case("multilabel, weight 0 on top of a column, " + str(average), y, s, **kwargs)
        kwargs = {"average": average, "sample_weight": [1e-10, 2e-10, 1e-10]}
        yield case("multilabel, weights of 1e-10, " + str(average), y, s, **kwargs)


def label_cases():
    s = [0.9, 0.8, 0.7, 0.6]
    yield case("labels -1 and 1", [-1, 1, -1, 1], s)
    yield case("labels True and False", [False, True, False, True], s)
    yield case("labels 0.0 and 1.0", [0.0, 1.0, 0.0, 1.0], s)
    yield case("labels 1 and 2", [1, 2, 1, 2], s)
    yield case("labels 1 and 2, pos_label 2", [1, 2, 1, 2], s, pos_label=2)
    yield case("labels 0 and 1, pos_label 0", [0, 1, 0, 1], s, pos_label=0)
    yield case("labels 0 and 1, pos_label 2", [0, 1, 0, 1], s, pos_label=2)
    yield case("labels 0 and 2", [0, 2, 0, 2], s)
    yield case("strings", ["ham", "spam", "ham", "spam"], s)
    yield case("strings, pos_label", ["ham", "spam", "ham", "spam"], s, pos_label="spam")
    yield case("strings, another pos_label", ["ham", "spam", "ham", "spam"], s, pos_label="eggs")
    y_score = [[0.1, 0.2], [0.2, 0.1]]
    yield case("multilabel, pos_label 0", [[0, 1], [1, 0]], y_score, pos_label=0)


def all_cases():
    rng = random.Random(0)
    return itertools.chain(
        published_cases(),
        one_class_cases(),
        near_tie_cases(),
        zero_weight_cases(),
        label_cases(),
        binary_cases(rng),
        multilabel_cases(rng),
        multiclass_cases(rng),
    )


# --- answers -------------------------------------------------------------------------------------


def answer(one):
    import numpy as np
    from sklearn import metrics

    y_true = np.array(one["y_true"])
    y_score = np.array(one["y_score"], dtype=one["y_score_dtype"])
    kwargs = {str(key): value for key, value in one["kwargs"].items()}
    if kwargs.get("average") == "macro":
        del kwargs["average"]  # the default, for releases that do not have the keyword
    if "sample_weight" in kwargs:
        kwargs["sample_weight"] = np.array(kwargs["sample_weight"])

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = metrics.average_precision_score(y_true, y_score, **kwargs)
        except Exception as error:
            return {"error": type(error).__name__}
        found = {"ap": plain(value)}
    said = {str(w.message).split(",")[0] for w in caught if issubclass(w.category, UserWarning)}
    found["warnings"] = sorted(said)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            precision, recall, _ = metrics.precision_recall_curve(y_true, y_score, **kwargs)
            area = plain(metrics.auc(recall, precision))
        except Exception:
            return found  # the curve knows fewer kinds of input than the score
    if area != "nan":
        found["auc"] = area
    return found


def plain(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [plain(v) for v in value]
    return "nan" if value != value else float(value)


def record(cases, version):
    for one in cases:
        now = answer(one)
        for before in one["answers"]:
            before["versions"] = [v for v in before["versions"] if v != version]
        same = [a for a in one["answers"] if repr_of(a) == repr_of(now)]
        if same:
            same[0]["versions"].append(version)
        else:
            one["answers"].append(dict(now, versions=[version]))
        for each in one["answers"]:
            each["versions"].sort(key=in_order)
        one["answers"] = [a for a in one["answers"] if a["versions"]]
        one["answers"].sort(key=lambda a: in_order(a["versions"][0]))


def repr_of(found):
    """Tells -0.0 from 0.0, as == does not."""
    return as_json({key: value for key, value in found.items() if key != "versions"})


def in_order(version):
    return [int(part) for part in version.split(".") if part.isdigit()]


# --- the file ------------------------------------------------------------------------------------


def as_json(value):
    return json.dumps(value, sort_keys=True, separators=(", ", ": "))


def write(recorded, cases):
    """One line an input and one an answer, so that it can be read and compared."""
    blocks = []
    for one in cases:
        lines = ["    " + as_json(found) for found in one["answers"]]
        inputs = sorted(key for key in one if key != "answers")
        fields = ["   " + as_json(key) + ": " + as_json(one[key]) for key in inputs]
        fields.append('   "answers": [\n' + ",\n".join(lines) + "\n   ]")
        blocks.append("  {\n" + ",\n".join(fields) + "\n  }")
    versions = sorted(recorded, key=in_order)
    heads = ["  " + as_json(version) + ": " + as_json(recorded[version]) for version in versions]
    with open(FILE, "w") as file:
        file.write('{\n "recorded": {\n' + ",\n".join(heads) + "\n },\n")
        file.write(' "cases": [\n' + ",\n".join(blocks) + "\n ]\n}\n")


def main():
    if sys.argv[1:] == ["--inputs"]:
        write({}, list(all_cases()))
        return
    import numpy
    import scipy
    import sklearn

    with open(FILE) as file:
        history = json.load(file)
    record(history["cases"], sklearn.__version__)
    history["recorded"][sklearn.__version__] = {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    write(history["recorded"], history["cases"])


if __name__ == "__main__":
    main()
