"""Fetch the papers of reviewers from OpenAlex, Semantic Scholar and dblp into archives.

| id               | request                                                   | abstracts |
|------------------|-----------------------------------------------------------|-----------|
| openalex, orcid  | OpenAlex, /works?filter=authorships.author.id (or .orcid) | yes       |
| semantic_scholar | Semantic Scholar, /graph/v1/author/ID/papers              | yes       |
| dblp             | dblp, /pid/ID.xml                                         | no        |

Documentation: https://developers.openalex.org, https://api.semanticscholar.org/api-docs/graph and
https://dblp.org/faq/1474706.html (one request in one or two seconds; status 429 has Retry-After).

Each reviewer becomes a file in the format of `openreview`. A file is written when it is
complete, and a reviewer who has a file is not fetched again: after an interruption, a run continues
with the next reviewer. A paper that several services have, by an identifier or by its title, is
written once.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import InputError, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.identifiers import value_of
from specter_graph.loaders.parsing.field_values import required, text
from specter_graph.loaders.records import Author, Paper
from specter_graph.loaders.review_records import IDENTIFIERS, orcid_of, parse_identifier
from specter_graph.matching.io.lists import identifiers_of, reviewer_id
from specter_graph.matching.io.rows import Layout, ReadReport, Row, once, read_table

if TYPE_CHECKING:
    from specter_graph.loaders.formats.web_sources import Access
    from specter_graph.loaders.parsing.xml import Element

_S2_FIELDS = "title,abstract,year,venue,externalIds,authors"
_OPENALEX_FIELDS = (
    *("id", "doi", "title", "display_name", "publication_year", "ids", "authorships"),
    *("primary_location", "locations", "abstract_inverted_index"),
)
_DBLP_RECORDS = {"article", "inproceedings", "incollection", "book", "phdthesis"}
_NUMBER = re.compile(r" \d{4}$")
"""The number by which dblp distinguishes people of the same name."""

Publication = tuple[Paper, int | None]
"""A paper and the place of the reviewer among its authors, from 0."""


@dataclass(frozen=True, slots=True)
class Person:
    """A reviewer whose papers are fetched; `ids` are the ids elsewhere, by kind."""

    id: str
    ids: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FetchSummary:
    """Numbers of a run.

    Attributes:
        fetched: Number of reviewers who were fetched.
        present: Number of reviewers who already had a file.
        papers: Number of papers of the fetched reviewers.
        without_abstract: Number of these papers that have no abstract.
        without_papers: Ids of fetched reviewers without a paper.
    """

    fetched: int
    present: int
    papers: int
    without_abstract: int
    without_papers: tuple[str, ...]


class PaperServices:
    """Clients of the services. Each one waits between requests, and retries failed ones."""

    def __init__(self, access: "Access") -> None:
        self._openalex = access.openalex()
        self._s2, self._dblp = access.client("s2"), access.client("dblp")
        self._s2_url, self._dblp_url = (access.urls[name].rstrip("/") for name in ("s2", "dblp"))

    def papers(self, person: Person) -> list[Publication]:
        """Return the papers of a person in all services, each once."""
        ids = dict(person.ids)
        publications: list[Publication] = []
        if "openalex" in ids:
            publications += self._of_openalex("authorships.author.id", ids["openalex"])
        elif "orcid" in ids:
            publications += self._of_openalex("authorships.author.orcid", ids["orcid"])
        if "semantic_scholar" in ids:
            publications += self._of_semantic_scholar(ids["semantic_scholar"])
        if "dblp" in ids:
            publications += self._of_dblp(ids["dblp"].removeprefix("dblp:"))
        return _distinct(publications)

    def _of_openalex(self, key: str, value: str) -> Iterator[Publication]:
        with extra("formats"):
            from specter_graph.loaders.formats.openalex import work_converter

        def is_owner(author: Author) -> bool:
            return value in (author.id.removeprefix("openalex:"), author.orcid)

        convert = work_converter()
        for work in self._openalex.works([f"{key}:{value}"], _OPENALEX_FIELDS):
            for paper in _convert_record(convert, work):
                yield paper, _place(paper, is_owner)

    def _of_semantic_scholar(self, author: str) -> Iterator[Publication]:
        with extra("formats"):
            from specter_graph.loaders.formats.s2 import graph_paper
            from specter_graph.loaders.formats.web_sources import read_s2_pages
        number = author.removeprefix("s2:")
        url = f"{self._s2_url}/graph/v1/author/{number}/papers"
        unknown = RecordError(f"Semantic Scholar has no author {number}")
        for record in read_s2_pages(self._s2, url, _S2_FIELDS, unknown):
            for paper in _convert_record(graph_paper, record):
                yield paper, _place(paper, lambda each: each.id == author)

    def _of_dblp(self, pid: str) -> Iterator[Publication]:
        with extra("formats"):
            from specter_graph.loaders.parsing.xml import parse
        response = self._dblp.get(f"{self._dblp_url}/pid/{quote(pid)}.xml")
        if response is None:
            raise RecordError(f"dblp has no person {pid}")
        _, _, document = response.content.partition(b"?>")
        try:
            person, _ = parse(document.strip())
        except RecordError as error:
            raise InputError(f"the response of dblp cannot be read: {error}") from error
        for record in person.iterfind("r/*"):
            if record.tag in _DBLP_RECORDS and (paper := _dblp_paper(record)):
                pids = [author.get("pid") for author in record.iterfind("author")]
                yield paper, pids.index(pid) if pid in pids else None


def read_people(path: Path) -> list[tuple[Person, str]]:
    """Read reviewers with their ids elsewhere, and the place of each one in the file.

    The file is a list of reviewers with columns such as `orcid`, or CMT's list of users with the
    columns "Semantic Scholar URL" and "DBLP URL".

    Raises:
        InputError: A row cannot be used, or has none of the ids.
    """

    def checked(name: str, ids: dict[str, str]) -> Person:
        if not ids:
            raise RecordError(f"none of {', '.join(IDENTIFIERS)} is given", name)
        return Person(name, tuple(ids.items()))

    def own(row: Row) -> Person:
        ids, name = identifiers_of(row), reviewer_id(row)
        if orcid := orcid_of(name):
            ids.setdefault("orcid", orcid)
        elif parsed := parse_identifier("openalex", name):
            ids.setdefault("openalex", parsed)
        return checked(name, ids)

    def cmt_user(row: Row) -> Person:
        columns = {"semantic_scholar": "semantic scholar url", "dblp": "dblp url"}
        urls = {kind: text(row, column) for kind, column in columns.items()}
        name = required(row, "e-mail").lower()
        return checked(name, identifiers_of({kind: url for kind, url in urls.items() if url}))

    others = ("id", *IDENTIFIERS, "email", "name", "minimum", "maximum", "senior")
    layouts = [Layout("a list of reviewers", (name,), own, others) for name in others[:5]]
    user = ("middle initial (optional)", "last name", "organization", "country")
    layouts.append(
        Layout(
            "CMT's list of users",
            ("e-mail", "semantic scholar url", "dblp url"),
            cmt_user,
            ("first name", "# first name", *user, "google scholar url", "domain conflicts"),
        )
    )
    report = ReadReport(checks_columns=False)
    people = read_table(path, once(layouts, attrgetter("id")), report)
    return [(person, report.places[person]) for person in people]


def fetch_archives(
    path: Path, folder: Path, services: PaperServices, progress: Progress = silent
) -> FetchSummary:
    """Fetch the papers of the reviewers of a list into a folder of archives.

    Args:
        path: The list; see `read_people`.
        folder: The folder, which is created if necessary.
        services: Clients of the services.
        progress: Called with the number of reviewers.

    Raises:
        InputError: A row cannot be used, a service does not know a reviewer, or it does not answer.
            The files of the reviewers before are complete.
    """
    people = read_people(path)
    folder.mkdir(parents=True, exist_ok=True)
    papers = without = present = 0
    empty: list[str] = []
    for number, (person, place) in enumerate(people, 1):
        target = folder / f"{quote(person.id, safe='@')}.jsonl"
        if target.exists():
            present += 1
        else:
            try:
                publications = services.papers(person)
            except RecordError as error:
                raise InputError(
                    f"{place}, {person.id!r}: {error}",
                    "correct or remove the id, and run the command again to continue",
                ) from error
            write_file(
                target,
                b"".join(_format_line(publication, person.id) for publication in publications),
            )
            papers += len(publications)
            without += sum(not paper.abstract for paper, _ in publications)
            empty += [] if publications else [person.id]
        progress("reviewers", number, len(people))
    return FetchSummary(len(people) - present, present, papers, without, tuple(empty))


def _convert_record(convert: Callable[[Any], Any], record: object) -> Iterator[Paper]:
    """Yield the paper of a record, nothing for a record without an id or a title."""
    try:
        if isinstance(record, dict):
            yield from (item for item in convert(record) if isinstance(item, Paper))
    except RecordError:
        return


def _place(paper: Paper, is_owner: Callable[[Author], bool]) -> int | None:
    return next((at for at, author in enumerate(paper.authors) if is_owner(author)), None)


def _dblp_paper(record: "Element") -> Paper | None:
    with extra("formats"):
        from specter_graph.loaders.formats.bibliography import distinct, from_url, make_venue
        from specter_graph.loaders.parsing.xml import text_of

    key = record.get("key")
    title = text_of(record.find("title")).rstrip(".")
    if not key or not title:
        return None
    year = text_of(record.find("year"))
    venues = (text_of(record.find(name)) for name in ("journal", "booktitle"))
    names = [_NUMBER.sub("", text_of(author)) for author in record.iterfind("author")]
    return Paper(
        f"dblp:{key}",
        title,
        year=int(year) if year.isdecimal() else None,
        identifiers=distinct(from_url(text_of(link)) for link in record.iterfind("ee")),
        authors=tuple(Author(name, name) for name in names),
        venue=make_venue("dblp", next(filter(None, venues), None)),
    )


def _distinct(publications: list[Publication]) -> list[Publication]:
    """Return each paper once, with the abstract that any of the services gives."""
    distinct_ones: dict[int, Publication] = {}
    number_of: dict[object, int] = {}
    for number, (paper, place) in enumerate(publications):
        title = " ".join(re.findall(r"\w+", paper.title.casefold()))
        names = [*paper.identifiers, paper.id, title]
        known = next((number_of[name] for name in names if name in number_of), None)
        if known is None:
            distinct_ones[number] = (paper, place)
        elif paper.abstract and not distinct_ones[known][0].abstract:
            first, position = distinct_ones[known]
            distinct_ones[known] = (replace(first, abstract=paper.abstract), position)
        number_of |= dict.fromkeys(names, number if known is None else known)
    return [*distinct_ones.values()]


def _format_line(publications: Publication, owner: str) -> bytes:
    """Return the line of an archive, a note of OpenReview."""
    paper, place = publications
    arxiv = value_of(paper.identifiers, "arxiv")
    content = {
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "venue": paper.venue.name if paper.venue else None,
        "authors": [author.name for author in paper.authors],
        "authorids": [owner if at == place else "" for at in range(len(paper.authors))],
        "doi": value_of(paper.identifiers, "doi"),
        "html": f"https://arxiv.org/abs/{arxiv}" if arxiv else None,
    }
    note = {"id": paper.id, "content": {name: value for name, value in content.items() if value}}
    return orjson.dumps(note) + b"\n"
