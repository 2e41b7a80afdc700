"""A server on loopback that answers as OpenAlex, Crossref, Semantic Scholar, arXiv and
OpenCitations do, with faults. The shapes are those of their answers; the papers are made up."""

import json
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.servers import JsonAnswers, WebService

SHA = {"graphs": "a" * 40, "citing": "c" * 40, "cited": "d" * 40}

GRAPHS: dict[str, Any] = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.5555/graphs",
    "title": "On graphs and their walks",
    "publication_year": 2021,
    "ids": {
        "openalex": "https://openalex.org/W1",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/111",
    },
    "authorships": [{"author": {"id": "https://openalex.org/A9", "display_name": "Bob Jones"}}],
    "primary_location": {"source": {"display_name": "Journal of Graphs"}},
    "locations": [{"landing_page_url": "https://arxiv.org/abs/2101.00001"}],
    "abstract_inverted_index": {"We": [0], "walk.": [1]},
    "referenced_works": ["https://openalex.org/W2", "https://openalex.org/W7"],
}
TREES: dict[str, Any] = {
    "id": "https://openalex.org/W2",
    "doi": None,
    "title": "Trees, their leaves and roots",
    "publication_year": 2019,
    "ids": {"openalex": "https://openalex.org/W2"},
    "authorships": [{"author": {"id": "https://openalex.org/A5", "display_name": "Ann Smith"}}],
    "abstract_inverted_index": {"We": [0], "climb.": [1]},
    "referenced_works": [],
}
OTHER_TREES = TREES | {
    "id": "https://openalex.org/W3",
    "ids": {},
    "publication_year": 2009,
    "abstract_inverted_index": {"Wrong.": [0]},
}
CITING: dict[str, Any] = {
    "id": "https://openalex.org/W5",
    "doi": "https://doi.org/10.5555/later",
    "title": "Later work on walks",
    "publication_year": 2024,
    "ids": {"openalex": "https://openalex.org/W5"},
    "authorships": [{"author": {"id": "https://openalex.org/A5", "display_name": "Ann Smith"}}],
    "abstract_inverted_index": {"Later.": [0]},
    "referenced_works": ["https://openalex.org/W1", "https://openalex.org/W8"],
}
CROSSREF: dict[str, Any] = {
    "DOI": "10.5555/Crossed",
    "title": ["A paper that Crossref has"],
    "author": [{"given": "Cara", "family": "Lee"}],
    "issued": {"date-parts": [[2018, 3]]},
    "abstract": "<jats:p>Deposited by the publisher.</jats:p>",
    "reference": [{"DOI": "10.5555/graphs"}, {"unstructured": "A book"}],
    "is-referenced-by-count": 1,
    "indexed": {},
}
S2: dict[str, Any] = {
    "paperId": SHA["graphs"],
    "corpusId": 77,
    "externalIds": {"DOI": "10.5555/only-s2", "CorpusId": 77, "PubMed": "222"},
    "title": "A paper that Semantic Scholar has",
    "abstract": "Extracted from the PDF.",
    "year": 2020,
    "authors": [{"authorId": "7", "name": "Dan Hill"}],
    "references": [{"paperId": SHA["cited"]}, {"paperId": None}],
}
ENTRY = """<entry>
  <id>http://arxiv.org/abs/2202.00002v3</id><title>A preprint of
  arXiv</title><published>2022-02-01T00:00:00Z</published>
  <summary>Posted early.</summary><author><name>Eve Moor</name></author>
  <arxiv:doi>10.5555/preprint</arxiv:doi>
  <category term="cs.LG"/></entry>"""
FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query</title>%s
</feed>
"""
CITATION = {
    "oci": "0601-0602",
    "citing": "omid:br/0601 doi:10.5555/open pmid:333",
    "cited": "omid:br/0602 doi:10.5555/graphs openalex:W1",
    "creation": "2020-01",
    "timespan": "P1Y",
    "journal_sc": "no",
    "author_sc": "no",
}


class WebSources(WebService):
    """A source in `down` answers 500 to every request."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.down: set[str] = set()


