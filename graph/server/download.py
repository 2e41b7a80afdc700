"""Download of jars from a Maven repository: parallel, resumed after interruptions, verified."""

import errno
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from threading import Lock as Mutex

from filelock import FileLock
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential, wait_random

from specter_graph.core.atomic_files import file_sha256
from specter_graph.core.errors import ServerError, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.server.instance_config import check_space
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
        ServerError: A jar is not available or has a wrong checksum twice, or the disk is full.
    """
    folder = jar_folder(lock, cache_dir)
    if not missing_jars(lock, cache_dir):
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            if missing := missing_jars(lock, cache_dir):  # others may have downloaded them
                needed = sum(jar.size for jar in missing) + _SPARE
                check_space(folder, "the download of Neo4j", needed, "SPECTER_GRAPH_CACHE")
                download(missing, folder, repository or default_repository(), progress)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ServerError(
                f"the disk of {folder} is full",
                "free some space and run the command again: it continues the download",
            ) from error
        raise ServerError(f"cannot write to {folder}: {error}", "check its permissions") from error
    return folder


def default_repository() -> str:
    """Return the URL of the Maven repository that jgo uses by default."""
    with extra("local"):
        from jgo.maven import MavenContext

    repositories: dict[str, str] = MavenContext().remote_repos
    return next(iter(repositories.values()))


def download(jars: Sequence[Jar], folder: Path, repository: str, progress: Progress) -> None:
    """Download jars into `folder`, continuing interrupted downloads.

    Raises:
        ServerError: A jar is not available, or has a wrong checksum twice.
        OSError: A jar cannot be written.
    """
    total = sum(jar.size for jar in jars)
    done = 0
    mutex, stop = Mutex(), Event()

    def count(size: int) -> None:
        nonlocal done
        if stop.is_set():
            raise InterruptedError("another download failed")
        with mutex:
            done += size
            progress(_STAGE, round(done / 1e6), round(total / 1e6))

    with (
        httpx.Client(timeout=_TIMEOUT, follow_redirects=True) as client,
        ThreadPoolExecutor(_THREADS) as pool,
    ):
        tasks = [
            pool.submit(_fetch, client, repository, jar, folder / jar.folder / jar.filename, count)
            for jar in sorted(jars, key=lambda jar: -jar.size)
        ]
        try:
            for task in tasks:
                task.result()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _fetch(
    client: httpx.Client, repository: str, jar: Jar, target: Path, count: Callable[[int], None]
) -> None:
    """Download one jar; if its checksum is wrong, delete it and try once more."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    url = f"{repository.rstrip('/')}/{jar.path}"
    for _ in range(2):
        _download(client, url, part, jar, count)
        if file_sha256(part) == jar.sha256:
            part.replace(target)
            return
        part.unlink()
        count(-jar.size)
    raise ServerError(
        f"the checksum of {jar.filename} is wrong after two downloads",
        "check your Maven mirror or proxy, then run the command again",
    )


def _download(
    client: httpx.Client, url: str, part: Path, jar: Jar, count: Callable[[int], None]
) -> None:
    """Download a jar to `part`, with several attempts; each continues the previous one.

    Raises:
        ServerError: The server does not have the jar, or all attempts failed.
    """
    if part.exists():
        count(min(part.stat().st_size, jar.size))
    attempts = Retrying(
        stop=stop_after_attempt(6),
        wait=wait_exponential(multiplier=0.2, max=10) + wait_random(0, 1),
        retry=retry_if_exception(_is_temporary),
        reraise=True,
    )
    try:
        for attempt in attempts:
            with attempt:
                _resume(client, url, part, jar, count)
    except httpx.HTTPError as error:
        raise ServerError(
            f"cannot download {jar.filename}: {error or type(error).__name__}",
            "check the network, then run the command again: it continues the download",
        ) from error


def _is_temporary(error: BaseException) -> bool:
    """Return True if another attempt may succeed: the connection broke, or the server is busy."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in (408, 425, 429) or error.response.is_server_error
    return isinstance(error, httpx.TransportError)


def _resume(
    client: httpx.Client, url: str, part: Path, jar: Jar, count: Callable[[int], None]
) -> None:
    start = part.stat().st_size if part.exists() else 0
    if start >= jar.size:  # complete, or wrong, which the checksum will show
        return
    headers = {"Range": f"bytes={start}-", "Accept-Encoding": "identity"} if start else {}
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink()  # the server has another file
            count(-start)
            raise httpx.RemoteProtocolError("the server cannot continue the download")
        response.raise_for_status()
        if start and response.status_code != httpx.codes.PARTIAL_CONTENT:
            count(-start)  # the server sends the entire file
            start = 0
        with part.open("ab" if start else "wb") as file:
            for chunk in response.iter_raw():
                file.write(chunk)
                count(len(chunk))
    if part.stat().st_size < jar.size:
        raise httpx.RemoteProtocolError("the connection was closed")
