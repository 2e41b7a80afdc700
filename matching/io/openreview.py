"""Read notes of OpenReview, of both versions of its API, and archives of reviewers.

Documentation: https://docs.openreview.net/reference/api-v2/entities/note

archives/~Ann_Smith1.jsonl has the papers of Ann Smith. Archives come from OpenReview, or from
`match fetch` (see `publications`). The name of a file is the id of the reviewer, with %2F for a
slash. A line is a note, {"id", "content": {"title", "abstract"}}, and becomes the paper
`openreview:ID`, or `ID` if the id has a prefix itself (`openalex:W1`). It has the author
`openreview:~Ann_Smith1`. If a note has authors (`authors`, `authorids`), the paper has them in the
same order. A note in several archives is one paper with several owners. E-mail addresses among
`authorids` are removed, except that of the owner; the names stay.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from specter_graph.core.errors import InputError
from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import find_files
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.formats import bibliography
from specter_graph.loaders.parsing.field_values import clean_name, text, text_list, type_name
from specter_graph.loaders.records import Author, Identifier, Paper, Venue
from specter_graph.loaders.review_records import Reviewer, new_author_id
from specter_graph.loaders.validation import EARLIEST_YEAR, LATEST_YEAR, MAX_NAME_LENGTH
from specter_graph.matching.io.rows import (
    Layout,
    Row,
    bare_name,
    entries_of,
    errors_of,
    key,
    listed,
    read_table,
)

_NAME = re.compile(r"~(.*?)\d*", re.DOTALL)
_PLAIN = ("title", "abstract", "references", "venue", "doi", "html", "pdf")
_PEOPLE = ("authors", "authorids")
SOURCE = "openreview"


def flatten_note(note: Row) -> Row:
    """Return the content of a note as a row; a value can be plain or {"value": ...}.

    `authors` and `authorids` are lists of the same length if the note has both; `topics` are the
    keywords. Placeholders of hidden authors ("Anonymous", groups) are left out.
    """
    content = note.get("content")
    if not isinstance(content, dict):
        raise RecordError(f"content must be an object, not {type_name(content)}")
    row = {name: _read_value(content, name) for name in (*_PLAIN, *_PEOPLE)}
    row["id"] = note.get("id")
    topics = _read_value(content, "topics") or _read_value(content, "keywords")
    row["topics"] = re.split("[;,]", topics) if isinstance(topics, str) else topics  # old notes
    row["year"] = _year(_read_value(content, "year"), note.get("pdate"), note.get("cdate"))
    row["authors"], row["authorids"] = _people(row)
    return row


def name_in_profile(profile: str) -> str:
    """Return the name within the id of a profile: `~Ann_B._Smith1` is Ann B. Smith."""
    match = _NAME.fullmatch(profile)
    return (match[1].replace("_", " ").strip() if match else "") or profile


def _read_value(content: dict[str, Any], key: str) -> Any:  # noqa: ANN401, JSON
    value = content.get(key)
    return value.get("value") if isinstance(value, dict) else value


def _people(row: Row) -> tuple[list[Any], list[Any]]:
    names, ids = (entries_of(row, column) for column in _PEOPLE)
    if names and all(isinstance(entry, dict) for entry in names):
        ids = ids or [entry.get("username") or "" for entry in names]
        names = [entry.get("fullname") or "" for entry in names]
    names = [name for name in names if name != "Anonymous"]
    ids = [key for key in ids if not (isinstance(key, str) and key.endswith("/Authors"))]
    return names, ids


def _year(year: object, *milliseconds: object) -> int | None:
    """Return the first plausible year: `year`, or the year of a time since 1970."""
    if isinstance(year, str) and re.fullmatch(r"\d{4}", year.strip(), re.ASCII):
        year = int(year)
    years = [year] if type(year) is int else []
    for time in milliseconds:
        if type(time) is int:
            try:
                years.append(datetime.fromtimestamp(time / 1_000, UTC).year)
            except (ValueError, OverflowError, OSError):
                continue
    return next(
        (candidate for candidate in years if EARLIEST_YEAR <= candidate <= LATEST_YEAR), None
    )


@dataclass(frozen=True, slots=True)
class Archives:
    """The reviewers of a folder of archives and their papers.

    `without_text` counts notes without title and abstract, which are omitted.
    """

    reviewers: tuple[Reviewer, ...]
    papers: tuple[Paper, ...]
    without_text: int = 0

    @property
    def authors(self) -> tuple[Author, ...]:
        """The reviewers as authors, so that owners of empty archives exist in the graph too."""
        return tuple(_make_owner(reviewer.id) for reviewer in self.reviewers)

    def with_owners(self, owners: Mapping[str, Sequence[Author]]) -> "Archives":
        """Return the archives with the owners that earlier archives gave a paper.

        Notes often lack authors, so that the owner of the archive is the only one. Without earlier
        owners, the last of several folders would replace the others.
        """
        papers = (
            replace(paper, authors=_with_owners(paper.authors, owners.get(paper.id, [])))
            for paper in self.papers
        )
        return replace(self, papers=tuple(papers))

    def with_authors(self, known: Mapping[str, Sequence[str]]) -> "Archives":
        """Return the archives with the authors that the graph has for reviewers, by their ids."""
        ids = {new_author_id(name): each[0] for name, each in known.items() if len(each) == 1}
        papers = []
        for paper in self.papers:
            authors = (
                replace(author, id=ids.get(author.id, author.id)) for author in paper.authors
            )
            papers.append(replace(paper, authors=tuple(authors)))
        return replace(self, papers=tuple(papers))


def read_archives(folder: Path) -> Archives:
    """Read a folder of archives; raise InputError for the first line that cannot be used."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder", "give a folder of files ~Ann_Smith1.jsonl")
    reviewers: list[Reviewer] = []
    papers: dict[str, Paper] = {}
    owners: dict[str, list[Author]] = defaultdict(list)
    without = 0
    for profile, path in _archives(folder):
        reviewers.append(Reviewer(profile))
        convert = partial(_paper, owner=profile)
        for paper in read_table(path, [Layout("notes", ("id", "content"), convert)]):
            if not (paper.title or paper.abstract):
                without += 1
                continue
            owners[paper.id].append(_make_owner(profile))
            known = papers.get(paper.id)
            if known is None or len(paper.authors) > len(known.authors):
                papers[paper.id] = paper
            elif len(paper.authors) == len(known.authors):
                both = zip(paper.authors, known.authors, strict=True)
                papers[paper.id] = replace(
                    known, authors=tuple(new if new.identified else old for new, old in both)
                )
    if not reviewers:
        raise InputError(f"{folder} has no archive", "name the files ~Ann_Smith1.jsonl")
    written = (
        replace(paper, authors=_with_owners(paper.authors, owners[paper.id]))
        for paper in papers.values()
    )
    return Archives(tuple(reviewers), tuple(written), without)


