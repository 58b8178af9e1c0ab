"""Kinds of tables, the columns that they have in the tests, and how they are made."""

import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest


# Kinds of tables: a new one is one line, here or in LAZY
class Stream:
    """The minimum that Arrow's protocol requires."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def _with(library, make):
    return lambda table, folder: make(pytest.importorskip(library), table)


def _parquet(table, path, row_group_size=9):
    import pyarrow.parquet as pq

    pq.write_table(table, path, row_group_size=row_group_size)
    return path


def _files(table, folder):
    """Files of different sizes; the third one is empty."""
    cuts = [0, 11, 30, 30, len(table)]
    return [
        _parquet(table.slice(start, end - start), Path(folder, f"{number}.parquet"))
        for number, (start, end) in enumerate(pairwise(cuts))
    ]


def _folder(table, folder):
    """A folder with other files that aren't read, because of their names."""
    others = table.slice(3, 1)
    Path(folder, "rows", "_delta").mkdir(parents=True)
    for name in ("_old.parquet", ".tmp.parquet", "_delta/more.parquet"):
        _parquet(others, Path(folder, "rows", name))
    return _parquet(table, Path(folder, "rows", "table.parquet")).parent


def _files_of_types(table, folder):
    """Such files, in each of which a column has another type that holds the same values."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    files, strings = _files(table, folder), [pa.large_string(), pa.string()]
    integers, floats = [pa.int8(), pa.int16(), pa.int32(), pa.int64()], [pa.float32(), pa.float64()]
    for number, path in enumerate(files):
        part = pq.read_table(path)
        for place, (name, column) in enumerate(zip(part.column_names, part.columns, strict=True)):
            for kinds in (integers, floats, strings):
                if column.type not in kinds:
                    continue
                turn = (number + place) % len(kinds)
                for kind in kinds[turn:] + kinds[:turn]:
                    try:
                        other = column.cast(kind)
                    except pa.ArrowInvalid:
                        continue
                    if other.cast(column.type).equals(column):
                        part = part.set_column(place, name, other)
                        break
        _parquet(part, path)
    return files


def _dataset(table, folder):
    import pyarrow.dataset

    return pyarrow.dataset.dataset(list(map(str, _files(table, folder))))


class HuggingFace:
    """What is called of a Dataset of Hugging Face, whose rows are some rows of its table."""

    def __init__(self, table, rows, form=None):
        self.data, self._rows, self._format = table, rows, form
        self.column_names, self.num_rows = table.column_names, len(rows)
        self._places = np.array(rows, dtype=np.int64)

    def select_columns(self, names):
        return type(self)(self.data.select(names), self._rows, self._format)

    def with_format(self, form):
        return type(self)(self.data, self._rows, form)

    def to_polars(self):
        return import_module("polars").from_arrow(self.data.take(self._places))

    def __len__(self):
        return self.num_rows

    def __getitem__(self, place):
        if isinstance(place, str):
            return self.data.take(self._places).column(place).to_pylist()
        assert place == slice(None)
        assert self._format == "arrow"
        return self.data.take(self._places)


HuggingFace.__module__ = "datasets.arrow_dataset"


def _hugging_face(table, folder):
    """The table in another order, and the places that put it in order."""
    import pyarrow as pa

    last_first = pa.array(range(len(table))[::-1], pa.int64())
    return HuggingFace(table.take(last_first), last_first.to_pylist())


EAGER = {
    "pandas": _with("pandas", lambda pd, table: table.to_pandas()),
    "pandas with Arrow": _with(
        "pandas", lambda pd, table: table.to_pandas(types_mapper=pd.ArrowDtype)
    ),
    "dict": lambda table, folder: table.to_pydict(),
    "polars": _with("polars", lambda pl, table: pl.from_arrow(table)),
    "PyArrow table": lambda table, folder: table,
    "__arrow_c_stream__": lambda table, folder: Stream(table),
    "Hugging Face": _hugging_face,
}
LAZY = {
    "polars LazyFrame": _with("polars", lambda pl, table: pl.from_arrow(table).lazy()),
    "DuckDB": _with("duckdb", lambda duckdb, table: duckdb.from_arrow(table)),
    "Ibis": _with("ibis", lambda ibis, table: ibis.polars.connect().create_table("t", table)),
    "dataset": _dataset,
    "path": _folder,
    "paths": _files_of_types,
}
TABLES = EAGER | LAZY
each_table = pytest.mark.parametrize("kind", TABLES)
each_eager = pytest.mark.parametrize("kind", EAGER)
each_lazy = pytest.mark.parametrize("kind", LAZY)


def columns_of(n_rows=60):
    """Many ties, a stretch without positives, and groups without any."""
    rng = np.random.default_rng(0)
    label = rng.random(n_rows) < 0.4
    label[20:40] = False
    score = np.round(rng.standard_normal(n_rows) + label, 0)
    group = rng.integers(0, 5, n_rows)
    label[group == 3] = False
    mass, count = rng.integers(0, 128, n_rows) / 64, rng.integers(0, 4, n_rows)
    return {
        "label": label.astype(int),
        "truth": label,
        "answer": np.where(label, "yes", "no"),
        "score": score,
        "whole": (10 * score).astype(np.int64) + 2**53,
        "mass": mass,
        "count": count,
        "either": np.where(group % 2, mass, count),
        "query": np.array([f"q{i}" for i in group]),
        "day": group - 2,
        "grade": np.where(label, rng.integers(1, 5, n_rows), rng.integers(0, 2, n_rows)),
        "other": np.round(rng.standard_normal(n_rows) + 2 * label, 1),
        "kind": np.array(["cat", "dog", "eel"])[rng.integers(0, 3, n_rows)],
        "third": rng.integers(0, 9, n_rows) / 8,
    }


ROWS = columns_of()
ORDER = np.lexsort((ROWS["kind"], ROWS["day"]))[::-1]
SORTED = {name: column[ORDER] for name, column in ROWS.items()}
for column in (*ROWS.values(), *SORTED.values()):
    column.flags.writeable = False  # nothing that is passed is changed
# A group that was never retrieved also has positives.
EXIST = {"q0": 40, "q1": 41, "q2": 42, "q3": 43, "q4": 44, "q9": 5}

# Whole columns of which Arrow's cast to floats gets some in the last bit wrong
DECIMALS = {
    "label": ([1, 0, 1, 0, 0, 1], None),
    "score": (["0.70", "0.35", "0.41", "0.57", "0.10", "0.20"], (5, 2)),
    "grade": (["0.1", "0", "0.8", "0", "0.1", "0.4"], (18, 6)),
    "three": ([3, 1, 3, 1, 1, 3], (18, 15)),
    "mass": ([15, 29, 30, 15, 29, 30], (18, 9)),
    "query": (["0.1", "0.25", "0.1", "0.25", "0.1", "0.25"], (9, 3)),
}


def arrow(columns):
    """A table in batches, one of which is empty."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    cuts = [0, 20, 20, 40, len(table)]
    return pa.concat_tables([table.slice(a, b - a) for a, b in pairwise(cuts)])


