"""Python client of the HTTP API; results are the models of the API.

from specter_graph.service.client import Client

with Client("http://127.0.0.1:8000") as papers:
    for hit in papers.search("neutrino mass", since=1998).hits:
        print(hit.title)
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar
from urllib.parse import quote

from pydantic import BaseModel

from specter_graph.core.errors import GraphError, InputError, ServerError, SpecterGraphError, extra
from specter_graph.graph.search import Mode
from specter_graph.service.jobs import AnyAsked
from specter_graph.service.models import (
    Author,
    Cited,
    Comparison,
    Draft,
    Hits,
    Job,
    MatchRequest,
    MissingReferences,
    Neighbourhood,
    Paper,
    Path,
    Paths,
    Problem,
    ReviewerSuggestions,
    Rows,
    Search,
)

with extra("serve"):
    import httpx

Answer = TypeVar("Answer", bound=BaseModel)

_ERRORS: dict[int, type[SpecterGraphError]] = {404: GraphError, 429: ServerError, 503: ServerError}


class Client:
    """A client of the service at `address`, with an API key if the service requires one.

    `filters` are `since`, `until`, `language`, `field`, `venue` and `author`. Every method raises
    GraphError if something is not in the graph, InputError for an invalid request, and ServerError
    if the service or its database does not answer.
    """

    def __init__(self, address: str, key: str | None = None, *, seconds: float = 30.0) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(base_url=f"{address}/v1", headers=headers, timeout=seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def search(
        self,
        text: str,
        k: int = 10,
        *,
        space: str | None = None,
        mode: Mode | None = None,
        **filters: str | int,
    ) -> Search:
        """Search papers by words, vectors and citations, or by names and identifiers."""
        return self._get(Search, "search", q=text, k=k, space=space, mode=mode, **filters)

    def paper(self, id: str) -> Paper:
        """Read a paper."""
        return self._get(Paper, _paper(id))

    def similar(
        self, id: str, k: int = 10, *, space: str | None = None, **filters: str | int
    ) -> Hits:
        """Find the papers nearest to a paper."""
        return self._get(Hits, f"{_paper(id)}/similar", k=k, space=space, **filters)

    def references(self, id: str) -> Iterator[Cited]:
        """Yield all references of a paper, the most cited first."""
        return self._lines(f"{_paper(id)}/references")

    def citations(self, id: str) -> Iterator[Cited]:
        """Yield all papers that cite a paper, the most cited first."""
        return self._lines(f"{_paper(id)}/citations")

    def neighbourhood(self, id: str, hops: int = 1, most: int = 50) -> Neighbourhood:
        """Return the papers within some citations of a paper, and the citations among them."""
        return self._get(Neighbourhood, f"{_paper(id)}/neighbourhood", hops=hops, most=most)

    def paths(self, start: str, end: str, space: str | None = None) -> list[Path]:
        """Return the shortest citation paths between two papers."""
        parameters = {"from": start, "to": end, "space": space}
        return self._get(Paths, "path", **parameters).paths

    def compare(self, a: str, b: str, space: str | None = None) -> Comparison:
        """Compare two papers by all signals."""
        return self._get(Comparison, "compare", a=a, b=b, space=space)

    def missing_references(self, draft: Draft) -> MissingReferences:
        """Find references that a draft may lack."""
        answer = self._ask("POST", "missing-references", json=draft.model_dump(exclude_none=True))
        return MissingReferences.model_validate(_checked(answer).json())

    def author(self, id: str) -> Author:
        """Read an author."""
        return self._get(Author, f"authors/{quote(id)}")

    def reviewers(
        self, venue: str, text: str = "", submissions: Sequence[str] = (), k: int = 5
    ) -> list[ReviewerSuggestions]:
        """Return the best reviewers of a venue for a text or for some of its submissions."""
        parameters = MatchRequest(venue=venue, text=text, submissions=[*submissions], k=k)
        answer = _checked(self._ask("POST", "reviewers/match", json=parameters.model_dump()))
        return [ReviewerSuggestions.model_validate(each) for each in answer.json()]

    def jobs(self) -> list[Job]:
        """List the jobs, the newest first."""
        return [Job.model_validate(each) for each in _checked(self._ask("GET", "jobs")).json()]

    def job(self, id: str) -> Job:
        """Return the state and progress of a job."""
        return self._get(Job, f"jobs/{quote(id)}")

    def start(self, request: AnyAsked) -> Job:
        """Queue a job; if the service requires keys, the key must have the scope "write"."""
        answer = self._ask("POST", "jobs", json=request.model_dump(mode="json"))
        return Job.model_validate(_checked(answer).json())

    def cancel(self, id: str) -> Job:
        """Cancel a job."""
        return Job.model_validate(_checked(self._ask("DELETE", f"jobs/{quote(id)}")).json())

    def query(self, name: str, **parameters: str | int | float) -> Rows:
        """Run a query of the library."""
        return self._get(Rows, f"queries/{quote(name)}", **parameters)

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401
        with _answering():
            return self._http.request(method, path, **options)

    def _get(self, kind: type[Answer], path: str, **options: Any) -> Answer:  # noqa: ANN401
        given = {key: value for key, value in options.items() if value is not None}
        return kind.model_validate(_checked(self._ask("GET", path, params=given)).json())

    def _lines(self, path: str) -> Iterator[Cited]:
        lines = {"Accept": "application/x-ndjson"}
        with _answering(), self._http.stream("GET", path, headers=lines) as answer:
            if answer.is_error:
                answer.read()
            for line in _checked(answer).iter_lines():
                yield Cited.model_validate_json(line)


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except httpx.TransportError as error:
        raise ServerError(
            f"the service does not answer: {error}", "start it: specter-graph serve"
        ) from error


def _paper(id: str) -> str:
    return f"papers/{quote(id)}"


def _checked(answer: httpx.Response) -> httpx.Response:
    """Return a successful response; raise the error of any other."""
    if answer.is_success:
        return answer
    other = ServerError if answer.is_server_error else InputError
    try:
        problem = Problem.model_validate_json(answer.content)
    except ValueError as error:  # from a proxy in between
        status = f"{answer.status_code} {answer.reason_phrase}"
        raise other(f"{answer.url} answers {status}") from error
    raise _ERRORS.get(answer.status_code, other)(problem.detail, problem.hint)
