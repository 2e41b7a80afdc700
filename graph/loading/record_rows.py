"""Convert records of papers to the rows of the statements that write them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from specter_graph.graph.loading.source_records import RankedRecord
from specter_graph.loaders.records import Author, Citation, Field, Paper, sample_key

Statements: TypeAlias = dict[str, dict[str, object]]
"""Names of statements, in the order in which they run, with their parameters."""

TEXTS = ("title", "abstract", "published", "language", "url", "source", "body")
IDENTIFIERS = {"doi": "doi", "arxiv": "arxiv_id", "pmid": "pubmed_id"}
"""Identifier schemes that are also properties, the first value of each."""

CITATION_PROPERTIES = ("intents", "influential", "contexts")

_OF_RECORD = (*(name for name in TEXTS if name != "abstract"), "year", "retracted")


def paper_properties(paper: Paper) -> dict[str, object]:
    """Return the properties of a record without the abstract; missing ones are None."""
    properties: dict[str, object] = {name: getattr(paper, name) for name in _OF_RECORD}
    properties.update(dict.fromkeys(IDENTIFIERS.values()))
    for identifier in reversed(paper.identifiers):
        if name := IDENTIFIERS.get(identifier.scheme):
            properties[name] = identifier.value
    return properties


def citation_properties(citation: Citation) -> dict[str, object]:
    """Return the properties of a citation that the source gives."""
    values = list(citation.intents) or None, citation.influential, list(citation.contexts) or None
    pairs = zip(CITATION_PROPERTIES, values, strict=True)
    return {name: value for name, value in pairs if value is not None}


def paper_rows(entries: Iterable[RankedRecord]) -> list[dict[str, object]]:
    """Return the rows of `loading/papers`."""
    return [
        {
            "id": entry.paper.id,
            "sample_key": sample_key(entry.paper.id),
            "record_version": entry.record,
            "abstract": entry.paper.abstract,
            "properties": paper_properties(entry.paper),
            **{f"{part}_version": rank for part, rank in entry.parts.items()},
        }
        for entry in entries
    ]


def relationships(
    written: Sequence[RankedRecord],
    *,
    remaining: Mapping[str, Collection[str]] = MappingProxyType({}),
    labels: Mapping[str, Collection[tuple[str, str]]] = MappingProxyType({}),
    records: Collection[str] = (),
) -> Statements:
    """Return the statements that create the relationships of entries.

    The statements name the papers of the batch by their number. All other nodes are in order, so
    that two concurrent loads lock them in the same order.

    Args:
        written: The entries.
        remaining: References that papers are already connected with, by paper; also SourceRecords.
        labels: Fields (scheme, id) that papers are already connected with, by paper.
        records: References that have a SourceRecord.

    Returns:
        The statements that have rows.
    """
    papers = [entry.paper.id for entry in written]
    fields = united_fields(label for entry in written for label in entry.paper.fields)
    affiliations, affiliated = _affiliation_rows(written)
    cited, of_records = _citation_rows(written, remaining, records)
    statements: Statements = {
        "citations": {"cited": cited, "papers": papers},
        "record_citations": {"cited": of_records, "papers": papers},
        "authors": {"authors": _author_rows(written), "papers": papers},
        "venues": {"venues": _venue_rows(written), "papers": papers},
        "fields": {"fields": _field_rows(fields, written, labels), "papers": papers},
        "identifiers": {"identifiers": _identifier_rows(written), "papers": papers},
        "citation_details": {"citations": _detail_rows(written, records)},
        "broader": {"fields": broader_rows(fields)},
        "affiliations": {"affiliations": affiliations, "authors": affiliated},
    }
    return {name: given for name, given in statements.items() if all(given.values())}


def _citation_rows(
    written: Sequence[RankedRecord],
    remaining: Mapping[str, Collection[str]],
    records: Collection[str],
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the rows of `loading/citations` and of `loading/record_citations`."""
    by: dict[str, list[int]] = defaultdict(list)
    properties: dict[str, list[dict[str, object]]] = defaultdict(list)
    for number, entry in enumerate(written):
        known = remaining.get(entry.paper.id, ())
        details = {c.cited: c for c in entry.paper.citations} if records else {}
        for reference in entry.references:
            if reference in known:
                continue
            by[reference].append(number)
            if reference in records:
                citation = details.get(reference)
                properties[reference].append(citation_properties(citation) if citation else {})
    return (
        [
            {"id": key, "sample_key": sample_key(key), "by": by[key]}
            for key in sorted(by)
            if key not in records
        ],
        [{"id": key, "by": by[key], "properties": properties[key]} for key in sorted(properties)],
    )


