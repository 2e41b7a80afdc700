"""Work on the files of an instance while no other process can start, stop or use it."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from specter_graph.core.errors import ServerError
from specter_graph.graph.server import instance_config as config
from specter_graph.graph.server.endpoint import Endpoint
from specter_graph.graph.server.jvm import Jvm

_TAIL_LINES = 20


@dataclass(frozen=True, slots=True)
class ExclusiveServer:
    """An instance that one process controls: `up` starts its server, and `down` stops it."""

    home: Path
    jars: Path
    jvm: Jvm
    up: Callable[[], Endpoint]
    down: Callable[[], bool]

    @contextmanager
    def dump(self) -> Iterator[IO[bytes]]:
        """Yield the dump of the database as a stream; the server must be down."""
        with self._run_admin(self.home, "database", "dump", "neo4j", "--to-stdout") as process:
            assert process.stdout
            yield process.stdout

    @contextmanager
    def load(self, home: Path) -> Iterator[IO[bytes]]:
        """Yield a stream to write a dump to; the home must not have a database yet."""
        with self._run_admin(home, "database", "load", "neo4j", "--from-stdin") as process:
            assert process.stdin
            yield process.stdin

    def import_into(self, home: Path, *arguments: str) -> None:
        """Run Neo4j's importer in a home that has no database yet."""
        with self._run_admin(home, "database", "import", "full", "neo4j", *arguments):
            pass

    @contextmanager
    def _run_admin(self, home: Path, *arguments: str) -> "Iterator[subprocess.Popen[bytes]]":
        """Run neo4j-admin; raises ServerError with the end of its output if it fails."""
        with (
            TemporaryFile() as output,
            subprocess.Popen(
                config.admin_command(self.jars, self.jvm, *arguments),
                cwd=home,
                env=config.admin_environment(home),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if "--to-stdout" in arguments else output,
                stderr=output,
            ) as process,
        ):
            try:
                yield process
            except BrokenPipeError:
                pass  # neo4j-admin has ended early, and its output has the reason
            except BaseException:
                process.kill()
                raise
            process.communicate()
            if process.returncode != 0:
                output.seek(0)
                lines = output.read().decode(errors="replace").splitlines()[-_TAIL_LINES:]
                raise ServerError(
                    f"neo4j-admin {' '.join(arguments[:2])} failed:\n" + "\n".join(lines)
                )

    def prepare_new_home(self) -> Path:
        """Create a home within the home, with configuration and password and without data."""
        new_home = _new_home(self.home)
        # An importer that outlived its killed command may have gone on writing here.
        shutil.rmtree(new_home, ignore_errors=True)
        new_home.mkdir()
        memory = config.memory_for_machine()
        config.write_configuration(new_home, self.jars, config.Ports(0, 0), memory)
        config.set_first_password(new_home, config.read_password(self.home))
        return new_home

    def swap(self) -> None:
        """Replace the data of the home with the data of the new home; the server must be down.

        Without `confirm`, the old data are restored at the end of `Instance.exclusive`, or by the
        next command if this process ends before.
        """
        data, old, new = self.home / "data", _old_data(self.home), _new_home(self.home) / "data"
        data.mkdir(exist_ok=True)
        data.rename(old)
        new.rename(data)

    def confirm(self) -> None:
        """Keep the new data, and delete the old data."""
        _old_data(self.home).rename(_new_home(self.home) / "replaced")
        shutil.rmtree(_new_home(self.home))


def has_unconfirmed_swap(home: Path) -> bool:
    """Return True if data were replaced and neither confirmed nor restored."""
    return _old_data(home).exists()


def finish_swap(home: Path) -> None:
    """Restore the data that an unconfirmed swap replaced; the server must be down.

    An interrupted call is completed by the next one.
    """
    if has_unconfirmed_swap(home):
        if (home / "data").exists():  # moved in one step, because deleting it takes longer
            _new_home(home).mkdir(exist_ok=True)
            (home / "data").rename(_new_home(home) / "refused")
        _old_data(home).rename(home / "data")
        with suppress(OSError):
            (home / "data").rmdir()  # there were no old data
    shutil.rmtree(_new_home(home), ignore_errors=True)


def _new_home(home: Path) -> Path:
    return home / "restoring"


def _old_data(home: Path) -> Path:
    return home / "data.replaced"
