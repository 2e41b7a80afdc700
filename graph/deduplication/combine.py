"""Combine the records of several sources of one paper, its group, into one record."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import neo4j

from specter_graph.graph.database import run_statement
from specter_graph.graph.loading.record_rows import united_fields
from specter_graph.graph.loading.source_records import SourceContent
from specter_graph.loaders.identifiers import ENRICHES
from specter_graph.loaders.records import Citation, Field, Paper

PREFERENCE = (
    *("crossref", "pubmed", "acl", "jats", "arxiv", "openalex", "semantic scholar", "wos"),
    *("scopus", "dimensions", "lens", "aminer", "grobid", "opencitations", "zotero", "csl"),
    *("bibtex", "ris", "endnote"),
)
"""The default order of sources: publishers and curated catalogs, then automatic collections, then
personal libraries. Other sources follow in alphabetical order."""

_PROPERTIES = ("title", "abstract", "year", "published", "language", "url", "source", "body")
_COMPARED = ("title", "year", "published", "language", "retracted")
"""Short properties, whose differences between the sources are reported."""


@dataclass(frozen=True, slots=True)
class Member:
    """One of several papers that are the same.

    `sample_key` decides its split, see `graph.split`. `record` is the rank and digest of its
    record, None for a stub; `load` is the load that wrote the record.
    """

    content: SourceContent
    sample_key: int
    record: int | None
    load: int | None

    @property
    def id(self) -> str:
        """Its id in the source."""
        return self.content.id

    @property
    def paper(self) -> Paper | None:
        """Its record, if it has one."""
        return self.content.paper

    @property
    def source(self) -> str:
        """The source of its record; for records without one, the prefix of the id, or ""."""
        if self.paper and self.paper.source:
            return self.paper.source
        prefix, colon, _ = self.id.partition(":")
        return prefix if colon else ""

    @property
    def is_enrichment(self) -> bool:
        """True for a record that `enrich` has found."""
        return self.paper is not None and any(
            identifier.scheme == ENRICHES for identifier in self.paper.identifiers
        )


def lock_members(tx: neo4j.ManagedTransaction, ids: Iterable[str]) -> list[Member]:
    """Read papers that are not combined with others, and lock them."""
    members = []
    for row in run_statement(tx, "deduplication/contents", ids=sorted(set(ids))):
        content = row["content"]
        if paper := content["paper"]:
            paper["authors"] = _fill_gaps(paper["authors"])
        members.append(_make_member(row, SourceContent.from_map(content)))
    return members


def member_of_row(row: Mapping[str, Any]) -> Member:
    """Return the member that a row describes by sample key, record, load and json."""
    return _make_member(row, SourceContent.from_json(row["json"]))


def _make_member(row: Mapping[str, Any], content: SourceContent) -> Member:
    return Member(content, row["sample_key"], row["record_version"], row["load"])


def _fill_gaps(authors: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Fill the positions of authors who are listed a second time: the graph keeps the first."""
    filled: list[dict[str, Any]] = []
    for author in authors:
        filled += [authors[0]] * (author["position"] - len(filled) - 1)
        filled.append(author)
    return filled


@dataclass(frozen=True, slots=True)
class CombinedRecord:
    """The record of a group.

    `origins` is, by property, the id of the member that gave its value; `differences` are the
    values of a property by member, where these differ.
    """

    paper: Paper
    origins: dict[str, str]
    differences: dict[str, dict[str, Any]]


class Preference:
    """An order of sources: those named, then PREFERENCE, then the alphabet."""

    def __init__(self, prefer: Sequence[str] = ()) -> None:
        self.order = list(dict.fromkeys([*prefer, *PREFERENCE]))
        self._ranks = {source: number for number, source in enumerate(self.order)}

    def canonical(self, members: Iterable[Member]) -> Member:
        """Return the member whose id the paper gets: with a record, best source, smallest id.

        Records that `enrich` has found come after all others, here and in `sort`.
        """
        return min(members, key=lambda each: (each.paper is None, *self._rank(each), each.id))

    def sort(self, members: Iterable[Member]) -> list[Member]:
        """Sort members by precedence of their properties; of one source the longer record first."""
        return sorted(members, key=lambda each: (*self._rank(each), -(each.record or 0), each.id))

    def _rank(self, member: Member) -> tuple[bool, int, str]:
        rank = self._ranks.get(member.source, len(self._ranks))
        return member.is_enrichment, rank, member.source


