"""Reader for DuckDB, whose query runs once for each pass and streams its rows."""

from collections.abc import Mapping
from typing import Any

from .._inputs import Engine
from .._validation.tables import read_lazy_columns, renamed, unique
from .batches import BATCH, Batches, explaining_busy_connections, name_of_end, until_end


def read(data: Any, named: Mapping[str, Any]) -> Engine:
    with explaining_busy_connections():
        known = data.columns
        columns = read_lazy_columns(data, known, named)
        # Columns get new names, because DuckDB's names are not case-sensitive.
        names = {name: f"c{known.index(name) + 1}" for name in unique(columns)}
        chosen = data.project(", ".join(f"#{name[1:]} AS {name}" for name in names.values()))
    end = name_of_end(names.values())
    rows = ", ".join([*names.values(), f"false AS {end}"])
    nulls = [f"any_value({name}) AS {name}" for name in names.values()]
    last = ", ".join([*nulls, f"true AS {end}"])

    def stream() -> Any:
        whole = chosen.project(rows).union(chosen.limit(0).aggregate(last))
        # Older versions only have the second of these methods.
        open_reader = getattr(whole, "to_arrow_reader", None) or whole.fetch_arrow_reader
        return open_reader(BATCH)

    columns = {role: renamed(wanted, names) for role, wanted in columns.items()}
    return Batches(columns, lambda: until_end(stream, end))
