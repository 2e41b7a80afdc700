"""Serves a graph by HTTP until it is told to stop: what is being answered then is answered."""

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
    """Take a port, any free one for 0; raises InputError where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        at = socket.create_server((host, port), family=family, backlog=CONNECTIONS)
    except OSError as error:
        raise InputError(
            f"{host}:{port} cannot be listened on: {error}", "another --port; 0 for any free one"
        ) from error
    # asyncio answers without delay (TCP_NODELAY) on sockets that say they are of TCP. This one says
    # nothing: each answer would wait 40 ms for the client to acknowledge its first part.
    return socket.socket(at.family, at.type, socket.IPPROTO_TCP, fileno=at.detach())


def serve(
    graph: LiteratureGraph, terms: Terms, at: socket.socket, jobs: Jobs | None = None
) -> None:
    """Answer until SIGINT or SIGTERM; requests that are being answered get GRACE_SECONDS.

    Unless OMP_NUM_THREADS says otherwise, PyTorch and NumPy get one thread each: for a few short
    texts several cost more, in waiting for each other, than they save.
    """
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = "1"  # read when PyTorch is first imported
        threadpool_limits(1)  # NumPy is there already
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
