"""Conversion of the parameters of a library query to the types in its header."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from specter_graph.core.errors import InputError
from specter_graph.cypher import Parameter, Statement

_NO_DEFAULT = object()


def query_values(query: Statement, given: Mapping[str, object]) -> dict[str, Any]:
    """Convert values to the query's parameters; missing ones get their defaults.

    A type is STRING, INTEGER, FLOAT, BOOLEAN, LIST<one of these>, PAPER (the id of a paper with a
    vector), SPACE (the name of an embedding space) or TEXT (free text, not empty, whose vector the
    query gets as `$vector`). Text is converted to the type, and a list is given as JSON. Other
    values must have the type already or equal the default, such as null.

    Raises:
        InputError: A parameter is unknown, missing or has an invalid value.
    """
    name = query.name.removeprefix("library/")
    names = [parameter.name for parameter in query.parameters]
    unknown = [given_name for given_name in given if given_name not in names]
    if unknown:
        raise InputError(
            f"the query {name} has no parameter {unknown[0]!r}", f"use {', '.join(names)}"
        )
    missing = [
        parameter
        for parameter in query.parameters
        if parameter.name not in given and not parameter.default
    ]
    if missing:
        raise InputError(
            f"the query {name} needs {', '.join(parameter.name for parameter in missing)}",
            f"-p {missing[0].name}=..., {missing[0].text}",
        )
    return {parameter.name: _value(name, parameter, given) for parameter in query.parameters}


def _value(query: str, parameter: Parameter, values: Mapping[str, object]) -> Any:  # noqa: ANN401
    default = json.loads(parameter.default) if parameter.default else _NO_DEFAULT
    given = values.get(parameter.name, default)
    if given is default or (type(given) is type(default) and given == default):
        return default
    try:
        return _CONVERT[parameter.type](given)
    except ValueError as error:
        raise InputError(
            f"{parameter.name} of the query {query} is {parameter.type}, not {given!r}",
            parameter.text,
        ) from error


def _string(given: object) -> str:
    if not isinstance(given, str):
        raise ValueError
    return given


def _text(given: object) -> str:
    text = _string(given)
    if not text.strip():
        raise ValueError
    return text


def _integer(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int | str):
        raise ValueError
    return int(given)


def _float(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, float | int | str):
        raise ValueError
    return float(given)


def _boolean(given: object) -> bool:
    if isinstance(given, str):
        given = {"true": True, "false": False}.get(given.lower())
    if not isinstance(given, bool):
        raise ValueError
    return given


def _list_of(element: Callable[[object], Any]) -> Callable[[object], list[Any]]:
    def convert(given: object) -> list[Any]:
        try:
            items = json.loads(given) if isinstance(given, str) else given
        except RecursionError as error:
            raise ValueError from error
        if not isinstance(items, list | tuple):
            raise ValueError
        return [element(item) for item in items]

    return convert


_SCALARS: dict[str, Callable[[object], Any]] = {
    "STRING": _string,
    "INTEGER": _integer,
    "FLOAT": _float,
    "BOOLEAN": _boolean,
    "PAPER": _string,
    "SPACE": _string,
    "TEXT": _text,
}

_CONVERT = _SCALARS | {f"LIST<{name}>": _list_of(element) for name, element in _SCALARS.items()}
