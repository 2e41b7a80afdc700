"""Runs Neo4j's importer, and ends what a killed bulk load has left running."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import psutil

from specter_graph.core.progress import Progress
from specter_graph.graph.loading.bulk.files import ImportFile
from specter_graph.graph.server.exclusive_access import SoleUse
from specter_graph.graph.server.process import stop

_LOOK_S = 0.5


def import_files(
    sole: SoleUse, home: Path, files: Sequence[ImportFile], separator: str, progress: Progress
) -> None:
    """Make a database of the files in a home that has none; see `files.write_files`.

    Raises ServerError, with the end of what the importer said, when it fails.
    """
    arguments = [
        "--input-type=parquet",
        "--id-type=actual",
        f"--array-delimiter=U+{ord(separator):04X}",
        "--path-pattern-style=none",
        _mark(sole.home),
        *(_argument(file, home) for file in files),
    ]
    started = time.monotonic()
    with ThreadPoolExecutor(1) as threads:
        importing = threads.submit(sole.import_into, home, *arguments)
        while wait([importing], timeout=_LOOK_S).not_done:
            progress("import (s)", round(time.monotonic() - started), None)
        importing.result()


def stop_leftovers(home: Path) -> None:
    """Stop the processes of an earlier bulk load into this home that was killed itself."""
    marks = {_mark(home), worker_mark(home)}
    for process in psutil.process_iter(["cmdline"]):
        if marks.intersection(process.info["cmdline"] or ()) and process.pid != os.getpid():
            stop(process)


def worker_mark(home: Path) -> str:
    """The argument by which a process that reads is known to work for this home."""
    return f"--home={home}"


def _mark(home: Path) -> str:
    """The same for the importer; it has no argument for the purpose."""
    return f"--report-file={home / 'bulk' / 'import.report'}"


def _argument(file: ImportFile, home: Path) -> str:
    """Seen from the home, where the importer runs: a comma in a path would mean two."""
    path = os.path.relpath(file.path, home)
    return f"--{file.kind}={file.name}={path}"
