"""What the sources say together of one paper: which of them counts for what."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from specter_graph.graph.deduplication.tellings import Telling, joined, telling_of
from specter_graph.graph.deduplication.told import Member
from specter_graph.loaders.records import Citation, Field, Paper

PREFERENCE = (
    "crossref",
    "pubmed",
    "acl",
    "jats",
    "arxiv",
    "openalex",
    "semantic scholar",
    "aminer",
    "opencitations",
    "zotero",
    "csl",
    "bibtex",
    "ris",
)
"""Which source counts before which: publishers and curated catalogues, then what is gathered by
machine, then what people keep; any other comes after these, in the order of the alphabet."""

_PROPERTIES = ("title", "abstract", "year", "published", "language", "url", "source", "body")
_COMPARED = ("title", "year", "published", "language", "retracted")
"""Properties of which the report tells what the other sources say: those that are short."""


@dataclass(frozen=True, slots=True)
class United:
    """One paper made of several records.

    `paper` is the record of them together. `won` says, by property, which member it is of;
    `differing` what members say of a property, where they do not agree.
    """

    paper: Paper
    won: dict[str, str]
    differing: dict[str, dict[str, Any]]


class Preference:
    """An order of sources: those that are named, then PREFERENCE, then the alphabet."""

    def __init__(self, prefer: Sequence[str] = ()) -> None:
        self.order = list(dict.fromkeys([*prefer, *PREFERENCE]))
        self._places = {source: place for place, source in enumerate(self.order)}

    def of(self, member: Member) -> tuple[int, str]:
        """The lesser, the better."""
        return self._places.get(member.source, len(self._places)), member.source

    def counting(self, members: Iterable[Member]) -> list[Member]:
        """Members in the order in which their properties count, those without a record last."""
        return sorted(
            members,
            key=lambda member: (
                member.paper is None,
                self.of(member),
                -(member.record or 0),
                member.id,
            ),
        )

    def canonical(self, members: Iterable[Member]) -> Member:
        """The member whose id the paper keeps: with a record, of the best source, the least id."""
        return min(members, key=lambda each: (each.paper is None, self.of(each), each.id))


def unite(key: str, members: Iterable[Member], preference: Preference) -> United:
    """Make one record, of the id `key`, of several: a function of them and the preference alone.

    A property is that of the first member that has one; so are the authors and the venue. Who is
    retracted in one source is retracted. All identifiers, fields and references stay, the latter
    under the ids by which the sources name them.
    """
    counting = preference.counting(members)
    papers = [member.paper for member in counting if member.paper]
    values: dict[str, Any] = {}
    won: dict[str, str] = {}
    for name in (*_PROPERTIES, "authors", "venue"):
        first = next((paper for paper in papers if _said(getattr(paper, name))), None)
        if first:
            values[name], won[name] = getattr(first, name), first.id
    abstracts = [each.told.abstract for each in counting if each.told.abstract]
    if "abstract" not in values and abstracts:
        values["abstract"] = max(abstracts, key=lambda text: (len(text), text))
    cited = _cited(counting)
    paper = Paper(
        id=key,
        **values,
        retracted=_retracted(papers),
        identifiers=tuple(dict.fromkeys(each for paper in papers for each in paper.identifiers)),
        fields=_fields(counting),
        references=tuple(cited),
        citations=tuple(_citation(key, *each) for each in cited.items() if each[1] != Telling()),
    )
    return United(paper, won, _differing(papers))


def _said(value: object) -> bool:
    return value is not None and value != ()


def _retracted(papers: Sequence[Paper]) -> bool | None:
    said = [paper.retracted for paper in papers if paper.retracted is not None]
    return any(said) if said else None


def _fields(members: Iterable[Member]) -> tuple[Field, ...]:
    """All fields in order, each with the last of its names in the alphabet, as in loading."""
    fields: dict[tuple[str, str], Field] = {}
    for member in members:
        for field in (*(member.paper.fields if member.paper else ()), *member.told.labels):
            known = fields.setdefault((field.scheme, field.id), field)
            if known.name < field.name:
                fields[field.scheme, field.id] = field
    return tuple(fields[key] for key in sorted(fields))


def _cited(members: Iterable[Member]) -> dict[str, Telling]:
    """Whom the members cite, in order, with all that they tell of it."""
    cited: dict[str, Telling] = {}

    def tell(key: str, telling: Telling) -> None:
        cited[key] = joined(cited[key], telling) if key in cited else telling

    for member in members:
        if member.paper:
            details = {each.cited: each for each in member.paper.citations}
            for key in member.paper.references:
                tell(key, telling_of(details.get(key)))
        for apart in member.told.citations:
            tell(apart.cited, replace(apart.telling, apart=None))
    return dict(sorted(cited.items()))


def _citation(citing: str, cited: str, telling: Telling) -> Citation:
    return Citation(
        citing, cited, telling.intents or (), telling.influential, telling.contexts or ()
    )


def _differing(papers: Sequence[Paper]) -> dict[str, dict[str, Any]]:
    differing = {}
    for name in _COMPARED:
        said = {paper.id: getattr(paper, name) for paper in papers}
        said = {key: value for key, value in said.items() if value is not None}
        if len(set(said.values())) > 1:
            differing[name] = said
    return differing
