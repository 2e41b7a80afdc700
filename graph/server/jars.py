"""The jars of a Neo4j server with Graph Data Science: their committed list, and their cache.

`lock.json` contains the Maven coordinates, SHA-256 and size of each jar, and no repository.
`scripts/update_jar_lock.py` writes it.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Literal

from specter_graph.core.atomic_files import file_sha256

Folder = Literal["lib", "plugins"]


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar.

    Attributes:
        coordinates: group:artifact:version or group:artifact:version:classifier.
        sha256: Its SHA-256 in hexadecimal.
        size: Its size in bytes.
        folder: The folder of the server that contains it.
    """

    coordinates: str
    sha256: str
    size: int
    folder: Folder

    @property
    def filename(self) -> str:
        """The file name in Maven repositories."""
        _group, artifact, version, *classifier = self.coordinates.split(":")
        return "-".join([artifact, version, *classifier]) + ".jar"

    @property
    def path(self) -> PurePosixPath:
        """The path below the root of a Maven repository."""
        group, artifact, version, *_classifier = self.coordinates.split(":")
        return PurePosixPath(*group.split("."), artifact, version, self.filename)


@dataclass(frozen=True, slots=True)
class Lock:
    """The versions of Neo4j and GDS, and all their jars."""

    neo4j: str
    gds: str
    jars: tuple[Jar, ...]

    @property
    def name(self) -> str:
        """A folder name for exactly this set of jars."""
        sums = "".join(jar.sha256 + jar.folder for jar in self.jars)
        digest = hashlib.sha256(sums.encode()).hexdigest()[:8]
        return f"neo4j-{self.neo4j}-gds-{self.gds}-{digest}"

    @property
    def size(self) -> int:
        """The total size of the jars in bytes."""
        return sum(jar.size for jar in self.jars)


@cache
def read_lock() -> Lock:
    """Read the committed lock."""
    text = files(__package__).joinpath("lock.json").read_text(encoding="utf-8")
    content = json.loads(text)
    jars = tuple(Jar(**entry) for entry in content["jars"])
    return Lock(content["neo4j"], content["gds"], jars)


def jar_folder(lock: Lock, cache_dir: Path) -> Path:
    """Return the folder for the jars of a lock, whether or not they are downloaded."""
    return cache_dir / lock.name


def missing_jars(lock: Lock, cache_dir: Path) -> list[Jar]:
    """Return the jars that do not exist with their sizes; downloads verify the checksums."""
    folder = jar_folder(lock, cache_dir)
    paths = ((jar, folder / jar.folder / jar.filename) for jar in lock.jars)
    return [jar for jar, path in paths if not path.exists() or path.stat().st_size != jar.size]


def damaged_jars(lock: Lock, cache_dir: Path) -> list[str]:
    """Return the names of the existing jars with a wrong checksum."""
    folder = jar_folder(lock, cache_dir)
    return [
        jar.filename
        for jar in lock.jars
        if (path := folder / jar.folder / jar.filename).exists() and file_sha256(path) != jar.sha256
    ]
