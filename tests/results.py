"""All classes of results, and results of each of them."""

import doctest
from functools import cache

import sklearn_ap as ap
from sklearn_ap._show.results import Result


def kinds(kind):
    """Return the classes of results: those that aren't the base class of others."""
    below = kind.__subclasses__()
    return [found for each in below for found in kinds(each)] if below else [kind]


for module in dir(ap):
    if module != "spark":  # whose library may not be there, and has no results
        getattr(ap, module)
KINDS = kinds(Result)


@cache  # as audits take a second each
def examples(kind):
    """Return the results in the examples of a class, in addition to what these print."""
    names, found = {}, []
    (test, *_) = doctest.DocTestFinder(recurse=False).find(kind, globs=names)
    for example in test.examples:
        try:
            names["_"] = eval(example.source, names)
        except SyntaxError:
            exec(example.source, names)
        if isinstance(names.get("_"), kind):
            found.append(names["_"])
    return found + [value for value in names.values() if isinstance(value, kind)]
