"""Writes what merged papers say, by the way of every record."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.graph.merging.into import run
from specter_graph.graph.merging.told import Member, member
from specter_graph.graph.merging.united import Preference, unite
from specter_graph.graph.paper_batch import Entry, Forgotten, delete_orphans, write_papers
from specter_graph.graph.rank import rank
from specter_graph.loaders.records import Field

_PAPERS = 200
_MERGED = 0
"""What stands for the load that wrote a merged paper."""


def write_united(db: Database, preference: Preference) -> None:
    """Write all papers labelled Unwritten, some in a transaction."""
    unwritten = statement("merge/unwritten").text
    while papers := [row["id"] for row in db.read(unwritten, limit=_PAPERS)]:
        db.transaction(partial(_write_some, papers=papers, preference=preference))


def _write_some(
    tx: neo4j.ManagedTransaction, papers: Sequence[str], preference: Preference
) -> None:
    of: dict[str, list[Member]] = defaultdict(list)
    for row in run(tx, "members", papers=papers):
        of[row["paper"]].append(member(row))
    united = [unite(each, preference).paper for each in of.values()]
    write_papers(tx, [Entry(paper, paper.references, rank(paper)) for paper in united], _MERGED)
    delete_orphans(tx, _named(chain.from_iterable(of.values())))
    run(tx, "written", ids=papers)


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
