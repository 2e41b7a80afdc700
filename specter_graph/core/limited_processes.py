"""Run functions in processes of their own, with limits of memory and time.

A small upload or query may produce very much: 545 bytes of BibTeX abbreviations that repeat each
other make 1 GB of text. Whatever runs here ends at its limits, and the process that asked goes on.
One server process imports the modules once and is forked for each call, so that a call costs
milliseconds instead of the seconds of an import. Its environment has no passwords.
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

from specter_graph.core.errors import SpecterGraphError

MEMORY = 512 * 2**20
"""Bytes that a call may take beyond what the imported modules take."""

_ENVIRONMENT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""For NumPy and PyArrow: a process can be forked safely while it has one thread."""
_START_SECONDS = 60.0
_GRACE_SECONDS = 2.0
_RESULT, _ERROR, _MEMORY, _FAULT = b"=", b"!", b"M", b"?"


class LimitedProcesses:
    """Calls functions of `modules` in forked processes; `close` ends the server process.

    A function is named "module:function". It takes what JSON knows and returns bytes.
    """

    def __init__(self, *modules: str) -> None:
        self._command = [
            sys.executable,
            "-P",
            "-m",
            "specter_graph.core.limited_processes",
            *modules,
        ]
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def start(self) -> None:
        """Start the server process, which the first call would do otherwise."""
        with self._lock:
            self._require_server()

    def close(self) -> None:
        """End the server process; calls that run end at their limits."""
        with self._lock:
            if self._server and self._control:
                self._control.close()
                self._server.wait()
                self._server = None

    def run(self, function: str, *arguments: object, seconds: float, memory: int = MEMORY) -> bytes:
        """Call a function, and return its result.

        Raises the SpecterGraphError that the function raises, TimeoutError when the call takes
        longer than `seconds`, MemoryError when it takes more than `memory` bytes, and RuntimeError
        when it raises something else, which is printed to stderr.
        """
        call = {"function": function, "arguments": arguments, "seconds": seconds, "memory": memory}
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, self._lock:
                control = self._require_server()
                socket.send_fds(control, [b"\0"], [theirs.fileno()])
            ours.settimeout(_START_SECONDS)
            if not ours.recv(1):
                raise RuntimeError("the server of limited processes has ended")
            begun = time.monotonic()
            ours.settimeout(seconds + _GRACE_SECONDS)
            ours.sendall(json.dumps(call).encode())
            ours.shutdown(socket.SHUT_WR)
            answer = b"".join(_parts(ours))
        kind, content = answer[:1], answer[1:]
        if kind == _RESULT:
            return content
        if kind == _ERROR:
            raise _error(**json.loads(content))
        if kind == _FAULT:
            raise RuntimeError(f"{function} has failed in a limited process")
        if not kind and time.monotonic() - begun >= seconds:
            raise TimeoutError
        raise MemoryError  # found by Python, or the allocator of a library ended the process

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
                start_new_session=True,  # no Ctrl-C at the terminal of the service reaches it
            )
        return self._control


def _parts(of: socket.socket) -> Iterator[bytes]:
    while part := of.recv(2**16):
        yield part


def _error(kind: str, message: str, hint: str | None) -> SpecterGraphError:
    """Make the error of a call again."""
    kinds = [SpecterGraphError]
    for each in kinds:
        kinds += each.__subclasses__()
    return {each.__name__: each for each in kinds}[kind](message, hint)


def _serve(modules: list[str]) -> None:
    """Fork for each socket that comes through stdin, until the other end of stdin is closed."""
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
    call = json.loads(b"".join(_parts(caller)))
    signal.setitimer(signal.ITIMER_REAL, call["seconds"])  # SIGALRM ends the process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit = _address_space() + call["memory"]
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
    caller.sendall(answer)


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    _serve(sys.argv[1:])
