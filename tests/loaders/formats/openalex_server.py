"""A server on loopback that answers as OpenAlex's API does, with faults."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.servers import JsonAnswers, WebService, running

SITE = "https://openalex.org/"


def make_work(
    number: int, year: int | None = 2020, *, cites: tuple[int, ...] = ()
) -> dict[str, Any]:
    return {
        "id": f"{SITE}W{number}",
        "doi": f"https://doi.org/10.5555/{number}",
        "title": f"Work {number}",
        "publication_year": year,
        "publication_date": f"{year}-{number % 12 + 1:02}-28" if year else None,
        "referenced_works": [f"{SITE}W{other}" for other in cites],
    }


class OpenAlexServer(WebService):
    """Works by id; `failures` are served one after another, before anything else."""

    def __init__(self) -> None:
        super().__init__(Handler)
        self.works: dict[str, dict[str, Any]] = {}
        self.failures: list[tuple[int | str, dict[str, str]]] = []
        self.requests: list[tuple[str, dict[str, str], dict[str, str]]] = []

    def add(self, *works: dict[str, Any]) -> None:
        self.works |= {work["id"].removeprefix(SITE): work for work in works}


class Handler(JsonAnswers, BaseHTTPRequestHandler):
    server: OpenAlexServer

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self.server.requests.append((unquote(parts.path), query, dict(self.headers.items())))
        if self.server.failures:
            self.refuse(*self.server.failures.pop(0))
        elif parts.path == "/works":
            self.list_works(query)
        else:
            self.one_work(unquote(parts.path.removeprefix("/works/")))

    def refuse(self, status: int | str, headers: dict[str, str]) -> None:
        if status == "drop":
            self.answer_truncated(b'{"meta": {"count"')
            return
        if status == "garbage":
            self.answer(b"<html>", 200, headers)
            return
        assert isinstance(status, int)
        error = {401: "Invalid API key secret", 400: "Invalid query parameters error."}
        body = {"error": error.get(status, "Error"), "message": "cats is not a valid field"}
        self.answer(body, status, headers)

    def one_work(self, key: str) -> None:
        for work in self.server.works.values():
            if key in (
                work["id"].removeprefix(SITE),
                work["doi"].replace("https://doi.org/", "doi:"),
            ):
                self.answer(work)
                return
        self.answer({"error": "not found"}, 404)

    def list_works(self, query: dict[str, str]) -> None:
        works = [work for work in self.server.works.values() if passes(work, query["filter"])]
        if "group-by" in query:
            self.groups(works, query["group-by"])
            return
        size, start = int(query["per-page"]), int(query["cursor"].replace("*", "0"))
        page = works[start : start + size]
        expected = query["select"].split(",") if "select" in query else None
        rows = [{key: work[key] for key in expected or work} for work in page]
        cursor = str(start + size) if page else None
        meta = {"count": len(works), "per_page": size, "next_cursor": cursor}
        self.answer({"meta": meta, "results": rows, "group_by": []})

    def groups(self, works: list[dict[str, Any]], key: str) -> None:
        counts: dict[str, int] = {}
        for work in works:
            if work[key] is not None:
                counts[str(work[key])] = counts.get(str(work[key]), 0) + 1
        rows = [{"key": k, "key_display_name": k, "count": n} for k, n in counts.items()]
        meta = {"count": len(works), "groups_count": len(rows), "next_cursor": None}
        self.answer({"meta": meta, "results": [], "group_by": rows})


def passes(work: dict[str, Any], filters: str) -> bool:
    """Return True if a work matches all filters; the values of a filter are joined with |."""
    return all(
        any(
            holds(work, *part.split(":", 1)[:1], value)
            for value in part.split(":", 1)[1].split("|")
        )
        for part in filters.split(",")
    )


def holds(work: dict[str, Any], key: str, value: str) -> bool:
    if key == "openalex_id":
        return bool(work["id"] == SITE + value)
    if key == "cites":
        return SITE + value in work["referenced_works"]
    if key == "from_publication_date":
        return (work["publication_date"] or "") >= value
    if key == "to_publication_date":
        return "" < (work["publication_date"] or "") <= value
    if value.startswith(">"):
        return (work[key] or 0) > int(value[1:])
    return str(work[key]).replace("None", "null") == value


@contextmanager
def openalex_server() -> Iterator[OpenAlexServer]:
    with running(OpenAlexServer()) as server:
        yield server
