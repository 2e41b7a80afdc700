"""Look up papers at OpenAlex, Crossref, Semantic Scholar, arXiv and OpenCitations.

| source | by | requests (papers in each) | values |
|---|---|---|---|
| openalex | OpenAlex id, DOI, PubMed id, arXiv id, title | /works?filter= (100; 1 by PMID) | all |
| crossref | DOI, title | /works?filter= (50) | abstract, DOI, references |
| s2 | S2 id, DOI, arXiv id, PubMed id, title | /graph/v1/paper/batch (100) | all |
| arxiv | arXiv id, title | /api/query (50) | abstract, DOI, arXiv id |
| opencitations | DOI, PubMed id | /index/v2/references, /citations (1) | references, citing |

Titles, and the papers that cite a paper, take one request for each paper. Documentation:
https://developers.openalex.org,
https://www.crossref.org/documentation/retrieve-metadata/rest-api,
https://api.semanticscholar.org/api-docs/graph, https://info.arxiv.org/help/api/user-manual.html and
https://api.opencitations.net/index/v2.
"""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, ClassVar
from urllib.parse import quote

from lxml import etree

from specter_graph.core.errors import InputError
from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.formats import arxiv, crossref, opencitations, s2
from specter_graph.loaders.formats.openalex import work_converter, work_key
from specter_graph.loaders.formats.openalex_live import OpenAlexApi
from specter_graph.loaders.http_client import AnswerCache, HttpClient
from specter_graph.loaders.paper_sources import (
    Answer,
    IncompletePaper,
    PaperSource,
    convert_items,
    omit_parts,
)
from specter_graph.loaders.parsing.xml import parse
from specter_graph.loaders.records import Citation, Field, Paper

_PAPER = frozenset({"abstract", "references", "citing"})
_CANDIDATES = 10
"""Papers of an answer to a title."""
_S2_FIELDS = (
    "paperId,corpusId,externalIds,title,abstract,year,publicationDate,venue,publicationVenue,"
    "journal,url,authors,fieldsOfStudy"
)
_S2_PAGE, _S2_PAPERS = 1_000, 9_999
"""Semantic Scholar rejects an offset and a limit that are 10,000 together."""


class OpenAlex(PaperSource):
    """OpenAlex's API."""

    name = "openalex"
    own = "openalex"
    gives = _PAPER | {"doi", "arxiv", "pmid", "openalex"}
    schemes = ("openalex", "doi", "pmid", "arxiv")
    sizes: ClassVar = {"openalex": 100, "doi": 100, "arxiv": 100}

    def __init__(self, api: OpenAlexApi, url: str, cache: AnswerCache) -> None:
        super().__init__(api.http, url, cache)
        self._api = api
        self._convert = work_converter()

    def request(self, kind: str, values: Sequence[str]) -> dict[str, Answer]:
        """Send a filter, or look up a PubMed id or a DOI that a filter cannot contain."""
        if kind == "title":
            works = self._api.works([f"title.search:{values[0]}"], page=_CANDIDATES)
            return {values[0]: [*islice(works, _CANDIDATES)]}
        if kind == "citing":
            return {values[0]: [*self._api.works([f"cites:{values[0]}"])]}
        single = [v for v in values if kind == "pmid" or re.search(r"[,|&]", v)]
        answers = {v: [work] for v in single if (work := self._api.work(f"{kind}:{v}"))}
        several = {v: v for v in values if v not in single}
        if kind == "arxiv":
            several = {f"10.48550/arxiv.{v}".lower(): v for v in several}
        if several:
            key = "openalex_id" if kind == "openalex" else "doi"
            for work in self._api.works([f"{key}:{'|'.join(several)}"]):
                doi = identifiers.doi(work.get("doi") or "")
                term = work_key(work.get("id")) if kind == "openalex" else doi and doi.value
                if term in several:
                    answers.setdefault(several[term], [work])
        return answers

    def convert(self, record: Any, paper: IncompletePaper) -> Iterable[object]:  # noqa: ANN401
        """Convert a work."""
        return self._convert(record)

    def citing(self, answer: Answer, cited: Paper) -> Iterator[Paper | Field | Citation]:
        """Yield works, without their references, and their citations."""
        for record in answer:
            for item in convert_items(self._convert, record):
                if isinstance(item, Paper):
                    yield omit_parts(item, "references")
                    yield Citation(item.id, cited.id)
                elif isinstance(item, Field):
                    yield item


