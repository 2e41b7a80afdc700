"""Papers as members of a group: their contents, read from the graph or from SourceRecords."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import neo4j

from specter_graph.graph.database import run_statement
from specter_graph.graph.loading.source_records import SourceContent
from specter_graph.loaders.records import Paper


@dataclass(frozen=True, slots=True)
class Member:
    """One of several papers that are the same.

    `record` is the rank and digest of its record, None for a stub; `load` is the load that wrote
    the record.
    """

    content: SourceContent
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


def run(tx: neo4j.ManagedTransaction, name: str, **parameters: object) -> list[dict[str, Any]]:
    """Run the statement deduplication/NAME in a transaction; return all rows."""
    return run_statement(tx, f"deduplication/{name}", **parameters)


def read_papers(tx: neo4j.ManagedTransaction, ids: Iterable[str]) -> list[Member]:
    """Read papers that are not combined with others, and lock them."""
    members = []
    for row in run(tx, "contents", ids=sorted(set(ids))):
        content = row["content"]
        if paper := content["paper"]:
            paper["authors"] = _without_gaps(paper["authors"])
        members.append(Member(SourceContent.from_map(content), row["record_version"], row["load"]))
    return members


def member_of_row(row: Mapping[str, Any]) -> Member:
    """Return the member that a row describes by record, load and json."""
    return Member(SourceContent.from_json(row["json"]), row["record_version"], row["load"])


def _without_gaps(authors: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Fill the positions of authors who are listed a second time: the graph keeps the first."""
    filled: list[dict[str, Any]] = []
    for author in authors:
        filled += [authors[0]] * (author["position"] - len(filled) - 1)
        filled.append(author)
    return filled
