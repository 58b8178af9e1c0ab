"""
One grid search, many average precisions
========================================

Which model ranks best depends on what "average precision" means. Here a
grid search uses three definitions at once. Then every definition judges
every candidate on data that were held out.
"""

# %%
# The data: who gets worse fastest
# --------------------------------
# The diabetes data tell how far the disease got within a year. The task is
# to put the 15% of patients whose disease got furthest at the top of the
# list. This is hard, and positives are rare.
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
# ``make_ap_scorer`` makes a scorer of each definition. It passes keywords
# such as ``k`` on to the definition. Suppose that you can call ten
# patients. ``AP@10`` looks at the first ten only.
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
# The candidates give scores of different kinds. A logistic regression
# hardly ever gives two patients the same score. Nearest neighbours and a
# small tree give few distinct scores, so many patients are tied. In the
# tables, LR is a logistic regression with its ``C``, and NN are nearest
# neighbours.
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

candidates = {
    "LR .01": LogisticRegression(C=0.01),
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
# What the search found
# ---------------------
# Each column is one scorer, and a star marks its best candidate. Here step
# prefers the stronger penalty, and ``AP@10`` the weaker one. Much of that
# is chance: another ``random_state`` of the split gives other winners. But
# more often than not, the scorers pick different candidates.
names = list(candidates)
WIDTH = max(map(len, names))


def print_table(title, columns, rows, best):
    """Print rows of numbers, with a star where ``best`` says."""
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
held_out = search.score(X_test, y_test)
print(f"step of the refitted model on held-out data: {held_out:.3f}")
print()

# %%
# What each definition says on held-out data
# ------------------------------------------
# Every candidate is now fitted on all training data. Each row is one
# definition, and a star marks the best candidate of the row.
#
# The denominator "min" divides by K or by the number of positives,
# whichever is smaller. So it equals "k" or "relevant", and it depends on
# the size of the data which of the two. "best" puts tied positives first,
# and "worst" puts them last. If these two are far apart, the scores of the
# candidate are too coarse for a ranking.
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
# The same table as a picture. Within each row, a darker cell is a better
# candidate, and the best one is in bold.
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
