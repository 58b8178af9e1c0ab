"""
What is drawn by itself?
========================

An interval counts independent observations. Rows are seldom independent if
a patient has many of them. This example makes up patients, and checks how
often the intervals hold the truth.
"""

# %%
# Patients with many visits
# -------------------------
# Each patient has the disease or not. The general health of a patient
# changes the score of all visits of that patient. So the eighth visit says
# little that the first seven did not say.
import numpy as np

N_PATIENTS, N_VISITS, SHARE = 150, 8, 0.2


def draw(rng, n_patients=N_PATIENTS):
    sick = rng.random(n_patients) < SHARE
    health = rng.standard_normal(n_patients)
    patient = np.repeat(np.arange(n_patients), N_VISITS)
    noise = rng.standard_normal(patient.size)
    return (
        sick[patient],
        1.5 * sick[patient] + health[patient] + 0.5 * noise,
        patient,
    )


# %%
# One data set, two intervals
# ---------------------------
from sklearn_ap.inference import confidence_interval

y, score, patient = draw(np.random.default_rng(0))
print("rows:    ", confidence_interval(y, score))
print("patients:", confidence_interval(y, score, clusters=patient))

# %%
# A hundred data sets
# -------------------
# The truth is the score of very many patients. Of 100 intervals at the 95%
# level, about 95 should hold it.
import sklearn_ap as ap

y, score, _ = draw(np.random.default_rng(1), 100_000)
truth = ap.average_precision_score(y, score)

intervals = {"rows": [], "patients": []}
for seed in range(100):
    y, score, patient = draw(np.random.default_rng(seed))
    intervals["rows"].append(confidence_interval(y, score))
    intervals["patients"].append(
        confidence_interval(y, score, clusters=patient)
    )
hold = {
    units: sum(low <= truth <= high for _, low, high in found)
    for units, found in intervals.items()
}
for units, number in hold.items():
    print(f"units are {units}: {number} of 100 intervals hold {truth:.3f}")

# %%
# Each line is an interval. Red intervals miss the truth, the black line.
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(8, 6), sharex=True, sharey=True)
for ax, (units, found) in zip(axes, intervals.items(), strict=True):
    for place, (_, low, high) in enumerate(found):
        missed = not low <= truth <= high
        ax.plot(
            [low, high],
            [place, place],
            color="tab:red" if missed else "0.6",
            linewidth=1,
        )
    ax.axvline(truth, color="k", linewidth=1)
    ax.set(
        title=f"units are {units}: {hold[units]} hold it",
        xlabel="Average precision",
    )
axes[0].set_ylabel("Data set")
plt.show()

# %%
# Folds and queries
# -----------------
# The same is true of queries, which you pass as ``groups=``. Each query
# has a ranking of its own, and the score is the mean over queries. The
# folds of a cross-validation are such groups too, because a different
# model scores each fold.
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

X, y = make_classification(
    1500, weights=[0.9], class_sep=0.5, random_state=0
)
results = cross_validate(
    LogisticRegression(),
    X,
    y,
    cv=8,
    return_estimator=True,
    return_indices=True,
)
display = ap.AveragePrecisionDisplay.from_cv_results(
    results, X, y, confidence_level=0.95
)
display.ax_.set_title("Eight folds, and the interval of their mean")
plt.show()
