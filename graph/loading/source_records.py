"""Precedence of the records of one paper, and loading into papers that several sources describe.

Deduplication turns each paper that it combines with others into a node
(:SourceRecord {id, record, load, json})-[:DESCRIBES]->(:Paper). Its `json` is the content that the
graph had under that id. Later records of the id, and supplements to it, are stored there as pending
until the next merge. Citations and readings of the id are relationships NAMES to the SourceRecord,
from which the CITES, VIEWED and SAVED of the paper are derived at once. In a graph without
SourceRecords all of this costs one look at a count.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import cache
from hashlib import blake2b
from typing import Any, TypeAlias

import neo4j
import orjson
from pydantic import TypeAdapter

from specter_graph.graph.database import run_statement
from specter_graph.graph.loading.summary import COUNTED_AS, WriteCounts
from specter_graph.loaders.records import Abstract, Citation, Field, Labels, Paper

_LENGTH_BITS, _DIGEST_BITS = 24, 37
"""With 2 bits for the parts these are 63 bits, because Neo4j's integers are signed.

A length above 16 MB counts as 16 MB.
"""

_MAX_ELSEWHERE = 3

PARTS = ("abstract", "references")
"""Parts of a paper that a record may leave to other records (`Paper.elsewhere`)."""

Supplement: TypeAlias = Abstract | Citation | Labels
"""An item that adds to the paper `id` (or `citing`) as its record does."""

SUPPLEMENTS = (Citation, Abstract, Labels)


def rank(record: Paper | Citation) -> int:
    """Return the rank of a record, one integer; the record of highest rank of a paper counts.

    The highest bits are the number of parts that the record has itself. The length of its canonical
    JSON text in bytes and a digest of this text follow. Two different records of equal length have
    the same rank with a probability of 2^-37.
    """
    values = _ranked_values(record) if isinstance(record, Paper) else record
    text = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)  # a year may be of NumPy
    digest = int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> (64 - _DIGEST_BITS)
    length: int = min(len(text), 2**_LENGTH_BITS - 1)
    elsewhere = len(record.elsewhere) if isinstance(record, Paper) else 0
    return ((_MAX_ELSEWHERE - elsewhere) << _LENGTH_BITS | length) << _DIGEST_BITS | digest


def _ranked_values(paper: Paper) -> tuple[object, ...]:
    """Return all values of a record without their names: three times as fast as orjson."""
    return (
        *(paper.id, paper.title, paper.abstract, paper.year, paper.published, paper.language),
        *(paper.url, paper.source, paper.body, paper.retracted),
        [(identifier.scheme, identifier.value) for identifier in paper.identifiers],
        [(a.id, a.name, a.identified, a.orcid, a.affiliations) for a in paper.authors],
        paper.venue and (paper.venue.id, paper.venue.name),
        [(label.scheme, label.id, label.name, label.broader) for label in paper.fields],
        paper.references,
        paper.citations,
        paper.elsewhere,
    )


def length_of(rank: int) -> int:
    """Return the length, in bytes, of a record of this rank."""
    length: int = (rank >> _DIGEST_BITS) & (2**_LENGTH_BITS - 1)
    return length


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """A record to be written.

    Attributes:
        paper: The record.
        references: Its distinct references, without the paper itself.
        record: Its rank. The paper stores it too, so that an equal record is not written again.
        parts: The rank of the record from which a part was taken, if it is another record; 0 if no
            record has the part.
    """

    paper: Paper
    references: tuple[str, ...]
    record: int
    parts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, paper: Paper, record: int) -> "RankedRecord":
        """Return a record with its rank."""
        if not paper.elsewhere:
            return cls(paper, _list_references(paper), record)
        parts = dict.fromkeys((part for part in PARTS if part in paper.elsewhere), 0)
        if "references" in parts and (paper.references or paper.citations):
            paper = replace(paper, references=(), citations=())
        return cls(paper, _list_references(paper), record, parts)

    def completed(self, other: "RankedRecord") -> "RankedRecord":
        """Take missing parts, or parts of higher rank, from another record of the paper."""
        entry = self
        for part, own_rank in self.parts.items():
            other_rank = other.parts.get(part, other.record)
            if other_rank > own_rank:
                entry = entry._take_part(part, other, other_rank)
        return entry

    def _take_part(self, part: str, other: "RankedRecord", rank: int) -> "RankedRecord":
        """Return this record with a part of another one."""
        elsewhere = tuple(name for name in self.paper.elsewhere if name != part)
        parts, taken = {**self.parts, part: rank}, other.paper
        if part == "abstract":
            paper = replace(self.paper, abstract=taken.abstract, elsewhere=elsewhere)
            return RankedRecord(paper, self.references, self.record, parts)
        references, citations = taken.references, taken.citations
        paper = replace(self.paper, references=references, citations=citations, elsewhere=elsewhere)
        return RankedRecord(paper, other.references, self.record, parts)


def combined(one: RankedRecord, other: RankedRecord) -> RankedRecord:
    """Combine two records of a paper: the one of higher rank, completed by the other."""
    return one.completed(other) if one.record >= other.record else other.completed(one)


def _list_references(paper: Paper) -> tuple[str, ...]:
    return tuple(key for key in dict.fromkeys(paper.references) if key != paper.id)


@dataclass(frozen=True, slots=True)
class CitationDetails:
    """The properties of one citation."""

    intents: tuple[str, ...] = ()
    influential: bool | None = None
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SupplementCitation:
    """A citation of the paper `cited` that came as a supplement."""

    cited: str
    details: CitationDetails


@dataclass(frozen=True, slots=True)
class SourceContent:
    """The content of the graph under one id, without its incoming citations and readings.

    `paper` is the record, None for a stub. `abstract`, `citations` and `labels` are supplements.
    `parts` are the properties abstract_version and references_version, if there is either.
    """

    id: str
    paper: Paper | None = None
    abstract: str | None = None
    citations: tuple[SupplementCitation, ...] = ()
    labels: tuple[Field, ...] = ()
    parts: tuple[int | None, int | None] | None = None

    @classmethod
    def from_json(cls, text: str) -> "SourceContent":
        """Decode the property `json` of a SourceRecord."""
        content: SourceContent = _make_adapter(SourceContent).validate_json(text)
        return content

    @classmethod
    def from_map(cls, values: Mapping[str, object]) -> "SourceContent":
        """Convert a map, such as Cypher returns."""
        content: SourceContent = _make_adapter(SourceContent).validate_python(values)
        return content

    def supplements(self) -> list[Supplement]:
        """Return the supplements as items of a corpus."""
        items: list[Supplement] = [
            Citation(self.id, citation.cited, *astuple(citation.details))
            for citation in self.citations
        ]
        items += [Abstract(self.id, self.abstract)] if self.abstract else []
        items += [Labels(self.id, self.labels)] if self.labels else []
        return items

    def includes(self, item: Supplement) -> bool:
        """Return True if loading the supplement would change nothing."""
        if isinstance(item, Abstract):
            own = self.abstract or ""
            return (len(own), own) >= (len(item.text), item.text)
        if isinstance(item, Labels):
            labels = {(label.scheme, label.id) for label in self.labels}
            return {(label.scheme, label.id) for label in item.fields} <= labels
        return any(
            known.cited == item.cited and rank(known) >= rank(item)
            for known in self.supplements()
            if isinstance(known, Citation)
        )


@cache
def _make_adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Return the decoder of a class, which takes time to make."""
    return TypeAdapter(kind)


