"""Translation of driver errors: the server is unavailable, or a query took too long."""

from neo4j.exceptions import (
    AuthError,
    ConnectionAcquisitionTimeoutError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from specter_graph.core.errors import GraphError, ServerError, SpecterGraphError

DRIVER_ERRORS = (Neo4jError, DriverError)
"""The base classes of all errors that the driver raises."""

_GONE = (
    AuthError,
    ConnectionAcquisitionTimeoutError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)
"""TransientError means that the database is starting, stopping or out of memory."""


class TooLongError(GraphError):
    """The server stopped a query that exceeded its time limit."""


def translate_driver_error(error: Exception) -> SpecterGraphError | None:
    """Return the error for the user, or None if the cause is a bug in this program."""
    if isinstance(error, Neo4jError) and "TransactionTimedOut" in (error.code or ""):
        return TooLongError("the query exceeded its time limit", "reduce the papers or the hops")
    if isinstance(error, _GONE):
        return ServerError("the database does not answer", "try again in a few seconds")
    return None
