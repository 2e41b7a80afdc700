"""A client of OpenAlex's API on top of pyalex, with a rate limit and retries."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import pyalex
import requests
from pyalex.api import QueryError

from specter_graph.core.errors import InputError
from specter_graph.loaders.http_client import HttpClient
from specter_graph.loaders.parsing.tolerant_fields import Json

MAX_VALUES = 100
"""Maximum number of values joined with `|` in a filter, and of works on a page."""

T = TypeVar("T")


class OpenAlexApi:
    """A client of OpenAlex's API, to be used by one thread.

    A request that still fails after retries raises an InputError.

    Args:
        email: The contact address for OpenAlex.
        api_key: The API key; without it, OpenAlex answers a few requests a day. pyalex sends both
            as headers, so that they are in no URL and no message. They are part of its
            configuration, which is shared by the process.
        url: The root URL of the API; default: that of pyalex's configuration.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        email: str | None = None,
        api_key: str | None = None,
        *,
        url: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if url:
            pyalex.config.openalex_url = url
        if email:
            pyalex.config.email = email
        if api_key:
            pyalex.config.api_key = api_key
        self._http = HttpClient(
            "OpenAlex", key_hint="set OPENALEX_API_KEY to a valid key", sleep=sleep
        )

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
        works.session = self._http.session
        return works

    def _request(self, send: Callable[[], T]) -> T:
        try:
            return self._http.send(send)
        except QueryError as error:  # the message about a wrong key may contain the key
            reason = "the API key" if "API key" in str(error) else f"the query: {error}"
            raise InputError(f"OpenAlex rejects {reason}") from None
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
