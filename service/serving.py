"""Serves a graph by HTTP until it is told to stop: what is being answered then is answered."""

import os
import signal
import socket
import sys
from types import FrameType

import uvicorn

from specter_graph.errors import InputError
from specter_graph.literature import LiteratureGraph
from specter_graph.service.application import build_service
from specter_graph.service.jobs import Jobs
from specter_graph.service.terms import Terms

GRACE_SECONDS = 15
CONNECTIONS = 1_000


def listen(host: str, port: int) -> socket.socket:
    """Take a port, any free one for 0; raises InputError where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=CONNECTIONS)
    except OSError as error:
        raise InputError(
            f"{host}:{port} cannot be listened on: {error}", "another --port; 0 for any free one"
        ) from error


def serve(
    graph: LiteratureGraph, terms: Terms, at: socket.socket, jobs: Jobs | None = None
) -> None:
    """Answer until SIGINT or SIGTERM; requests that are being answered get GRACE_SECONDS.

    Unless OMP_NUM_THREADS says otherwise, PyTorch gets one thread: for a few short texts several
    cost more, in waiting for each other, than they save.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when PyTorch is first imported
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
