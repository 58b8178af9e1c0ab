"""README's snippets where nothing is installed but the wheel and what it needs.

They print what their comments say: python .ci/try_wheel.py
"""

import contextlib
import io
import re
import sysconfig
import tomllib
import warnings
from importlib.util import find_spec
from pathlib import Path

import sklearn_ap

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = ("dask", "matplotlib", "pandas", "pyspark", "pytest")

assert not [name for name in OPTIONAL if find_spec(name)]
assert Path(sklearn_ap.__file__).is_relative_to(sysconfig.get_path("purelib"))
assert sklearn_ap.__version__ == PROJECT["version"], sklearn_ap.__version__

warnings.simplefilter("error")
readme = (ROOT / "README.md").read_text(encoding="utf-8")
snippets = "".join(re.findall(r"^```python\n(.*?)^```$", readme, re.M | re.S))
promised = re.findall(r"^print\(.*\)  # (.+)$", snippets, re.M)
with contextlib.redirect_stdout(io.StringIO()) as output:
    exec(compile(snippets, "README.md", "exec"), {})
assert output.getvalue().splitlines() == promised, output.getvalue()
print(f"sklearn_ap {sklearn_ap.__version__}: {len(promised)} lines of README are as promised")
