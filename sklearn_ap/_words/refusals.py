"""What errors know. Their text is composed from it, so that no code reads or changes a sentence.

The list in not_here.toml says what isn't in this package, and what to use instead.
"""

from collections.abc import Callable, Collection
from contextlib import ContextDecorator
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from .._package import read_toml

# What the advice of an error is, for those who know more
RANK_LAST_REMEDY = "rank rows without a score last"
JUDGE_REMEDY = "give documents that nobody judged a grade"
CREATE_AGAIN_REMEDY = "create a table that can be read only once again"
ONE_CLASS_REMEDY = "evaluate one class at a time"


class Rows(NamedTuple):
    """The rows that an error is about."""

    first: int
    number: int
    n_rows: int  # of the table

    def written(self, model: Any) -> str:
        """Say how many they are, and which is the first in the table of a model."""
        first = f"row {self.first} (counted from 0)"
        counts = f"{self.number:,} of {self.n_rows:,} rows"
        return f" This concerns {counts}, the first of them {first}."


@dataclass
class Refusal:
    """What is wrong, and what to do about it: the argument of an error, which shows it as text.

    Functions on the way out, which know the names of columns and models, set these fields.
    """

    wrong: str = ""
    advice: str = ""
    subject: str = ""  # what comes before `wrong`, such as "Input y_score"
    found: str = ""  # missing values that the subject contains
    arguments: tuple[str, ...] | None = None  # that it's about; None if nobody has said so yet
    missing: str = ""  # "NaN" or "nulls" if values are missing
    remedy: str = ""  # one of the above
    where: Rows | None = None
    columns: str = ""  # which columns the arguments are, and what to do with their table
    model: str = ""
    table_of: Any = None  # the model, if it has a table of its own
    names_file: bool = False  # whether `wrong` has the file that this is about
    files: str = ""

    def __str__(self) -> str:
        contains = f" contains {self.found}." if self.found else ""
        what = f"{self.subject}{contains}{self.wrong}"
        where = "" if self.where is None else self.where.written(self.table_of)
        return f"{what}{where}{self.advice}{self.columns}{self.files}{self.model}"

    def __repr__(self) -> str:
        return repr(str(self))

    @classmethod
    def of(cls, error: Exception) -> Self:
        """Return what an error knows. One with words alone gets a refusal of these."""
        first = error.args[0] if len(error.args) == 1 else str(error)
        if isinstance(first, cls):
            return first
        refusal = cls(str(first))
        error.args = (refusal,)
        return refusal


def use_text_alone(error: Exception) -> None:
    """Replace what an error knows by its text, as callers expect and JSON needs."""
    error.args = tuple(str(arg) if isinstance(arg, Refusal) else arg for arg in error.args)


class TextErrors(ContextDecorator):
    """Let the errors of a public function leave with text alone."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: Any, error: BaseException | None, _traceback: Any) -> None:
        if isinstance(error, TypeError | ValueError):
            use_text_alone(error)


class ErrorContext(ContextDecorator):
    """Tell the errors of a function, or of a block that gets something, what they don't know."""

    def __init__(self, tell: Callable[[Refusal], Any], given: Any = None) -> None:
        self.tell = tell
        self.given = given

    def __enter__(self) -> Any:
        return self.given

    def __exit__(self, _kind: Any, error: BaseException | None, _traceback: Any) -> None:
        if isinstance(error, TypeError | ValueError):
            self.tell(Refusal.of(error))


def attribute_errors(*arguments: str) -> ErrorContext:
    """Tell errors which arguments they are about.

    The innermost one counts. "models" is told besides "y_score" if the caller may have meant
    several models.
    """

    def tell(refusal: Refusal) -> None:
        if refusal.arguments is None:
            refusal.arguments = arguments

    return ErrorContext(tell)


def make_nan_error(
    subject: str, where: Rows | None, advice: str = "", remedy: str = ""
) -> ValueError:
    """Return an error about NaN, which a table may know to be nulls."""
    refusal = Refusal("", advice, subject, "NaN", missing="NaN", remedy=remedy, where=where)
    return ValueError(refusal)


def name_model_in_errors(
    model: Any, models: Collection[Any], has_table: bool = False
) -> ErrorContext:
    """Append the name of the model to errors about its prediction scores, or about its table."""

    def tell(refusal: Refusal) -> None:
        arguments = refusal.arguments or ()
        if has_table:
            refusal.model += f" (in the table of the model {model!r})"
            refusal.table_of = model
        elif len(models) > 1 and "y_score" in arguments:
            refusal.model += f" (y_score is that of the model {model!r})"
        elif len(models) == 1 and "models" in arguments:
            refusal.model += (
                " If these are several models, pass a mapping from their names to their scores to "
                "report, or one model per call to other functions."
            )
        else:
            return
        refusal.arguments = ()  # so that nobody names them again

    return ErrorContext(tell)


def find_substitute(name: str) -> str:
    """Say what to use in place of a name, an attribute or a parameter that isn't here.

    `name` can also be a parameter with its value, such as "method=randomization", one that only a
    function lacks, such as "OperatingPoint.check.by", and an option of the command line, such as
    "--model". The sentence is empty if the list doesn't have the name.
    """
    for entry in read_toml("_words/not_here.toml")["entries"]:
        if name in entry.get("names", ()):
            return f"Use {entry['use']}."
    return ""
