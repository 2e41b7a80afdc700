"""Writes graph/server/lock.json for new versions of Neo4j and GDS (two to six minutes).

    python scripts/update_jar_lock.py --neo4j 2026.01.4 --gds 2.26.0

The dependencies are resolved by jgo, which knows its Maven repository by itself. The open-source
GDS is not published whole for every version: try a GDS, read which Neo4j it is built against.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from specter_graph.graph.server.jars import Folder, Jar, Lock

NEO4J_ROOTS = ("org.neo4j:neo4j", "org.neo4j.app:neo4j-server", "org.neo4j:neo4j-import-tool")
GDS_ROOTS = ("org.neo4j.gds:proc", "org.neo4j.gds:opengds-extension")
BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"
"""The last one published; later pages are not in the open. It runs with the servers of today."""
TEST_GROUPS = ("org.mockito", "net.bytebuddy", "org.objenesis", "org.bouncycastle")
"""Groups that only the tests of Neo4j's driver use: a parent POM says so, which jgo misses."""

LOCK = Path(__file__).parents[1] / "graph" / "server" / "lock.json"
_THREADS = 8


def relock(neo4j: str, gds: str, maven: Path) -> Lock:
    """Resolve both sets of jars, fetch them below `maven`, and take their sums."""
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=maven, timeout=60)
    server = _resolve(context, [*(f"{root}:{neo4j}" for root in NEO4J_ROOTS), BROWSER])
    science = _resolve(context, [f"{root}:{gds}" for root in GDS_ROOTS])
    # The server's own jars win, whatever version GDS asks for: both are on one classpath. This
    # also drops GDS's slf4j-api 1.7, which finds no provider there.
    plugins = {key: artifact for key, artifact in science.items() if key not in server}
    jars = [*_locked(server.values(), "lib"), *_locked(plugins.values(), "plugins")]
    jars.sort(key=lambda jar: (jar.folder, jar.coordinates))
    return Lock(neo4j, gds, tuple(jars))


def _resolve(context: Any, roots: list[str]) -> dict[tuple[str, str, str], Any]:  # noqa: ANN401
    """The jars that the roots need when they run, by (group, artifact, classifier)."""
    requested = [context.create_dependency(root) for root in roots]
    inputs, transitive = context.resolver.resolve(requested)
    needed = [*inputs, *(d for d in transitive if d.scope in ("compile", "runtime", None))]
    artifacts = [dependency.artifact for dependency in needed]
    return {
        (artifact.groupId, artifact.artifactId, artifact.classifier): artifact
        for artifact in artifacts
        # A bill of materials has packaging pom: it lists versions and holds no code.
        if artifact.packaging == "jar"
        and not artifact.artifactId.endswith("-bom")
        and artifact.groupId not in TEST_GROUPS
    }


def _locked(artifacts: Iterable[Any], folder: Folder) -> list[Jar]:
    def take(artifact: Any) -> Jar:  # noqa: ANN401
        content = artifact.resolve().read_bytes()
        parts = [artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier]
        return Jar(
            coordinates=":".join(part for part in parts if part),
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            folder=folder,
        )

    with ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(take, artifacts))


def write_lock(lock: Lock, path: Path) -> None:
    """Write a lock with one jar a line, so that a new version is a readable diff."""
    lines = [
        json.dumps(
            {
                "coordinates": jar.coordinates,
                "sha256": jar.sha256,
                "size": jar.size,
                "folder": jar.folder,
            }
        )
        for jar in lock.jars
    ]
    head = f'{{\n"neo4j": {json.dumps(lock.neo4j)},\n"gds": {json.dumps(lock.gds)},\n"jars": [\n'
    path.write_text(head + ",\n".join(lines) + "\n]\n}\n", encoding="utf-8")


def main() -> None:
    """Parse the versions and write the lock."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--neo4j", required=True, help="version of org.neo4j:neo4j")
    parser.add_argument("--gds", required=True, help="version of org.neo4j.gds:proc")
    parser.add_argument("--output", type=Path, default=LOCK)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="relock-") as maven:
        lock = relock(arguments.neo4j, arguments.gds, Path(maven))
    write_lock(lock, arguments.output)
    size = lock.size / 1e6
    sys.stderr.write(f"{arguments.output}: {len(lock.jars)} jars, {size:.0f} MB, {lock.name}\n")


if __name__ == "__main__":
    main()
