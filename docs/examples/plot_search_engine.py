"""
A search engine, one query at a time
====================================

A search engine is judged by its first page of results, for each query
separately. So ``AP@10`` is computed within each query, and ``MAP@10`` is
the mean over queries. One ranking of all results would compare scores of
different queries. Nobody ever sees those side by side.
"""

# %%
# The documents
# -------------
# scikit-learn brings a small library along: the docstrings of its
# estimators. A query is a topic. An estimator is relevant if it is in the
# package for that topic. The docstrings are those of the installed
# release, so the numbers here change a little with each release.
import numpy as np
from sklearn.utils.discovery import all_estimators

estimators = [cls for _, cls in all_estimators() if cls.__doc__]
texts = [cls.__doc__ for cls in estimators]
package = np.array([cls.__module__.split(".")[1] for cls in estimators])

queries = {
    "cluster": "group similar samples into clusters",
    "decomposition": "matrix factorization into components",
    "ensemble": "combine many trees by boosting or bagging",
    "feature_selection": "select the best features",
    "impute": "fill in missing values",
    "linear_model": "generalized linear model",
    "manifold": "nonlinear embedding into low dimension",
    "model_selection": "search over parameters",
    "naive_bayes": "class prior probabilities and likelihood",
    "neighbors": "nearest neighbors of a query point",
    "preprocessing": "scale and encode features",
    "svm": "support vector machine with kernel",
}

# %%
# Two engines
# -----------
# Both engines score a document by the words that it shares with the query.
# One engine counts words. The other gives more weight to rare words, and
# less to long documents.
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfVectorizer,
)

engines = {
    "counts": CountVectorizer(stop_words="english"),
    "tf-idf": TfidfVectorizer(stop_words="english", sublinear_tf=True),
}
relevant = np.concatenate([package == topic for topic in queries])
group = np.repeat(list(queries), len(texts))
scores = {}
for name, engine in engines.items():
    documents = engine.fit_transform(texts)
    asked = engine.transform(queries.values())
    scores[name] = (asked @ documents.T).toarray().ravel()

# %%
# The mean over queries
# ---------------------
# A docstring that shares no word with the query has score 0, as many
# others do. Such ties count with their share, so the order of the
# documents does not matter. In one ranking of all queries, only the first
# ten results of all queries count. That number says little.
import sklearn_ap as ap

by_query = {}
for name, score in scores.items():
    by_query[name] = ap.mean_average_precision_score(
        relevant, score, groups=group, k=10, average=None
    )
    mixed = ap.average_precision_at_k_score(relevant, score, k=10)
    value = by_query[name].mean()
    print(f"{name}: MAP@10 {value:.3f}; in one ranking {mixed:.3f}")

# %%
# Each row is a query, and MAP is the mean over the rows. To weigh words
# helps for most queries, but not for all.
import matplotlib.pyplot as plt

plt.style.use("seaborn-v0_8-colorblind")
figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
names = np.unique(group)  # the order of the values
order = np.argsort(by_query["tf-idf"])
places = np.arange(len(names))
ax.hlines(
    places,
    *(values[order] for values in by_query.values()),
    color="lightgray",
    zorder=0,
)
for (name, values), marker in zip(by_query.items(), "os", strict=True):
    (dots,) = ax.plot(
        values[order],
        places,
        marker,
        label=f"{name}: MAP@10 = {values.mean():.2f}",
    )
    ax.axvline(
        values.mean(), color=dots.get_color(), linestyle="--", linewidth=1
    )
ax.set(
    yticks=places,
    yticklabels=names[order],
    xlabel="AP@10 of the query (dashed: mean over queries)",
    xlim=(-0.02, 1.02),
)
ax.legend(loc="lower right")
ax.set_title("Each query, and the mean over queries")
plt.show()
