"""Requests to web services: a rate limit, timeouts, and retries that obey Retry-After."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

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

T = TypeVar("T")

_backoff = wait_exponential_jitter(initial=1, max=60)


class HttpClient:
    """A client of a web service, to be used by one thread.

    A request that still fails after retries raises an InputError.

    Args:
        service: The name of the service, for errors.
        interval: Minimum seconds between two requests.
        key_hint: A hint for a rejected API key.
        headers: Headers of all requests, such as a contact address. Errors do not contain them.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        service: str,
        *,
        interval: float = 0.1,
        key_hint: str | None = None,
        headers: dict[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.service = service
        self.session = _Session()
        self.session.headers.update(headers or {})
        self._interval = interval
        self._key_hint = key_hint
        self._sleep = sleep
        self._next = 0.0

    def get(self, url: str, parameters: dict[str, str] | None = None) -> requests.Response | None:
        """Return the response to a GET request, None for status 404."""

        def send() -> requests.Response | None:
            response = self.session.get(url, params=parameters)
            if response.status_code == 404:
                return None
            response.raise_for_status()
            return response

        return self.send(send)

    def get_json(self, url: str, parameters: dict[str, str] | None = None) -> Any:  # noqa: ANN401
        """Return the JSON value of a response, None for status 404."""

        def send() -> Any:  # noqa: ANN401
            response = self.session.get(url, params=parameters)
            if response.status_code == 404:
                return None
            response.raise_for_status()
            return response.json()

        return self.send(send)

    def send(self, request: Callable[[], T]) -> T:
        """Return the result of a function that sends a request, called again after a failure."""

        def send_in_time() -> T:
            if (wait := self._next - time.monotonic()) > 0:
                self._sleep(wait)
            self._next = time.monotonic() + self._interval
            return request()

        attempts = Retrying(
            retry=retry_if_exception(_is_temporary),
            wait=_wait,
            stop=stop_after_attempt(_ATTEMPTS),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return attempts(send_in_time)
        except requests.HTTPError as error:
            raise self._failure(error) from error
        except requests.JSONDecodeError as error:
            raise InputError(f"the response of {self.service} is not JSON", _RESUME) from error
        except requests.RequestException as error:
            raise InputError(
                f"{self.service} cannot be reached ({type(error).__name__})", _RESUME
            ) from error

    def _failure(self, error: requests.HTTPError) -> InputError:
        status = error.response.status_code
        if status == 400:
            return InputError(f"{self.service} rejects the query: {error.response.text:.300}")
        if status == 401 or (status == 403 and self._key_hint and "key" in error.response.text):
            return InputError(f"{self.service} rejects the API key", self._key_hint)
        if (wait := _requested_wait(error)) > _MAX_WAIT:
            reason = f"the daily budget at {self.service} is used up for {wait / 3600:.1f} hours"
            return InputError(reason, _RESUME)
        return InputError(f"{self.service} answers {status} {error.response.reason}", _RESUME)


class _Session(requests.Session):  # type: ignore[misc]
    def request(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        return super().request(*args, **{"timeout": _TIMEOUT} | options)


def _is_temporary(error: BaseException) -> bool:
    """Return True if a request should be retried."""
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
