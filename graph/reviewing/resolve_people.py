"""Finds the authors of the graph that ids of people mean; nobody is guessed by a name."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.loaders.review_records import parse_person_id

_PEOPLE = 2_000
_ORCID = re.compile(r"(?:orcid:)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.ASCII)
_OPENALEX = re.compile(r"[Aa]\d+", re.ASCII)
_NAMED = 3
"""So many of those who are missing are named."""


def find_people(db: Database, ids: Iterable[str]) -> dict[str, list[str]]:
    """For ids of people the ids of the authors that they mean; those of nobody are left out.

    An id is tried as that of an author, then as an ORCID, an OpenAlex id (`openalex:A123`) and an
    OpenReview id (`openreview:~Ann_Smith1`); the first that is found counts. Only an ORCID may be
    that of several authors.
    """
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    text = statement("reviewing/people").text
    for some in batches(dict.fromkeys(ids), _PEOPLE):
        for row in db.read(text, people=[_spellings(given) for given in some]):
            found[row["given"]][row["rank"]].append(row["author"])
    return {given: sorted(set(ranked[min(ranked)])) for given, ranked in found.items()}


def owners(db: Database, papers: Iterable[str]) -> dict[str, list[str]]:
    """Of papers the authors that are known by an OpenReview profile, by id, in their order."""
    text = statement("reviewing/owners").text
    return {
        row["paper"]: row["authors"]
        for some in batches(papers, _PEOPLE)
        for row in db.read(text, papers=some, profiles="openreview:~")
    }


def _spellings(given: str) -> dict[str, Any]:
    short = parse_person_id(given)
    orcid = _ORCID.fullmatch(short)
    ids = {given: 0, short: 0}
    if _OPENALEX.fullmatch(short):
        ids[f"openalex:{short.upper()}"] = 2
    ids[f"openreview:{short}"] = 3
    return {
        "given": given,
        "ids": [{"id": key, "rank": rank} for key, rank in ids.items()],
        "orcid": orcid[1] if orcid else None,
    }


def one_each(found: Mapping[str, list[str]], wanted: Iterable[str]) -> dict[str, str]:
    """For ids of people the one author that each means, no two of them the same.

    Raises GraphError where one means nobody or several authors, or where two mean one author.
    """
    wanted = list(wanted)
    missing = [given for given in wanted if given not in found]
    if missing:
        raise GraphError(
            f"{len(missing)} of {len(wanted)} reviewers are not in the graph: {few(missing)}",
            "load their papers or their OpenReview archives first, or take them out",
        )
    several = [given for given in wanted if len(found[given]) > 1]
    if several:
        raise GraphError(
            f"{several[0]!r} is the ORCID of several authors: {few(found[several[0]])}",
            "give the id of one of them, or make them one: specter-graph merge --help",
        )
    given_by: dict[str, str] = {}
    for given in wanted:
        [author] = found[given]
        if other := given_by.get(author):
            raise GraphError(
                f"the reviewers {other!r} and {given!r} are one author, {author!r}",
                "keep one of them",
            )
        given_by[author] = given
    return {given: author for author, given in given_by.items()}


def few(names: Iterable[str]) -> str:
    """The first names of some, and how many more there are."""
    every = list(names)
    return ", ".join(_shown(every))


def _shown(names: list[str]) -> Iterator[str]:
    yield from map(repr, names[:_NAMED])
    if len(names) > _NAMED:
        yield f"and {len(names) - _NAMED:,} more"
