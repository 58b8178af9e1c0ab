import os
import warnings
from importlib.util import find_spec

from hypothesis import settings
from hypothesis.errors import HypothesisWarning

# SciPy reads this when it is first imported, and scikit-learn dispatches on arrays only with it.
if find_spec("array_api_strict") or find_spec("torch"):
    os.environ.setdefault("SCIPY_ARRAY_API", "1")

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures without a screen

in_ci = "CI" in os.environ  # where examples are the same each time, and failures aren't kept
with warnings.catch_warnings():  # if the checkout can't be written, so they are kept in memory
    warnings.simplefilter("ignore", HypothesisWarning)
    database = None if in_ci else settings.default.database

# How many examples a property is tested with. The thorough sweep is run by .ci/run.
settings.register_profile(
    "quick", max_examples=25, deadline=None, derandomize=in_ci, database=database
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=100)
settings.load_profile("quick")
