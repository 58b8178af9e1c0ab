"""
Compare two search engines with MAP@10
======================================

A search engine is judged by its first page of results, for each query
separately. So ``AP@10`` is computed within each query, and ``MAP@10`` is
the mean over queries. A single ranking of all results would compare the
scores of different queries, which users never see side by side.
"""

# %%
# Documents and queries
# ---------------------
# The documents are the docstrings of scikit-learn's estimators, and each
# query describes a topic. An estimator is relevant if it belongs to the
# package for that topic. The docstrings come from the installed release,
# so the values change a little with each release.
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
# The first one counts words. The second one, tf-idf, gives more weight to
# rare words, and less to long documents.
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
# Average over queries
# --------------------
# Many docstrings share no word with the query, and are tied at score 0. If
# a tie reaches beyond the first ten results, each of its documents counts
# by the fraction that fits, so their order doesn't matter. The second
# value in each line comes from ranking all results together. Then only the
# first ten of all results count, which says little about the engines.
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
# Is tf-idf better on other queries too, or did it get lucky with these
# twelve? If the interval of the difference contains 0, you can't tell.
ap.compare(
    relevant,
    scores["tf-idf"],
    scores["counts"],
    metric="MAP@10",
    groups=group,
)

# %%
# Each row is a query, and MAP is the mean over the rows. Weighting the
# words helps with most queries, but not with all.
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
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
ax.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
plt.show()
