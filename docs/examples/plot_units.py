"""
Confidence intervals for data with several rows per patient
===========================================================

A confidence interval depends on how many independent observations there
are. If a patient has several rows, these aren't independent. This example
makes up patients, and checks how often the intervals contain the true
value.
"""

# %%
# Patients with eight visits each
# -------------------------------
# A patient either has the disease or not. The patient's general health
# affects the scores of all visits, so the eighth visit adds little to the
# first seven.
import numpy as np

N_PATIENTS, N_VISITS, PREVALENCE = 150, 8, 0.2


def draw(rng, n_patients=N_PATIENTS):
    sick = rng.random(n_patients) < PREVALENCE
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
# Without ``clusters``, every row counts as an independent observation.
import sklearn_ap as ap

y, score, patient = draw(np.random.default_rng(0))
ap.confidence_interval(y, score)

# %%
# Pass the patients as ``clusters``, and the interval gets wider:
ap.confidence_interval(y, score, clusters=patient)

# %%
# A hundred data sets
# -------------------
# Which of the two intervals can you trust? The true value is the average
# precision for a very large number of patients. About 95 of 100 intervals
# at the 95% level should contain it.
y, score, _ = draw(np.random.default_rng(1), 100_000)
truth = ap.average_precision_score(y, score)

intervals = {"rows": [], "patients": []}
for seed in range(100):
    y, score, patient = draw(np.random.default_rng(seed))
    intervals["rows"].append(ap.confidence_interval(y, score))
    intervals["patients"].append(
        ap.confidence_interval(y, score, clusters=patient)
    )
n_containing = {
    units: sum(low <= truth <= high for _, low, high in found)
    for units, found in intervals.items()
}
n_containing

# %%
# Only about half of the intervals over rows contain the true value,
# because they are far too narrow. In the picture, each line is an
# interval, and the red ones miss the true value.
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
        title=f"By {units}:\n"
        f"{n_containing[units]} of 100 contain the true value",
        xlabel="Average precision",
    )
axes[0].set_ylabel("Data set")
plt.show()

# %%
# Folds and queries
# -----------------
# If each query has a ranking of its own, the queries are the sampling
# units. Pass them as ``groups``, and the metric is the mean over queries.
# The folds of a cross-validation are such groups too, because a different
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
