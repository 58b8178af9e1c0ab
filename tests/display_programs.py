"""Programs that people have, in which `PrecisionRecallDisplay` is scikit-learn's display or ours.

They follow scikit-learn's examples and docstrings, and what courses and repositories do. Each
returns the displays that it drew.
"""

from collections import Counter
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, precision_recall_curve
from sklearn.model_selection import cross_validate, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, label_binarize
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier


def split_blobs():
    X, y = make_classification(random_state=0)
    return train_test_split(X, y, random_state=0)


def split_noisy_iris(n_classes):
    X, y = load_iris(return_X_y=True)
    X = np.concatenate([X, np.random.RandomState(0).randn(len(X), 200 * X.shape[1])], axis=1)
    if n_classes == 2:
        return train_test_split(X[y < 2], y[y < 2], test_size=0.5, random_state=0)
    return train_test_split(X, label_binarize(y, classes=[0, 1, 2]), test_size=0.5, random_state=0)


def docstring_of_the_class(PrecisionRecallDisplay):
    X_train, X_test, y_train, y_test = split_blobs()
    predictions = SVC(random_state=0).fit(X_train, y_train).predict(X_test)
    precision, recall, _ = precision_recall_curve(y_test, predictions)
    disp = PrecisionRecallDisplay(precision=precision, recall=recall)
    return [disp.plot()]


def docstring_of_from_estimator(PrecisionRecallDisplay):
    X_train, X_test, y_train, y_test = split_blobs()
    clf = LogisticRegression().fit(X_train, y_train)
    return [PrecisionRecallDisplay.from_estimator(clf, X_test, y_test)]


def docstring_of_from_predictions(PrecisionRecallDisplay):
    X_train, X_test, y_train, y_test = split_blobs()
    clf = LogisticRegression().fit(X_train, y_train)
    return [PrecisionRecallDisplay.from_predictions(y_test, clf.predict_proba(X_test)[:, 1])]


def docstring_of_from_cv_results(PrecisionRecallDisplay):
    X, y = make_classification(random_state=0)
    clf = SVC(random_state=0)
    cv_results = cross_validate(clf, X, y, cv=3, return_estimator=True, return_indices=True)
    return [PrecisionRecallDisplay.from_cv_results(cv_results, X, y)]


def plot_precision_recall_binary(PrecisionRecallDisplay):
    X_train, X_test, y_train, y_test = split_noisy_iris(2)
    classifier = make_pipeline(StandardScaler(), LinearSVC(random_state=0)).fit(X_train, y_train)
    first = PrecisionRecallDisplay.from_estimator(
        classifier, X_test, y_test, name="LinearSVC", plot_chance_level=True, despine=True
    )
    _ = first.ax_.set_title("2-class Precision-Recall curve")
    y_score = classifier.decision_function(X_test)
    second = PrecisionRecallDisplay.from_predictions(
        y_test, y_score, name="LinearSVC", plot_chance_level=True, despine=True
    )
    _ = second.ax_.set_title("2-class Precision-Recall curve")
    return [first, second]


def plot_precision_recall_of_several_labels(PrecisionRecallDisplay):
    X_train, X_test, Y_train, Y_test = split_noisy_iris(3)
    classifier = OneVsRestClassifier(make_pipeline(StandardScaler(), LinearSVC(random_state=0)))
    y_score = classifier.fit(X_train, Y_train).decision_function(X_test)
    precision, recall, average_precision = {}, {}, {}
    for i in range(3):
        precision[i], recall[i], _ = precision_recall_curve(Y_test[:, i], y_score[:, i])
        average_precision[i] = average_precision_score(Y_test[:, i], y_score[:, i])
    precision["micro"], recall["micro"], _ = precision_recall_curve(Y_test.ravel(), y_score.ravel())
    average_precision["micro"] = average_precision_score(Y_test, y_score, average="micro")
    micro = PrecisionRecallDisplay(
        recall=recall["micro"],
        precision=precision["micro"],
        average_precision=average_precision["micro"],
        prevalence_pos_label=Counter(Y_test.ravel())[1] / Y_test.size,
    )
    micro.plot(plot_chance_level=True, despine=True)
    _ = micro.ax_.set_title("Micro-averaged over all classes")

    colors = cycle(["navy", "turquoise", "darkorange", "cornflowerblue", "teal"])
    _, ax = plt.subplots(figsize=(7, 8))
    for f_score in np.linspace(0.2, 0.8, num=4):
        x = np.linspace(0.01, 1)
        y = f_score * x / (2 * x - f_score)
        (line,) = ax.plot(x[y >= 0], y[y >= 0], color="gray", alpha=0.2)
        ax.annotate(f"f1={f_score:0.1f}", xy=(0.9, y[45] + 0.02))
    display = PrecisionRecallDisplay(
        recall=recall["micro"],
        precision=precision["micro"],
        average_precision=average_precision["micro"],
    )
    display.plot(ax=ax, name="Micro-average precision-recall", curve_kwargs={"color": "gold"})
    displays = [micro, display]
    for i, color in zip(range(3), colors, strict=False):
        display = PrecisionRecallDisplay(
            recall=recall[i],
            precision=precision[i],
            average_precision=average_precision[i],
        )
        name = f"Precision-recall for class {i}"
        display.plot(ax=ax, name=name, curve_kwargs={"color": color}, despine=True)
        displays.append(display)
    handles, labels = display.ax_.get_legend_handles_labels()
    ax.legend(handles=[*handles, line], labels=[*labels, "iso-f1 curves"], loc="best")
    ax.set_title("Extension of Precision-Recall curve to multi-class")
    return displays


