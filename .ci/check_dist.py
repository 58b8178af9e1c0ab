"""What is in the sdist and the wheel: python .ci/check_dist.py FOLDER"""

import re
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
STEM = f"{PROJECT['name']}-{PROJECT['version']}"
TYPES = {"sklearn_ap/py.typed", "sklearn_ap/__init__.pyi"}
METADATA = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
# Besides the package: what says whose it is, and what the tests need.
SOURCES = ["LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "conftest.py"]


def sources(folder):
    """What the checkout has in a folder, without what Python makes of it."""
    paths = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    return {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in paths
        if path.parent.name != "__pycache__"
    }


def in_wheel(path):
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def in_sdist(path):
    with tarfile.open(path) as sdist:
        files = [member for member in sdist.getmembers() if member.isfile()]
        return {
            file.name.removeprefix(f"{STEM}/"): sdist.extractfile(file).read() for file in files
        }


def check_same(found, expected):
    assert found.keys() == expected.keys(), sorted(found.keys() ^ expected.keys())
    assert found == expected, [name for name in found if found[name] != expected[name]]


def check_wheel(files):
    """The package, the license, and nothing else; it needs what the project says it does."""
    package = {name: data for name, data in files.items() if name.startswith("sklearn_ap/")}
    check_same(package, sources("sklearn_ap"))
    assert TYPES <= package.keys(), TYPES - package.keys()
    info = f"{STEM}.dist-info/"
    besides = files.keys() - package.keys()
    assert besides == {info + name for name in METADATA}, sorted(besides)
    assert files[f"{info}licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    metadata = message_from_bytes(files[f"{info}METADATA"])
    shown = metadata.get_payload(decode=True).decode()
    relative = re.findall(r"\]\((?!\w+:|#)[^)]*\)", shown)
    assert "# sklearn_ap" in shown, "README.md is missing"
    assert not relative, relative  # PyPI has nothing that they could lead to
    needs = metadata.get_all("Requires-Dist")
    always = [need for need in needs if "extra ==" not in need]
    assert len(always) == len(PROJECT["dependencies"]), always


def check_sdist(files):
    """The package, its tests, and what both need."""
    for folder in ("sklearn_ap/", "tests/"):
        found = {name: data for name, data in files.items() if name.startswith(folder)}
        check_same(found, sources(folder))
    for name in SOURCES:
        assert files[name] == (ROOT / name).read_bytes(), name


folder = Path(sys.argv[1])
names = {path.name for path in folder.iterdir()}
assert names == {f"{STEM}.tar.gz", f"{STEM}-py3-none-any.whl"}, names
check_sdist(in_sdist(folder / f"{STEM}.tar.gz"))
check_wheel(in_wheel(folder / f"{STEM}-py3-none-any.whl"))
print(*sorted(names), sep="\n")
for name in ("Repository", "Documentation"):
    if name not in PROJECT["urls"]:
        print(f"MISSING: {name} in [project.urls] of pyproject.toml, which PyPI and the site show")
if not PROJECT["urls"]:
    print("MISSING: an address, so PyPI shows README.md without its links and pictures")
