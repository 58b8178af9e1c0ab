"""Words that were wrong in small ways, each with the rule that they broke."""

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._inputs.metric_names import lower_first
from sklearn_ap._show.results import format_pvalue
from sklearn_ap.exceptions import NotReachableError

RNG = np.random.default_rng(0)
RARE = (np.arange(200) % 25 == 0).astype(int)
SCORES = RNG.random(200)
WITH_K = [
    ap.precision_at_k_score,
    ap.recall_at_k_score,
    ap.hit_rate_at_k_score,
    ap.reciprocal_rank_score,
    ap.ndcg_score,
    ap.average_precision_at_k_score,
    ap.enrichment_factor_score,
    ap.compat.explain,
]


@pytest.mark.parametrize("function", WITH_K)
def test_a_positional_k_is_told_its_name(function):
    with pytest.raises(
        TypeError, match=r"positional arguments? .*\. Pass k by its name, as in k=10\."
    ):
        function(RARE, SCORES, 10)


def test_warnings_of_thresholds_name_the_model():
    with pytest.warns(UserWarning, match=r"scores of the model 'a' are 0, as if by random guess"):
        ap.operating_point(RARE, {"a": 0 * RARE, "b": SCORES}, k=10)
    with pytest.warns(UserWarning, match="^The model 'b' has only the prediction scores 0 and 1"):
        ap.operating_point(RARE, {"a": SCORES, "b": RARE}, k=10)


def test_zero_has_no_sign():
    with pytest.warns(UserWarning, match=r"only the prediction scores 0\.0 and 1\.0\."):
        ap.average_precision_score(RARE, np.where(RARE, 1.0, -0.0))


@pytest.mark.parametrize("level", [0.01, 0.05, 0.1])
def test_p_is_printed_on_its_side_of_a_level(level):
    for pvalue in level + np.array([-0.004, -6e-4, -4e-4, -4e-5, -1e-9, 0, 1e-9, 4e-4]):
        text = format_pvalue(pvalue)
        number = float(text.removeprefix("<"))
        assert (text.startswith("<") or number < level) == (pvalue < level)
        assert abs(number - pvalue) <= 0.0005 + 1e-12


def test_lower_targets_are_advised_only_if_some_can_be_promised():
    given = {"min_recall": 0.9, "min_precision": 0.99, "confidence_level": 0.99}
    for labels in (np.eye(1, 60)[0], RARE, np.arange(60) % 2):
        scores = -np.arange(labels.size) if labels.sum() == 1 else RNG.random(labels.size)
        with pytest.raises(NotReachableError) as caught:
            ap.operating_point(labels, scores, **given)
        low = given | {"min_recall": 0.001, "min_precision": 0.001}
        try:
            ap.operating_point(labels, scores, **low)
        except NotReachableError:
            assert "ower both" not in str(caught.value)
        else:
            assert "ower both" in str(caught.value)


def test_sentences_go_on_in_lower_case():
    words = "A few units decide.", "Average precision", "AP", "R-precision", "nDCG@10", "F score"
    assert [*map(lower_first, words)] == ["a few units decide.", "average precision", *words[2:]]
