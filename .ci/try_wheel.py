"""Run README's code where only the wheel and its dependencies are installed: .ci/try_wheel.py

The output has to be what README shows. It's run again with the wheel itself on the path, whose
files are then read from the zip file that a wheel is: .ci/try_wheel.py WHEEL
"""

import doctest
import re
import subprocess
import sys
import sysconfig
import tomllib
import warnings
from importlib.util import find_spec
from pathlib import Path

WHEELS = sys.argv[1:]
sys.path[:0] = WHEELS

import sklearn_ap  # noqa: E402

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = ("matplotlib", "pandas", "pyspark", "pytest")

assert not [name for name in OPTIONAL if find_spec(name)]
(where,) = WHEELS or [sysconfig.get_path("purelib")]
assert Path(sklearn_ap.__file__).is_relative_to(where)
assert sklearn_ap.compat.PEERS
assert sklearn_ap.compat.DIFFERENCES
assert sklearn_ap.__version__ == PROJECT["version"], sklearn_ap.__version__

warnings.simplefilter("error")
readme = (ROOT / "README.md").read_text(encoding="utf-8")
code, session = (
    "".join(re.findall(rf"^```{language}\n(.*?)^```$", readme, re.M | re.S))
    for language in ("python", "pycon")
)
names: dict[str, object] = {}
exec(compile(code, "README.md", "exec"), names)
examples = doctest.DocTestParser().get_doctest(session, names, "README.md", None, None)
result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples)
assert result.attempted, session
assert not result.failed, result
print(f"sklearn_ap {sklearn_ap.__version__}: {result.attempted} lines of README are as promised")
if not WHEELS:
    (wheel,) = ROOT.joinpath("dist").glob("*.whl")
    subprocess.run([sys.executable, __file__, wheel], check=True)
