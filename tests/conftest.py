import os
from importlib.util import find_spec

from hypothesis import settings

# SciPy reads this when it is first imported, and scikit-learn dispatches on arrays only with it.
if find_spec("array_api_strict") or find_spec("torch"):
    os.environ.setdefault("SCIPY_ARRAY_API", "1")

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures without a screen

# How many examples a property is tested with. The thorough sweep is run by .ci/run.
settings.register_profile("quick", max_examples=25, deadline=None, derandomize="CI" in os.environ)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=100)
settings.load_profile("quick")
