"""What an error of the driver means to those who only ask: the server is gone, or took too long."""

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
"""All that a driver raises."""

_GONE = (
    AuthError,
    ConnectionAcquisitionTimeoutError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)
"""The last one: the database is starting, stopping or out of memory."""


class TooLongError(GraphError):
    """A read was stopped by the server: it took longer than it may."""


def translate_driver_error(error: Exception) -> SpecterGraphError | None:
    """Return what an error of the driver means to the user; None for a fault of ours."""
    if isinstance(error, Neo4jError) and "TransactionTimedOut" in (error.code or ""):
        return TooLongError("the question took longer than it may", "fewer papers, or fewer hops")
    if isinstance(error, _GONE):
        return ServerError("the database does not answer", "again in a few seconds")
    return None