def plot_display_object_visualization(PrecisionRecallDisplay):
    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    clf = make_pipeline(StandardScaler(), LogisticRegression(random_state=0)).fit(X_train, y_train)
    y_score = clf.decision_function(X_test)
    prec, recall, _ = precision_recall_curve(y_test, y_score, pos_label=clf.classes_[1])
    pr_display = PrecisionRecallDisplay(precision=prec, recall=recall).plot()
    _, (ax1, ax2) = plt.subplots(1, 2, figsize=(12, 8))
    ax1.plot(pr_display.recall, pr_display.precision)
    return [pr_display.plot(ax=ax2)]


def a_course_compares_with_a_dummy(PrecisionRecallDisplay):
    X_train, X_test, y_train, y_test = split_blobs()
    classifier = LogisticRegression().fit(X_train, y_train)
    dummy = DummyClassifier(strategy="most_frequent").fit(X_train, y_train)
    disp = PrecisionRecallDisplay.from_estimator(
        classifier, X_test, y_test, pos_label=1, curve_kwargs={"marker": "+"}
    )
    other = PrecisionRecallDisplay.from_estimator(
        dummy,
        X_test,
        y_test,
        pos_label=1,
        ax=disp.ax_,
        curve_kwargs={"color": "tab:orange", "ls": "--"},
        plot_chance_level=True,
        chance_level_kw={"color": "k", "ls": ":"},
    )
    plt.legend(bbox_to_anchor=(1.05, 0.8), loc="upper left")
    plt.title("Precision-recall curve")
    return [disp, other]


def models_on_one_picture(PrecisionRecallDisplay):
    X_train, X_test, y_train, y_test = split_blobs()
    fig, ax = plt.subplots(figsize=(6, 6))
    displays = []
    for model in (LogisticRegression(), DecisionTreeClassifier(max_depth=3, random_state=0)):
        model.fit(X_train, y_train)
        display = PrecisionRecallDisplay.from_estimator(
            model, X_test, y_test, ax=ax, name=type(model).__name__, drop_intermediate=True
        )
        displays.append(display)
    ax.set(xlabel="Recall", ylabel="Precision")
    fig.tight_layout()
    return displays


def outliers_with_a_chance_level(PrecisionRecallDisplay):
    X, y = make_classification(600, weights=[0.9], class_sep=2, random_state=0)
    scores = IsolationForest(random_state=0).fit(X).score_samples(X)
    display = PrecisionRecallDisplay.from_predictions(
        y,
        -scores,
        name="IForest",
        plot_chance_level=True,
        chance_level_kw={"linestyle": ":", "label": "random"},
        curve_kwargs={"drawstyle": "default", "linewidth": 2},
    )
    return [display]


def a_report_reads_attributes(PrecisionRecallDisplay):
    X_train, X_test, y_train, y_test = split_blobs()
    clf = LogisticRegression().fit(X_train, y_train)
    disp = PrecisionRecallDisplay.from_predictions(
        y_test, clf.predict_proba(X_test)[:, 1], name="m"
    )
    best = np.argmax(2 * disp.precision * disp.recall / (disp.precision + disp.recall))
    disp.ax_.plot(disp.recall[best], disp.precision[best], "o")
    disp.ax_.set_title(
        f"{disp.name}: {disp.average_precision:.2f}, {disp.prevalence_pos_label:.2f}"
    )
    disp.line_.set_color("red")
    disp.figure_.set_size_inches(4, 4)
    return [disp]


PROGRAMS = [
    docstring_of_the_class,
    docstring_of_from_estimator,
    docstring_of_from_predictions,
    docstring_of_from_cv_results,
    plot_precision_recall_binary,
    plot_precision_recall_of_several_labels,
    plot_display_object_visualization,
    a_course_compares_with_a_dummy,
    models_on_one_picture,
    outliers_with_a_chance_level,
    a_report_reads_attributes,
]
