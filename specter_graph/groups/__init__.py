"""Groups of methods of a graph, a module each: `graph.spaces`, `graph.evaluate` and others.

A group consists of functions whose first parameter is the database; `Method` binds it.
"""

from collections.abc import Callable
from types import MethodType
from typing import Concatenate, Generic, ParamSpec, TypeVar, overload

from specter_graph.graph.database import Database

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


class Group:
    """A group of methods of one graph."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.database.place}>"


class Method(Generic[Parameters, Returned]):
    """A function of a database as a method of a `Group`, with its signature and its docstring.

    The class has the function itself, whose first parameter is the database.
    """

    def __init__(self, function: Callable[Concatenate[Database, Parameters], Returned]) -> None:
        self.function = function

    @overload
    def __get__(
        self, group: None, owner: type
    ) -> Callable[Concatenate[Database, Parameters], Returned]: ...
    @overload
    def __get__(self, group: Group, owner: type) -> Callable[Parameters, Returned]: ...
    def __get__(self, group: Group | None, owner: type) -> object:
        return self.function if group is None else MethodType(self.function, group.database)
