"""Writes what records name by ids that mean other papers or authors since a merge."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import neo4j

from specter_graph.graph.deduplication.into import authors_into, merged_into
from specter_graph.graph.deduplication.tellings import (
    CitedAs,
    Outcome,
    read_as,
    tell_citations,
    tell_readings,
    telling_of,
    told_citations,
)
from specter_graph.graph.loading.record_rows import Entry
from specter_graph.loaders.records import Citation, Paper, Reading


def tell_references(
    tx: neo4j.ManagedTransaction,
    papers: Iterable[Paper],
    retold: Mapping[str, CitedAs],
    merged: Mapping[str, str],
) -> None:
    """Make the citations of papers that are merged, and those that were told apart and are gone.

    `merged` says which references mean which papers.
    """
    told: dict[tuple[str, str], CitedAs] = defaultdict(dict)
    again = {named for tellings in retold.values() for named in tellings}
    into = {**(merged_into(tx, again) if again else {}), **merged}
    for paper in papers if merged else ():
        details = {citation.cited: citation for citation in paper.citations}
        for named in paper.references:
            if named in merged:
                told[paper.id, merged[named]][named] = telling_of(details.get(named))
    for citing, tellings in retold.items():
        for named, telling in tellings.items():
            told[citing, into.get(named, named)][named] = telling
    if told:
        tell_citations(tx, told)


def tell_apart(
    tx: neo4j.ManagedTransaction,
    citations: Iterable[tuple[int, Citation]],
    merged: Mapping[str, str],
) -> Outcome:
    """Make citations of merged papers that are told apart from records, each with its rank."""
    told: dict[tuple[str, str], CitedAs] = defaultdict(dict)
    for rank, citation in citations:
        telling = replace(telling_of(citation), apart=rank)
        told[citation.citing, merged[citation.cited]][citation.cited] = telling
    return tell_citations(tx, told) if told else Outcome()


def tell_read(
    tx: neo4j.ManagedTransaction, readings: Iterable[Reading], merged: Mapping[str, str]
) -> Outcome:
    """Make readings of merged papers."""
    told = read_as((replace(each, paper=merged[each.paper]), each.paper) for each in readings)
    return tell_readings(tx, told) if told else Outcome()


def told_apart(tellings: Iterable[str]) -> CitedAs:
    """Of what was told of citations (JSON) that which was told apart from records."""
    return {
        named: telling
        for each in tellings
        for named, telling in told_citations("", {"tellings": each}).items()
        if telling.apart is not None
    }


def curated(tx: neo4j.ManagedTransaction, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Records by the authors that a curated list says they are."""
    into = authors_into(tx, (author.id for each in entries for author in each.paper.authors))
    if not into:
        return entries
    return [replace(entry, paper=_by_curated(entry.paper, into)) for entry in entries]


def _by_curated(paper: Paper, into: Mapping[str, str]) -> Paper:
    authors = tuple(
        replace(author, id=into[author.id], identified=True) if author.id in into else author
        for author in paper.authors
    )
    return replace(paper, authors=authors)