def _archives(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the profile and the path of each archive, with Unicode names in one normal form."""
    for path in find_files([folder]):
        stem, ending = bare_name(path)
        if ending == ".jsonl":
            yield unicodedata.normalize("NFC", unquote(stem)), path


def _paper(note: Row, owner: str) -> Paper:
    name = key(note, "id")
    with errors_of(name):
        row = flatten_note(note)
        venue = text(row, "venue")
        return Paper(
            id=name if ":" in name else f"{SOURCE}:{name}",
            title=text(row, "title") or "",
            abstract=text(row, "abstract"),
            year=row["year"],
            source=SOURCE,
            identifiers=_identifiers(row),
            authors=_authors(row, owner),
            venue=Venue(f"{SOURCE}:{venue}", venue)
            if venue and len(venue) < MAX_NAME_LENGTH
            else None,
            fields=bibliography.labels(listed(row, "topics")),
        )


def _authors(row: Row, owner: str) -> tuple[Author, ...]:
    """Return the authors in their order; ids of profiles and of the owner identify a person."""
    names, profiles = ([*map(str.strip, text_list(row, column)[0])] for column in _PEOPLE)
    if len(names) != len(profiles):
        names = names if not profiles else [""] * len(profiles)
    people = []
    for name, profile in zip_longest(names, profiles, fillvalue=""):
        if profile.startswith("~") or profile == owner:
            people.append(_make_owner(profile, clean_name(name)))
        elif name := clean_name(name):
            people.append(Author(f"{SOURCE}:{name}", name))
    return tuple({person.id: person for person in reversed(people)}.values())[::-1]


def _make_owner(profile: str, name: str = "") -> Author:
    return Author(new_author_id(profile), name or name_in_profile(profile), identified=True)


def _with_owners(authors: tuple[Author, ...], owners: Iterable[Author]) -> tuple[Author, ...]:
    """Add the owners of archives with the paper: in place of their names, or else at the end."""
    people = list(authors)
    for owner in owners:
        if any(person.id == owner.id for person in people):
            continue
        same = [
            at
            for at, person in enumerate(people)
            if not person.identified and person.name.casefold() == owner.name.casefold()
        ]
        if same:
            people[same[0]] = owner
        else:
            people.append(owner)
    return tuple(people)


def _identifiers(row: Row) -> tuple[Identifier, ...]:
    """Return the identifiers of a note, by which the literature can have the same paper."""
    doi = text(row, "doi")
    known = [identifiers.doi(doi)] if doi else []
    known += [bibliography.from_url(url) for name in ("html", "pdf") if (url := text(row, name))]
    return bibliography.distinct(known)
