"""HTTP servers of tests, in a thread of this process."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from typing import Any, TypeVar
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

Server = TypeVar("Server", bound=BaseServer)


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Serve until the block ends, and close the server."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def serving(service: ASGIApp) -> Iterator[str]:
    """Run a service of ours until the block ends; yields its address."""
    at = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(service, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at]})
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{at.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class WebService(ThreadingHTTPServer):
    """A service on loopback.

    `faults` are served one after another before anything else: a status, "drop" or "slow", and
    headers. `received` are the requests.
    """

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.faults: list[tuple[str, dict[str, str]]] = []
        self.received: list[Any] = []
        self.slow = 1.0
        """Seconds of the fault "slow"."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class JsonAnswers(BaseHTTPRequestHandler):
    """The part of a handler that sends JSON, or bytes as they are, and writes no log."""

    def answer(
        self, body: object, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer_truncated(self, start: bytes) -> None:
        """Send the start of a longer body, and close the connection."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(start)
        self.close_connection = True

    def fail(self, fault: str, headers: dict[str, str]) -> None:
        """Serve a fault of a `WebService`."""
        if fault == "drop":
            self.answer_truncated(b'{"data": [')
        elif fault == "slow":
            assert isinstance(self.server, WebService)
            time.sleep(self.server.slow)
            self.close_connection = True
        else:
            self.answer({"error": "wait"}, int(fault), headers)

    def log_message(self, format: str, *args: object) -> None:
        pass


class TcpProxy:
    """TCP proxy that can be opened and closed, like a database that stops and restarts.

    `lost_at` is a text that closes it when a client sends it.
    """

    def __init__(self, uri: str, lost_at: bytes | None = None) -> None:
        address = urlsplit(uri)
        self._to = address.hostname, address.port
        self._lost_at = lost_at
        self._connections: list[socket.socket] = []
        self.open()

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"

    def open(self, port: int = 0) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        for each in (self._listener, *self._connections):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._connections = []

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, server = listener.accept()[0], socket.create_connection(self._to)
                self._connections += [client, server]
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self._lost_at and self._lost_at in data:
                    self.close()
                target.sendall(data)
