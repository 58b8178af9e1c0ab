"""SQL with window functions in DuckDB, and polars_ds"""

from importlib.metadata import version

import duckdb
import polars
import polars_ds

from . import Function

PACKAGES = ["duckdb", "polars-ds"]
VERSIONS = {"DuckDB": version("duckdb"), "polars_ds": version("polars-ds")}
SQL = """
WITH points AS (
    SELECT sum(label) AS hits, sum(sum(label)) OVER down AS found, sum(count(*)) OVER down AS n
    FROM ranking GROUP BY score WINDOW down AS (ORDER BY score DESC)
)
SELECT sum(hits * found / n) / sum(hits) FROM points
"""


def by_sql(labels, scores):
    with duckdb.connect() as database:
        database.execute("CREATE TABLE ranking (label BIGINT, score DOUBLE)")
        rows = zip(labels.tolist(), scores.tolist(), strict=True)
        database.executemany("INSERT INTO ranking VALUES (?, ?)", [*rows])
        value = database.execute(SQL).fetchone()[0]
    return float("nan") if value is None else value


def of_polars(labels, scores):
    ranking = polars.DataFrame({"label": labels.astype(bool), "score": scores})
    metrics = ranking.select(polars_ds.query_binary_metrics("label", "score").alias("metrics"))
    values = metrics["metrics"]
    if values.dtype != polars.Struct:  # without positives, a single nan
        return values[0]
    return values.struct.field("avg_precision")[0]


FUNCTIONS = {
    "DuckDB": {"SQL with window functions": Function(by_sql)},
    "polars_ds": {"query_binary_metrics": Function(of_polars)},
}
