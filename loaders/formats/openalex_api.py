"""A client of OpenAlex's API on top of pyalex, with a rate limit and retries."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, TypeVar

import pyalex
import requests
from pyalex.api import QueryError
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from specter_graph.core.errors import InputError
from specter_graph.loaders.parsing.tolerant_fields import Json

MAX_VALUES = 100
"""Maximum number of values joined with `|` in a filter, and of works on a page."""

_ATTEMPTS = 8
_MIN_INTERVAL = 0.1
_MAX_WAIT = 300.0
"""Seconds; a longer wait means that the daily budget is used up."""
_TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and between two parts of a response."""
_RETRIED_STATUS = frozenset([403, 408, 425, 429, 500, 502, 503, 504])
"""HTTP status codes after which a request is retried; OpenAlex uses 403 for "slow down"."""

T = TypeVar("T")
_RESUME = "run the same command again later to continue"

_backoff = wait_exponential_jitter(initial=1, max=60)


class OpenAlexApi:
    """A client of OpenAlex's API, to be used by one thread.

    A request that still fails after retries raises an InputError. The URL of the API is
    `pyalex.config.openalex_url`.

    Args:
        email: The contact address for OpenAlex.
        api_key: The API key; without it, OpenAlex answers a few requests a day. pyalex sends both
            as headers, so that they are in no URL and no message. They are part of its
            configuration, which is shared by the process.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        email: str | None = None,
        api_key: str | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if email:
            pyalex.config.email = email
        if api_key:
            pyalex.config.api_key = api_key
        self._sleep = sleep
        self._next = 0.0
        self._session = _Session()

    def works(self, filters: Sequence[str], fields: Iterable[str] = ()) -> Iterator[Json]:
        """Yield all works that match filters ("KEY:VALUE"); `fields` limits their fields."""
        for page in self._pages(_query(filters, select=list(fields)), MAX_VALUES):
            yield from page.rows

    def counts(self, filters: Sequence[str], key: str) -> dict[str, int]:
        """Return the number of matching works for each value of a key; "null" for those without."""
        counts: dict[str, int] = {}
        total = 0
        for page in self._pages(_query(filters, **{"group-by": key}), None):
            counts |= {str(group["key"]): int(group["count"]) for group in page.rows}
            total = max(total, page.count)
        if (without := total - sum(counts.values())) > 0:
            counts["null"] = without
        return counts

    def work(self, key: str) -> Json | None:
        """Return the work with an OpenAlex id, or another id with its scheme ("doi:10.1/x")."""

        def find() -> Json | None:
            try:
                work: Json = self._works()[key]
            except requests.HTTPError as error:
                if error.response.status_code == 404:
                    return None
                raise
            return work

        return self._request(find)

    def _pages(self, query: dict[str, Any], size: int | None) -> "Iterator[_Page]":
        cursor: str | None = "*"
        received = 0
        while cursor:
            works = self._works(query.copy())
            page = self._request(partial(_page, works, size, cursor))
            yield page
            received += len(page.rows)
            cursor = None if size and received >= page.count else page.cursor

    def _works(self, query: dict[str, Any] | None = None) -> "Works":
        works = Works(query)
        works.session = self._session
        return works

    def _request(self, send: Callable[[], T]) -> T:
        """Return the response of a request, with retries and a minimum interval."""

        def send_in_time() -> T:
            if (wait := self._next - time.monotonic()) > 0:
                self._sleep(wait)
            self._next = time.monotonic() + _MIN_INTERVAL
            return send()

        attempts = Retrying(
            retry=retry_if_exception(_is_temporary),
            wait=_wait,
            stop=stop_after_attempt(_ATTEMPTS),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return attempts(send_in_time)
        except QueryError as error:  # the message about a wrong key may contain the key
            reason = "the API key" if "API key" in str(error) else f"the query: {error}"
            raise InputError(f"OpenAlex rejects {reason}") from None
        except requests.HTTPError as error:
            raise _failure(error) from error
        except requests.JSONDecodeError as error:
            raise InputError("the response of OpenAlex is not JSON", _RESUME) from error
        except requests.RequestException as error:
            raise InputError(
                f"OpenAlex cannot be reached ({type(error).__name__})", _RESUME
            ) from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError("the response of OpenAlex has an unknown structure") from error


class Works(pyalex.Works):  # type: ignore[misc]
    """A query of pyalex to the configured URL, in a session with timeouts.

    pyalex derives the path of the URL from the name of this class.
    """

    session: requests.Session

    @property
    def url(self) -> str:
        """The URL of the query."""
        _, _, path = str(super().url).removeprefix("https://").partition("/")
        return f"{pyalex.config.openalex_url.rstrip('/')}/{path}"

    def _get_from_url(self, url: str, session: requests.Session | None = None) -> Any:  # noqa: ANN401
        return super()._get_from_url(url, self.session)


class _Session(requests.Session):  # type: ignore[misc]
    def request(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        return super().request(*args, **{"timeout": _TIMEOUT} | options)


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of rows; `count` is the number of all rows, `cursor` the next page, if any."""

    rows: list[Json]
    count: int
    cursor: str | None


def _page(works: "Works", size: int | None, cursor: str) -> _Page:
    answer = works.get(per_page=size, cursor=cursor)
    more = answer.meta.get("next_cursor") if answer else None
    return _Page(list(answer), int(answer.meta["count"]), more)


def _query(filters: Sequence[str], **parameters: object) -> dict[str, Any]:
    """Return the parameters of a query for pyalex, which allows each key of a filter only once.

    The server allows repeated keys. All filters after the first are therefore passed as part of its
    value: pyalex quotes them, which the server accepts.
    """
    key, _, value = ",".join(filters).partition(":")
    return {"filter": {key: value}} | {name: value for name, value in parameters.items() if value}


def _is_temporary(error: BaseException) -> bool:
    """Return whether to retry a request."""
    if isinstance(error, requests.HTTPError):
        return error.response.status_code in _RETRIED_STATUS and _requested_wait(error) <= _MAX_WAIT
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
    requested = _requested_wait(error) if isinstance(error, requests.HTTPError) else 0.0
    return max(requested, _backoff(state))


def _requested_wait(error: requests.HTTPError) -> float:
    """Return the seconds in Retry-After (RFC 9110, section 10.2.3), or 0."""
    value = error.response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _failure(error: requests.HTTPError) -> InputError:
    status = error.response.status_code
    if status == 400:
        return InputError(f"OpenAlex rejects the query: {error.response.text:.300}")
    if status == 401:
        return InputError("OpenAlex rejects the API key", "set OPENALEX_API_KEY to a valid key")
    if (wait := _requested_wait(error)) > _MAX_WAIT:
        reason = f"the daily budget at OpenAlex is used up for {wait / 3600:.1f} hours"
        return InputError(reason, _RESUME)
    return InputError(f"OpenAlex answers {status} {error.response.reason}", _RESUME)
