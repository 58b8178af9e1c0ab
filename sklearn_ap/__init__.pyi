# The types of the public names. Written by docs/_write/pages.py; edit the functions themselves.

from collections.abc import Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import boosting as boosting
from . import compat as compat
from . import datasets as datasets
from . import exceptions as exceptions
from . import inference as inference
from . import readers as readers
from . import reports as reports
from . import spark as spark
from . import thresholds as thresholds
from ._enter.metric import Metric as Metric
from ._inputs.records import (
    Average,
    Denominator,
    Grid,
    GroupAverage,
    KCounts,
    Label,
    NPositives,
    Ties,
    ZeroDivision,
)
from .curves import Curve
from .displays import AveragePrecisionDisplay as AveragePrecisionDisplay
from .displays import HitCurveDisplay as HitCurveDisplay
from .inference import Comparison, Comparisons, SearchComparison
from .inference import confidence_interval as confidence_interval
from .metrics import metric as metric
from .readers import Retrieved
from .reports import report as report
from .scorers import get_scorer as get_scorer
from .scorers import get_scorer_names as get_scorer_names
from .scorers import make_ap_scorer as make_ap_scorer
from .scorers import make_multi_scorer as make_multi_scorer
from .thresholds import OperatingPoint, OperatingPointTable

__version__: str

