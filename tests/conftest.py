"""What all tests share: settings of hypothesis and of threads, for busy machines."""

import os

from hypothesis import settings

# Threads that spin while they wait for a busy core make gradient boosting up to 60 times as slow.
os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile("quick", max_examples=30, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=400, deadline=None)
settings.load_profile("quick")