def combine(members: Iterable[Member], preference: Preference) -> CombinedRecord:
    """Return one record for the members of a group, whatever their order.

    Each property, the list of authors and the venue are those of the first member, by preference,
    that has any. A paper that one source calls retracted is retracted. Identifiers, fields and
    references are united; references between members are left out.
    """
    members = preference.sort(members)
    papers = [member.paper for member in members if member.paper]
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name in (*_PROPERTIES, "authors", "venue"):
        for paper in papers:
            if getattr(paper, name) not in (None, ()):
                values[name], origins[name] = getattr(paper, name), paper.id
                break
    abstracts = [record.content.abstract for record in members if record.content.abstract]
    if "abstract" not in values and abstracts:
        values["abstract"] = max(abstracts, key=lambda text: (len(text), text))
    retracted = [paper.retracted for paper in papers if paper.retracted is not None]
    key = preference.canonical(members).id
    only_enrich = all(member.is_enrichment for member in members if member.paper)
    hidden = set() if only_enrich else {ENRICHES}
    identifiers = [
        identifier
        for paper in papers
        for identifier in paper.identifiers
        if identifier.scheme not in hidden
    ]
    ids = {member.id for member in members}
    citations = [
        citation for citation in _unite_citations(key, members) if citation.cited not in ids
    ]
    paper = Paper(
        id=key,
        **values,
        retracted=any(retracted) if retracted else None,
        identifiers=tuple(dict.fromkeys(identifiers)),
        fields=tuple(united_fields(chain.from_iterable(map(list_labels, members))).values()),
        references=tuple(citation.cited for citation in citations),
        citations=tuple(
            citation for citation in citations if citation != Citation(key, citation.cited)
        ),
    )
    return CombinedRecord(paper, origins, _find_differences(papers))


def list_labels(member: Member) -> tuple[Field, ...]:
    """Return the fields of a member, also those from supplements."""
    return (*member.content.labels, *(member.paper.fields if member.paper else ()))


def _unite_citations(citing: str, members: Iterable[Member]) -> list[Citation]:
    """Return one citation for each id that members cite, with all details, in order."""
    known: dict[str, set[Citation]] = defaultdict(set)
    for member in members:
        references = member.paper.references if member.paper else ()
        citations = chain(
            (Citation(member.id, cited) for cited in references),
            member.paper.citations if member.paper else (),
            (
                supplement
                for supplement in member.content.supplements()
                if isinstance(supplement, Citation)
            ),
        )
        for citation in citations:
            known[citation.cited].add(citation)
    return [_unite(citing, cited, known[cited]) for cited in sorted(known)]


def _unite(citing: str, cited: str, citations: Iterable[Citation]) -> Citation:
    opinions = [citation.influential for citation in citations if citation.influential is not None]
    return Citation(
        citing,
        cited,
        _unite_texts(citation.intents for citation in citations),
        any(opinions) if opinions else None,
        _unite_texts(citation.contexts for citation in citations),
    )


def _unite_texts(texts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the only list as it is, and of several the union in alphabetical order."""
    distinct = {text for text in texts if text}
    return distinct.pop() if len(distinct) == 1 else tuple(sorted({*chain(*distinct)}))


def _find_differences(papers: Sequence[Paper]) -> dict[str, dict[str, Any]]:
    differences = {}
    for name in _COMPARED:
        values = {paper.id: getattr(paper, name) for paper in papers}
        values = {key: value for key, value in values.items() if value is not None}
        if len(set(values.values())) > 1:
            differences[name] = values
    return differences
