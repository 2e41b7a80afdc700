"""Downloads jars from a Maven repository: in parallel, resumed after a break, each one checked."""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from threading import Lock as Mutex

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from specter_graph.core.errors import ServerError, extra
from specter_graph.core.progress import Progress
from specter_graph.graph.server.jar_lock import Jar

with extra("local"):
    import httpx

_THREADS = 12
_TIMEOUT = httpx.Timeout(30.0, pool=None)
_STAGE = "fetch Neo4j and Graph Data Science (MB)"


def default_repository() -> str:
    """The root of the Maven repository that jgo uses when it is not told of another."""
    with extra("local"):
        from jgo.maven import MavenContext

    repositories: dict[str, str] = MavenContext().remote_repos
    return next(iter(repositories.values()))


def download(jars: Sequence[Jar], folder: Path, repository: str, progress: Progress) -> None:
    """Bring the jars below `folder`; what a broken download left there is gone on with.

    Raises ServerError when one cannot be had or has a wrong checksum twice, OSError when it
    cannot be written.
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
    """Fetch one jar; one with a wrong sum is deleted and fetched again, once."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    url = f"{repository.rstrip('/')}/{jar.path}"
    for _ in range(2):
        _download(client, url, part, jar, count)
        if sha256_of(part) == jar.sha256:
            part.replace(target)
            return
        part.unlink()
        count(-jar.size)
    raise ServerError(
        f"{jar.filename} came twice with a wrong checksum",
        "check the Maven mirror or proxy in between, then run the command again",
    )


def _download(
    client: httpx.Client, url: str, part: Path, jar: Jar, count: Callable[[int], None]
) -> None:
    """Bring `part` to the jar's full size, going on after breaks.

    Raises ServerError when the server lacks the jar or no try of several gets through.
    """
    if part.exists():
        count(min(part.stat().st_size, jar.size))
    tries = Retrying(
        stop=stop_after_attempt(6),
        wait=wait_exponential_jitter(initial=0.2, max=10),
        retry=retry_if_exception(_is_passing),
        reraise=True,
    )
    try:
        for attempt in tries:
            with attempt:
                _resume(client, url, part, jar, count)
    except httpx.HTTPError as error:
        raise ServerError(
            f"cannot fetch {jar.filename}: {error or type(error).__name__}",
            "check the network, then run the command again: it goes on where it stopped",
        ) from error


def _is_passing(error: BaseException) -> bool:
    """Whether another try may help: a broken line, or a server that is busy."""
    if isinstance(error, httpx.HTTPStatusError):
        return error.response.status_code in (408, 425, 429) or error.response.is_server_error
    return isinstance(error, httpx.TransportError)


def _resume(
    client: httpx.Client, url: str, part: Path, jar: Jar, count: Callable[[int], None]
) -> None:
    have = part.stat().st_size if part.exists() else 0
    if have >= jar.size:  # whole, or wrong in a way that the checksum will show
        return
    headers = {"Range": f"bytes={have}-", "Accept-Encoding": "identity"} if have else {}
    with client.stream("GET", url, headers=headers) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink()  # it is no beginning of what the server has
            count(-have)
            raise httpx.RemoteProtocolError("the server cannot go on from there")
        response.raise_for_status()
        if have and response.status_code != httpx.codes.PARTIAL_CONTENT:
            count(-have)  # the server has sent it all again
            have = 0
        with part.open("ab" if have else "wb") as file:
            for chunk in response.iter_raw():
                file.write(chunk)
                count(len(chunk))
    if part.stat().st_size < jar.size:
        raise httpx.RemoteProtocolError("the connection broke off")


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
