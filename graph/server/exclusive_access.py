"""Work on the files of an instance while nobody else can start, stop or use it."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from specter_graph.core.errors import ServerError
from specter_graph.graph.server import config
from specter_graph.graph.server.endpoint import Endpoint
from specter_graph.graph.server.jvm import Jvm

_TAIL_LINES = 20


@dataclass(frozen=True, slots=True)
class SoleUse:
    """An instance in the hands of one process; `up` starts its server, `down` stops it."""

    home: Path
    jars: Path
    jvm: Jvm
    up: Callable[[], Endpoint]
    down: Callable[[], bool]

    @contextmanager
    def dump(self) -> Iterator[IO[bytes]]:
        """What Neo4j's own tool writes of the database; the server is down."""
        with self._admin(self.home, "database", "dump", "neo4j", "--to-stdout") as process:
            assert process.stdout
            yield process.stdout

    @contextmanager
    def load(self, home: Path) -> Iterator[IO[bytes]]:
        """Take what `dump` gave into a home that has no database yet."""
        with self._admin(home, "database", "load", "neo4j", "--from-stdin") as process:
            assert process.stdin
            yield process.stdin

    def import_into(self, home: Path, *arguments: str) -> None:
        """Run the importer, which makes the database of a home that has none; it runs there."""
        with self._admin(home, "database", "import", "full", "neo4j", *arguments):
            pass

    @contextmanager
    def _admin(self, home: Path, *arguments: str) -> "Iterator[subprocess.Popen[bytes]]":
        """Run the tool; raises ServerError, with the end of what it said, when it fails."""
        with (
            TemporaryFile() as said,
            subprocess.Popen(
                config.admin_command(self.jars, self.jvm, *arguments),
                cwd=home,
                env=config.admin_environment(home),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if "--to-stdout" in arguments else said,
                stderr=said,
            ) as process,
        ):
            try:
                yield process
            except BrokenPipeError:
                pass  # it has ended early, and says why
            except BaseException:
                process.kill()
                raise
            process.communicate()
            if process.returncode != 0:
                said.seek(0)
                lines = said.read().decode(errors="replace").splitlines()[-_TAIL_LINES:]
                raise ServerError(
                    f"neo4j-admin {' '.join(arguments[:2])} failed:\n" + "\n".join(lines)
                )

    def prepare_beside(self) -> Path:
        """Make a home within the home, empty but for configuration and password."""
        beside = _beside(self.home)
        beside.mkdir()
        memory = config.memory_for_machine()
        config.write_configuration(beside, self.jars, config.Ports(0, 0), memory)
        config.set_first_password(beside, config.password_of(self.home))
        return beside

    def swap(self) -> None:
        """Put the data of the home beside in place of the home's; the server is down.

        Until `confirm`, whatever ends this process, the next command puts the old data back.
        """
        data, old, new = self.home / "data", _replaced(self.home), _beside(self.home) / "data"
        if data.exists():
            data.rename(old)
        new.rename(data)

    def confirm(self) -> None:
        """Keep the data that were swapped in; the old ones go."""
        if _replaced(self.home).exists():
            _replaced(self.home).rename(_beside(self.home) / "replaced")
        shutil.rmtree(_beside(self.home))

    def swap_back(self) -> None:
        """Undo `swap`; the server is down. Without old data the instance is as new again."""
        if not _replaced(self.home).exists():
            _refuse(self.home)
        end_of_swap(self.home)


def is_in_a_swap(home: Path) -> bool:
    """Whether data were swapped that nobody has confirmed."""
    return _replaced(home).exists()


def end_of_swap(home: Path) -> None:
    """Put back what a swap has replaced that was not confirmed; the server is down if there is one.

    Killed anywhere within this, it is done by the next call.
    """
    if is_in_a_swap(home):
        if (home / "data").exists():
            _refuse(home)
        _replaced(home).rename(home / "data")
    shutil.rmtree(_beside(home), ignore_errors=True)


def _refuse(home: Path) -> None:
    """Put the data aside in one step: what is left of them goes when there is time."""
    _beside(home).mkdir(exist_ok=True)
    (home / "data").rename(_beside(home) / "refused")


def _beside(home: Path) -> Path:
    return home / "restoring"


def _replaced(home: Path) -> Path:
    return home / "data.replaced"
