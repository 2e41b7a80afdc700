"""Functions in separate processes with limits of memory and time.

A small upload or query may expand enormously: 545 bytes of nested BibTeX abbreviations give 1 GB of
text. A function that exceeds its limits is stopped; the calling process is not affected. One server
process imports the modules once and is forked for each call, so that a call costs milliseconds
instead of the seconds of an import. Its environment contains no passwords.
"""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from importlib import import_module

import psutil

from specter_graph.core.errors import SpecterGraphError

MEMORY = 512 * 2**20
"""Default limit of a call: bytes in addition to those of the imported modules."""

_ENVIRONMENT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Settings for NumPy and PyArrow: only a process with a single thread can be forked safely."""
_START_SECONDS = 60.0
_GRACE_SECONDS = 2.0
_RESULT, _ERROR, _MEMORY, _FAULT = b"=", b"!", b"M", b"?"


class LimitedProcesses:
    """A server process that calls functions of `modules` in forked processes.

    A function is named "module:function". Its arguments are JSON values; it returns bytes.
    """

    def __init__(self, *modules: str) -> None:
        self._command = [sys.executable, "-P", "-m", __name__, *modules]
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self) -> None:
        """Start the server process; otherwise, the first call starts it."""
        with self._lock:
            self._require_server()

    def close(self) -> None:
        """Stop the server process; running calls continue up to their limits."""
        with self._lock:
            if self._server and self._control:
                self._control.close()
                self._server.wait()
                self._server = None

    def run(self, function: str, *arguments: object, timeout: float, memory: int = MEMORY) -> bytes:
        """Call a function and return its result.

        Args:
            function: "module:function".
            arguments: JSON values.
            timeout: Limit of time.
            memory: Limit of memory in bytes.

        Raises:
            SpecterGraphError: The function raised it.
            TimeoutError: The call took longer than `timeout`.
            MemoryError: The call needed more than `memory` bytes.
            RuntimeError: The function raised another exception, which is printed to stderr.
        """
        call = {"function": function, "arguments": arguments, "timeout": timeout, "memory": memory}
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, self._lock:
                control = self._require_server()
                socket.send_fds(control, [b"\0"], [theirs.fileno()])
            ours.settimeout(_START_SECONDS)
            if not ours.recv(1):
                raise RuntimeError("the server of limited processes has ended")
            begun = time.monotonic()
            ours.settimeout(timeout + _GRACE_SECONDS)
            ours.sendall(json.dumps(call).encode())
            ours.shutdown(socket.SHUT_WR)
            answer = b"".join(_receive_parts(ours))
        kind, content = answer[:1], answer[1:]
        if kind == _RESULT:
            return content
        if kind == _ERROR:
            raise _recreate_error(**json.loads(content))
        if kind == _FAULT:
            raise RuntimeError(f"{function} failed in a limited process")
        if not kind and time.monotonic() - begun >= timeout:
            raise TimeoutError
        raise MemoryError  # raised by Python, or the allocator of a library ended the process

    def _require_server(self) -> socket.socket:
        if self._server and self._control and self._server.poll() is None:
            return self._control
        self._control, theirs = socket.socketpair()
        inherited = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
        with theirs:
            self._server = subprocess.Popen(
                self._command,
                env=inherited | _ONE_THREAD,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # not interrupted by Ctrl-C in the service's terminal
            )
        return self._control


def _receive_parts(of: socket.socket) -> Iterator[bytes]:
    while part := of.recv(2**16):
        yield part


def _recreate_error(kind: str, message: str, hint: str | None) -> SpecterGraphError:
    """Recreate the error that a call raised."""
    kinds = [SpecterGraphError]
    for base in kinds:
        kinds += base.__subclasses__()
    return {base.__name__: base for base in kinds}[kind](message, hint)


def _serve(modules: list[str]) -> None:
    """Fork for each socket received through stdin, until the other end of stdin is closed."""
    for module in modules:
        import_module(module)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets processes that have ended
    with socket.socket(fileno=os.dup(0)) as control:
        os.close(0)
        while fds := socket.recv_fds(control, 1, 1)[1]:
            with socket.socket(fileno=fds[0]) as caller:
                if os.fork() == 0:
                    try:
                        control.close()
                        _answer(caller)
                    finally:
                        os._exit(0)


def _answer(caller: socket.socket) -> None:
    caller.sendall(b"\0")
    call = json.loads(b"".join(_receive_parts(caller)))
    signal.setitimer(signal.ITIMER_REAL, call["timeout"])  # SIGALRM ends the process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = psutil.Process().memory_info().vms + call["memory"]
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    module, _, name = call["function"].partition(":")
    try:
        answer = _RESULT + getattr(import_module(module), name)(*call["arguments"])
    except MemoryError:
        answer = _MEMORY
    except SpecterGraphError as error:
        parts = {"kind": type(error).__name__, "message": error.message, "hint": error.hint}
        answer = _ERROR + json.dumps(parts).encode()
    except Exception:
        traceback.print_exc()
        answer = _FAULT
    signal.setitimer(signal.ITIMER_REAL, 0)  # otherwise a part of the answer could be sent
    caller.sendall(answer)


if __name__ == "__main__":
    _serve(sys.argv[1:])
