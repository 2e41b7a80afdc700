"""A server on loopback that answers as OpenAlex, Semantic Scholar and dblp do, with faults.

The formats follow their documentation; names and papers are fictitious.
"""

from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.servers import JsonAnswers, WebService

WORK: dict[str, Any] = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.5555/Graphs",
    "title": "On graphs",
    "display_name": "On graphs",
    "publication_year": 2021,
    "ids": {"openalex": "https://openalex.org/W1"},
    "authorships": [
        {"author": {"id": "https://openalex.org/A9", "display_name": "Bob Jones", "orcid": None}},
        {
            "author": {
                "id": "https://openalex.org/A5",
                "display_name": "Ann Smith",
                "orcid": "https://orcid.org/0000-0002-1825-0097",
            }
        },
    ],
    "primary_location": {"source": {"display_name": "Journal of Graphs"}},
    "locations": [],
    "abstract_inverted_index": {"We": [0], "walk.": [1]},
}
S2_PAGES: dict[int, dict[str, Any]] = {
    0: {
        "offset": 0,
        "next": 1,
        "data": [
            {
                "paperId": "a" * 40,
                "title": "On Graphs.",
                "abstract": None,
                "year": 2021,
                "venue": "JG",
                "externalIds": {"DOI": "10.5555/graphs", "CorpusId": 1},
                "authors": [{"authorId": "7", "name": "A. Smith"}],
            }
        ],
    },
    1: {
        "offset": 1,
        "data": [
            {
                "paperId": "b" * 40,
                "title": "On trees",
                "abstract": "We climb.",
                "year": 2023,
                "venue": "",
                "externalIds": {"ArXiv": "2301.00001", "CorpusId": 2},
                "authors": [
                    {"authorId": "7", "name": "Ann Smith"},
                    {"authorId": None, "name": "Cara Lee"},
                ],
            },
            {"paperId": "c" * 40, "title": None, "authors": []},
        ],
    },
}
DBLP = """<?xml version="1.0" encoding="US-ASCII"?>
<dblpperson name="Wei Li 0001" pid="65/1" n="2">
<person key="homepages/65/1"><author pid="65/1">Wei Li 0001</author></person>
<r><article key="journals/jg/LiM20"><author pid="65/1">Wei Li 0001</author>
<author pid="65/2">J&#246;rg M&#252;ller</author><title>Forests <i>grow</i>.</title>
<journal>J. Graphs</journal><year>2020</year><ee>https://doi.org/10.5555/FOREST</ee></article></r>
<r><proceedings key="conf/jg/2020"><editor pid="65/1">Wei Li 0001</editor><title>All.</title>
<year>2020</year></proceedings></r>
</dblpperson>
"""


class Services(JsonAnswers, BaseHTTPRequestHandler):
    """The answers of all services."""

    server: WebService

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        path, query = unquote(parts.path), parse_qs(parts.query)
        self.server.received.append((self.path, dict(self.headers.items())))
        if self.server.faults:
            self.fail(*self.server.faults.pop(0))
        elif path == "/works":
            key, _, value = query["filter"][0].partition(":")
            assert key in ("authorships.author.id", "authorships.author.orcid")
            works = [WORK] if value in ("A5", "0000-0002-1825-0097") else []
            self.answer({"meta": {"count": len(works), "next_cursor": None}, "results": works})
        elif path == "/graph/v1/author/7/papers":
            assert "abstract" in query["fields"][0]
            self.answer(S2_PAGES[int(query["offset"][0])])
        elif path == "/pid/65/1.xml":
            self.answer(DBLP.encode())
        else:
            self.answer({"error": "not found"}, 404)
