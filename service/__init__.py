"""The HTTP API and the web pages over all the other rooms.

In: an open `LiteratureGraph` and `Terms`, what the service may do and how much of it. Out: an ASGI
application. Everything here only reads, but for what `jobs` may start.
"""

from specter_graph.service.app import build_service
from specter_graph.service.config import Terms

__all__ = ["Terms", "build_service"]
