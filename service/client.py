"""Python client of the HTTP API; results are the models of the API.

from specter_graph.service.client import Client

with Client("http://127.0.0.1:8000") as papers:
    for hit in papers.search("neutrino mass", since=1998):
        print(hit.title)
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter

from specter_graph.core.errors import (
    GraphError,
    InputError,
    ServerError,
    SpecterGraphError,
    extra,
    require_texts,
    text_list,
)
from specter_graph.graph.contents import GraphCounts
from specter_graph.graph.search.hits import Mode
from specter_graph.service.job_records import JobRequest
from specter_graph.service.models import (
    AuthorResponse,
    CitationPath,
    CitedPaper,
    ComparisonResponse,
    ExploreResponse,
    HitsResponse,
    JobResponse,
    MissingReferencesResponse,
    NeighborhoodResponse,
    PaperResponse,
    PathsResponse,
    ProblemDetails,
    ReviewerSuggestions,
    RowsResponse,
    SearchResponse,
    SpaceResponse,
    paper_path,
)

with extra("serve"):
    import httpx

Model = TypeVar("Model")

_ERRORS: dict[int, type[SpecterGraphError]] = {404: GraphError, 429: ServerError, 503: ServerError}


class Client:
    """A client of the service at `address`, with an API key if the service requires one.

    `filters` are those of `specter_graph.FilterOptions` except `exclude`. Every method raises
    GraphError if something is not in the graph, InputError for an invalid request, and ServerError
    if the service or its database does not answer.
    """

    def __init__(self, address: str, key: str | None = None, *, timeout: float = 30.0) -> None:
        if not address.startswith(("http://", "https://")):
            raise InputError(
                f"{address!r} is not the address of a service", "give the one that serve prints"
            )
        root = address.rstrip("/").removesuffix("/v1")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(base_url=f"{root}/v1", headers=headers, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        offset: int = 0,
        space: str | None = None,
        mode: Mode | None = None,
        min_score: float = 0.0,
        diversity: float = 0.0,
        **filters: str | int,
    ) -> SearchResponse:
        """Search papers by words, vectors and citations, or by names and identifiers.

        Each page has `k` papers; `offset` is the number of papers to skip.
        """
        require_texts(text=text)
        return self._get(
            SearchResponse,
            "search",
            q=text,
            k=k,
            offset=offset,
            space=space,
            mode=mode,
            min_score=min_score,
            diversity=diversity,
            **filters,
        )

    def paper(self, id: str) -> PaperResponse:
        """Read a paper."""
        return self._get(PaperResponse, _paper(id))

    def similar(
        self,
        id: str,
        *,
        k: int = 10,
        space: str | None = None,
        min_score: float = 0.0,
        diversity: float = 0.0,
        **filters: str | int,
    ) -> HitsResponse:
        """Find the papers nearest to a paper."""
        return self._get(
            HitsResponse,
            f"{_paper(id)}/similar",
            k=k,
            space=space,
            min_score=min_score,
            diversity=diversity,
            **filters,
        )

    def references(self, id: str) -> Iterator[CitedPaper]:
        """Yield all references of a paper, the most cited first."""
        return self._read_lines(f"{_paper(id)}/references")

    def citations(self, id: str) -> Iterator[CitedPaper]:
        """Yield all papers that cite a paper, the most cited first."""
        return self._read_lines(f"{_paper(id)}/citations")

    def neighborhood(self, id: str, *, hops: int = 1, limit: int = 50) -> NeighborhoodResponse:
        """Return the papers within some citations of a paper, and the citations among them."""
        return self._get(NeighborhoodResponse, f"{_paper(id)}/neighborhood", hops=hops, limit=limit)

    def paths(self, start: str, end: str, *, space: str | None = None) -> list[CitationPath]:
        """Return the shortest citation paths between two papers."""
        parameters = {"from": start, "to": end, "space": space}
        return self._get(PathsResponse, "path", **parameters).paths

    def compare(self, a: str, b: str, *, space: str | None = None) -> ComparisonResponse:
        """Compare two papers by all signals."""
        return self._get(ComparisonResponse, "compare", a=a, b=b, space=space)

    def explore(
        self, ids: Sequence[str], *, k: int = 40, space: str | None = None
    ) -> ExploreResponse:
        """Find the papers around given papers by vectors, co-citation and common references."""
        return self._get(ExploreResponse, "explore", id=text_list("ids", ids), k=k, space=space)

    def missing_references(
        self,
        text: str = "",
        *,
        id: str | None = None,
        cites: Sequence[str] = (),
        until: int | None = None,
        k: int = 10,
        space: str | None = None,
    ) -> MissingReferencesResponse:
        """Find references that a draft may lack, given its text, its id or the papers it cites."""
        cited = text_list("cites", cites)
        draft = {"text": text, "id": id, "cites": cited, "until": until, "k": k, "space": space}
        return self._send(MissingReferencesResponse, "POST", "missing-references", json=draft)

    def stats(self) -> GraphCounts:
        """Count the nodes and relationships of the graph."""
        return self._get(GraphCounts, "stats")

    def spaces(self) -> list[SpaceResponse]:
        """List the embedding spaces."""
        return self._get(list[SpaceResponse], "spaces")

    def author(self, id: str) -> AuthorResponse:
        """Read an author."""
        return self._get(AuthorResponse, _path("authors", id))

    def reviewers(
        self, venue: str, text: str = "", *, submissions: Sequence[str] = (), k: int = 5
    ) -> list[ReviewerSuggestions]:
        """Return the best reviewers of a venue for a text or for some of its submissions."""
        keys = text_list("submissions", submissions)
        request = {"venue": venue, "text": text, "submissions": keys, "k": k}
        return self._send(list[ReviewerSuggestions], "POST", "reviewers/match", json=request)

    def jobs(self) -> list[JobResponse]:
        """List the jobs, the newest first."""
        return self._get(list[JobResponse], "jobs")

    def job(self, id: str) -> JobResponse:
        """Return the state and progress of a job."""
        return self._get(JobResponse, _path("jobs", id))

    def start(self, request: JobRequest) -> JobResponse:
        """Queue a job; if the service requires keys, the key must have the scope "write"."""
        return self._send(JobResponse, "POST", "jobs", json=request.model_dump(mode="json"))

    def cancel(self, id: str) -> JobResponse:
        """Cancel a job."""
        return self._send(JobResponse, "DELETE", _path("jobs", id))

    def query(
        self, name: str, **parameters: str | float | Iterable[str] | Iterable[float]
    ) -> RowsResponse:
        """Run a query of the library."""
        values = {
            key: json.dumps([*value])
            if isinstance(value, Iterable) and not isinstance(value, str)
            else value
            for key, value in parameters.items()
        }
        return self._get(RowsResponse, _path("queries", name), **values)

    def cypher(self, query: str, parameters: Mapping[str, object] | None = None) -> RowsResponse:
        """Run a read-only Cypher query; the service must run with `--allow-cypher`."""
        request = {"query": query, "parameters": dict(parameters or {})}
        return self._send(RowsResponse, "POST", "cypher", json=request)

    def _get(self, kind: type[Model], path: str, /, **options: Any) -> Model:  # noqa: ANN401
        parameters = {key: value for key, value in options.items() if value is not None}
        return self._send(kind, "GET", path, params=parameters)

    def _send(self, kind: type[Model], method: str, path: str, **content: Any) -> Model:  # noqa: ANN401
        with _translated_errors():
            response = self._http.request(method, path, **content)
        return TypeAdapter(kind).validate_json(_check_response(response).content)

    def _read_lines(self, path: str) -> Iterator[CitedPaper]:
        lines = {"Accept": "application/x-ndjson"}
        with _translated_errors(), self._http.stream("GET", path, headers=lines) as response:
            if response.is_error:
                response.read()
            for line in _check_response(response).iter_lines():
                yield CitedPaper.model_validate_json(line)


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except httpx.TransportError as error:
        raise ServerError(
            f"the service does not answer: {error}", "start it: specter-graph serve"
        ) from error
    except httpx.InvalidURL as error:
        raise InputError(f"the request cannot be sent: {error}", "send a shorter text") from error


def _paper(id: str) -> str:
    require_texts(id=id)
    return paper_path(id)


def _path(collection: str, id: str) -> str:
    require_texts(id=id)
    return f"{collection}/{quote(id)}"


def _check_response(response: httpx.Response) -> httpx.Response:
    """Return a successful response; raise the error of any other."""
    if response.is_success:
        return response
    other = ServerError if response.is_server_error else InputError
    try:
        problem = ProblemDetails.model_validate_json(response.content)
    except ValueError as error:  # from a proxy in between
        status = f"{response.status_code} {response.reason_phrase}"
        raise other(f"{response.url} answers {status}") from error
    raise _ERRORS.get(response.status_code, other)(problem.detail, problem.hint)
