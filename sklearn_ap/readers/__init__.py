"""Readers for the files of other tools, which return tables that know their columns."""

from .coco import read_coco
from .coco_reports import report_coco
from .retrieved import Retrieved, answered
from .runs import read_runs
from .trec import read_trec
from .voc import read_voc

__all__ = [
    "Retrieved",
    "answered",
    "read_coco",
    "read_runs",
    "read_trec",
    "read_voc",
    "report_coco",
]
