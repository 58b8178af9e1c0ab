"""Damaged files give the values of the whole ones, or one line of error that names the file."""

import json
import random
import re
import time
from types import SimpleNamespace

import pytest

import sklearn_ap as ap
from sklearn_ap import __main__ as command_line
from sklearn_ap.compat import metric_checks
from sklearn_ap.readers import read_coco, read_runs, read_trec, read_voc

N_DAMAGED = 200  # files of each reader

OBJECT = (
    "<object><name>{}</name><difficult>0</difficult><bndbox><xmin>1</xmin><ymin>2</ymin>"
    "<xmax>30</xmax><ymax>40</ymax></bndbox></object>"
)
XML = "<annotation>{}</annotation>".format("".join(map(OBJECT.format, ["truck", "cat"])))
LINES_OF_VOC = "i1 0.5 1 2 30 40\ni2 0.25 1 2 30 41\ni2 0.125 90 2 95 40\n"
PLACE = {"image_id": 1, "category_id": 3}
BOXES = {
    "images": [{"id": 1}, {"id": 2}],
    "categories": [{"id": 3, "name": "truck"}, {"id": 4, "name": "cat"}],
    "annotations": [
        {"id": 1, **PLACE, "bbox": [1, 2, 30, 40], "area": 1200, "iscrowd": 0},
        {"id": 2, **PLACE, "category_id": 4, "bbox": [1, 2, 30, 40], "area": 1200, "iscrowd": 0},
    ],
}
FOUND = [
    {**PLACE, "bbox": [1, 2, 30, 40], "score": 0.5},
    {**PLACE, "category_id": 4, "bbox": [90, 2, 30, 40], "score": 0.25},
    {**PLACE, "category_id": 4, "bbox": [1, 2, 30, 41], "score": 0.125},
]
JUDGED = [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d1", 2)]
SCORED = [("q1", "d2", 0.5), ("q1", "d1", 0.25), ("q2", "d1", 0.125)]


def json_lines(entries):
    keys = "query-id", "corpus-id", "score"
    return "".join(f"{json.dumps(dict(zip(keys, entry, strict=True)))}\n" for entry in entries)


def evaluate(read, metric):
    return lambda folder: ap.metric(metric).by_name(data=read(folder))


def audit_values(folder):
    """Return the values that a program printed, as an audit gets them."""
    read = []

    def judge(values, **_):
        if values.keys() != {10001, 10002, 10003}:
            raise ValueError("There are values of other rankings.")
        read.append(values)
        return SimpleNamespace(words="", kind="", result=None, code=0)

    options = command_line._parse(["audit", "--read", str(folder / "values.txt")])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(metric_checks, "judge", judge)
        command_line._run(options)
    return read


# The files of each reader, and what it makes of them
READERS = {
    "trec": (
        {
            "qrels.txt": "".join(f"{q} 0 {d} {grade}\n" for q, d, grade in JUDGED),
            "new.run": "".join(f"{q} Q0 {d} 1 {score} me\n" for q, d, score in SCORED),
        },
        evaluate(lambda at: read_trec(at / "qrels.txt", at / "new.run"), "nDCG@5"),
    ),
    "runs": (
        {"qrels.jsonl": json_lines(JUDGED), "new.jsonl": json_lines(SCORED)},
        evaluate(lambda at: read_runs(at / "qrels.jsonl", at / "new.jsonl"), "nDCG@5"),
    ),
    "beir": (
        {
            "qrels.tsv": "query-id\tcorpus-id\tscore\n"
            + "".join(f"{q}\t{d}\t{grade}\n" for q, d, grade in JUDGED),
            "new.jsonl": json_lines(SCORED),
        },
        evaluate(lambda at: read_runs(at / "qrels.tsv", at / "new.jsonl"), "nDCG@5"),
    ),
    "coco": (
        {"truth.json": json.dumps(BOXES), "found.json": json.dumps(FOUND)},
        evaluate(lambda at: read_coco(at / "truth.json", at / "found.json"), "101-point"),
    ),
    "voc xml": (
        {"truth/i1.xml": XML, "truth/i2.xml": XML},
        evaluate(lambda at: read_voc(at / "truth", at / "found"), "VOC07"),
    ),
    "voc txt": (
        {"found/det_truck.txt": LINES_OF_VOC, "found/det_cat.txt": LINES_OF_VOC},
        evaluate(lambda at: read_voc(at / "truth", at / "found"), "VOC07"),
    ),
    "audit": ({"values.txt": "10001 0.5\n10002 0.25\n10003 1\n"}, audit_values),
}


def write_all(folder):
    """Write the files of all readers."""
    for files, _ in READERS.values():
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    return folder


# --- damage ---------------------------------------------------------------------------------------

# What stands in the place of a number
NOT_THE_NUMBER = [
    *("", "x", "1_0", "0x1", "1,5", "--1", "1 2", "null", '"1"', "[1]", "{}", "\u0661"),
    "9" * 5000 + "x",
    "9" * 5000 + "_0",
]
ENCODINGS = "utf-8-sig", "utf-16", "utf-16-le", "utf-32"
NUMBER = re.compile(r"(?<![\w.\"-])\d+(\.\d+)?(?![\w.\"-])")
ELEMENT = re.compile(r"<(\w+)>[^<]*</\1>|<bndbox>.*?</bndbox>")
KEY = re.compile(r"\"\w[\w-]*\": [\w.\"]+, ")
TAG = re.compile(r"</?\w+>|\"[\w-]+\": |[\[\]{}]")


def pick(pattern, text, rng):
    """Return what is before, in and after a random place where a pattern is found, or None."""
    found = [*re.finditer(pattern, text)]
    if not found:
        return None
    place = rng.choice(found)
    return text[: place.start()], place[0], text[place.end() :]


def replace(pattern, change):
    """Return a function that changes a random place where a pattern is found."""

    def damage(text, rng):
        parts = pick(pattern, text, rng)
        return None if parts is None else f"{parts[0]}{change(parts[1], rng)}{parts[2]}"

    return damage


def change_value(element, rng):
    """Write an element, or a key, twice: alike, empty or with another value."""
    others = element, re.sub(r">[^<]*<", "><", element), element.replace("1", "0")
    return element + rng.choice(others)


def nest(element, rng):
    tag, depth = rng.choice(["x", "object", "part"]), rng.choice([1, 2, 99, 3000])
    return f"<{tag}>" * depth + element + f"</{tag}>" * depth


def nest_number(number, rng):
    depth = rng.choice([1, 2, 50, 900, 3000, 100_000])
    return "[" * depth + number + "]" * depth


def nest_all(text, rng):
    """Put all that a file has into something else."""
    if not text.startswith("<annotation>"):
        return "[" * rng.choice([1, 100_000]) + text if text[0] in "[{" else None
    inner = rng.choice(["annotation", "objects"])
    return f"<annotation><{inner}>{text[12:-13]}</{inner}></annotation>"


def reorder(text, rng):
    lines = text.splitlines(keepends=True)
    if len(lines) > 1 and "query-id\t" not in text:
        return "".join(rng.sample(lines, len(lines)))
    return re.sub(r"(<xmin>.*?</xmin>)(<ymin>.*?</ymin>)", r"\2\1", text)


DAMAGES = [
    replace(TAG, lambda tag, _: tag * 2),
    replace(TAG, lambda _, __: ""),
    replace(TAG, lambda tag, _: tag.upper() + "x"),
    replace(ELEMENT, change_value),
    replace(KEY, change_value),
    replace(ELEMENT, nest),
    replace(NUMBER, nest_number),
    replace(NUMBER, lambda _, rng: rng.choice(NOT_THE_NUMBER)),
    replace(NUMBER, lambda n, rng: rng.choice([f"{float(n)}0", f"{float(n):e}", f"{n}e0"])),
    replace(r"(?<=\S)\s+\S+(?=\n)", lambda *_: ""),  # the last word of a line
    replace(r"(?<=\n)[^\s{]+\s", lambda *_: ""),  # the first one
    replace(r"\A\S*", lambda first, rng: f"{rng.choice(['<x>', '<?xml', '%PDF'])} {first}"),
    nest_all,
    reorder,
    lambda text, rng: text.encode(rng.choice(ENCODINGS)),
    lambda text, rng: rng.choice([b"\0", b"\0\0\0\1", b"PAR1", b"\x1f\x8b"]) + text.encode(),
    *(
        lambda text, _, name=name: f"<?xml version='1.0' encoding='{name}'?>\n{text}"
        for name in ("klingon", "hex", "utf-7", "utf-16", "shift_jis", "idna", "", "utf-8")
    ),
]
# What can't be told from other data: names of runs may have spaces, and values may be missing
IS_DATA = {
    ".run": r"(?m)^(?!#)\S+ Q0 \S+( \S+){4,}$",
    "values.txt": r"(?m)^\d+ *(null)?$",
}


def damage(text, rng):
    while True:
        damaged = rng.choice(DAMAGES)(text, rng)
        if damaged is not None:
            return damaged


def is_data(name, damaged):
    pattern = next((IS_DATA[end] for end in IS_DATA if name.endswith(end)), None)
    return pattern is not None and isinstance(damaged, str) and re.search(pattern, damaged)


@pytest.mark.filterwarnings("ignore:There is no detection|Left out")
@pytest.mark.parametrize(
    "n_files", [10, pytest.param(N_DAMAGED, marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.parametrize("reader", READERS)
def test_damaged_files_are_read_as_the_whole_ones_or_named(reader, n_files, tmp_path):
    files, read = READERS[reader]
    expected, rng = read(write_all(tmp_path)), random.Random(n_files)
    outcomes = {"equal": 0, "refused": 0}
    while sum(outcomes.values()) < n_files:
        name = rng.choice([*files])
        damaged = damage(files[name], rng)
        if is_data(name, damaged):
            continue
        content = (
            damaged if isinstance(damaged, bytes) else damaged.encode(errors="surrogateescape")
        )
        (tmp_path / name).write_bytes(content)
        start = time.perf_counter()
        try:
            assert read(tmp_path) == expected, content[:1000]
            outcomes["equal"] += 1
        except (ValueError, TypeError) as error:
            words = str(error)
            assert str(tmp_path) in words, (content[:1000], words[:1000])
            assert "\n" not in words, words
            outcomes["refused"] += 1
        assert time.perf_counter() - start < 5, content[:1000]
        (tmp_path / name).write_text(files[name])
    assert min(outcomes.values()) > 0, outcomes


def test_the_depth_of_xml_costs_nothing(tmp_path):
    """A stack of tags that is copied at each tag would take hours."""
    path = write_all(tmp_path) / "truth" / "i1.xml"
    path.write_text("<annotation>" + "<x>" * 1_000_000)
    with pytest.raises(ValueError, match=f"{path}: elements are nested more than 100 deep"):
        read_voc(tmp_path / "truth", tmp_path / "found")
