"""
Stop boosting by the score that counts
======================================

Gradient boosting usually stops early by log loss. But an office that can
check 100 payments a day wants the fraud at the top of the list, and
nothing else. Here both rules stop the same model. Payments that were held
out then show which rule kept the better round.
"""

# %%
# The data: one payment in fifty is fraud
# ---------------------------------------
# The labels are strings. Some of them are wrong, because customers
# complain late or never. The model learns from a third of the payments,
# stops by a third, and is judged on the last third.
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split


def payments(seed):
    """Draw payments, and split them into three parts with labels."""
    X, y = make_classification(
        n_samples=12_000,
        n_features=20,
        n_informative=8,
        n_redundant=4,
        n_clusters_per_class=4,
        weights=[0.98],
        flip_y=0.01,
        class_sep=0.8,
        random_state=seed,
    )
    labels = np.where(y == 1, "fraud", "legit")
    X, X_held_out, labels, held_out = train_test_split(
        X, labels, test_size=1 / 3, stratify=labels, random_state=0
    )
    X_train, X_stop, train, stop = train_test_split(
        X, labels, test_size=1 / 2, stratify=labels, random_state=0
    )
    return (X_train, train), (X_stop, stop), (X_held_out, held_out)


# %%
# Two ways to stop
# ----------------
# ``lightgbm_metric`` makes a metric that LightGBM can call.
# ``LGBMClassifier`` sorts the labels, numbers them, and passes the numbers
# on. So the metric needs to know all classes, and which of them is the
# positive one. ``metric="None"`` switches log loss off. Otherwise log loss
# can stop the model too.
import warnings

import lightgbm as lgb

import sklearn_ap as ap
from sklearn_ap.boosting import lightgbm_metric

K = 100
metric = lightgbm_metric(
    f"average_precision_at_{K}",
    pos_label="fraud",
    classes=["fraud", "legit"],
)

# LightGBM 4.7 wants eval_X and eval_y, but takes no strings there yet.
warnings.filterwarnings(
    "ignore", message="The argument 'eval_set' is deprecated"
)


def fit(train, stop, eval_metric, **params):
    """Fit a model, and keep the round that is best by a metric."""
    log = {}
    model = lgb.LGBMClassifier(
        n_estimators=300, random_state=0, verbose=-1, n_jobs=1, **params
    )
    model.fit(
        *train,
        eval_set=[stop],
        eval_metric=eval_metric,
        callbacks=[
            lgb.early_stopping(40, verbose=False),
            lgb.record_evaluation(log),
        ],
    )
    return model, log["valid_0"]


train, stop, held_out = payments(seed=3)
by_loss, losses = fit(train, stop, "binary_logloss")
by_score, scores = fit(train, stop, metric, metric="None")
print(by_score.best_score_["valid_0"])

# %%
# What it wins
# ------------
# A single payment costs much log loss if the model is sure about it and
# wrong. So log loss soon gets worse again, while the order at the top of
# the list still gets better. The model stops too early. One draw of 100
# payments may be luck, so here are five draws. Each is judged on payments
# that no model has seen.


def at_k(model, X, y):
    """AP@K of held-out payments."""
    return ap.average_precision_at_k_score(
        y, model.predict_proba(X)[:, 0], k=K, pos_label="fraud"
    )


print(f"{'':8}{'round kept by':^22}{f'held-out AP@{K} by':^22}")
rules = f"{'log loss':>11}{f'AP@{K}':>11}"
print(f"{'draw':8}{rules}{rules}")
won = []
for seed in range(5):
    *parts, unseen = payments(seed)
    models = (
        fit(*parts, "binary_logloss")[0],
        fit(*parts, metric, metric="None")[0],
    )
    rounds = [model.best_iteration_ for model in models]
    values = [at_k(model, *unseen) for model in models]
    won.append(values[1] - values[0])
    kept = "".join(f"{number:>11}" for number in rounds)
    print(f"{seed:<8}{kept}{values[0]:>11.3f}{values[1]:>11.3f}")
print(f"mean gain: {np.mean(won):.3f}")

# %%
# The picture shows the rounds of one draw, on the payments to stop by.
# Each dashed line marks the round that a rule keeps.
import matplotlib.pyplot as plt

figure, (above, below) = plt.subplots(
    2, sharex=True, figsize=(7, 5.5), layout="constrained"
)
above.plot(
    np.arange(1, len(losses["binary_logloss"]) + 1),
    losses["binary_logloss"],
)
above.set(
    title="The payments to stop by", ylabel="Log loss (lower is better)"
)
below.plot(
    np.arange(1, len(scores[metric.__name__]) + 1),
    scores[metric.__name__],
    color="C1",
)
below.set(xlabel="Boosting round", ylabel=f"AP@{K} (higher is better)")
for ax in (above, below):
    ax.axvline(
        by_loss.best_iteration_,
        color="C0",
        ls="--",
        label="kept by log loss",
    )
    ax.axvline(
        by_score.best_iteration_,
        color="C1",
        ls="--",
        label=f"kept by AP@{K}",
    )
below.legend(loc="lower right")
plt.show()
