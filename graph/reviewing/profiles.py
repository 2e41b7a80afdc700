"""What a venue declares of people and institutions, and the authors of the graph that they are.

Memberships, relations, aliases and parents. People are found by their ids; names are never
compared.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from specter_graph.core.errors import GraphError, counted, summarize_names
from specter_graph.core.progress import batches
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.venue_data import (
    read_reviewers,
    replace_rows,
    reviewers_by_email,
)
from specter_graph.loaders.records import Author
from specter_graph.loaders.review_records import (
    InstitutionLink,
    Membership,
    Relation,
    institution_id,
    new_author_id,
    orcid_of,
    parse_person_id,
)

_BATCH = 2_000


def authors_of_people(db: Database, ids: Iterable[str]) -> dict[str, list[str]]:
    """Map ids of people to the ids of their authors in the graph; unknown ids are omitted.

    An id is read as the id of an author, as an ORCID, and as the id that a new reviewer gets
    (`openalex:A123`, `openreview:~Ann_Smith1`; see `new_author_id`), in this order. The first
    author that exists counts. Several authors can have the same ORCID.
    """
    ranked: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for batch in batches(dict.fromkeys(ids), _BATCH):
        for row in db.read("reviewing/people", people=[_list_spellings(given) for given in batch]):
            ranked[row["given"]][row["rank"]].append(row["author"])
    return {given: sorted(set(authors[min(authors)])) for given, authors in ranked.items()}


def archive_owners(db: Database, papers: Iterable[str]) -> dict[str, list[Author]]:
    """Map ids of papers to their authors who have an OpenReview profile or review, in order."""
    return {
        row["paper"]: [Author(key, name, identified=True) for key, name in row["authors"]]
        for batch in batches(papers, _BATCH)
        for row in db.read("reviewing/owners", papers=batch, profiles="openreview:~")
    }


def _list_spellings(given: str) -> dict[str, Any]:
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
            f"{_find_place(missing, places)}{len(missing)} of {counted(len(reviewers), 'reviewer')}"
            f" {'is' if len(missing) == 1 else 'are'} not in the graph: {summarize_names(missing)}",
            "load their papers or their archives first, or remove them from the list",
        )
    reviewer_of: dict[str, str] = {}
    for given in reviewers:
        where = _find_place([given], places)
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


def _find_place(names: Iterable[str], places: Mapping[str, str]) -> str:
    """Return the place of the first name that has one, for the beginning of a message."""
    return next((f"{places[name]}: " for name in names if name in places), "")


def write_memberships(
    db: Database, venue: str, memberships: Sequence[Membership]
) -> tuple[int, list[str]]:
    """Replace the declared memberships of a venue.

    Returns the number of written ones, and the people whom neither graph nor venue knows.
    """
    people = _find_people(db, venue, (membership.person for membership in memberships))
    rows = [
        {"author": author, "institution": membership.institution, "until": membership.until}
        for membership in memberships
        for author in people.get(membership.person, ())
    ]
    written = replace_rows(db, venue, "memberships", rows, source="file")
    return written, list_unknown((membership.person for membership in memberships), people)


def write_email_memberships(db: Database, venue: str) -> None:
    """Derive memberships from the e-mail addresses of the reviewers and authors of a venue."""
    rows = [
        {"author": row["author"], "institution": institution, "until": None}
        for row in db.read("reviewing/emails_of", venue=venue)
        if (institution := institution_id(row["email"])) is not None
    ]
    replace_rows(db, venue, "memberships", rows, source="email")


def write_relations(
    db: Database, venue: str, relations: Sequence[Relation]
) -> tuple[int, list[str]]:
    """Replace the declared relations of a venue; returns the same as `write_memberships`."""
    both = [person for relation in relations for person in (relation.person, relation.other)]
    people = _find_people(db, venue, both)
    rows = [
        {"author": author, "other": other, "relation": relation.relation, "until": relation.until}
        for relation in relations
        for author in people.get(relation.person, ())
        for other in people.get(relation.other, ())
    ]
    return replace_rows(db, venue, "relations", rows), list_unknown(both, people)


def write_institutions(db: Database, venue: str, links: Sequence[InstitutionLink]) -> int:
    """Replace the aliases and parents of institutions of a venue; return how many are stored.

    Only institutions that are related to another institution of the graph are stored.
    """
    existing = {row["id"] for row in db.read("reviewing/affiliation_ids")}
    rows = [
        {"institution": one, "above": other}
        for one, other in sorted(institutions_within(links))
        if one in existing and other in existing
    ]
    return replace_rows(db, venue, "institutions", rows)


def institutions_within(links: Iterable[InstitutionLink]) -> set[tuple[str, str]]:
    """Return pairs of an institution and one that it is a part of, or another name of it."""
    above: dict[str, set[str]] = defaultdict(set)
    for link in links:
        above[link.institution].add(link.other)
        if not link.is_parent:
            above[link.other].add(link.institution)
    pairs = set()
    for one in list(above):
        reached, waiting = {one}, [one]
        while waiting:
            more = above.get(waiting.pop(), set()) - reached
            reached |= more
            waiting += more
        pairs |= {(one, other) for other in reached - {one}}
    return pairs


def forget_profiles(db: Database, venue: str) -> None:
    """Delete all that a venue declares of people and institutions."""
    for kind in ("memberships", "relations", "institutions"):
        replace_rows(db, venue, kind, [])


def _find_people(db: Database, venue: str, people: Iterable[str]) -> dict[str, list[str]]:
    """Map ids and e-mail addresses of people to the ids of their authors."""
    by_email = reviewers_by_email(read_reviewers(db, venue))
    people = list(dict.fromkeys(people))
    authors = authors_of_people(db, people)
    for person in people:
        if reviewer := by_email.get(person.lower()):
            authors[person] = sorted({*authors.get(person, ()), reviewer.author})
    return authors


def list_unknown(people: Iterable[str], known: Mapping[str, object]) -> list[str]:
    """Return the people that are not known, each once."""
    return [person for person in dict.fromkeys(people) if person not in known]
