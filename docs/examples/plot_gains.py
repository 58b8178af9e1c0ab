"""
How much do you find if you check the top 1%?
=============================================

If you can check only some cases, precision-recall curves don't answer
your question. A hit curve, or cumulative gains chart, does. It shows how
much you find against how much you check.
"""

# %%
# Draw the hit curves of two models
# ---------------------------------
# These simulated payments have 2% fraud. "Perfect" ranks all fraud first.
# If you check 5% of the payments at random, you find 5% of the fraud.
import matplotlib.pyplot as plt

import sklearn_ap as ap

payments = ap.datasets.load_payments()
models = ["model_a", "model_b"]
display = ap.HitCurveDisplay.from_predictions(
    "fraud", models, data=payments, metric="R@1%"
)
display.ax_.set(xlim=(0, 0.1))
display.ax_.axvline(0.01, color="0.6", linewidth=1)
display.ax_.annotate("top 1%", (0.0115, 0.08), color="0.4")
display.ax_.xaxis.set_major_formatter("{x:.0%}")
display.ax_.yaxis.set_major_formatter("{x:.0%}")
display.ax_.set(title="Model B finds more fraud in the top 1%")
display.ax_.legend(loc="center right", bbox_to_anchor=(1, 0.33))
plt.show()

# %%
# The picture ends at 10%, because only the top matters here.
#
# Compare the models in the top 1%
# --------------------------------
# The enrichment factor (EF), or lift, says how many times as much you find
# as by checking at random. A perfect ranking would reach 50.6 here, because
# all payments in its top 1% are fraud, instead of 2%.
print(
    ap.report(
        "fraud",
        models,
        metrics=["R@1%", "EF@1%"],
        baseline="model_a",
        data=payments,
    )
)

# %%
# B's values are higher, but both intervals of the difference contain 0.