def to_json(value: object) -> str:
    """Encode a content or a record."""
    return orjson.dumps(value).decode()


def record_from_json(text: str) -> Paper:
    """Decode the property `pending_record` of a SourceRecord."""
    paper: Paper = _make_adapter(Paper).validate_json(text)
    return paper


def supplement_from_json(text: str) -> Supplement:
    """Decode an element of the property `pending_items` of a SourceRecord."""
    kind, values = orjson.loads(text)
    [known] = [each for each in SUPPLEMENTS if each.__name__ == kind]
    item: Supplement = _make_adapter(known).validate_python(values)
    return item


def canonical_papers(tx: neo4j.ManagedTransaction, ids: Iterable[str]) -> dict[str, str]:
    """Map each of the ids that has a SourceRecord to the id of the paper that it describes."""
    if not run_statement(tx, "loading/has_source_records")[0]["present"]:
        return {}
    [row] = run_statement(tx, "loading/canonical_papers", ids=sorted(set(ids)))
    return dict(zip(row["ids"], row["papers"], strict=True))


def supplemented_paper(item: Supplement) -> str:
    """Return the id of the paper to which a supplement adds."""
    return item.citing if isinstance(item, Citation) else item.id


def store_pending(
    tx: neo4j.ManagedTransaction,
    entries: Iterable[RankedRecord],
    supplements: Iterable[Supplement],
    load: int,
) -> WriteCounts:
    """Store records and supplements of ids that have SourceRecords until the next merge.

    Records and supplements that would change nothing are only counted.
    """
    records = {entry.paper.id: entry for entry in entries}
    items: dict[str, list[Supplement]] = defaultdict(list)
    for item in supplements:
        items[supplemented_paper(item)].append(item)
    written, rows = WriteCounts(), []
    for row in run_statement(tx, "loading/source_records", ids=sorted({*records, *items})):
        key = row["id"]
        change: dict[str, object] = {
            "id": key,
            "load": row["load"],
            "record_version": row["record_version"],
        }
        if entry := records.get(key):
            state, entry = _compare_record(row, entry, load)
            written[COUNTED_AS[state]] += 1
            change["load"] = load
            if state in ("new", "changed", "better"):
                change |= {"record_version": entry.record, "pending_record": to_json(entry.paper)}
        distinct = {to_json((type(item).__name__, item)): item for item in items[key]}
        new = _find_new_items(row, distinct) if distinct else []
        change["pending_items"] = new
        known, again = len(distinct) - len(new), len(items[key]) - len(distinct)
        written += WriteCounts(new=len(new), unchanged=known, duplicates=again)
        rows.append(change)
    run_statement(tx, "loading/store_pending", records=rows)
    return written


def _compare_record(
    row: Mapping[str, Any], entry: RankedRecord, load: int
) -> tuple[str, RankedRecord]:
    """Return the state of a record, as in loading/papers, and the record to store as pending."""
    if pending := row["pending_record"]:
        known = RankedRecord.of(record_from_json(pending), row["record_version"])
        entry = combined(entry, known) if row["load"] == load else entry.completed(known)
    if row["record_version"] is None:
        return "new", entry
    if row["record_version"] == entry.record and pending in (None, to_json(entry.paper)):
        return "same", entry
    if row["load"] != load:
        return "changed", entry
    return "better" if row["record_version"] <= entry.record else "worse", entry


def _find_new_items(row: Mapping[str, Any], items: Mapping[str, Supplement]) -> list[str]:
    content = SourceContent.from_json(row["json"])
    pending = row["pending_items"] or ()
    return [
        text for text, item in items.items() if text not in pending and not content.includes(item)
    ]


def derive_citations(
    tx: neo4j.ManagedTransaction, *, citing: Collection[str], cited: Collection[str] = ()
) -> None:
    """Derive citations from SourceRecords, for these citing papers and these cited papers."""
    if citing or cited:
        run_statement(tx, "loading/derive_citations", citing=sorted(citing), cited=sorted(cited))
