"""Run the races of this checkout and of another commit in turn: python -m benchmarks --against REF.

Each version of the package runs in a separate process, which prepares a race and waits. The main
process lets them take turns, so that both are timed under the same conditions.
"""

import io
import json
import subprocess
import sys
import tarfile
import tempfile
import warnings
from contextlib import ExitStack, contextmanager
from os import environ, pathsep
from pathlib import Path
from statistics import median

from . import measure
from .sides import OURS

ROOT = Path(__file__).parents[1]


class Version:
    """A process that imports one version of the package, and runs our side of the races."""

    def __init__(self, process):
        self.process = process

    def ask(self, **question):
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("The process of a version has stopped. Its error is printed above.")
        return json.loads(answer)

    def seconds(self, times):
        return self.ask(times=times)["seconds"]


@contextmanager
def version_in(folder):
    """Start a process with the package in this folder, and the races of this checkout."""
    path = pathsep.join([str(folder), str(ROOT)])
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "benchmarks.versions"],
        env=environ | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:  # closes its pipes, so that it ends
        yield Version(process)


def unpack(ref, folder):
    """Unpack the package at a commit."""
    command = ["git", "-C", str(ROOT), "archive", ref, "sklearn_ap"]
    archive = subprocess.run(command, capture_output=True, check=False)
    if archive.returncode:
        raise SystemExit(f"--against {ref}: {archive.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")


def compare(ref, races, budget):
    """Yield, for each race, its size, the seconds before and now, and their median ratio.

    If a version can't run a race, yield why, by the names of these versions, instead.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        unpack(ref, folder)
        versions = {
            OURS: stack.enter_context(version_in(ROOT)),
            ref: stack.enter_context(version_in(folder)),
        }
        for section, place, size, n_samples in races:
            question = {"section": section, "place": place, "samples": n_samples}
            failed = {name: one.ask(**question)["failed"] for name, one in versions.items()}
            if any(failed.values()):
                yield size, None, {name: why for name, why in failed.items() if why}
                continue
            timers = {name: one.seconds for name, one in versions.items()}
            times = measure.in_turn(timers, budget)
            each = [now / then for now, then in zip(times[OURS], times[ref], strict=False)]
            yield size, (median(times[ref]), median(times[OURS]), median(each)), {}


def answer():
    """Prepare and time races as requested on the standard input."""
    from .races import OF_VERSIONS, SECTIONS

    warnings.simplefilter("ignore")
    races, timer = SECTIONS | OF_VERSIONS, None
    for line in sys.stdin:
        question = json.loads(line)
        if "times" in question:
            found = {"seconds": timer(question["times"])}
        else:
            race, found = races[question["section"]][question["place"]], {"failed": ""}
            try:
                timer = prepared(race, question["samples"])
            except Exception as error:  # other versions have other names, parameters and results
                found["failed"] = f"{type(error).__name__}: {error}".splitlines()[0]
        print(json.dumps(found), flush=True)


def prepared(race, n_samples):
    """Return a timer of our side, once it has run."""
    call = race.ours.prepare(*race.make(n_samples))
    race.ours.value(call())
    return measure.timer(race.ours, call)


if __name__ == "__main__":
    answer()
