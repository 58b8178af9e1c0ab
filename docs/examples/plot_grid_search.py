"""
One grid search, many average precisions
========================================

Which model ranks best depends on what "average precision" means. Here a grid search is scored by
three definitions at once. Then every definition is asked about every candidate, on held-out data.
"""

# %%
# The data: who gets worse fastest
# --------------------------------
# The diabetes data set holds a measure of how far the disease got within a year. The task is to
# put the 15% of patients in which it got furthest on top of the list. That is hard, and positives
# are rare.
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
print()

# %%
# Three scorers
# -------------
# ``make_ap_scorer`` makes a scorer of each definition; keyword arguments such as ``k`` are handed
# on to it. Suppose that ten patients can be called in: ``AP@10`` looks at no more than those.
import sklearn_ap as ap

K = 10

scoring = {
    "step": ap.make_ap_scorer(),
    "11-point": ap.make_ap_scorer("eleven_point_average_precision"),
    f"AP@{K}": ap.make_ap_scorer("average_precision_at_k", k=K),
}

# %%
# The search
# ----------
# The candidates give scores of different kinds: a logistic regression hardly ever gives two
# patients the same score; nearest neighbours and a small tree give a few distinct scores only,
# and so have many ties.
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

candidates = {
    "logistic C=.01": LogisticRegression(C=0.01),
    "logistic C=1": LogisticRegression(C=1.0),
    "5 neighbours": KNeighborsClassifier(n_neighbors=5),
    "25 neighbours": KNeighborsClassifier(n_neighbors=25),
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
# What the search found
# ---------------------
# Each column is one scorer; its best candidate is starred. A scorer that stars another candidate
# than the rest would have picked another model. Here step prefers the stronger penalty, ``AP@10``
# the weaker one. Much of that is chance, and another ``random_state`` of the split gives other
# winners; but they differ more often than not.
names = list(candidates)
WIDTH = max(map(len, names))


def print_table(title, columns, rows, best):
    """Print rows of numbers, with a star at the places that ``best`` holds."""
    first = max(len(title), *map(len, rows))
    print(
        f"{title:<{first}}", *(f"{column:>{WIDTH}} " for column in columns)
    )
    for i, (row, values) in enumerate(rows.items()):
        stars = (
            "*" if (i, j) in best else " " for j in range(len(values))
        )
        cells = (
            f"{value:>{WIDTH}.3f}{star}"
            for value, star in zip(values, stars, strict=True)
        )
        print(f"{row:<{first}}", *cells)


cv_means = np.array(
    [search.cv_results_[f"mean_test_{scorer}"] for scorer in scoring]
)
winners = cv_means.argmax(axis=1)
print_table(
    "mean over 3 folds",
    scoring,
    dict(zip(names, cv_means.T, strict=True)),
    best={(winner, column) for column, winner in enumerate(winners)},
)
print()
for scorer, winner in zip(scoring, winners, strict=True):
    print(f"{scorer} picks: {names[winner]}")
print(
    f"refitted by step, which on held-out data is {search.score(X_test, y_test):.3f}"
)
print()

# %%
# What each definition says on held-out data
# ------------------------------------------
# Every candidate is fitted on all training data, as the search did for the one it picked. Each
# row is one definition, and its best candidate is starred.
#
# With "min" as denominator the hits are divided by K or by the number of positives, whichever is
# smaller; so it equals "k" or "relevant", and which of them changes with the size of the data.
# "best" and "worst" put tied positives first and last: where they are far apart, the candidate's
# scores are too coarse for a ranking.
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
picks = {name: int(np.argmax(values)) for name, values in table.items()}
print_table(
    "held-out data", names, table, best=set(enumerate(picks.values()))
)

print()
for winner in dict.fromkeys(picks.values()):
    count = list(picks.values()).count(winner)
    print(f"best by {count} of {len(picks)} definitions: {names[winner]}")

# %%
# The same table as a picture: the darker, the better by the definition of the row.
import matplotlib.pyplot as plt

values = np.array(list(table.values()))
ranks = values.argsort(axis=1).argsort(axis=1)
figure, ax = plt.subplots(figsize=(8.5, 5.5), layout="constrained")
ax.imshow(ranks, cmap="Blues", vmax=6, aspect="auto")
for (row, column), value in np.ndenumerate(values):
    best = picks[list(table)[row]] == column
    weight, color = ("bold", "white") if best else ("normal", "black")
    ax.text(
        column,
        row,
        f"{value:.3f}",
        ha="center",
        va="center",
        weight=weight,
        color=color,
    )
ax.set(
    xticks=range(len(names)),
    xticklabels=names,
    yticks=range(len(table)),
    yticklabels=table,
)
ax.set_title("Held-out data: the best candidate depends on the definition")
plt.show()
