"""Random calls of every public function that takes data, and what they give, as plain values."""

import warnings

import numpy as np
import pandas as pd

from .cases import OPTIONS

METRICS = OPTIONS | {
    "mean_average_precision": {"k": (3, 0.5), "n_points": (11,), "ties": ("grouped", "best")},
    "ndcg": {"k": (None, 1, 3, 10, 0.3), "gains": ("linear", "exponential")},
}
SMOOTH = ["AP", "AP", "envelope AP", "linear", "MAP", "MRR", "nDCG@10", "P@10", "11-point"]
FIELDS = """value low high standard_error units confidence_level chance difference margin_low
margin_high pvalue verdict difference_low difference_high n_samples n_positives rank threshold
precision recall n_flagged true_positives recall_low recall_high precision_low precision_high
flagged_share"""


class Draw:
    """Random calls from a seed: (function, positional arguments, options)."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one_of(self, choices):
        return choices[self.rng.integers(len(choices))]

    def some(self, share=0.5, **options):
        return {name: self.one_of(of) for name, of in options.items() if self.rng.random() < share}

    def scores(self, *shape):
        drawn = self.rng.integers(0, self.one_of([1, 2, 4, 50, 10**6]), shape)
        kind = self.one_of(["int64", "float32", "uint8", "sevenths", "large"])
        if kind == "sevenths":
            return drawn / 7 - self.rng.integers(2)
        return drawn + 2**60 if kind == "large" else drawn.astype(kind)

    def weight(self, n):
        several = [self.rng.integers(0, 4, n), self.rng.random(n), self.rng.integers(1, 4, n) / 2]
        return self.one_of([*several, np.full(n, 2), np.ones(n)])

    def labels(self, *shape):
        return (self.rng.random(shape) < self.one_of([0.05, 0.3, 0.6, 1])).astype(int)

    def existing(self, positive, groups):
        """Return numbers of positives, of which some weren't found, also in groups without rows."""
        if groups is None:
            return (positive.sum(axis=0) + self.rng.integers(0, 4, positive.shape[1:])).tolist()
        found = pd.Series(positive).groupby(groups).sum() + self.rng.integers(0, 3)
        more = {type(groups[0])(99): 2} if self.rng.random() < 0.5 else {}
        return {name: int(number) for name, number in (found.to_dict() | more).items()}

    def data(self, shape, n):
        """Return labels, scores and the parameters about them, of rankings of a shape."""
        labels, scores, options = self.labels(n), self.scores(n), {}
        averages = ["macro", "weighted", None]
        if shape in ("grades", "graded groups"):
            labels = self.rng.integers(0, 4, n)
        if shape == "grades":
            options["min_grade"] = self.one_of([1, 2, 3])
        if "groups" in shape:
            groups = self.rng.integers(0, self.one_of([1, 3, 10]), n)
            options["groups"] = self.one_of([groups, groups.astype(str)])
            options["average"] = self.one_of(averages)
        if shape == "matrix":
            labels, scores = self.labels(n, 3), self.scores(n, 3)
            options["average"] = self.one_of([*averages, "micro", "samples"])
        if shape == "classes":
            labels, scores = self.rng.integers(0, 3, n), self.scores(n, 3)
            options["average"] = self.one_of([*averages, "micro"])
            options |= self.some(classes=[[0, 1, 2], [2, 1, 0]])
        if shape not in ("classes", "grades", "graded groups") and self.rng.random() < 0.25:
            options["n_positives"] = self.existing(labels, options.get("groups"))
        if shape in ("one", "groups") and self.rng.random() < 0.3:
            negative, positive = self.one_of([(False, True), (-1, 1), (1, 2), ("a", "b")])
            labels = np.where(labels, positive, negative)
            options["pos_label"] = positive
        options |= self.some(0.3, sample_weight=[self.weight(n)], zero_division=[0.0, 1.0, np.nan])
        return labels, scores, options

    def contain(self, labels, scores, options):
        """Put columns into another container, or into a table."""
        if labels.ndim == scores.ndim == 1 and self.rng.random() < 0.2:
            names = [name for name in ("groups", "sample_weight") if name in options]
            columns = {"y": labels, "s": scores} | {name: options[name] for name in names}
            return (
                "y",
                "s",
                options | {name: name for name in names} | {"data": pd.DataFrame(columns)},
            )
        holder = self.one_of([np.asarray, np.ndarray.tolist, lambda a: a.astype(object)])
        return holder(labels), holder(scores), options

    def metric(self):
        name = self.one_of([*METRICS])
        choices = dict(METRICS[name])
        required = {each: choices.pop(each) for each in [*choices] if each.startswith("min_")}
        shapes = ["one", "one", "groups", "groups", "matrix", "classes", "grades"]
        shape = {"mean_average_precision": "groups", "ndcg": "graded groups"}.get(name)
        labels, scores, data = self.data(
            shape or self.one_of(shapes), int(self.rng.integers(1, 40))
        )
        options = self.some(0.6, **choices) | self.some(1, **required)
        labels, scores, options = self.contain(labels, scores, options | data)
        return f"{name}_score", (), {"y_true": labels, "y_score": scores} | options

    def curve(self):
        labels, scores, options = self.data(self.one_of(["one", "grades"]), 20)
        options.pop("zero_division", None)
        name = self.one_of(["interpolated_precision_recall_curve", "hit_curve"])
        return name, (labels, scores), options

    def inference(self):
        shape, n = self.one_of(["one", "one", "groups", "matrix"]), int(self.rng.integers(5, 200))
        labels, scores, options = self.data(shape, n)
        options |= self.some(0.2, clusters=[self.rng.integers(0, max(n // 5, 2), n)])
        options |= self.some(0.3, confidence_level=[0.9, 0.8])
        models = {name: scores + self.rng.integers(0, 3, scores.shape) / 8 for name in "abc"}
        name = self.one_of(["confidence_interval", "compare", "compare", "report", "compare_folds"])
        metric = {"metric": self.one_of(SMOOTH)}
        margin = self.some(0.3, margin=[0.02, 0.1], baseline=["a", "b"])
        if name == "confidence_interval":
            return name, (labels, scores), options | metric
        if name == "compare_folds":
            folds = {each: self.rng.random(10) for each in self.one_of(["ab", "abc"])}
            return name, (folds,), margin | {"n_train": 90, "n_test": 10}
        if name == "report":
            options |= {"metrics": [metric["metric"]]} | self.some(by=[self.rng.integers(0, 3, n)])
            return name, (labels, self.one_of([models, {"a": models["a"]}])), options | margin
        two = margin.pop("baseline", None)
        if two is None:
            return name, (labels, models["a"], models["b"]), options | metric | margin
        return name, (labels, models), options | metric | margin | {"baseline": two}

    def threshold(self):
        labels, scores, options = self.data("one", int(self.rng.integers(5, 300)))
        options.pop("zero_division", None)
        target = self.one_of(["min_recall", "min_precision", "min_specificity", "k", "threshold"])
        of_target = {"k": [1, 5, 0.1], "threshold": [scores[0], 0.5]}
        options |= self.some(1, **{target: of_target.get(target, [0.1, 0.5, 0.8, 0.95, 1.0])})
        options |= self.some(0.4, confidence_level=[0.8, 0.95])
        options |= self.some(0.1, clusters=[self.rng.integers(0, 30, labels.size)])
        return "operating_point", (labels, scores), options

    def explanation(self):
        labels, scores, options = self.data(self.one_of(["one", "groups"]), 25)
        options = {n: v for n, v in options.items() if n not in ("average", "zero_division")}
        return "explain", (labels, scores), options | self.some(0.3, k=[1, 5, 0.2])


# --- what a call gives ----------------------------------------------------------------------------


def simplify(result):
    """Return a result as numbers, text, lists and dicts."""
    if hasattr(result, "rows"):
        names = ("definition", "segment", "model")
        return {
            " ".join(str(getattr(row, name, "")).lower() for name in names): read_fields(row)
            for row in result.rows
        }
    if hasattr(result, "confidence_level"):
        return read_fields(result)
    if isinstance(result, dict):
        return {str(name): simplify(each) for name, each in result.items()}
    if isinstance(result, tuple):
        return [simplify(each) for each in result]
    return np.asarray(result, dtype=float).tolist()


def read_fields(row):
    values = {name: getattr(row, name) for name in FIELDS.split() if hasattr(row, name)}
    return {name: value if isinstance(value, str) else np.asarray(value, dtype=float).tolist()
            for name, value in values.items() if value is not None}  # fmt: skip


def find(ap, name):
    """Return a function of the package, by its name, or None if that part was taken away."""
    return getattr(getattr(ap, "compat", None) if name == "explain" else ap, name, None)


def run(ap, name, args, options):
    """Return what a call gives, or its error, and what it warns of, by category."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = simplify(find(ap, name)(*args, **options))
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:300].replace("\n", " "), {}
    return result, {each.category.__name__: str(each.message)[:100] for each in caught}
