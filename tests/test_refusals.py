"""What is refused: a call, the class of its error, and words of the message."""

import ast
import inspect
import re
import traceback
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss

import sklearn_ap as ap
from sklearn_ap.exceptions import InvalidParameterError, UnknownMetricError

from .random_calls import find

AP, MAP, K = (
    ap.average_precision_score,
    ap.mean_average_precision_score,
    ap.average_precision_at_k_score,
)
CURVES, HITS = ap.AveragePrecisionDisplay, ap.HitCurveDisplay
ENVELOPE, NDCG, METRIC = ap.interpolated_average_precision_score, ap.ndcg_score, ap.metric
nan, inf = np.nan, np.inf
Y, S, G, W = [1, 0, 1], [3.0, 2.0, 1.0], ["a", "a", "b"], [1, 2, 1]
YY, SS = [[1, 0], [0, 1], [1, 1]], [[1, 2], [3, 4], [5, 6]]
C3, S3 = [0, 1, 2], np.eye(3)
V, T, P = ValueError, TypeError, InvalidParameterError

REFUSED = [
    # pictures, reports and reported values
    ("ap.AveragePrecisionDisplay.from_predictions(Y, S, metric=np.array([1, 2]))", T, "A metric is a name or a function."),
    ("ap.HitCurveDisplay.from_predictions(Y, S, metric=np.array([1, 2]))", T, "A metric is a name or a function."),
    ("ap.report(Y, S, metrics=['VOC2010', 'envelope AP'])", V, "Two metrics have the title 'Interpolated average precision'"),
    # labels
    ("AP(None, S)", V, "y_true is missing: pass an array"),
    ("AP('label', S)", V, "y_true='label' names a column, so pass its table as data="),
    ("ap.operating_point(Y, S, recall=0.9)", T, "keyword argument 'recall'. Did you mean 'min_recall'?"),
    ("ap.operating_point(Y, S, min_sensitivity=0.9)", T, "Sensitivity is recall: pass min_recall=."),
    ("ap.report(Y, S, metric='AP')", T, "keyword argument 'metric'. Did you mean 'metrics'?"),
    ("AP([1, np.nan, 0], S)", V, "Input y_true contains NaN."),
    ("ap.compare(Y, S, S, by=Y)", P, "has no option 'by'. For segments, call report"),
    ("AP(Y, [3, np.nan, 1])", V, "Input y_score contains NaN."),
    ("AP(Y, S, sample_weight=[1, inf, 1])", V, "Input sample_weight contains infinity"),
    ("AP(Y, S, data=pd.DataFrame({'z': [1]}))", V, "no argument names one of its columns"),
    ("ap.confidence_interval(Y, S, data=pd.DataFrame({'z': [1]}))", V, "no argument names one of its columns"),
    ("AP('y', 's', data=pd.DataFrame({'y': Y, 's': [1, None, 2]}))", V, "y_score='s' has 1 missing values. Fill in what is missing, or drop"),
    ("AP(Y, S, pos_label=np.timedelta64(1, 'D'))", P, "pos_label must be a number, bool or str"),
    ("AP(Y, S, zero_division=np.timedelta64(1, 'D'))", P, "zero_division must be"),
    ("AP(Y, S, min_grade=np.timedelta64(1, 'D'))", P, "min_grade must be a finite number"),
    ("ap.make_ap_scorer('AP', pos_label=[[1, 2], [3]])", P, "pos_label must be"),
    ("ap.make_ap_scorer('AP', pos_label=np.arange(3))", P, "pos_label must be"),
    ("ap.get_scorer('AP')(LogisticRegression().fit(S3, Y), S3, [None, None, None])", V, "has the classes [None], but"),
    ("ap.confidence_interval(Y, S, confidence_level=95)", P, "Got 95 instead."),
    ("ap.operating_point(Y, S, min_recall=80)", P, "Got 80 instead."),
    ("ap.recall_at_precision_score(Y, S, min_precision=1.2)", P, "must be a number in [0, 1]. Got 1.2 instead."),
    ("AP(Y, np.ones((3, 3)))", V, "If y_true lacks a class, pass classes=."),
    ("METRIC(['AP', 'P@10'])", T, "A metric is a name or a function. Got ['AP', 'P@10']."),
    ("METRIC('nope')", V, "'nope' is not the name of a metric. get_scorer_names() lists names"),
    ("METRIC('precision')", V, "Did you mean 'precision at 10'?"),
    ("ap.compare(Y, S, S, baseline='a')", V, "of two, y_score_b is the baseline"),
    ("AP(Y, None)", V, "y_score is missing: pass an array"),
    ("AP(np.ma.masked_array(Y, [0, 1, 0]), S)", V, "y_true is a masked array"),
    ("AP(Y, np.c_[S, S])", V, "y_score[:, 1]"),
    ("AP([0.3, 0.2, 0.1], Y)", V, "Pass labels as y_true"),
    ("AP(['ham', 'ham', 'spam'], S)", V, "Pass the positive one as pos_label="),
    ("AP(Y, S, sample_weight=[1, 2])", V, "samples: [3, 3, 2] in y_true, y_score, sample_weight"),
    ("AP(Y, S, min_grade=1, pos_label=2)", V, "both say which samples are positive"),
    ("AP([], [])", V, "0 sample"),
    ("AP([0, 1, 0.5], S)", V, "continuous format is not supported"),
    ("AP([0.5, 1.5, 0.5], S)", V, "continuous"),
    ("AP([1, 2, 2], S, pos_label=3)", V, "pos_label=3 is not a valid label. It should be one of [1 2]"),
    ("AP(['a', 'b', 'a'], S)", V, "pos_label=1 is not a valid label. It should be one of ['a' 'b']"),
    ("AP(np.array([1, 'a', 1], dtype=object), S)", V, "y_true mixes int and str"),
    ("AP([None, 1, 0], S)", V, "y_true must be numbers, booleans or text. Got None."),
    ("AP([None] * 3, S)", V, "y_true must be numbers, booleans or text. Got None."),
    ("AP([{}, 1, 0], S)", V, "y_true must be numbers, booleans or text. Got {}."),
    ("AP([1, '1', 1], S)", V, "y_true mixes int and str"),
    ("AP([inf, 1, 1], S)", V, "Input y_true contains infinity"),
    ("AP([inf], [1])", V, "Input y_true contains infinity"),
    ("AP([1j, 1, 0], S)", V, "y_true must have real numbers or text"),
    ("AP(np.zeros(3, [('a', int), ('b', float)]), S)", V, "y_true must have real numbers or text"),
    ("AP([[1, 0], [1]], S)", V, "y_true has rows of different lengths"),
    ("AP(np.zeros((3, 0)), SS)", V, "for each sample. Got shape (3, 0)"),
    ("AP(Y, pd.DataFrame())", V, "y_score must have a value for each sample. Got shape (0, 0)"),
    ("AP(Y, S, n_positives=pd.DataFrame())", V, "n_positives must have a value for each sample. Got shape (0, 0)"),
    ("AP(np.array([0.5, 1.0], object), [1, 2])", V, "continuous format is not supported"),
    ("AP(pd.array([True, None, False]), S)", V, "y_true must be numbers, booleans or text. Got <NA>."),
    ("AP([nan, 1, 0], S)", V, "Input y_true contains NaN"),
    ("AP([0, 1, 2], S)", V, "multiple classes: [0, 1, 2]. For grades, pass min_grade="),
    ("AP([[[1]]], S)", V, "one or two dimensions. Got shape (1, 1, 1)"),
    ("AP(5, S)", V, "y_true must have one or two dimensions. Got shape ()"),
    ("AP(Y, {'a': S})", V, "y_score is a dict: pass an array."),
    ("AP({1, 0}, S)", V, "one or two dimensions"),
    ("AP(sp.csr_matrix(YY), SS)", T, "dense"),
    ("AP(Y, S, pos_label=None)", P, "pos_label must be a number, bool or str. Got None instead."),
    ("AP(Y, S, min_grade=nan)", P, "min_grade must be a finite number"),
    ("AP(Y, S, min_grade=np.timedelta64(1, 'D'))", P, "min_grade must be a finite number"),
    ("AP(['a', 'b', 'a'], S, min_grade=1)", V, "y_true must be real numbers"),
    ("AP([nan, 1, 0], S, min_grade=1)", V, "Input y_true contains NaN"),
    # scores
    ("AP(Y, [1, 2])", V, "inconsistent numbers of samples"),
    ("AP(Y, [1, nan, 2])", V, "Input y_score contains NaN"),
    ("AP(Y, [1, inf, 2])", V, "Input y_score contains infinity"),
    ("AP(Y, [1j, 2, 3])", V, "omplex"),
    ("AP(Y, ['1', '2', '3'])", V, "y_score must be real numbers"),
    ("AP(Y, [None, 1, 2])", V, "y_score must be real numbers. Got None instead."),
    ("AP(Y, S, sample_weight=[[1], [1, 2], [3]])", V, "sample_weight has rows of different lengths"),
    ("AP(Y, S, sample_weight=[1e308] * 3)", V, "sample_weight must have a finite sum. Got inf."),
    ("ap.confidence_interval(Y, S, metric='P@2', k_counts='weight', sample_weight=[1e300, 1, 1])", V, "needs weights between 1e-150 and 1e150. Got 1e+300."),
    ("ap.compare(Y, S, W, n_positives=4, sample_weight=[1e-200] * 3)", V, "needs weights between 1e-150 and 1e150"),
    ("MAP(Y, S, groups=[{}, {}, {}])", V, "Names of groups must be of one type: numbers, text or times."),
    ("MAP(Y, S, groups=pd.Series(['a', None, 'b'], dtype='string'))", V, "groups has missing values"),
    ("MAP(Y, S, groups=np.array('a'))", V, "one or two dimensions"),
    ("AP(Y, S, min_grade=10**400)", P, "min_grade must be a finite number"),
    ("AP(Y, S, zero_division=10**400)", P, "zero_division must be"),
    ("AP(Y, S, average=pd.NA)", P, "average must be one of"),
    ("AP(C3, S3, classes=1)", V, "classes must have one or two dimensions"),
    ("AP(C3, S3, classes=object)", V, "classes must have one or two dimensions"),
    ("AP(C3, S3, classes=[{}, 1, 2])", V, "classes must be numbers, booleans or text. Got {}."),
    ("AP(C3, S3, classes=[None, 1, 2])", V, "classes must be numbers, booleans or text. Got None."),
    ("AP(C3, S3, classes=[[0, 1], [2]])", V, "classes has rows of different lengths"),
    ("AP(Y, S, n_positives=[[3], [4, 5]])", V, "n_positives has rows of different lengths"),
    ("ap.report(Y, {})", V, "Pass at least one model. Got none."),
    ("ap.compare(Y, {'a': S, 'b': S}, baseline=[])", V, "baseline=[] is none of the models"),
    ("ap.report(Y, {'a': S, 'b': S}, baseline={})", V, "baseline={} is none of the models"),
    ("ap.report(Y, S, by=[1, 'a', 2])", V, "Names of by must be of one type: numbers, text or times."),
    ("ap.report(Y, S, adjust=[1, 2])", P, "adjust must be True or False"),
    ("ap.compare_folds({'a': S, 'b': S}, n_train=0, n_test=1)", P, "n_train must be a number above 0. Got 0"),
    ("ap.compare_folds({'a': S, 'b': S}, n_train='a', n_test=1)", P, "n_train must be a number above 0. Got 'a'"),
    ("ap.compare_folds({'a': S, 'b': S}, n_train=9, n_test=-1)", P, "n_test must be a number above 0. Got -1"),
    ("ap.compare_folds({'a': S, 'b': S}, metric=3, n_train=9, n_test=1)", T, "metric must be the name of a metric"),
    ("ap.operating_point(Y, S, min_recall=0.5, n_positives=10**400)", P, "n_positives must be the finite number of all positives"),
    ("METRIC(lambda y, s: None, name='f')(Y, S)", T, "f must return one number. Got None."),
    ("METRIC(max, name='f', limits=np.zeros(3))", P, "limits must be"),
    ("ap.make_ap_scorer('AP', average=None)", V, "average=None gives several values"),
    ("ap.make_ap_scorer('AP', response_method=3)", P, "response_method must be the name of a method"),
    ("AP(Y, pd.Series([1, None, 3], dtype='Int64'))", V, "NaN"),
    ("AP(Y, np.ones((3, 2)))", V, "y_score must be one column for binary labels. Got an array of shape (3, 2)"),
    ("AP(Y, np.ones((3, 1, 1)))", V, "one or two dimensions"),
    ("METRIC('nDCG', pos_label=2)(Y, S, groups=G)", V, "reads grades as they are has no pos_label"),
    ("METRIC('nDCG')(Y, S, groups=G, min_grade=2)", V, "reads grades as they are has no pos_label"),
    ("NDCG([inf, 1, 0], S)", V, "finite"),
    ("NDCG([1001, 1025, 0], S, gains='exponential')", V, "finite"),
    ("NDCG([1e308, 1e308, 0], S)", V, "finite"),
    ("NDCG(Y, S, groups=G, n_positives={'a': {2000: 1, 1: 1}, 'b': {1: 2}}, gains='exponential')", V, "finite"),
    ("METRIC(max, name='top', limits=None)", P, "limits must be"),
    ("METRIC(max, name='top', limits=(1, 0))", P, "limits must be"),
    ("NDCG(Y, np.ones((3, 2)))", V, "y_true has shape (3,), but y_score (3, 2)"),
    # weights
    ("AP(Y, S, sample_weight=[1, -1, 1])", V, "Negative values in data passed to `sample_weight`, such as -1"),
    ("AP(Y, S, sample_weight=[0, 0, 0])", V, "Sample weights must contain at least one non-zero number"),
    ("AP(Y, S, sample_weight=[1e308] * 3)", V, "must have a finite sum"),
    ("AP(Y, S, sample_weight=[1, nan, 1])", V, "Input sample_weight contains NaN"),
    ("AP(Y, S, sample_weight=[1, 1])", V, "inconsistent numbers of samples"),
    ("AP(Y, S, sample_weight=['a', 'b', 'c'])", V, "sample_weight must be real numbers"),
    ("AP(Y, S, sample_weight='mass')", V, "sample_weight='mass' names a column"),
    ("AP(Y, S, sample_weight=W, ties='best')", V, "'average precision', {'ties': 'best'}, is not defined with sample weights."),
    ("ENVELOPE(Y, S, sample_weight=W, n_points=11, grid='float')", V, "not defined with sample weights"),
    ("ap.reciprocal_rank_score(Y, S, sample_weight=W)", V, "not defined with sample weights"),
    ("ap.hit_rate_at_k_score(Y, S, sample_weight=W)", V, "not defined with sample weights"),
    # matrices and classes
    ("AP(YY, S)", V, "y_true has shape (3, 2), but y_score (3,)"),
    ("AP([[2, 0], [0, 1], [1, 1]], SS)", V, "multiclass-multioutput format is not supported"),
    ("AP(YY, SS, pos_label=0)", V, "pos_label is fixed to 1 for multilabel-indicator"),
    ("AP(YY, SS, groups=G)", V, "groups= needs one column of labels and one of scores"),
    ("AP(YY, SS, classes=[0, 1])", V, "classes= needs one column of labels"),
    ("AP(Y, S, classes=[0, 1])", V, "classes= needs one column of labels"),
    ("AP(C3, S3[:, :2])", V, "needs to be of shape `(n_samples, n_classes)`"),
    ("AP(C3, S3, pos_label=2)", V, "pos_label is fixed to 1 for multiclass"),
    ("AP(C3, S3, classes=[0, 1, 3])", V, "classes=[0, 1, 3] lacks {2}, which y_true contains"),
    ("AP(C3, S3, classes=[0, 1, 1])", V, "at least two different labels. Got [0, 1, 1]"),
    ("AP(C3, S3, min_grade=1)", V, "min_grade=1 needs one score for each grade"),
    ("AP(C3, S3, n_positives=3)", V, "3 numbers, one for each column"),
    ("AP(YY, SS, n_positives=[2, 2], average='micro')", V, "n_positives is not available with average='micro'"),
    # groups
    ("MAP(Y, S)", V, "A mean over groups needs groups="),
    ("METRIC('MAP')(Y, S)", V, "A mean over groups needs groups="),
    ("AP(Y, S, sample_weight=np.ones((3, 2)))", V, "sample_weight must be one column. Got an array of shape (3, 2)"),
    ("MAP(Y, S, groups=[1, nan, 2])", V, "groups has missing values"),
    ("MAP(Y, S, groups=['a', None, 'b'])", V, "groups has missing values"),
    ("MAP(Y, S, groups=['a', nan, 'b'])", V, "groups has missing values"),
    ("MAP(Y, S, groups=np.array(['2025', 'NaT', '2026'], 'datetime64'))", V, "groups has missing values"),
    ("MAP(Y, S, groups=[1, '1', 'a'])", V, "Names of groups must be of one type"),
    ("MAP(Y, S, groups=np.ma.array([1, 1, 2], mask=[0, 1, 0]))", V, "groups is a masked array"),
    ("MAP(Y, S, groups=np.array([1, 'a', 2], dtype=object))", V, "Names of groups must be of one type"),
    ("MAP(Y, S, groups=G, average='micro')", V, "average='micro' is not available with groups="),
    ("MAP(Y, S, groups=[1, 2])", V, "inconsistent numbers of samples"),
    # n_positives
    ("AP(Y, S, n_positives=1)", V, "n_positives is 1, but y_true has 2 positives"),
    ("AP(Y, S, n_positives=2.5)", V, "must be whole without weights"),
    ("AP(Y, S, n_positives=-1)", V, "must be numbers of at least 0"),
    ("AP(Y, S, n_positives=nan)", V, "must be numbers of at least 0"),
    ("AP(Y, S, n_positives='3')", V, "must be numbers of at least 0"),
    ("AP(Y, S, n_positives=[1, 2])", V, "must be one number, unless you pass groups="),
    ("AP(Y, S, n_positives={'a': 2})", V, "must be one number, unless you pass groups="),
    ("AP(Y, S, n_positives=1e300)", V, "must be whole without weights"),
    ("MAP(Y, S, groups=G, n_positives=pd.Series([3, 1, 1], index=['a', 'a', 'b']))", V, "several numbers"),
    ("MAP(Y, S, groups=G, n_positives={'a': [1], 'b': [1]})", V, "must be numbers"),
    ("MAP(Y, S, groups=G, n_positives={'a': {0: -1, 1: 1}, 'b': 1})", V, "or map grades to such numbers"),
    ("MAP(Y, S, groups=G, n_positives={'a': {'1': 1}, 'b': 1})", V, "or map grades to such numbers"),
    ("MAP(Y, S, groups=G, n_positives={'a': {1: [1]}, 'b': 1})", V, "or map grades to such numbers"),
    ("MAP(Y, S, groups=G, n_positives=3)", V, "must be a mapping from groups to numbers"),
    ("MAP(Y, S, groups=G, n_positives={'a': 1})", V, "no number for the group 'b'"),
    ("MAP(Y, S, groups=G, n_positives={'a': 1, 'b': 0})", V, "n_positives of 'b' is 0, but y_true has 1"),
    ("MAP(Y, S, groups=G, n_positives={'a': 1, 'b': 1, 3: 1})", V, "Names of groups must be of one type"),
    ("MAP(Y, S, groups=G, n_positives={'a': 1, 'b': None})", V, "must be numbers"),
    # options
    ("AP(Y, S, average='mean')", P, "average must be one of 'macro', 'micro'"),
    ("AP(Y, S, ties='random')", P, "ties must be one of 'grouped', 'expected', 'best', 'worst', 'input'. Got 'random' instead."),
    ("AP(Y, S, zero_division=0.5)", P, "zero_division must be 'warn', 0, 1 or nan"),
    ("AP(Y, S, zero_division='raise')", P, "zero_division must be"),
    *((f"K(Y, S, k={k})", P, "k must be an int of at least 1, or a float in (0, 1]")
      for k in (0, -1, 1.5, nan, inf, True, "'3'", [3])),
    ("K(Y, S, k=None)", P, "k must be an int of at least 1"),
    ("K(Y, S, denominator='max')", P, "denominator must be one of"),
    ("K(Y, S, denominator='hits', ties='best')", V, "denominator='hits' is only defined for ties='grouped'"),
    ("K(Y, S, k_counts='rows')", P, "k_counts must be one of"),
    ("ap.recall_at_k_score(Y, S, denominator='k')", P, "denominator must be one of 'relevant', 'min'. Got 'k' instead."),
    *((f"ENVELOPE(Y, S, n_points={n})", P, "n_points must be an int of at least 2") for n in (1, 0, 2.5, True)),
    ("ENVELOPE(Y, S, grid='float')", V, "pass their number as n_points"),
    ("ENVELOPE(Y, S, n_points=11, grid='coarse')", P, "grid must be one of 'exact', 'float'"),
    ("ap.precision_at_recall_score(Y, S)", T, "min_recall"),
    ("ap.precision_at_recall_score(Y, S, min_recall=1.5)", P, "min_recall must be a number in [0, 1]"),
    ("ap.recall_at_precision_score(Y, S, min_precision=nan)", P, "min_precision must be a number in [0, 1]"),
    ("MAP(Y, S, groups=G, k=3, n_points=11)", P, "Pass k or n_points. Got {"),
    ("MAP(Y, S, groups=G, ties='best')", T, "'ties'. Call average_precision_score, which also takes groups=."),
    ("MAP(Y, S, groups=G, denominator='k')", T, "'denominator'. Call average_precision_at_k_score"),
    ("AP(Y, S, k=3)", T, "average_precision_score() got an unexpected keyword argument 'k'. Call average_precision_at_k_score"),
    ("AP(Y, S, n_points=11)", T, "argument 'n_points'. Call interpolated_average_precision_score"),
    ("AP(Y, S, weights=W)", T, "argument 'weights'. Did you mean 'sample_weight'?"),
    ("AP(Y, S, sample_wieght=W)", T, "argument 'sample_wieght'. Did you mean 'sample_weight'?"),
    ("AP(Y, S, alpha=0.1)", T, "argument 'alpha'."),
    ("AP(Y, S, 3)", T, "positional argument"),
    ("AP(['a', 'b'], [[1, 2], [2, 1]])", V, "pass y_score[:, 1] for class 'b'."),
    *(
        (f"AP(['a', 'b'], [[1, 2], [2, 1]], pos_label={name!r})", V, f"pass y_score[:, {place}] for class {name!r}.")
        for place, name in enumerate("ab")
    ),
    # metrics
    ("METRIC('mAP50')", UnknownMetricError, "and pass 'COCO mAP'"),
    ("METRIC('PPV')", UnknownMetricError, "call operating_point"),
    ("METRIC('auc')", UnknownMetricError, "'auc' is not the name of a metric"),
    ("METRIC('precision in the top 1%')", UnknownMetricError, "Did you mean 'precision at 1%'"),
    ("METRIC(log_loss)", V, "metric(log_loss, greater_is_better=False)"),
    ("METRIC('P@3', k=5)", T, "The name 'P@3' already says k"),
    ("METRIC('AP', k=5)", T, "no option 'k'. Call average_precision_at_k_score, or name the metric 'AP@10'."),
    ("METRIC('AP', by=G)", T, "no option 'by'."),
    ("METRIC('AP')(Y, S, denominator='k')", T, "Call average_precision_at_k_score, or name the metric 'AP@10'."),
    ("METRIC('AP', average='x')", P, "average must be one of"),
    *((f"METRIC('AP', {each})", T, "describe a function of your own")
      for each in ("name='x'", "greater_is_better=False", "limits=(0, 1)")),
    ("METRIC(AP)", T, "Pass a metric of this package by name"),
    ("METRIC(max, k=3)", T, "A function has no option 'k'"),
    ("METRIC('AP', pos_label=None)", P, "pos_label must be"),
    ("METRIC('AP', zero_division=2)", P, "zero_division must be"),
    ("METRIC('AP', min_grade=nan)", P, "min_grade must be"),
    ("METRIC(3)", T, "A metric is a name or a function. Got 3."),
    ("METRIC(lambda y, s: 1)", V, "This function has no name: pass one"),
    ("METRIC(max)(YY, SS)", V, "max takes one column of labels and one of scores."),
    ("METRIC(max)(Y, S, sample_weight=W)", V, "max has no parameter sample_weight"),
    ("METRIC('AP')(Y, S, k=3)", T, "k"),
    # scorers
    ("ap.make_ap_scorer('AP', n_positives=3)", T, "each fold has its own"),
    ("ap.make_ap_scorer(METRIC('AP', n_positives=3))", T, "each fold has its own"),
    ("ap.make_ap_scorer(METRIC('MAP', groups=G))", T, "each fold has its own"),
    ("ap.make_ap_scorer(METRIC('AP', sample_weight=W))", T, "each fold has its own"),
    ("NDCG(Y, S, gains={'1': 2})", P, "gains must be"),
    ("ap.make_ap_scorer('AP', data=3)", T, "data can't be an option of a scorer"),
    ("ap.make_ap_scorer('AP', rank='yes')", TypeError, "no option 'rank'"),
    ("ap.make_ap_scorer('AP', classes=[0, 1])", T, "can't be an option of a scorer"),
    ("ap.make_ap_scorer('AP', pos_label=2, min_grade=1)", V, "leave out pos_label"),
    ("ap.make_ap_scorer('nDCG', pos_label=2)", V, "leave out pos_label"),
    ("ap.make_ap_scorer('nDCG', min_grade=2, response_method='predict')(LinearRegression().fit(S3, Y), S3, Y)", V, "reads grades as they are has no pos_label"),
    ("ap.make_ap_scorer('MAP')", RuntimeError, "enable_metadata_routing=True"),
    ("ap.make_ap_scorer('AP', sample_weight=True)", T, "each fold has its own"),
    ("ap.get_scorer('average_precison')", UnknownMetricError, "Did you mean 'average precision'"),
    ("ap.get_scorer(3)", T, "A metric is a name or a function. Got 3."),
    ("ap.get_scorer('roc_auc', k=3)", UnknownMetricError, "'roc_auc' is not the name of a metric"),
    ("ap.average_precison_score", AttributeError, "module 'sklearn_ap' has no attribute 'average_precison_score'. Did you mean 'average_precision_score'?"),
    ("ap.make_scorer", AttributeError, "It's in sklearn.metrics. Did you mean 'make_ap_scorer'?"),
    ("ap.roc_auc_score", AttributeError, "Use scikit-learn's, and metric(roc_auc_score) for"),
    ("ap.log_loss", AttributeError, "It's in sklearn.metrics."),
    ("ap.xyz", AttributeError, "module 'sklearn_ap' has no attribute 'xyz'."),
    ("AP(LinearRegression(), S3, Y)", T, "pass a scorer, such as sklearn_ap.get_scorer('AP')"),
    ("METRIC('P@3')(LinearRegression(), S3, Y)", T, "pass a scorer, such as sklearn_ap.get_scorer('AP')"),
    ("AP(Y, S, W)", T, "positional argument"),
    ("ap.make_ap_scorer('AP', positive_label=1)", P, "Did you mean 'pos_label'?"),
    ("METRIC('AP', tie='best')", P, "average_precision has no option 'tie'. Did you mean 'ties'?"),
    # pictures
    ("CURVES.from_predictions(Y, S, ax=[1])", P, "ax must be axes of Matplotlib. Got [1]"),
    ("HITS.from_predictions(Y, S, ax='x')", P, "ax must be axes of Matplotlib"),
    ("ap.compare(Y, S, W).plot(ax=1)", P, "ax must be axes of Matplotlib"),
    ("CURVES.from_predictions(Y, S, curve_kwargs=print)", P, "curve_kwargs must be a dict"),
    ("CURVES.from_cv_results(None, S3, Y)", V, "cv_results must be those of cross_validate"),
    ("CURVES([1, 0.5], [0, 1], name=[1])", P, "name must be text. Got [1] instead."),
    ("HITS.from_predictions(Y, S, plot_chance_level=np.zeros(2))", P, "plot_chance_level must be True or False"),
    ("CURVES([1, 0.5], 'AP')", V, "dtype='numeric' is not compatible with arrays of bytes/strings"),
    ("AP(Y, S, pos_label='1')", V, "pos_label='1' is not a valid label. It should be one of [0 1]"),
]  # fmt: skip
# Functions that may be taken away, with calls of them, and advice to call them
PARTS = ("report", "confidence_interval", "compare", "compare_folds", "operating_point")
LACKING = [name for name in PARTS if not find(ap, name)]
REFUSED = [row for row in REFUSED if not any(name in row[0] + row[2] for name in LACKING)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, on the way to the error
@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(call, error, words):
    with pytest.raises(error, match=re.escape(words)) as caught:
        eval(call)
    assert not re.search(
        "has no len|broadcast|unhashable|object has no attribute", str(caught.value)
    )


# --- errors are ours or scikit-learn's ------------------------------------------------------------

ODD = [
    None, True, -1, 2.5, nan, 10**20, 10**400, 1j, "", "x", b"y", [], {}, {1}, [[]], [[1, 0]],
    [None] * 3, [nan] * 3, [[1, 2], [3]], [1, [2], 3], [{}] * 3, [(1, 2)] * 3, [1, "1", 2.5],
    ["a", None, "b"], [b"a", "b", "c"], [object()] * 3, [10**30, 1, 2.5], np.zeros((0, 2)),
    np.zeros((3, 0)), np.zeros((3, 2, 2)), np.array("x"), np.zeros(3, "V4"), np.zeros(3, "M8[D]"),
    np.zeros(3, [("a", int)]), np.ma.array(Y, mask=[1, 0, 0]), pd.Series(["a", None, "b"]),
    pd.Series([True, None, False], dtype="boolean"), pd.Series([[1]] * 3), pd.array([1, None, 2]),
    pd.DataFrame({"a": Y}), pd.NA, pd.NaT, sp.csr_matrix(YY), iter(Y), {0: [1]}, {"a": None},
    {"a": "x", "b": 1}, {None: S, nan: S}, {"a": S[:2]}, lambda: 0, object, ["AP", None], [0, 0], [{}, 1],
]  # fmt: skip
GIVEN = {
    "average_precision_score": {"y_true": Y, "y_score": S},
    "interpolated_average_precision_score": {"y_true": C3, "y_score": S3},
    "mean_average_precision_score": {"y_true": Y, "y_score": S, "groups": G},
    "ndcg_score": {"y_true": Y, "y_score": S, "groups": G},
    "hit_curve": {"y_true": Y, "y_score": S},
    "confidence_interval": {"y_true": Y, "y_score": S},
    "compare": {"y_true": Y, "y_score_a": {"a": S, "b": W}, "clusters": [1, 2, 3]},
    "report": {"y_true": Y, "y_score": {"a": S, "b": W}},
    "compare_folds": {"results": {"a": S, "b": W}, "n_train": 9, "n_test": 1},
    "operating_point": {"y_true": Y, "y_score": S, "min_recall": 0.5},
    "make_ap_scorer": {"metric": "P@5"},
}
GIVEN = {name: given for name, given in GIVEN.items() if find(ap, name)}


@cache
def list_raises(file):
    """Return the lines of the statements of a file that raise errors."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    raising = [each for each in ast.walk(tree) if isinstance(each, ast.Raise)]
    return {line for each in raising for line in range(each.lineno, each.end_lineno + 1)}


def is_raised(error):
    """Whether a statement raises the error, here or in scikit-learn, or Python refuses a call."""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    file = frame.f_code.co_filename
    is_known = {"sklearn", "sklearn_ap"} & {*Path(file).parts}
    return file == __file__ or (is_known and line in list_raises(file))


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.filterwarnings("ignore")
def test_no_error_is_that_of_another_library(name):
    function, given = find(ap, name), GIVEN[name]
    for parameter in inspect.signature(function).parameters:
        for value in ODD:
            if parameter.startswith("metric") and callable(value):
                continue  # whose own errors are shown
            try:
                function(**given | {parameter: value})
            except Exception as caught:
                error = caught
            else:
                continue
            assert is_raised(error), (parameter, value, error)


def test_an_invalid_option_is_both_errors_that_callers_expect():
    assert issubclass(InvalidParameterError, ValueError)
    assert issubclass(InvalidParameterError, TypeError)
    assert issubclass(UnknownMetricError, ValueError)