class _Handler(JsonAnswers, BaseHTTPRequestHandler):
    server: WebSources

    def do_GET(self) -> None:
        self.serve(None)

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        self.serve(json.loads(self.rfile.read(size)))

    def serve(self, posted: Any) -> None:
        parts = urlsplit(self.path)
        _, source, *path = unquote(parts.path).split("/")
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        received = "/".join([source, *path]) + (f" {json.dumps(posted)}" if posted else "")
        names = ("filter", "query", "query.bibliographic", "id_list", "search_query")
        received += "".join(f" {query[name]}" for name in names if name in query)
        self.server.received.append((received, dict(self.headers.items())))
        if self.server.faults:
            self.fail(*self.server.faults.pop(0))
        elif source in self.server.down:
            self.answer({"error": "down"}, 500)
        else:
            getattr(self, source)("/".join(path), query, posted)

    def openalex(self, path: str, query: dict[str, str], posted: None) -> None:
        works = [GRAPHS, TREES, OTHER_TREES, CITING]
        if path != "works":
            key, _, value = path.removeprefix("works/").partition(":")
            matches = [w for w in works if w["ids"].get(key, "").endswith(f"/{value}")]
            self.answer(matches[0] if matches else {"error": "not found"}, 200 if matches else 404)
            return
        key, _, values = query["filter"].partition(":")
        if key == "doi":
            keys = {f"https://doi.org/{value}" for value in values.split("|")}
            matches = [work for work in works if work["doi"] in keys]
        elif key == "cites":
            matches = [
                w for w in works if f"https://openalex.org/{values}" in w["referenced_works"]
            ]
        elif key == "openalex_id":
            matches = [w for w in works if w["id"].rpartition("/")[2] in values.split("|")]
        else:
            assert key == "title.search"
            matches = [OTHER_TREES, TREES] if "roots" in values else []
        meta = {"count": len(matches), "per_page": 100, "next_cursor": None}
        self.answer({"meta": meta, "results": matches})

    def crossref(self, path: str, query: dict[str, str], posted: None) -> None:
        assert path == "works"
        matches = [CROSSREF] if "doi:10.5555/crossed" in query.get("filter", "") else []
        message = {"total-results": len(matches), "items": matches}
        self.answer({"status": "ok", "message-type": "work-list", "message": message})

    def s2(self, path: str, query: dict[str, str], posted: dict[str, list[str]] | None) -> None:
        if posted:
            known = {"DOI:10.5555/only-s2": S2, "ARXIV:2303.00003": S2, SHA["graphs"]: S2}
            if known.keys().isdisjoint(posted["ids"]):
                self.answer({"error": "No valid paper ids given"}, 400)
            else:
                self.answer([known.get(key) for key in posted["ids"]])
        elif path == f"graph/v1/paper/{SHA['cited']}/citations":
            offset, limit = int(query["offset"]), int(query["limit"])
            if offset + limit >= 10_000:
                self.answer({"error": "offset + limit must be < 10000"}, 400)
            else:
                rows = [{"citingPaper": {"paperId": None}}] * limit
                self.answer({"offset": offset, "next": offset + limit, "data": rows})
        elif path == f"graph/v1/paper/{SHA['graphs']}/citations":
            paper = {"paperId": SHA["citing"], "title": "It extends walks", "year": 2023}
            entry = {"citingPaper": paper, "contexts": ["As in [1]."], "intents": ["background"]}
            unknown = {"citingPaper": {"paperId": None, "title": "Unknown"}, "contexts": []}
            self.answer({"offset": 0, "data": [entry, unknown]})
        else:
            self.answer({"error": "Title match not found"}, 404)

    def arxiv(self, path: str, query: dict[str, str], posted: None) -> None:
        assert path == "api/query"
        ids = query.get("id_list", "").split(",")
        self.answer((FEED % (ENTRY if "2202.00002" in ids else "")).encode())

    def opencitations(self, path: str, query: dict[str, str], posted: None) -> None:
        matches = path in (
            "index/v2/references/doi:10.5555/open",
            "index/v2/citations/doi:10.5555/graphs",
        )
        self.answer([CITATION] if matches else [])
