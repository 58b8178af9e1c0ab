"""
One grid search, several definitions of average precision
=========================================================

Scorers with other definitions of average precision may pick other models.
This example runs a grid search with three definitions at once, asks if its
choice could be chance, and then evaluates every candidate by fourteen
definitions on held-out data.
"""

# %%
# Patients whose disease progresses fast
# --------------------------------------
# The diabetes data set has the progression of each patient's disease
# within a year. The task is to rank the 15% of patients with the fastest
# progression at the top. It's hard, and positives are rare.
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

X, progression = load_diabetes(return_X_y=True)
y = (progression >= np.quantile(progression, 0.85)).astype(int)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.33, stratify=y, random_state=5
)

print(f"training: {y_train.sum()} positives in {y_train.size}")
print(f"held out: {y_test.sum()} positives in {y_test.size}")

# %%
# Three scorers
# -------------
# ``make_ap_scorer`` turns a definition into a scorer, and passes keywords
# such as ``k`` on to it. Suppose that you can call ten patients: then
# ``AP@10`` fits your task, because it looks at the top ten only.
import sklearn_ap as ap

K = 10

scoring = {
    "step": ap.make_ap_scorer(),
    "11-point": ap.make_ap_scorer("eleven_point_average_precision"),
    f"AP@{K}": ap.make_ap_scorer("average_precision_at_k", k=K),
}

# %%
# Run the search
# --------------
# The candidates produce different kinds of scores. Logistic regression
# (LR, with its ``C``) hardly ever gives two patients the same score.
# Nearest neighbors (NN) and a small tree have few distinct scores, so many
# patients are tied.
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

candidates = {
    "LR 0.01": LogisticRegression(C=0.01),
    "LR 1": LogisticRegression(C=1.0),
    "5-NN": KNeighborsClassifier(n_neighbors=5),
    "25-NN": KNeighborsClassifier(n_neighbors=25),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": RandomForestClassifier(max_depth=4, random_state=0),
}
pipeline = Pipeline(
    [("scale", StandardScaler()), ("model", LogisticRegression())]
)
search = GridSearchCV(
    pipeline,
    {"model": list(candidates.values())},
    scoring=scoring,
    refit="step",
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
)
search.fit(X_train, y_train)

# %%
# Different scorers pick different candidates
# -------------------------------------------
# The step scorer picks the stronger penalty, ``C=0.01``, and ``AP@10`` the
# weaker one. Is that more than chance?
names = list(candidates)
for scorer in scoring:
    means = search.cv_results_[f"mean_test_{scorer}"]
    print(f"{scorer} picks: {names[np.argmax(means)]}")
print(ap.compare_folds(search, metric="step"))

# %%
# No difference between the candidates is significant: three folds are too
# few for a choice. With another ``random_state``, other candidates win.
held_out = search.score(X_test, y_test)
print(f"step of the refitted model on held-out data: {held_out:.3f}")

# %%
# Held-out data, by fourteen definitions
# --------------------------------------
# Every candidate is now fitted on all of the training data. Each row of
# the table is a definition.
#
# With ``denominator="min"``, AP@k is divided by k or by the number of
# positives, whichever is smaller, so it equals "k" or "relevant". With
# ``ties="best"``, tied positives come first, and with ``ties="worst"``
# they come last. If the two are far apart, the candidate's scores are too
# coarse for a ranking.
from functools import partial

definitions = {
    "step": ap.average_precision_score,
    "envelope": ap.interpolated_average_precision_score,
    "11-point": ap.eleven_point_average_precision_score,
    "101-point": partial(
        ap.interpolated_average_precision_score, n_points=101
    ),
}
at_k = partial(ap.average_precision_at_k_score, k=K)
for denominator in ("min", "relevant", "k", "hits"):
    definitions[f"AP@{K} denominator={denominator}"] = partial(
        at_k, denominator=denominator
    )
for name, function in (
    ("step", ap.average_precision_score),
    (f"AP@{K}", at_k),
):
    for ties in ("expected", "best", "worst"):
        definitions[f"{name} ties={ties}"] = partial(function, ties=ties)

y_scores = [
    clone(pipeline)
    .set_params(model=model)
    .fit(X_train, y_train)
    .predict_proba(X_test)[:, 1]
    for model in candidates.values()
]
table = {
    name: [definition(y_test, y_score) for y_score in y_scores]
    for name, definition in definitions.items()
}
print(f"{'':26}", *(f"{name:>7}" for name in names))
for definition, values in table.items():
    print(f"{definition:26}", *(f"{value:7.3f}" for value in values))

# %%
# How often is each candidate best? Two candidates with many ties are best
# by ``denominator="hits"``, which ignores positives below the cutoff, and
# by ``ties="best"``, so don't choose a model by these.
picks = {name: int(np.argmax(values)) for name, values in table.items()}
for winner in dict.fromkeys(picks.values()):
    count = list(picks.values()).count(winner)
    print(
        f"{names[winner]} is best by {count} of {len(picks)} definitions"
    )

# %%
# The picture shows the same table. In each row, better candidates are
# bluer, and the best one is bold.
import matplotlib.pyplot as plt

values = np.array(list(table.values()))
ranks = values.argsort(axis=1).argsort(axis=1)
figure, ax = plt.subplots(figsize=(8.5, 5.5), layout="constrained")
ax.imshow(ranks, cmap="Blues", vmax=12, aspect="auto")  # words stand out
for (row, column), value in np.ndenumerate(values):
    best = picks[list(table)[row]] == column
    ax.text(
        column,
        row,
        f"{value:.3f}",
        ha="center",
        va="center",
        weight="bold" if best else "normal",
    )
ax.set(
    xticks=range(len(names)),
    xticklabels=names,
    yticks=range(len(table)),
    yticklabels=table,
)
ax.set_title("Held-out data: the candidates by fourteen definitions")
plt.show()
