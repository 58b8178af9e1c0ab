"""Ranks of several models, and the intervals that contain all of them at once."""

import numpy as np
import pytest
from scipy.stats import rankdata
from statsmodels.stats.multitest import multipletests

from sklearn_ap.core.ranks import beyond_chance, rank_limits, ranks_of