def _detail_rows(
    written: Sequence[RankedRecord], records: Collection[str]
) -> list[dict[str, object]]:
    return [
        {"citing": entry.paper.id, "cited": citation.cited, "properties": details}
        for entry in written
        for citation in sorted(entry.paper.citations, key=lambda c: c.cited)
        if citation.cited not in records and (details := citation_properties(citation))
    ]


def _author_rows(written: Sequence[RankedRecord]) -> list[dict[str, object]]:
    known: dict[str, Author] = {}
    orcids: dict[str, str] = {}
    positions: dict[str, dict[int, int]] = defaultdict(dict)
    affiliations: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for number, entry in enumerate(written):
        for position, author in enumerate(entry.paper.authors, 1):
            positions[author.id].setdefault(number, position)
            affiliations[author.id, number].update((a.id, None) for a in author.affiliations)
            known[author.id] = max(known.get(author.id, author), author, key=lambda a: a.name)
            if author.orcid:
                orcids[author.id] = max(orcids.get(author.id, ""), author.orcid)
    return [
        {
            "id": key,
            "name": known[key].name,
            "identified": known[key].identified,
            "orcid": orcids.get(key),
            "papers": list(papers),
            "positions": list(papers.values()),
            "affiliations": [list(affiliations[key, number]) or None for number in papers],
        }
        for key, papers in sorted(positions.items())
    ]


def _affiliation_rows(
    written: Sequence[RankedRecord],
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    names: dict[str, str] = {}
    years: dict[tuple[str, str], list[int]] = defaultdict(list)
    for entry in written:
        for author in entry.paper.authors:
            for affiliation in author.affiliations:
                known = names.get(affiliation.id, affiliation.name)
                names[affiliation.id] = max(known, affiliation.name)
                year = entry.paper.year
                years[author.id, affiliation.id] += [year] if year is not None else []
    numbers = {key: number for number, key in enumerate(sorted(names))}
    return (
        [{"id": key, "name": names[key]} for key in numbers],
        [
            {
                "id": author,
                "affiliation": numbers[affiliation],
                "first": min(known_years, default=None),
                "last": max(known_years, default=None),
            }
            for (author, affiliation), known_years in sorted(years.items())
        ],
    )


def _venue_rows(written: Sequence[RankedRecord]) -> list[dict[str, object]]:
    names: dict[str, str] = {}
    papers: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        if venue := entry.paper.venue:
            names[venue.id] = max(names.get(venue.id, venue.name), venue.name)
            papers[venue.id].append(number)
    return [{"id": key, "name": names[key], "papers": papers[key]} for key in sorted(papers)]


def united_fields(labels: Iterable[Field]) -> dict[tuple[str, str], Field]:
    """Return fields by scheme and id, in order, with the last names and all broader fields."""
    fields: dict[tuple[str, str], Field] = {}
    for label in labels:
        key = label.scheme, label.id
        fields[key] = _join_fields(fields[key], label) if key in fields else label
    return dict(sorted(fields.items()))


def _join_fields(one: Field, other: Field) -> Field:
    """Combine two descriptions of one field."""
    if one is other or one == other:
        return one
    broader = tuple(sorted({*one.broader, *other.broader}))
    name = max(one.name, other.name, key=lambda name: (name != one.id, name))
    return Field(one.scheme, one.id, name, broader)


def _field_rows(
    fields: dict[tuple[str, str], Field],
    written: Sequence[RankedRecord],
    labels: Mapping[str, Collection[tuple[str, str]]],
) -> list[dict[str, object]]:
    papers: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    for number, entry in enumerate(written):
        known = labels.get(entry.paper.id, ())
        for label in entry.paper.fields:
            if (label.scheme, label.id) not in known:
                papers[label.scheme, label.id][number] = None
    return [
        {"scheme": field.scheme, "id": field.id, "name": field.name, "papers": list(papers[key])}
        for key, field in fields.items()
    ]


def broader_rows(fields: Mapping[tuple[str, str], Field]) -> list[dict[str, object]]:
    """Return the rows of `loading/broader`."""
    return [
        {"scheme": field.scheme, "id": field.id, "broader": sorted(field.broader)}
        for field in fields.values()
        if field.broader
    ]


def _identifier_rows(written: Sequence[RankedRecord]) -> list[dict[str, object]]:
    papers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        for identifier in dict.fromkeys(entry.paper.identifiers):
            papers[identifier.scheme, identifier.value].append(number)
    return [
        {"scheme": scheme, "value": value, "papers": numbers}
        for (scheme, value), numbers in sorted(papers.items())
    ]
