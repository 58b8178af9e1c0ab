"""Keras, on PyTorch"""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras

from . import Function

PACKAGES = ["keras", "torch==2.13.0"]


def auc(labels, scores, weight=None):
    metric = keras.metrics.AUC(curve="PR")
    metric.update_state(labels, scores, sample_weight=weight)
    return metric.result()


FUNCTIONS = {"Keras": {"AUC(curve='PR')": Function(auc, weights=True)}}
