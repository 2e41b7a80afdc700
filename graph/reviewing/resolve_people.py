"""Find the authors of the graph by ids of people. Names are never compared."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError, summarize_names
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.loaders.records import Author
from specter_graph.loaders.review_records import new_author_id, orcid_of, parse_person_id

_BATCH = 2_000


def find_authors(db: Database, ids: Iterable[str]) -> dict[str, list[str]]:
    """Map ids of people to the ids of their authors in the graph; unknown ids are omitted.

    An id is read as the id of an author, as an ORCID, and as the id that a new reviewer gets
    (`openalex:A123`, `openreview:~Ann_Smith1`; see `new_author_id`), in this order. The first
    author that exists counts. Several authors can have the same ORCID.
    """
    ranked: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    text = statement("reviewing/people").text
    for batch in batches(dict.fromkeys(ids), _BATCH):
        for row in db.read(text, people=[_spellings(given) for given in batch]):
            ranked[row["given"]][row["rank"]].append(row["author"])
    return {given: sorted(set(authors[min(authors)])) for given, authors in ranked.items()}


def archive_owners(db: Database, papers: Iterable[str]) -> dict[str, list[Author]]:
    """Map ids of papers to their authors who have an OpenReview profile or review, in order."""
    text = statement("reviewing/owners").text
    return {
        row["paper"]: [Author(key, name, identified=True) for key, name in row["authors"]]
        for batch in batches(papers, _BATCH)
        for row in db.read(text, papers=batch, profiles="openreview:~")
    }


def _spellings(given: str) -> dict[str, Any]:
    short = parse_person_id(given)
    ids = {given: 0, short: 0}
    ids.setdefault(new_author_id(short), 2)
    ids.setdefault(f"openreview:{short}", 3)
    return {
        "given": given,
        "ids": [{"id": key, "rank": rank} for key, rank in ids.items()],
        "orcid": orcid_of(short),
    }


def require_single_authors(
    authors: Mapping[str, list[str]], reviewers: Iterable[str], places: Mapping[str, str]
) -> dict[str, str]:
    """Map each reviewer to one author; `places` are the lines of files that name reviewers.

    Raises GraphError if a reviewer has no author or several, or if two reviewers are one author.
    """
    reviewers = list(reviewers)
    missing = [given for given in reviewers if given not in authors]
    if missing:
        raise GraphError(
            f"{_place_of(missing, places)}{len(missing)} of {len(reviewers)} reviewers are not in"
            f" the graph: {summarize_names(missing)}",
            "load their papers or their archives first, or remove them from the list",
        )
    reviewer_of: dict[str, str] = {}
    for given in reviewers:
        where = _place_of([given], places)
        if len(authors[given]) > 1:
            raise GraphError(
                f"{where}{given!r} is the ORCID of several authors:"
                f" {summarize_names(authors[given])}",
                "give the id of one author, or merge them: specter-graph merge --help",
            )
        [author] = authors[given]
        if other := reviewer_of.get(author):
            raise GraphError(
                f"{where}the reviewers {other!r} and {given!r} are the same author, {author!r}",
                "keep one of them",
            )
        reviewer_of[author] = given
    return {given: author for author, given in reviewer_of.items()}


def _place_of(names: Iterable[str], places: Mapping[str, str]) -> str:
    """Return the place of the first name that has one, for the beginning of a message."""
    return next((f"{places[name]}: " for name in names if name in places), "")
