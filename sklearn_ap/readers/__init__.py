"""Readers for the files of other tools, which return tables that know their columns."""

from .coco import read_coco
from .coco_reports import report_coco
from .retrieved import Retrieved, answered
from .runs import read_runs
from .trec import read_trec

__all__ = ["Retrieved", "answered", "read_coco", "read_runs", "read_trec", "report_coco"]
