"""Reads archives of OpenReview: archives/~Ann_Smith1.jsonl holds what ~Ann_Smith1 has written.

A line is a note, {"id", "content": {"title", "abstract"}}, and becomes the paper `openreview:ID`
with the author `openreview:~Ann_Smith1`. Where a note tells its authors (`authors`, `authorids`),
they are the paper's, in their order. A note in several archives is one paper of all of them. Of
addresses of e-mail among `authorids` only the names are kept.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.loaders import identifiers
from specter_graph.loaders.files import find_files
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.formats import bibliography
from specter_graph.loaders.parsing.field_values import clean_name, text, type_name
from specter_graph.loaders.records import Author, Identifier, Paper, Venue
from specter_graph.loaders.review_records import Reviewer
from specter_graph.loaders.validation import MAX_NAME_LENGTH
from specter_graph.matching.io.openreview import flat, name_of
from specter_graph.matching.io.rows import Row, bare_name, key, listed, read_records

SOURCE = "openreview"


@dataclass(frozen=True, slots=True)
class Archives:
    """What a folder of archives holds.

    `reviewers` are those whose archives there are, `papers` what they have written; `without_text`
    counts notes with neither title nor abstract, which are left out.
    """

    reviewers: tuple[Reviewer, ...]
    papers: tuple[Paper, ...]
    without_text: int = 0

    @property
    def authors(self) -> tuple[Author, ...]:
        """The reviewers as authors; the owner of an empty archive has no paper to be known by."""
        return tuple(_owner(reviewer.id) for reviewer in self.reviewers)

    def also_by(self, owners: Mapping[str, Sequence[str]]) -> "Archives":
        """With the owners, ids of authors by paper, who had them in archives that came before.

        A note of an archive often names nobody, and its one author is the owner: of folders that
        come one after another the last would have it alone.
        """
        profiles = {
            paper: [owner.removeprefix(f"{SOURCE}:") for owner in found]
            for paper, found in owners.items()
        }
        papers = (
            replace(paper, authors=_with_owners(paper.authors, profiles.get(paper.id, [])))
            for paper in self.papers
        )
        return replace(self, papers=tuple(papers))


def author_id(profile: str) -> str:
    """The id in the graph of the owner of an archive or of a profile."""
    return f"{SOURCE}:{profile}"


def read_archives(folder: Path) -> Archives:
    """All archives of a folder; raises InputError for the first line that cannot be used."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder of archives", "it holds files ~Ann_Smith1.jsonl")
    reviewers: list[Reviewer] = []
    papers: dict[str, Paper] = {}
    owners: dict[str, list[str]] = defaultdict(list)
    without = 0
    for profile, path in _archives(folder):
        reviewers.append(Reviewer(profile))
        for paper in read_records(path, _paper, ("id", "content"), "id content"):
            if not (paper.title or paper.abstract):
                without += 1
                continue
            owners[paper.id].append(profile)
            known = papers.setdefault(paper.id, paper)
            if len(paper.authors) > len(known.authors):
                papers[paper.id] = paper
    if not reviewers:
        raise InputError(f"there is no archive in {folder}", "they are called ~Ann_Smith1.jsonl")
    written = (
        replace(paper, authors=_with_owners(paper.authors, owners[paper.id]))
        for paper in papers.values()
    )
    return Archives(tuple(reviewers), tuple(written), without)


def _archives(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each archive with the profile that it is of; file systems spell names in several ways."""
    for path in find_files([folder]):
        stem, ending = bare_name(path)
        if ending == ".jsonl":
            yield unicodedata.normalize("NFC", stem), path


def _paper(note: Row) -> Paper:
    name = key(note, "id")
    try:
        row = flat(note)
        venue = text(row, "venue")
        return Paper(
            id=f"{SOURCE}:{name}",
            title=text(row, "title") or "",
            abstract=text(row, "abstract"),
            year=row["year"],
            source=SOURCE,
            identifiers=_identifiers(row),
            authors=_authors(row),
            venue=Venue(f"{SOURCE}:{venue}", venue)
            if venue and len(venue) < MAX_NAME_LENGTH
            else None,
            fields=bibliography.labels(listed(row, "topics")),
        )
    except RecordError as error:
        error.id = name
        raise


def _authors(row: Row) -> tuple[Author, ...]:
    """In their order; only the id of a profile says more than the name."""
    names, profiles = _texts(row, "authors"), _texts(row, "authorids")
    if len(names) != len(profiles):
        names = names if not profiles else [""] * len(profiles)
    people = []
    for name, profile in zip_longest(names, profiles, fillvalue=""):
        if profile.startswith("~"):
            people.append(_owner(profile, clean_name(name)))
        elif name := clean_name(name):
            people.append(Author(author_id(name), name))
    return tuple({person.id: person for person in reversed(people)}.values())[::-1]


def _texts(row: Row, column: str) -> list[str]:
    """Texts as they stand: that two are alike does not shift the others."""
    for number, entry in enumerate(row[column], 1):
        if not isinstance(entry, str):
            raise RecordError(f"entry {number} of {column} must be text, not {type_name(entry)}")
        if len(entry) > MAX_NAME_LENGTH:
            raise RecordError(f"entry {number} of {column} is longer than {MAX_NAME_LENGTH:,}")
    return [entry.strip() for entry in row[column]]


def _owner(profile: str, name: str = "") -> Author:
    return Author(author_id(profile), name or name_of(profile), identified=True)


def _with_owners(authors: tuple[Author, ...], profiles: list[str]) -> tuple[Author, ...]:
    """With those in whose archives the paper is: in place of their names, or else at the end."""
    people = list(authors)
    for owner in map(_owner, dict.fromkeys(profiles)):
        if any(person.id == owner.id for person in people):
            continue
        same = [at for at, person in enumerate(people) if _is_name_of(person, owner)]
        if same:
            people[same[0]] = owner
        else:
            people.append(owner)
    return tuple(people)


def _is_name_of(person: Author, owner: Author) -> bool:
    return not person.identified and person.name.casefold() == owner.name.casefold()


def _identifiers(row: Row) -> tuple[Identifier, ...]:
    """The identifiers in a note, by which the literature may have the paper."""
    doi = text(row, "doi")
    found = [identifiers.doi(doi)] if doi else []
    found += [bibliography.from_url(url) for name in ("html", "pdf") if (url := text(row, name))]
    return bibliography.distinct(found)