class Crossref(PaperSource):
    """Crossref's REST API.

    The ids of its papers begin with `crossref:`, because a library that is loaded from BibTeX uses
    `doi:` for its own records.
    """

    name = "crossref"
    own = "doi"
    gives = frozenset({"abstract", "references", "doi"})
    schemes = ("doi",)
    sizes: ClassVar = {"doi": 50}

    def value_of(self, paper: IncompletePaper, scheme: str) -> str | None:
        """Return the DOI, unless arXiv issued it: DataCite has these."""
        doi = paper.identifiers.get(scheme)
        return None if doi and doi.startswith("10.48550/") else doi

    def request(self, kind: str, values: Sequence[str]) -> dict[str, Answer]:
        """Send a filter or a query of titles, or look up a DOI that a filter cannot contain."""
        url = f"{self.url}/works"
        if kind == "title":
            query = {"query.bibliographic": values[0], "rows": str(_CANDIDATES)}
            return {values[0]: self.http.get_json(url, query)["message"]["items"]}
        works = []
        if plain := [v for v in values if "," not in v]:
            filters = ",".join(f"doi:{v}" for v in plain)
            answer = self.http.get_json(url, {"filter": filters, "rows": str(len(plain))})
            works += answer["message"]["items"]
        for value in set(values) - {*plain}:
            answer = self.http.get_json(f"{url}/{quote(value, safe='')}")
            works += [answer["message"]] if answer else []
        return {work["DOI"].lower(): [work] for work in works}

    def convert(self, record: Any, paper: IncompletePaper) -> Iterable[object]:  # noqa: ANN401
        """Convert a work."""
        for item in crossref.convert(record):
            if isinstance(item, Paper):
                item = replace(item, id=f"crossref:{item.id.removeprefix('doi:')}")
            yield item


class SemanticScholar(PaperSource):
    """Semantic Scholar's Graph API."""

    name = "s2"
    own = "s2"
    gives = _PAPER | {"doi", "arxiv", "pmid", "s2"}
    schemes = ("s2", "doi", "arxiv", "pmid")
    sizes: ClassVar = dict.fromkeys(schemes, 100)
    _prefixes: ClassVar = {"s2": "", "doi": "DOI:", "arxiv": "ARXIV:", "pmid": "PMID:"}

    def request(self, kind: str, values: Sequence[str]) -> dict[str, Answer]:
        """Send a batch of ids, match a title, or read the pages of citing papers."""
        url = f"{self.url}/graph/v1/paper"
        selected = {"fields": f"{_S2_FIELDS},references.paperId"}
        if kind == "title":
            answer = self.http.get_json(f"{url}/search/match", selected | {"query": values[0]})
            return {values[0]: answer["data"] if answer else []}
        if kind == "citing":
            cited = f"{url}/{values[0]}/citations"
            fields = f"contexts,intents,isInfluential,{_S2_FIELDS}"
            return {values[0]: [*read_s2_pages(self.http, cited, fields)]}
        posted = {"ids": [self._prefixes[kind] + v for v in values]}
        try:
            answer = self.http.get_json(f"{url}/batch", selected, posted=posted)
        except InputError as error:  # the status is 400 if it knows none of the ids
            if "No valid paper ids" not in error.message:
                raise
            answer = [None] * len(values)
        return {v: [record] for v, record in zip(values, answer, strict=True) if record}

    def convert(self, record: Any, paper: IncompletePaper) -> Iterable[object]:  # noqa: ANN401
        """Convert a paper."""
        return s2.graph_paper(record)

    def citing(self, answer: Answer, cited: Paper) -> Iterator[Paper | Field | Citation]:
        """Yield papers, and their citations with contexts and intents."""
        for record in answer:
            items = convert_items(s2.graph_paper, record["citingPaper"])
            yield from (item for item in items if isinstance(item, Paper))
        page = {"paperId": cited.id.removeprefix("s2:"), "title": cited.title, "citations": answer}
        yield from (
            item for item in convert_items(s2.graph_paper, page) if isinstance(item, Citation)
        )


def read_s2_pages(
    http: HttpClient, url: str, fields: str, unknown: RecordError | None = None
) -> Iterator[Any]:
    """Yield the records of all pages of a list of Semantic Scholar, at most 9,999.

    `unknown` is raised if Semantic Scholar does not have the list; by default it counts as empty.
    """
    offset = 0
    while (limit := min(_S2_PAGE, _S2_PAPERS - offset)) > 0:
        limits = {"limit": str(limit), "offset": str(offset)}
        page = http.get_json(url, {"fields": fields} | limits)
        if page is None:
            if unknown:
                raise unknown
            return
        if not isinstance(page, dict) or not isinstance(page.get("data"), list):
            raise InputError("the response of Semantic Scholar has an unknown structure")
        yield from page["data"]
        following = page.get("next")
        if type(following) is not int or following <= offset:
            return
        offset = following


class Arxiv(PaperSource):
    """The API of arXiv."""

    name = "arxiv"
    own = "arxiv"
    gives = frozenset({"abstract", "doi", "arxiv"})
    schemes = ("arxiv",)
    sizes: ClassVar = {"arxiv": 50}

    def request(self, kind: str, values: Sequence[str]) -> dict[str, Answer]:
        """Send a list of ids or a query of a title."""
        query = {"id_list": ",".join(values), "max_results": str(len(values))}
        if kind == "title":
            query = {"search_query": f'ti:"{values[0]}"', "max_results": str(_CANDIDATES)}
        response = self.http.get(f"{self.url}/api/query", query)
        if response is None:
            return {}
        answers: dict[str, Answer] = defaultdict(list)
        feed, _ = parse(response.content.partition(b"?>")[2].strip() or response.content)
        for entry in feed.iterfind("{*}entry"):
            known = identifiers.arxiv(entry.findtext("{*}id") or "")
            if known:  # the id of an error is a URL without an arXiv id
                value = values[0] if kind == "title" else known.value
                answers[value].append(etree.tostring(entry, encoding="unicode", with_tail=False))
        return answers

    def convert(self, record: Any, paper: IncompletePaper) -> Iterable[object]:  # noqa: ANN401
        """Convert an entry of a feed."""
        return arxiv.convert_xml(parse(record.encode())[0])