@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def average_precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def average_precision_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def average_precision_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    ties: Ties = "grouped",
    data: Any = None,
) -> float: ...
@overload
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    ties: Ties = "grouped",
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    ties: Ties = "grouped",
    data: Retrieved,
) -> float: ...
@overload
def average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    ties: Ties = "grouped",
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    grid: Grid = "exact",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def eleven_point_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    grid: Grid = "exact",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def eleven_point_average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    grid: Grid = "exact",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def eleven_point_average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    grid: Grid = "exact",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def enrichment_factor_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 0.01,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def enrichment_factor_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 0.01,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def enrichment_factor_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 0.01,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def enrichment_factor_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 0.01,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def hit_rate_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def hit_rate_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def hit_rate_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def hit_rate_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_points: int | None = None,
    grid: Grid = "exact",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def interpolated_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_points: int | None = None,
    grid: Grid = "exact",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def interpolated_average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    n_points: int | None = None,
    grid: Grid = "exact",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def interpolated_average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    n_points: int | None = None,
    grid: Grid = "exact",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    n_points: int | None = None,
    grid: Grid = "exact",
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: GroupAverage = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    n_points: int | None = None,
    grid: Grid = "exact",
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def mean_average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float | None = None,
    n_points: int | None = None,
    grid: Grid = "exact",
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: GroupAverage = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def mean_average_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float | None = None,
    n_points: int | None = None,
    grid: Grid = "exact",
    denominator: Denominator = "min",
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    gains: str | Mapping[float, float] = "linear",
    ignore_ties: bool = False,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    data: Any = None,
) -> float: ...
@overload
def ndcg_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    gains: str | Mapping[float, float] = "linear",
    ignore_ties: bool = False,
    average: None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def ndcg_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float | None = None,
    gains: str | Mapping[float, float] = "linear",
    ignore_ties: bool = False,
    average: Average = "macro",
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    data: Retrieved,
) -> float: ...
@overload
def ndcg_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float | None = None,
    gains: str | Mapping[float, float] = "linear",
    ignore_ties: bool = False,
    average: None,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def precision_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def precision_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def precision_at_recall_score(
    y_true: None = None,
    y_score: None = None,
    *,
    min_recall: float,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def precision_at_recall_score(
    y_true: None = None,
    y_score: None = None,
    *,
    min_recall: float,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    ties: Ties = "grouped",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    ties: Ties = "grouped",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def r_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    ties: Ties = "grouped",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def r_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    ties: Ties = "grouped",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    denominator: Denominator = "relevant",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    denominator: Denominator = "relevant",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def recall_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    denominator: Denominator = "relevant",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def recall_at_k_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float = 10,
    ties: Ties = "grouped",
    k_counts: KCounts = "weight",
    denominator: Denominator = "relevant",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_precision: float,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_precision: float,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def recall_at_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    min_precision: float,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def recall_at_precision_score(
    y_true: None = None,
    y_score: None = None,
    *,
    min_precision: float,
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    ties: Ties = "grouped",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> float: ...
@overload
def reciprocal_rank_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: float | None = None,
    ties: Ties = "grouped",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> NDArray[np.float64]: ...
@overload
def reciprocal_rank_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float | None = None,
    ties: Ties = "grouped",
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> float: ...
@overload
def reciprocal_rank_score(
    y_true: None = None,
    y_score: None = None,
    *,
    k: float | None = None,
    ties: Ties = "grouped",
    average: None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> NDArray[np.float64]: ...
@overload
def compare(
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    margin: float | None = None,
    joint: bool = True,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Comparison: ...
@overload
def compare(
    y_true: ArrayLike,
    y_score_a: Mapping[str, ArrayLike] | list[str] | str,
    y_score_b: None = None,
    *,
    baseline: str | None = None,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    margin: float | None = None,
    joint: bool = True,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Comparisons: ...
@overload
def compare(
    y_true: None = None,
    y_score_a: None = None,
    y_score_b: None = None,
    *,
    baseline: str | None = None,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    margin: float | None = None,
    joint: bool = True,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Mapping[str, Retrieved],
    **options: Any,
) -> Comparisons: ...
@overload
def compare_folds(
    a: Mapping[str, Mapping[str, Any] | ArrayLike],
    b: None = None,
    *,
    baseline: str | None = None,
    metric: str | Metric | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    confidence_level: float = 0.95,
    margin: float | None = None,
) -> Comparisons: ...
@overload
def compare_folds(
    a: Any,
    b: None = None,
    *,
    metric: str | Metric | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    confidence_level: float = 0.95,
    margin: float | None = None,
) -> SearchComparison: ...
@overload
def compare_folds(
    a: Mapping[str, Any] | ArrayLike,
    b: Mapping[str, Any] | ArrayLike,
    *,
    metric: str | Metric | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    confidence_level: float = 0.95,
    margin: float | None = None,
) -> Comparison: ...
@overload
def interpolated_precision_recall_curve(
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike] | list[str],
    *,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> dict[Any, Curve]: ...
@overload
def interpolated_precision_recall_curve(
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike] | list[str],
    *,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike,
    min_grade: float | None = None,
    data: Any = None,
) -> dict[Any, dict[Any, Curve]]: ...
@overload
def interpolated_precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Curve: ...
@overload
def interpolated_precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike,
    min_grade: float | None = None,
    data: Any = None,
) -> dict[Any, Curve]: ...
@overload
def interpolated_precision_recall_curve(
    y_true: None = None,
    y_score: None = None,
    *,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> dict[Any, Curve]: ...
@overload
def hit_curve(
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike] | list[str],
    *,
    fraction_of: str = "positives",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> dict[Any, Curve]: ...
@overload
def hit_curve(
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike] | list[str],
    *,
    fraction_of: str = "positives",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike,
    min_grade: float | None = None,
    data: Any = None,
) -> dict[Any, dict[Any, Curve]]: ...
@overload
def hit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fraction_of: str = "positives",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Curve: ...
@overload
def hit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    fraction_of: str = "positives",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike,
    min_grade: float | None = None,
    data: Any = None,
) -> dict[Any, Curve]: ...
@overload
def hit_curve(
    y_true: None = None,
    y_score: None = None,
    *,
    fraction_of: str = "positives",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> dict[Any, Curve]: ...
@overload
def operating_point(
    y_true: ArrayLike,
    y_score: Mapping[str, ArrayLike] | list[str],
    *,
    min_recall: float | None = None,
    min_precision: float | None = None,
    k: float | None = None,
    k_counts: str = "weight",
    confidence_level: float | None = None,
    threshold: float | Mapping[str, float] | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> OperatingPointTable: ...
@overload
def operating_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float | None = None,
    min_precision: float | None = None,
    k: float | None = None,
    k_counts: str = "weight",
    confidence_level: float | None = None,
    threshold: float | Mapping[str, float] | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> OperatingPoint: ...
@overload
def operating_point(
    y_true: None = None,
    y_score: None = None,
    *,
    min_recall: float | None = None,
    min_precision: float | None = None,
    k: float | None = None,
    k_counts: str = "weight",
    confidence_level: float | None = None,
    threshold: float | Mapping[str, float] | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Retrieved,
) -> OperatingPoint: ...
