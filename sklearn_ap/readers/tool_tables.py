"""Judgments and runs that other tools of Python hold, as dicts of dicts.

They are told apart by what they have, so that no tool is imported.
"""

from collections.abc import Mapping
from typing import Any

from .._arrays.conversion import list_column_names
from .entries import ValuesByQuery, check_is_new


def has_dicts(value: Any) -> bool:
    """Whether this is a DataFrame, or an object such as ranx's Qrels and Run."""
    return not isinstance(value, Mapping) and hasattr(type(value), "to_dict")


def as_dicts(source: Any, role: str) -> Any:
    """Convert what has dicts, with the columns of ir_measures if it is a DataFrame. Return all else
    unchanged.
    """
    if not has_dicts(source):
        return source
    names = list_column_names(source)
    if names is None:
        return source.to_dict()
    columns = ("query_id", "doc_id", "relevance" if role == "qrels" else "score")
    if not {*columns} <= {*names}:
        raise ValueError(
            f"{role} must have the columns {', '.join(map(repr, columns))}, as in ir_measures. It "
            f"has {', '.join(map(repr, names))}. Rename them."
        )
    queries, documents, values = [source[column].to_list() for column in columns]
    return _group_rows(queries, documents, values, role)


def _group_rows(
    queries: list[Any], documents: list[Any], values: list[Any], role: str
) -> ValuesByQuery:
    by_query: dict[Any, dict[Any, Any]] = {}
    for query, document, value in zip(queries, documents, values, strict=True):
        by_document = by_query.setdefault(query, {})
        try:
            check_is_new(document, query, by_document, are_grades=role == "qrels")
        except ValueError as error:
            raise ValueError(f"{role}: {error}.") from None
        by_document[document] = value
    return by_query
