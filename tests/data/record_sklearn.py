"""Record what a release of scikit-learn returns, in sklearn_history.json next to this file.

Run it once in an environment with each release. It is plain Python, so it runs on 2.7 as well as
on current versions::

    python record_sklearn.py

This adds the answers of the installed release to the cases of the file. If a release was recorded
before, its answers are replaced, and those of other releases are kept. To add a case, write its
inputs into the file with `"answers": []`, and record all releases again.
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

import json
import os
import platform
import warnings

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sklearn_history.json")

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
    with open(FILE, "w", encoding="utf-8") as file:
        file.write('{\n "recorded": {\n' + ",\n".join(heads) + "\n },\n")
        file.write(' "cases": [\n' + ",\n".join(blocks) + "\n ]\n}\n")


def main():
    import numpy
    import scipy
    import sklearn

    with open(FILE, encoding="utf-8") as file:
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
