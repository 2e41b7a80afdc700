"""Asks OpenAlex for works, through pyalex: not too fast, and again when an answer fails."""

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
"""Values that a filter may join with `|`, and works that a page may have."""

_ATTEMPTS = 8
_SECONDS_APART = 0.1
_MAX_WAIT = 300.0
"""Seconds; who is asked to wait longer has used up the budget of a day."""
_TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and between two pieces of an answer."""
_PASSING = frozenset([403, 408, 425, 429, 500, 502, 503, 504])
"""HTTP status codes after which it is worth to ask again; OpenAlex means 403 as "slow down"."""

T = TypeVar("T")
_GO_ON = "run the same command again later: it goes on where it stopped"

_backoff = wait_exponential_jitter(initial=1, max=60)


class OpenAlexApi:
    """OpenAlex's API, asked by one thread.

    `email` and `api_key` go into pyalex's configuration, which is of the whole process; pyalex
    sends them as headers, so that they stand in no address and in no message. Without a key
    OpenAlex answers a few requests a day. The address is `pyalex.config.openalex_url`. Every
    failure that asking again does not mend is an InputError.
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
        """Yield all works that pass filters ("KEY:VALUE"), whole or only these fields of each."""
        for page in self._pages(_query(filters, select=list(fields)), MAX_VALUES):
            yield from page.rows

    def counts(self, filters: Sequence[str], key: str) -> dict[str, int]:
        """How many works pass the filters for each value of a key; "null" counts those without."""
        counts: dict[str, int] = {}
        total = 0
        for page in self._pages(_query(filters, **{"group-by": key}), None):
            counts |= {str(group["key"]): int(group["count"]) for group in page.rows}
            total = max(total, page.count)
        if (rest := total - sum(counts.values())) > 0:
            counts["null"] = rest
        return counts

    def work(self, key: str) -> Json | None:
        """Return the work of an OpenAlex id, or of another that names its scheme ("doi:10.1/x")."""

        def find() -> Json | None:
            try:
                known: Json = self._works()[key]
            except requests.HTTPError as error:
                if error.response.status_code == 404:
                    return None
                raise
            return known

        return self._again(find)

    def _pages(self, query: dict[str, Any], size: int | None) -> "Iterator[_Page]":
        cursor: str | None = "*"
        given = 0
        while cursor:
            works = self._works(query.copy())
            page = self._again(partial(_page, works, size, cursor))
            yield page
            given += len(page.rows)
            cursor = None if size and given >= page.count else page.cursor

    def _works(self, query: dict[str, Any] | None = None) -> "Works":
        works = Works(query)
        works.session = self._session
        return works

    def _again(self, ask: Callable[[], T]) -> T:
        """Return the answer, however often it must be asked for."""

        def politely() -> T:
            if (wait := self._next - time.monotonic()) > 0:
                self._sleep(wait)
            self._next = time.monotonic() + _SECONDS_APART
            return ask()

        attempts = Retrying(
            retry=retry_if_exception(_is_passing),
            wait=_wait,
            stop=stop_after_attempt(_ATTEMPTS),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return attempts(politely)
        except QueryError as error:  # of a wrong key, the text may hold the key
            reason = "the API key" if "API key" in str(error) else f"this: {error}"
            raise InputError(f"OpenAlex does not take {reason}") from None
        except requests.HTTPError as error:
            raise _failure(error) from error
        except requests.JSONDecodeError as error:
            raise InputError("OpenAlex answers what is no JSON") from error
        except requests.RequestException as error:
            raise InputError(
                f"OpenAlex cannot be reached ({type(error).__name__})", _GO_ON
            ) from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError("OpenAlex answers something unknown") from error


class Works(pyalex.Works):  # type: ignore[misc]
    """pyalex's query; it goes to the configured address, over a session that gives up waiting.

    pyalex makes a path of the name of the class.
    """

    session: requests.Session

    @property
    def url(self) -> str:
        """The address of the query."""
        _, _, rest = str(super().url).removeprefix("https://").partition("/")
        return f"{pyalex.config.openalex_url.rstrip('/')}/{rest}"

    def _get_from_url(self, url: str, session: requests.Session | None = None) -> Any:  # noqa: ANN401
        return super()._get_from_url(url, self.session)


class _Session(requests.Session):  # type: ignore[misc]
    def request(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        return super().request(*args, **{"timeout": _TIMEOUT} | options)


@dataclass(frozen=True, slots=True)
class _Page:
    """`count` is of all that was asked for; `cursor` names the next page, if there is one."""

    rows: list[Json]
    count: int
    cursor: str | None


def _page(works: "Works", size: int | None, cursor: str) -> _Page:
    answer = works.get(per_page=size, cursor=cursor)
    more = answer.meta.get("next_cursor") if answer else None
    return _Page(list(answer), int(answer.meta["count"]), more)


def _query(filters: Sequence[str], **more: object) -> dict[str, Any]:
    """Return the parameters as pyalex takes them, which can name each key of a filter once.

    The server takes a key any number of times. So all filters but the first are given as if they
    belonged to the value of the first: pyalex quotes it, and quoted it is the same to the server.
    """
    key, _, value = ",".join(filters).partition(":")
    return {"filter": {key: value}} | {name: given for name, given in more.items() if given}


def _is_passing(error: BaseException) -> bool:
    """Return whether it is worth to ask again."""
    if isinstance(error, requests.HTTPError):
        return error.response.status_code in _PASSING and _asked_wait(error) <= _MAX_WAIT
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
    asked = _asked_wait(error) if isinstance(error, requests.HTTPError) else 0.0
    return max(asked, _backoff(state))


def _asked_wait(error: requests.HTTPError) -> float:
    """Seconds that the server asks to wait (Retry-After, RFC 9110 10.2.3), 0 if it does not."""
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
        return InputError(f"OpenAlex does not take this: {error.response.text:.300}")
    if status == 401:
        return InputError(
            "OpenAlex does not take the API key", "set OPENALEX_API_KEY to a valid key"
        )
    if (asked := _asked_wait(error)) > _MAX_WAIT:
        reason = f"OpenAlex asks to wait {asked / 3600:.1f} hours: what it gives a day is used up"
        return InputError(reason, _GO_ON)
    return InputError(f"OpenAlex answers {status} {error.response.reason}", _GO_ON)