# What is refused
BAD = {
    "label": [0, 1, 1, 0],
    "score": [0.1, 0.4, 0.2, 0.3],
    "three": [0, 1, 2, 1],
    "text": ["a", "b", "a", "c"],
    "strings": ["b", "groups", "b", "groups"],
    "gap": [0.1, None, 0.2, 0.3],
    "nan": [0.1, float("nan"), 0.2, 0.3],
    "whole": [3, None, 1, 0],
    "single": np.array([-9.5, np.nan, -9.25, -9.375], dtype=np.float32),
    "unlabeled": [0, 1, None, 0],
    "nameless": ["a", None, "b", "b"],
    "negative": [1.0, -1.0, 1.0, 1.0],
}
LISTS = {"lists": [[1.0], [2.0], [3.0], [4.0]], "digits": ["1", "2", "1", "2"]}


def without_chance(shown):
    """Leave out what random rankings get, which nobody knows where rows aren't in memory, and the
    sentence below a report that depends on it.
    """
    if isinstance(shown, str):  # whose lines are broken elsewhere
        one_line = re.sub(r",? random(:| AP =)? [\d.]+( to [\d.]+)?", "", " ".join(shown.split()))
        one_line = re.sub(
            r"(For [^.]*, t|T)ables that are read in passes don't .*? returns\. ?", "", one_line
        )
        return re.sub(
            r"(No model is shown|Compared with|\S+ has the highest) [^.]*\.", "", one_line
        ).strip()
    if isinstance(shown, dict):
        known = {name: value for name, value in shown.items() if name != "chance"}
        if isinstance(known.get("notes"), list):
            codes = (note.get("code") for note in known["notes"] if isinstance(note, dict))
            if "no_random" in codes:
                known["notes"] = [each for each in known["notes"] if each["code"] != "no_random"]
        return known
    return [*map(without_chance, shown)] if isinstance(shown, list) else shown
