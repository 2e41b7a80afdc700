"""The exceptions of specter-graph.

Each has a message that says what is wrong, with the value, and usually a hint that says what to do
next. The command line prints both and exits with a non-zero status; a traceback shows both.

A name or id that is not in the graph, such as that of a paper, space, list, venue, author or topic,
is a GraphError, also in a filter, and so are missing vectors. An argument or a file that cannot be
used with any graph, or whose values contradict each other, is an InputError, and so is a file with
unknown ids.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from os import PathLike
from pathlib import Path

MAX_COUNT = 2**53
"""The largest count, such as a number of papers; larger integers are not exact in JSON."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import packages that the extra `name` of pyproject.toml installs.

    with extra("mcp"):
        import mcp

    Raises:
        InputError: A package is not installed; the hint is the command that installs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            f"{error.name} is not installed", f'pip install "specter-graph[{name}]"'
        ) from error


def summarize_names(names: Sequence[str], limit: int = 5) -> str:
    """List the first `limit` names and the number of the others, for a message."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return a number and a noun, such as "1 paper" or "2 papers", for a message.

    Args:
        number: The number.
        one: The noun, or the words after the number, for 1.
        several: The same for other numbers; by default `one` with an s.
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def require_no_login(name: str, uri: str) -> None:
    """Raise InputError, without the URI, if it has a user and a password before the host."""
    if "@" in uri:
        raise InputError(
            f"{name} has a user or a password",
            "set NEO4J_USERNAME and NEO4J_PASSWORD, and remove everything from // to @ in the URI",
        )


def require_collection(name: str, values: object, hint: str) -> None:
    """Raise InputError for a dict or a frame, whose names would be the entries, or for no list."""
    is_named = isinstance(values, Mapping) or hasattr(values, "columns")
    if is_named or not isinstance(values, Iterable):
        raise InputError(f"{name} is a {type(values).__name__}, not a list", hint)


def text_list(name: str, values: Iterable[str]) -> list[str]:
    """Return the texts of a list, set, array, column of a frame or generator.

    Raises:
        InputError: It is one text, a dict, a frame, or no collection, or has an entry that is not a
            text.
    """
    if isinstance(values, str):  # its characters would be the entries
        raise InputError(f"{name} is the text {values!r}, not a list", f"give {name}=[{values!r}]")
    require_collection(name, values, f"give {name}=[...]")
    texts = [*values]
    for text in texts:
        if not isinstance(text, str):
            hint = f"give {name}=[each.id for each in ...]" if hasattr(text, "id") else None
            raise InputError(f"{name} has a {type(text).__name__}, not a text", hint)
    return texts


def require_counts(minimum: int = 1, /, **values: object) -> None:
    """Raise InputError for a value that is not an integer of at least `minimum`."""
    for name, value in values.items():
        if not isinstance(value, Integral) or value < minimum:
            raise InputError(f"{name} is {value!r}", f"give an integer, {minimum} or more")
        if int(value) > MAX_COUNT:
            raise InputError(f"{name} is {value!r}", f"give an integer up to {MAX_COUNT:,}")


def require_seconds(**values: object) -> None:
    """Raise InputError for a value that is not a number of seconds."""
    for name, value in values.items():
        if not isinstance(value, Real | None) or (value is not None and not float(value) >= 0):
            raise InputError(f"{name} is {value!r}", "give seconds, or 0 for no limit")


def require_choice(kind: str, value: object, choices: Iterable[str]) -> None:
    """Raise InputError for a value that is none of the choices."""
    if value not in (choices := [*choices]):
        raise InputError(f"unknown {kind} {value!r}", f"use one of {', '.join(choices)}")


def require_texts(**values: object) -> None:
    """Raise InputError for a value that is not one text."""
    for name, value in values.items():
        if not isinstance(value, str):
            attributes = [each for each in ("id", "name") if hasattr(value, each)]
            hint = f"give one text as {name}"
            if attributes and not isinstance(value, Path):
                hint = f"give its attribute {attributes[0]}"
            raise InputError(f"{name} is a {type(value).__name__}, not a text", hint)
        require_characters(name, value)


def require_characters(name: str, *texts: str) -> None:
    """Raise InputError for a text with half of a surrogate pair, which has no UTF-8."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{name} has a character that is half of a surrogate pair",
                "decode the text with errors='replace'",
            ) from error


def require_paths(hint: str, **values: object) -> None:
    """Raise InputError for a value, such as an array, a frame or None, that is not a path."""
    for name, value in values.items():
        if not isinstance(value, str | PathLike):
            raise InputError(f"{name} is a {type(value).__name__}, not a file", hint)


class SpecterGraphError(Exception):
    """An error that the user can act on: `message` says what is wrong, `hint` what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(f"try: {hint}")  # a traceback prints it below the message

    @property
    def one_line(self) -> str:
        """The message and the hint on one line."""
        return "; try: ".join(filter(None, [self.message, self.hint]))


class InputError(SpecterGraphError):
    """A file, a record or an argument that cannot be used."""


class ServerError(SpecterGraphError):
    """A Neo4j server that cannot be reached, rejects the login, or cannot be started or stopped."""


class GraphError(SpecterGraphError):
    """A paper, embedding space, vector, query or other object is not in the graph."""


class OutdatedError(GraphError):
    """A change of an assignment that another call has changed since it was read."""


class QueryTimeoutError(SpecterGraphError):
    """The server stopped a query that exceeded its time limit."""


class ModelError(SpecterGraphError):
    """A base model or a model directory that cannot be loaded or trained."""


class LeakError(SpecterGraphError):
    """An embedding space was trained on citations of the papers it would be scored on."""