class OpenCitations(PaperSource):
    """The Index of OpenCitations, which has citations and no other data.

    Its paper has the title of the paper that is looked up, and the references.
    """

    name = "opencitations"
    gives = frozenset({"references", "citing"})
    schemes = ("doi", "pmid")

    def questions(self, paper: IncompletePaper) -> list[str]:
        """Return the question for the references."""
        if "references" not in paper.missing:
            return []
        return [f"references:{key}" for key in super().questions(paper)[:1]]

    def first_question(self, paper: IncompletePaper) -> str | None:
        """Return the question for the references, or else for the citing papers."""
        cited = self.blank(paper) if "citing" in paper.missing else None
        first = super().first_question(paper)
        return first or (self.citing_question(cited) if cited else None)

    def request(self, kind: str, values: Sequence[str]) -> dict[str, Answer]:
        """Read the references of a paper or the citations of it."""
        path = {"references": "references", "citing": "citations"}[kind]
        rows = self.http.get_json(f"{self.url}/index/v2/{path}/{quote(values[0], safe=':/')}")
        return {values[0]: [rows]} if rows else {}

    def convert(self, record: Any, paper: IncompletePaper) -> Iterable[object]:  # noqa: ANN401
        """Return the paper with its references."""
        if record_of := self.blank(paper):
            references = tuple(citation.cited for citation in _convert_citations(record))
            yield replace(record_of, references=references, elsewhere=("abstract",))

    def blank(self, paper: IncompletePaper) -> Paper | None:
        """Return a record without abstract and references."""
        key = next(
            (f"{s}:{paper.identifiers[s]}" for s in self.schemes if s in paper.identifiers), ""
        )
        record = Paper(f"opencitations:{key}", paper.title, source=opencitations.SOURCE)
        return omit_parts(record, "abstract", "references") if key else None

    def citing(self, answer: Answer, cited: Paper) -> Iterator[Paper | Field | Citation]:
        """Yield citations; nothing else is known of the citing papers."""
        for rows in answer:
            for citation in _convert_citations(rows):
                yield Citation(citation.citing, cited.id)


_SOURCES: Mapping[str, Callable[[HttpClient, str, AnswerCache], PaperSource]] = {
    "crossref": Crossref, "s2": SemanticScholar, "arxiv": Arxiv, "opencitations": OpenCitations,
}  # fmt: skip
_SERVICES = {
    "crossref": ("Crossref", 0.35, ""),
    "s2": ("Semantic Scholar", 1.0, "x-api-key"),
    "arxiv": ("arXiv", 3.0, ""),
    "opencitations": ("OpenCitations", 0.35, "authorization"),
    "dblp": ("dblp", 2.0, ""),
}
"""Services, the seconds between requests, and the header of a key."""


@dataclass(frozen=True, slots=True)
class Access:
    """The addresses and keys of web services.

    Attributes:
        mailto: A contact address, which is sent with each request.
        keys: API keys by service; they are sent as headers, and no message contains them.
        urls: Root URLs by service.
        sleep: Waits for a number of seconds.
    """

    urls: Mapping[str, str]
    mailto: str | None = None
    keys: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    sleep: Callable[[float], None] = time.sleep

    def open(self, name: str, cache: AnswerCache) -> PaperSource:
        """Open a source of `corpus.WEB_SOURCES`."""
        if name == "openalex":
            return OpenAlex(self.openalex(), self.urls[name], cache)
        return _SOURCES[name](self.client(name), self.urls[name], cache)

    def openalex(self) -> OpenAlexApi:
        """Return a client of OpenAlex."""
        key, url = self.keys.get("openalex"), self.urls["openalex"]
        return OpenAlexApi(self.mailto, key, url=url, sleep=self.sleep)

    def client(self, name: str) -> HttpClient:
        """Return a client of another service, with the rate limit of its documentation."""
        service, interval, header = _SERVICES[name]
        if name == "crossref" and not self.mailto:
            interval = 1.0
        agent = "specter-graph" + (f" (mailto:{self.mailto})" if self.mailto else "")
        key = self.keys.get(name)
        headers = {"User-Agent": agent} | ({header: key} if header and key else {})
        setting = f"{service.upper().replace(' ', '_')}_API_KEY"
        hint = f"set {setting} to a valid key" if header else None
        return HttpClient(
            service, interval=interval, key_hint=hint, headers=headers, sleep=self.sleep
        )


def _convert_citations(rows: Iterable[Any]) -> list[Citation]:
    items = chain.from_iterable(convert_items(opencitations.convert, row) for row in rows)
    return [item for item in items if isinstance(item, Citation)]
