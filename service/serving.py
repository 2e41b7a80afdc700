"""HTTP server of a graph, with graceful shutdown."""

import os
import signal
import socket
import sys
from types import FrameType

import uvicorn
from threadpoolctl import threadpool_limits

from specter_graph.core.errors import InputError
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.service.app import build_service
from specter_graph.service.jobs import Jobs
from specter_graph.service.web.config import Terms

GRACE_SECONDS = 15
CONNECTIONS = 1_000


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket on a port (0 for any free port).

    Raises:
        InputError: The address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        at = socket.create_server((host, port), family=family, backlog=CONNECTIONS)
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port}: {error}", "use another --port, or 0 for any free port"
        ) from error
    # asyncio sets TCP_NODELAY only on sockets with the protocol TCP. This socket has none, so each
    # answer would wait 40 ms for the client to acknowledge its first part.
    return socket.socket(at.family, at.type, socket.IPPROTO_TCP, fileno=at.detach())


def serve(
    graph: LiteratureGraph, terms: Terms, at: socket.socket, jobs: Jobs | None = None
) -> None:
    """Serve until SIGINT or SIGTERM; running requests get GRACE_SECONDS to finish.

    Unless OMP_NUM_THREADS is set, PyTorch and NumPy use one thread each: for a few short texts,
    synchronizing several threads costs more than they save.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = "1"  # read when PyTorch is first imported
        threadpool_limits(1)  # NumPy is already imported
    config = uvicorn.Config(
        build_service(graph, terms, jobs),
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    signal.signal(signal.SIGTERM, _leave)  # uvicorn raises it again when it is done
    uvicorn.Server(config).run(sockets=[at])


def _leave(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)
