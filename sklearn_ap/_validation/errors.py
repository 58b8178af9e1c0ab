"""What errors say besides their words: the arguments that they are about."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# The words of scikit-learn.
NO_SAMPLES = "Found array with 0 sample(s) in y_true while a minimum of 1 is required."
NO_WEIGHT = "Sample weights must contain at least one non-zero number."


class about:
    """Note on the errors of a function, or of a block, which arguments they are about.

    The innermost note counts. Errors carry it in their `arguments`, also when they are pickled, so
    that the names of columns and models can be appended. "models" is noted besides "y_score" if the
    caller may have meant several models.
    """

    def __init__(self, *arguments: str) -> None:
        self.arguments = arguments

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def noting(*args: P.args, **kwargs: P.kwargs) -> T:
            try:  # faster than a context manager
                return function(*args, **kwargs)
            except (TypeError, ValueError) as error:
                error.__dict__.setdefault("arguments", self.arguments)
                raise

        return noting

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: Any, error: BaseException | None, _traceback: Any) -> None:
        if isinstance(error, TypeError | ValueError):
            error.__dict__.setdefault("arguments", self.arguments)


def arguments_of(error: Exception) -> tuple[str, ...] | None:
    """Return the arguments that an error is about; None if it isn't about the input."""
    arguments: tuple[str, ...] | None = error.__dict__.get("arguments")
    return arguments


def missing(words: str, are_null: bool = False) -> ValueError:
    """Return an error about missing values, which are NaN or the like unless they are null."""
    error = ValueError(words)
    error.__dict__["missing"] = "nulls" if are_null else "NaN"
    return error


def append(error: Exception, words: str) -> None:
    """Append to what an error says about its arguments. It is then about none."""
    error.args = (f"{error}{words}",)
    error.__dict__["arguments"] = ()


@contextmanager
def naming_model(model: Any, models: Collection[Any], has_table: bool = False) -> Iterator[None]:
    """Append the name of the model to errors about its prediction scores, or about its table."""
    try:
        yield
    except (TypeError, ValueError) as error:
        arguments = arguments_of(error) or ()
        if has_table:
            append(error, f" (in the table of the model {model!r})")
        elif len(models) > 1 and "y_score" in arguments:
            append(error, f" (y_score is that of the model {model!r})")
        elif len(models) == 1 and "models" in arguments:
            append(
                error,
                " If these are several models, pass a mapping from their names to their scores to "
                "report, or one model per call to other functions.",
            )
        raise
