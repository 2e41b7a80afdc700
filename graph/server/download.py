"""Download of jars from a Maven repository: in parallel, and verified by their checksums.

An interrupted download is continued: it downloads the jars that are missing.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from filelock import FileLock
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

from specter_graph.core.atomic_files import file_sha256
from specter_graph.core.errors import ServerError, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.server.instance_config import check_space, disk_errors
from specter_graph.graph.server.jars import Jar, Lock, jar_folder, missing_jars

with extra("local"):
    import httpx

_SPARE = 200_000_000
_THREADS = 12
_TIMEOUT = httpx.Timeout(30.0, pool=None)
_STAGE = "download Neo4j and Graph Data Science (MB)"


def fetch_jars(
    lock: Lock, cache_dir: Path, *, repository: str | None = None, progress: Progress = silent
) -> Path:
    """Download the missing jars of a lock into the cache, and return their folder.

    Several processes may call it at the same time: one downloads, and the others wait. An
    interrupted download is continued.

    Args:
        lock: The jars.
        cache_dir: The cache.
        repository: URL of a Maven repository, such as your own mirror; by default the public one.
        progress: Called with the number of downloaded megabytes.

    Raises:
        ServerError: A jar is not available or has a wrong checksum, or the disk is full.
    """
    folder = jar_folder(lock, cache_dir)
    if not missing_jars(lock, cache_dir):
        return folder
    with disk_errors(folder, "SPECTER_GRAPH_CACHE"):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            if missing := missing_jars(lock, cache_dir):  # others may have downloaded them
                needed = sum(jar.size for jar in missing) + _SPARE
                check_space(folder, "the download of Neo4j", needed, "SPECTER_GRAPH_CACHE")
                _download_all(missing, folder, repository or default_repository(), progress)
    return folder


def default_repository() -> str:
    """Return the URL of the Maven repository that jgo uses by default."""
    with extra("local"):
        from jgo.maven import MavenContext

    repositories: dict[str, str] = MavenContext().remote_repos
    return next(iter(repositories.values()))


def _download_all(jars: Sequence[Jar], folder: Path, repository: str, progress: Progress) -> None:
    """Download jars into `folder`.

    Raises:
        ServerError: A jar is not available, or has a wrong checksum.
        OSError: A jar cannot be written.
    """
    total, done = sum(jar.size for jar in jars), 0
    with (
        httpx.Client(timeout=_TIMEOUT, follow_redirects=True) as client,
        ThreadPoolExecutor(_THREADS) as pool,
    ):
        downloads = [
            pool.submit(_fetch, client, repository, jar, folder / jar.folder / jar.filename)
            for jar in sorted(jars, key=lambda jar: -jar.size)
        ]
        try:
            for download in as_completed(downloads):
                done += download.result()
                progress(_STAGE, round(done / 1e6), round(total / 1e6))
        except BaseException:
            client.close()  # ends the other downloads
            pool.shutdown(cancel_futures=True)
            raise


def _fetch(client: httpx.Client, repository: str, jar: Jar, target: Path) -> int:
    """Download one jar, again if the connection breaks; return its size.

    Raises:
        ServerError: The repository does not have the jar, its checksum is wrong, or all attempts
            failed.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    url = f"{repository.rstrip('/')}/{jar.path}"
    attempts = Retrying(
        stop=stop_after_attempt(6),
        wait=wait_exponential(multiplier=0.2, max=10) + wait_random(0, 1),
        retry=retry_if_exception(_is_temporary),
        reraise=True,
    )
    try:
        attempts(_download, client, url, part)
    except httpx.HTTPError as error:
        raise ServerError(
            f"cannot download {jar.filename}: {error or type(error).__name__}",
            "check the network, then run the command again: it continues the download",
        ) from error
    if file_sha256(part) != jar.sha256:
        part.unlink()
        raise ServerError(
            f"the checksum of {jar.filename} is wrong",
            "check your Maven mirror or proxy, then run the command again",
        )
    part.replace(target)
    return jar.size


def _is_temporary(error: BaseException) -> bool:
    """Return True if another attempt may succeed: the connection broke, or the server is busy."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in (408, 425, 429) or error.response.is_server_error
    return isinstance(error, httpx.TransportError)


def _download(client: httpx.Client, url: str, part: Path) -> None:
    with client.stream("GET", url) as response, part.open("wb") as file:
        response.raise_for_status()
        for chunk in response.iter_raw():
            file.write(chunk)
