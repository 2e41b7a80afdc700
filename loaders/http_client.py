"""Requests to web services: a rate limit, timeouts, retries that obey Retry-After, and a cache."""

import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import orjson
import requests
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from specter_graph.core.errors import InputError

_ATTEMPTS = 8
_MAX_WAIT = 300.0
"""Seconds; a longer wait means that the budget of requests is used up."""
_TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and between two parts of a response."""
_RETRIED_STATUS = frozenset([403, 408, 425, 429, 500, 502, 503, 504])
"""HTTP status codes after which a request is retried; OpenAlex uses 403 for "slow down"."""
_RESUME = "run the same command again later to continue"

_backoff = wait_exponential_jitter(initial=1, max=60)


class _Session(requests.Session):  # type: ignore[misc]
    """A session whose headers, which may have a key, are not sent to the server of a redirect."""

    def rebuild_auth(
        self, prepared_request: requests.PreparedRequest, response: requests.Response
    ) -> None:
        """Remove the headers from a request to which another server redirects."""
        super().rebuild_auth(prepared_request, response)
        if self.should_strip_auth(response.request.url, prepared_request.url):
            for name in self.headers.keys() - requests.utils.default_headers().keys():
                prepared_request.headers.pop(name, None)


@dataclass(eq=False, kw_only=True)
class HttpClient:
    """A client of a web service, to be used by one thread.

    A request that still fails after retries raises an InputError.

    Attributes:
        requests: Number of requests that were sent, with those that were repeated.
        service: The name of the service, for errors.
        interval: Minimum seconds between two requests.
        key_hint: A hint for a rejected API key.
        headers: Headers of all requests, such as a contact address. Errors do not contain them.
        sleep: Waits for a number of seconds.
    """

    service: str = field(kw_only=False)
    interval: float = 0.1
    key_hint: str | None = None
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self._session = _Session()
        self._session.headers.update(self.headers)
        self._next = 0.0
        self.requests = 0

    def get(self, url: str, parameters: dict[str, str] | None = None) -> requests.Response | None:
        """Return the response to a GET request, None for status 404."""
        response: requests.Response | None = self._send("GET", url, params=parameters)
        return response

    def get_json(
        self, url: str, parameters: dict[str, str] | None = None, *, posted: object = None
    ) -> Any:  # noqa: ANN401
        """Return the JSON value of a response, None for status 404.

        Args:
            url: The URL.
            parameters: Parameters of the URL.
            posted: A value for a POST request, which is sent as JSON; without it, GET is used.
        """
        method = "GET" if posted is None else "POST"
        return self._send(method, url, is_json=True, params=parameters, json=posted)

    def _send(self, method: str, url: str, *, is_json: bool = False, **options: object) -> Any:  # noqa: ANN401
        """Send a request, again after a failure; return the response, or its JSON value."""

        def send() -> Any:  # noqa: ANN401
            if (wait := self._next - time.monotonic()) > 0:
                self.sleep(wait)
            self._next = time.monotonic() + self.interval
            self.requests += 1
            response = self._session.request(method, url, timeout=_TIMEOUT, **options)
            if response.status_code == 404:
                return None
            response.raise_for_status()
            return response.json() if is_json else response

        attempts = Retrying(
            retry=retry_if_exception(_is_temporary),
            wait=_wait,
            stop=stop_after_attempt(_ATTEMPTS),
            sleep=self.sleep,
            reraise=True,
        )
        try:
            return attempts(send)
        except requests.HTTPError as error:
            raise self._explain(error) from error
        except requests.JSONDecodeError as error:
            raise InputError(f"the response of {self.service} is not JSON", _RESUME) from error
        except requests.RequestException as error:
            raise InputError(
                f"{self.service} cannot be reached ({type(error).__name__})", _RESUME
            ) from error

    def _explain(self, error: requests.HTTPError) -> InputError:
        status = error.response.status_code
        if status == 400:
            return InputError(
                f"{self.service} rejects the query: {_read_reason(error.response):.300}"
            )
        if status == 401 or (status == 403 and self.key_hint and "key" in error.response.text):
            return InputError(f"{self.service} rejects the API key", self.key_hint)
        if (wait := _get_delay(error)) > _MAX_WAIT:
            reason = f"the daily budget at {self.service} is used up for {wait / 3600:.1f} hours"
            return InputError(reason, _RESUME)
        return InputError(f"{self.service} answers {status} {error.response.reason}", _RESUME)


class AnswerCache:
    """Answers of web services in a file, so that no question is asked twice.

    An answer is stored at once, so that an interrupted run continues behind it.

    Args:
        path: The SQLite file, which is created if necessary.
        max_age: Seconds for which an answer is used.

    Raises:
        InputError: The file cannot be opened.
    """

    def __init__(self, path: Path, max_age: float) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS answers"
                " (service TEXT, question TEXT, time REAL, answer BLOB,"
                " PRIMARY KEY (service, question)) WITHOUT ROWID"
            )
        except (OSError, sqlite3.Error) as error:
            raise InputError(
                f"the stored answers in {path} cannot be read: {error}",
                "delete the file, or set SPECTER_GRAPH_CACHE to another folder",
            ) from error
        self._max_age = max_age

    def get(self, service: str, questions: Iterable[str]) -> dict[str, Any]:
        """Return the stored answers, by question."""
        oldest = time.time() - self._max_age
        select = "SELECT answer FROM answers WHERE service = ? AND question = ? AND time >= ?"
        answers = {}
        for question in questions:
            row = self._db.execute(select, (service, question, oldest)).fetchone()
            if row:
                answers[question] = orjson.loads(zlib.decompress(row[0]))
        return answers

    def store(self, service: str, answers: Mapping[str, object]) -> None:
        """Store answers, which are JSON values, in one transaction."""
        now = time.time()
        rows = [
            (service, question, now, zlib.compress(orjson.dumps(answer), 3))
            for question, answer in answers.items()
        ]
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _read_reason(response: requests.Response) -> str:
    """Return the message in a response, or else its text."""
    try:
        return str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        return str(response.text)


def _is_temporary(error: BaseException) -> bool:
    """Return True if a request should be retried."""
    if isinstance(error, requests.HTTPError):
        return error.response.status_code in _RETRIED_STATUS and _get_delay(error) <= _MAX_WAIT
    return isinstance(
        error,
        requests.ConnectionError
        | requests.Timeout
        | requests.JSONDecodeError
        | requests.exceptions.ChunkedEncodingError
        | requests.exceptions.ContentDecodingError,
    )


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    requested = _get_delay(error) if isinstance(error, requests.HTTPError) else 0.0
    return max(requested, _backoff(state))


def _get_delay(error: requests.HTTPError) -> float:
    """Return the seconds in Retry-After (RFC 9110, section 10.2.3), or 0."""
    value = error.response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
