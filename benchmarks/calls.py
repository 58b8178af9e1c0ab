"""Count the calls of functions of this package, a cost that doesn't depend on the machine.

python -m benchmarks.calls              # how many, and in how many files
python -m benchmarks.calls compare      # and which functions, the most frequent ones first
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

import sklearn_ap as ap

from . import measure

rng = np.random.default_rng(0)
LABELS = (rng.random(200) < 0.3).astype(int)
TABLE = pd.DataFrame(
    {"y": LABELS, "a": rng.normal(size=200) + LABELS, "b": rng.normal(size=200) + LABELS}
)
SCORES = TABLE["a"].to_numpy()
CALLS = {
    "average_precision_score": lambda: ap.average_precision_score(LABELS, SCORES),
    "compare": lambda: ap.compare("y", "a", "b", data=TABLE),
    "report": lambda: ap.report("y", ["a", "b"], data=TABLE),
}


def main(listed):
    (folder,) = ap.__path__
    for name, call in CALLS.items():
        codes = measure.called_by(call)
        files = {code.co_filename for code in codes}
        print(f"{name}: {len(codes)} calls in {len(files)} files")
        if name in listed:
            names = Counter(
                (Path(code.co_filename).relative_to(folder).as_posix(), code.co_qualname)
                for code in codes
            )
            for (file, function), number in names.most_common():
                print(f"{number:6d}  {file} {function}")


if __name__ == "__main__":
    main(sys.argv[1:])
