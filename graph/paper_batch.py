"""Writes the records of papers within a transaction."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.merging.into import merged_into, unnamed_wait
from specter_graph.graph.merging.names import curated, tell_references, told_apart
from specter_graph.graph.merging.tellings import CitedAs
from specter_graph.graph.properties import citation_properties, paper_properties
from specter_graph.loaders.records import Author, Field, Paper, draw


@dataclass(frozen=True, slots=True)
class Entry:
    """A record on its way to the graph.

    `record` is its rank (the longer record of a paper counts) and a digest of all that it says,
    kept on the paper: what carries it already need not be written.
    """

    paper: Paper
    references: tuple[str, ...]
    record: int


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the records of a batch: their number by state, as `load/papers` names it."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0


@dataclass(slots=True)
class Forgotten:
    """What papers said before: what stays connected, and what may have become orphaned.

    `retold` are citations of merged papers that were told apart from records and must be made
    again.
    """

    kept: dict[str, set[str]] = field(default_factory=dict)
    retold: dict[str, CitedAs] = field(default_factory=dict)
    labels: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    authors: set[str] = field(default_factory=set)
    affiliated: set[str] = field(default_factory=set)
    venues: set[str] = field(default_factory=set)
    fields: set[tuple[str, str]] = field(default_factory=set)
    identifiers: set[tuple[str, str]] = field(default_factory=set)


def write_papers(tx: neo4j.ManagedTransaction, entries: Iterable[Entry], load: int) -> Written:
    """Write records, one of each paper, replacing what earlier records of theirs said.

    The embeddings of a paper, what was told apart from records, and what other programs keep on it
    stay.
    """
    by_id = {entry.paper.id: entry for entry in sorted(entries, key=lambda e: e.paper.id)}
    rows = run(tx, "papers", papers=[_paper_row(entry) for entry in by_id.values()], load=load)
    states = Counter(row["state"] for row in rows)
    new = [row for row in rows if row["state"] in ("new", "changed", "better")]
    written = [by_id[row["id"]] for row in new]
    known = [by_id[row["id"]] for row in new if row["known"]]
    forgotten = _forget(tx, known) if known else Forgotten()
    if written:
        _connect(tx, curated(tx, written), forgotten)
    if known:
        delete_orphans(tx, forgotten)
    return Written(
        new=states["new"],
        changed=states["changed"],
        unchanged=states["same"],
        duplicates=states["better"] + states["worse"],
    )


def run(tx: neo4j.ManagedTransaction, name: str, **parameters: object) -> list[dict[str, Any]]:
    """Run the statement load/NAME in a transaction; all rows."""
    return tx.run(statement(f"load/{name}").text, parameters).data()


def _paper_row(entry: Entry) -> dict[str, object]:
    paper = entry.paper
    return {
        "id": paper.id,
        "draw": draw(paper.id),
        "record": entry.record,
        "properties": paper_properties(paper),
    }


def _forget(tx: neo4j.ManagedTransaction, known: Iterable[Entry]) -> Forgotten:
    papers = [
        {
            "id": entry.paper.id,
            "references": None if "references" in entry.paper.elsewhere else entry.references,
        }
        for entry in known
    ]
    forgotten = Forgotten()
    for row in run(tx, "forget", papers=papers):
        forgotten.retold[row["id"]] = retold = told_apart(row["tellings"])
        forgotten.kept[row["id"]] = {*row["kept"], *retold}
        forgotten.labels[row["id"]] = {(scheme, key) for scheme, key in row["labels"]}
        forgotten.stubs.update(row["uncited"])
        forgotten.authors.update(row["authors"])
        forgotten.affiliated.update(row["affiliated"])
        forgotten.venues.update(row["venues"])
        forgotten.fields.update((scheme, key) for scheme, key in row["fields"])
        forgotten.identifiers.update((scheme, value) for scheme, value in row["identifiers"])
    return forgotten


def _connect(tx: neo4j.ManagedTransaction, written: Sequence[Entry], forgotten: Forgotten) -> None:
    """Make the relationships of records, but for those that are there.

    The statements name the papers of the batch by their number, and everything else comes in
    order, so that two loads at once lock in the same order.
    """
    papers = [entry.paper.id for entry in written]
    merged = merged_into(tx, (key for entry in written for key in entry.references))
    run(tx, "citations", papers=papers, cited=_cited(written, forgotten.kept, merged))
    tell_references(tx, [entry.paper for entry in written], forgotten.retold, merged)
    run(tx, "authors", papers=papers, authors=_authors(written))
    run(tx, "venues", papers=papers, venues=_venues(written))
    fields = _fields(written)
    run(tx, "fields", papers=papers, fields=_field_rows(fields, written, forgotten.labels))
    if identifiers := _identifiers(written):
        run(tx, "identifiers", papers=papers, identifiers=identifiers)
    if details := _details(written, merged):
        run(tx, "citation_details", citations=details)
    if broader := _broader(fields):
        run(tx, "broader", fields=broader)
    affiliations, authors = _affiliations(written)
    if affiliations:
        run(tx, "affiliations", affiliations=affiliations, authors=authors)


def _cited(
    written: Sequence[Entry], kept: dict[str, set[str]], merged: Mapping[str, str]
) -> list[dict[str, object]]:
    by: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        there = kept.get(entry.paper.id, ())
        for reference in entry.references:
            if reference not in there and reference not in merged:
                by[reference].append(number)
    return [{"id": key, "draw": draw(key), "by": by[key]} for key in sorted(by)]


def _details(written: Sequence[Entry], merged: Mapping[str, str]) -> list[dict[str, object]]:
    return [
        {"citing": entry.paper.id, "cited": citation.cited, "properties": details}
        for entry in written
        for citation in sorted(entry.paper.citations, key=lambda c: c.cited)
        if citation.cited not in merged and (details := citation_properties(citation))
    ]


def _authors(written: Sequence[Entry]) -> list[dict[str, object]]:
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


def _affiliations(
    written: Sequence[Entry],
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
                "first": min(when, default=None),
                "last": max(when, default=None),
            }
            for (author, affiliation), when in sorted(years.items())
        ],
    )


def _venues(written: Sequence[Entry]) -> list[dict[str, object]]:
    names: dict[str, str] = {}
    papers: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        if venue := entry.paper.venue:
            names[venue.id] = max(names.get(venue.id, venue.name), venue.name)
            papers[venue.id].append(number)
    return [{"id": key, "name": names[key], "papers": papers[key]} for key in sorted(papers)]


def _fields(written: Sequence[Entry]) -> dict[tuple[str, str], Field]:
    """Every field by scheme and id, with the last of its names and all that are broader."""
    fields: dict[tuple[str, str], Field] = {}
    for entry in written:
        for label in entry.paper.fields:
            key = label.scheme, label.id
            fields[key] = joined(fields[key], label) if key in fields else label
    return dict(sorted(fields.items()))


def joined(one: Field, other: Field) -> Field:
    """What two records say of one field."""
    if one is other or one == other:
        return one
    broader = tuple(sorted({*one.broader, *other.broader}))
    name = max(one.name, other.name, key=lambda name: (name != one.id, name))
    return Field(one.scheme, one.id, name, broader)


def _field_rows(
    fields: dict[tuple[str, str], Field],
    written: Sequence[Entry],
    labels: dict[str, set[tuple[str, str]]],
) -> list[dict[str, object]]:
    papers: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    for number, entry in enumerate(written):
        there = labels.get(entry.paper.id, ())
        for label in entry.paper.fields:
            if (label.scheme, label.id) not in there:
                papers[label.scheme, label.id][number] = None
    return [
        {"scheme": field.scheme, "id": field.id, "name": field.name, "papers": list(papers[key])}
        for key, field in fields.items()
    ]


def _broader(fields: dict[tuple[str, str], Field]) -> list[dict[str, object]]:
    return [
        {"scheme": field.scheme, "id": field.id, "broader": sorted(field.broader)}
        for field in fields.values()
        if field.broader
    ]


def _identifiers(written: Sequence[Entry]) -> list[dict[str, object]]:
    papers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        for identifier in dict.fromkeys(entry.paper.identifiers):
            papers[identifier.scheme, identifier.value].append(number)
    return [
        {"scheme": scheme, "value": value, "papers": numbers}
        for (scheme, value), numbers in sorted(papers.items())
    ]


def delete_orphans(tx: neo4j.ManagedTransaction, forgotten: Forgotten) -> None:
    """Delete what nothing names any more, of that which papers said before."""
    unnamed_wait(tx, forgotten.stubs)
    if forgotten.affiliated:
        run(tx, "forget_affiliations", authors=sorted(forgotten.affiliated))
    run(
        tx,
        "orphans",
        stubs=sorted(forgotten.stubs),
        authors=sorted(forgotten.authors),
        venues=sorted(forgotten.venues),
        fields=sorted(forgotten.fields),
        identifiers=sorted(forgotten.identifiers),
    )
