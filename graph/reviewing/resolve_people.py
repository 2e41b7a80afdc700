"""Find the authors of the graph by ids of people. Names are never compared."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError, summarize_names
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.loaders.review_records import parse_person_id

_BATCH = 2_000
_ORCID = re.compile(r"(?:orcid:)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.ASCII)
_OPENALEX = re.compile(r"[Aa]\d+", re.ASCII)


def find_authors(db: Database, ids: Iterable[str]) -> dict[str, list[str]]:
    """Map ids of people to the ids of their authors in the graph; unknown ids are omitted.

    An id is read as the id of an author, an ORCID, an OpenAlex id (`openalex:A123`), and an
    OpenReview id (`openreview:~Ann_Smith1`), in this order. The first author that exists counts.
    Several authors can have the same ORCID.
    """
    ranked: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    text = statement("reviewing/people").text
    for batch in batches(dict.fromkeys(ids), _BATCH):
        for row in db.read(text, people=[_spellings(given) for given in batch]):
            ranked[row["given"]][row["rank"]].append(row["author"])
    return {given: sorted(set(authors[min(authors)])) for given, authors in ranked.items()}


def archive_owners(db: Database, papers: Iterable[str]) -> dict[str, list[str]]:
    """Map ids of papers to the ids of their authors with an OpenReview profile, in order."""
    text = statement("reviewing/owners").text
    return {
        row["paper"]: row["authors"]
        for batch in batches(papers, _BATCH)
        for row in db.read(text, papers=batch, profiles="openreview:~")
    }


def _spellings(given: str) -> dict[str, Any]:
    short = parse_person_id(given)
    orcid = _ORCID.fullmatch(short)
    ids = {given: 0, short: 0}
    if _OPENALEX.fullmatch(short):
        ids[f"openalex:{short.upper()}"] = 2
    if "@" in short:
        ids[f"email:{short.lower()}"] = 3
    ids[f"openreview:{short}"] = 3
    return {
        "given": given,
        "ids": [{"id": key, "rank": rank} for key, rank in ids.items()],
        "orcid": orcid[1] if orcid else None,
    }


def require_single_authors(
    authors: Mapping[str, list[str]], reviewers: Iterable[str]
) -> dict[str, str]:
    """Map each reviewer to one author.

    Raises GraphError if a reviewer has no author or several, or if two reviewers are one author.
    """
    reviewers = list(reviewers)
    missing = [given for given in reviewers if given not in authors]
    if missing:
        raise GraphError(
            f"{len(missing)} of {len(reviewers)} reviewers are not in the graph:"
            f" {summarize_names(missing)}",
            "load their papers or their OpenReview archives first, or remove them from the list",
        )
    reviewer_of: dict[str, str] = {}
    for given in reviewers:
        if len(authors[given]) > 1:
            raise GraphError(
                f"{given!r} is the ORCID of several authors: {summarize_names(authors[given])}",
                "give the id of one author, or merge them: specter-graph merge --help",
            )
        [author] = authors[given]
        if other := reviewer_of.get(author):
            raise GraphError(
                f"the reviewers {other!r} and {given!r} are the same author, {author!r}",
                "keep one of them",
            )
        reviewer_of[author] = given
    return {given: author for author, given in reviewer_of.items()}
