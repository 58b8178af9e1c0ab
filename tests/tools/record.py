"""Record what tools return, in an environment that has them.

`python -m tests.tools.record NAME ...` writes `recorded.json` anew. With `--check`, it only says
what has changed, and fails if anything has.
"""

import json
import math
import sys
import tomllib
import warnings
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from .rankings import MISSED, QUERIES, RANKINGS

RECORDS = Path(__file__).with_name("recorded.json")
PEERS = Path(__file__).parents[2] / "sklearn_ap" / "compat" / "peers.toml"


def read_records():
    return json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}


def write_records(records):
    """Write one line for each function, so that differences can be read."""
    parts = []
    for tool, record in sorted(records.items()):
        lines = [f'  "{key}": {json.dumps(record[key])}' for key in ("version", "date")]
        functions = (f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in record["functions"].items())
        lines.append('  "functions": {\n' + ",\n".join(functions) + "\n  }")
        parts.append(f" {json.dumps(tool)}: {{\n" + ",\n".join(lines) + "\n }")
    RECORDS.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def run(function, *args, **more):
    """Return a number, "nan" or "error", and whether there was a warning."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            value = float(function(*args, **more))
        except Exception as error:
            print(f"  {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            return "error", False
    about_value = [each for each in heard if not issubclass(each.category, DeprecationWarning)]
    return ("nan" if math.isnan(value) else round(value, 9)), bool(about_value)


def record_function(function):
    values, warned = [], []
    for place, (_, labels, scores, weight) in enumerate(RANKINGS):
        if weight is not None and not function.weights:
            values.append(None)
            continue
        more = {} if weight is None else {"weight": weight}
        value, has_warned = run(function.call, labels.copy(), scores.copy(), **more)
        values.append(value)
        warned += [place] * has_warned
    if {*values} <= {"error", None}:  # None stands for weights that it doesn't take
        raise ValueError(f"All calls of {function.call} fail: see the errors above.")
    record = {"values": values, "warned": warned, "ranks": function.ranks}
    _, labels, scores, _ = QUERIES[0]
    if function.missed:
        record["missed"] = run(function.call, labels, scores, missed=MISSED)[0]
    if function.of_queries is not None:
        queries = [(labels, scores, 0) for _, labels, scores, _ in QUERIES]
        of_none = [(labels * 0, scores, 0)]
        record["mean"] = run(function.of_queries, [*queries, *of_none])[0]
        if function.missed:  # a query that exists, and for which nothing was retrieved
            record["no rows"] = run(function.of_queries, [*queries, (labels[:0], scores[:0], 2)])[0]
    return record


def record_tool(name):
    """Return the record of each tool that a module calls."""
    module = import_module(f"tests.tools.of_{name}")
    records = {}
    for tool, functions in module.FUNCTIONS.items():
        number = version(module.PACKAGES[0])
        number = getattr(module, "VERSIONS", {}).get(tool, number)
        print(f"{tool} {number}", file=sys.stderr)
        records[tool] = {
            "version": number,
            "date": datetime.now(UTC).date().isoformat(),
            "functions": {each: record_function(how) for each, how in functions.items()},
        }
    return records


def is_same(old, new):
    if isinstance(old, list):
        return len(old) == len(new) and all(map(is_same, old, new))
    if isinstance(old, float) and isinstance(new, float):
        return abs(old - new) < 2e-6
    return old == new


def find_unstable():
    """Return the functions whose order of tied samples may be another one on another processor."""
    blocks = tomllib.loads(PEERS.read_text(encoding="utf-8"))["peers"]
    unstable = [block for block in blocks if block["ties"] in ("unstable sort", "random")]
    return {(block["tool"], function) for block in unstable for function in block["functions"]}


def leave_out_ties(facts):
    kinds = [ranking.kind for ranking in RANKINGS]
    pairs = zip(facts["values"], kinds, strict=True)
    values = [None if kind in ("ties", "close") else value for value, kind in pairs]
    return facts | {"values": values}


def list_changes(old, new, unstable=()):
    """Yield what a tool returns that isn't what is recorded."""
    for tool, record in new.items():
        for function, facts in record["functions"].items():
            before = old[tool]["functions"][function]
            if (tool, function) in unstable:
                before, facts = leave_out_ties(before), leave_out_ties(facts)
            for fact in {*before, *facts}:
                if not is_same(before.get(fact), facts.get(fact)):
                    yield f"{tool} {record['version']}: {fact} of {function}"


def main(arguments):
    names = [each for each in arguments if each != "--check"]
    records = {tool: record for name in names for tool, record in record_tool(name).items()}
    if "--check" not in arguments:
        write_records(read_records() | records)
        return 0
    changes = [*list_changes(read_records(), records, find_unstable())]
    print("\n".join(changes))
    return len(changes) > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
