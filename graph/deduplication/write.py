"""Writes what merged papers say, by the way of every record."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.into import few, run
from specter_graph.graph.deduplication.told import Member, member
from specter_graph.graph.deduplication.united import Preference, unite
from specter_graph.graph.loading.record_rows import Entry
from specter_graph.graph.loading.record_writer import Forgotten, delete_orphans, write_papers
from specter_graph.loaders.records import Field

_PAPERS = 200
_MERGED = 0
"""What stands for the load that wrote a merged paper."""


def write_united(db: Database, preference: Preference) -> None:
    """Write all papers labelled Unwritten, some in a transaction."""
    unwritten = statement("deduplication/unwritten").text
    while papers := few(db.read(unwritten, limit=_PAPERS)):
        db.transaction(partial(_write_some, papers=papers, preference=preference))


def _write_some(
    tx: neo4j.ManagedTransaction, papers: Sequence[str], preference: Preference
) -> None:
    of: dict[str, list[Member]] = defaultdict(list)
    for row in run(tx, "members", papers=papers):
        of[row["paper"]].append(member(row))
    entries = []
    for key, each in of.items():
        paper = unite(key, each, preference).paper
        entries.append(Entry(paper, paper.references, _rank(each)))
    write_papers(tx, entries, _MERGED)
    delete_orphans(tx, _named(chain.from_iterable(of.values())))
    run(tx, "written", ids=papers)


def _rank(members: Iterable[Member]) -> int:
    """The highest of theirs: what is written may name authors as a curated list made them."""
    return max(each.record or 0 for each in members)


def _named(members: Iterable[Member]) -> Forgotten:
    """What the members of merged papers name, and the merged ones may not."""
    named = Forgotten()
    for each in members:
        named.fields.update(map(_field, each.told.labels))
        if paper := each.paper:
            named.authors.update(author.id for author in paper.authors)
            named.affiliated.update(each.id for each in paper.authors if each.affiliations)
            named.venues.update([paper.venue.id] if paper.venue else [])
            named.fields.update(map(_field, paper.fields))
    return named


def _field(field: Field) -> tuple[str, str]:
    return field.scheme, field.id
