"""The committed list of jars that make a Neo4j server with Graph Data Science.

`lock.json` names each jar by its Maven coordinates, its SHA-256 and its size, and no repository.
`scripts/update_jar_lock.py` writes it.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Literal

Folder = Literal["lib", "plugins"]


@dataclass(frozen=True, slots=True)
class Jar:
    """One jar: `coordinates` is group:artifact:version or group:artifact:version:classifier.

    `size` is in bytes; `folder` is where the server looks for it.
    """

    coordinates: str
    sha256: str
    size: int
    folder: Folder

    @property
    def filename(self) -> str:
        """The name of the file, as Maven gives it."""
        _group, artifact, version, *classifier = self.coordinates.split(":")
        return "-".join([artifact, version, *classifier]) + ".jar"

    @property
    def path(self) -> PurePosixPath:
        """Where the jar lies below the root of a Maven repository."""
        group, artifact, version, *_classifier = self.coordinates.split(":")
        return PurePosixPath(*group.split("."), artifact, version, self.filename)


@dataclass(frozen=True, slots=True)
class Lock:
    """The versions of Neo4j and GDS, and every jar that they need."""

    neo4j: str
    gds: str
    jars: tuple[Jar, ...]

    @property
    def name(self) -> str:
        """A folder name for exactly this set of jars: another set never lands beside it."""
        sums = "".join(jar.sha256 + jar.folder for jar in self.jars)
        digest = hashlib.sha256(sums.encode()).hexdigest()[:8]
        return f"neo4j-{self.neo4j}-gds-{self.gds}-{digest}"

    @property
    def size(self) -> int:
        """Bytes of all jars together."""
        return sum(jar.size for jar in self.jars)


@cache
def read_lock() -> Lock:
    """The lock that is committed beside this module."""
    text = files(__package__).joinpath("lock.json").read_text(encoding="utf-8")
    content = json.loads(text)
    jars = tuple(Jar(**entry) for entry in content["jars"])
    return Lock(content["neo4j"], content["gds"], jars)
