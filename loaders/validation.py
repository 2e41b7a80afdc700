"""The rules for records of every format, and prefixes for ids."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

from specter_graph.loaders.format_api import RecordIssue
from specter_graph.loaders.records import (
    Abstract,
    Affiliation,
    Author,
    Citation,
    Field,
    Item,
    Labels,
    Paper,
    Reading,
)

EARLIEST_YEAR, LATEST_YEAR = 1000, 2100
MAX_NAME_LENGTH = 1_000
"""Characters of an id or a name: keys of Neo4j's indexes may have 8 KB."""

_UNNAMED = f"without a name, or with one over {MAX_NAME_LENGTH:,} characters"


def validate(item: Item) -> Iterable[Item | RecordIssue]:
    """Return the item, corrected where a rule allows it, after a RecordIssue for each correction.

    An item that cannot be corrected is replaced by a RecordIssue.

    | rule | |
    |---|---|
    | a paper has an id and a title | else rejected |
    | ids and names have 1 to 1,000 characters | rejected; of a list the entry is left out |
    | no part of a paper's id between slashes is `.` or `..` | the same |
    | years are 1000 to 2100 | left out |
    | a paper does not cite itself | left out |
    | a reference counts once | repetitions left out |
    """
    if isinstance(item, Paper):
        return _paper(item)
    if reason := _bad_key(item):
        return (RecordIssue(reason),)
    if isinstance(item, Labels) and not _all_usable(item.fields):
        return _labels(item)
    if isinstance(item, Field) and not _all_usable((item,)):
        [field], reasons = _usable((item,), "labels")
        return (*_left_out(reasons, item.id), field)
    return (item,)


def _paper(paper: Paper) -> Iterable[Item | RecordIssue]:
    if not _is_id(paper.id):
        return (RecordIssue(_bad_id("id", paper.id), paper.id[:MAX_NAME_LENGTH] or None),)
    if not paper.title:
        return (RecordIssue("title is missing", paper.id),)
    changes: dict[str, Any] = {}
    reasons: list[str] = []
    if paper.year is not None and not EARLIEST_YEAR <= paper.year <= LATEST_YEAR:
        changes["year"] = None
        reasons.append(f"year {paper.year} is not between {EARLIEST_YEAR} and {LATEST_YEAR}")
    references = dict.fromkeys(paper.references)
    if len(references) < len(paper.references):
        reasons.append(f"{len(paper.references) - len(references)} references are given twice")
    if paper.id in references:
        del references[paper.id]
        reasons.append("the paper cites itself")
    if references and ("" in references or _doubtful(references)):
        kept = {key: None for key in references if _is_id(key)}
        if len(kept) < len(references):
            reasons.append(f"{len(references) - len(kept)} references are no ids")
        references = kept
    if len(references) < len(paper.references):
        changes["references"] = tuple(references)
    authors = paper.authors
    if not _all_named(authors):
        authors = changes["authors"] = tuple(each for each in authors if _all_named((each,)))
        reasons.append(f"authors {_UNNAMED}")
    places = [each.affiliations for each in authors if each.affiliations]
    if places and not _all_named(chain.from_iterable(places)):
        changes["authors"] = tuple(map(_placed, authors))
        reasons.append(f"affiliations {_UNNAMED}")
    if not _all_usable(paper.fields):
        changes["fields"], wrong = _usable(paper.fields, "fields")
        reasons += wrong
    identifiers = paper.identifiers
    if identifiers and not all(_fits(each.value) for each in identifiers):
        changes["identifiers"] = tuple(each for each in identifiers if _fits(each.value))
        reasons.append(f"identifiers {_UNNAMED}")
    if paper.venue and not (_fits(paper.venue.id) and _fits(paper.venue.name)):
        changes["venue"] = None
        reasons.append("the venue has no name, or one that is too long")
    if not reasons:
        return (paper,)
    return (*_left_out(reasons, paper.id), replace(paper, **changes))


def _labels(labels: Labels) -> Iterable[Item | RecordIssue]:
    fields, reasons = _usable(labels.fields, "labels")
    if not fields:
        return (RecordIssue(f"labels {_UNNAMED}", labels.id),)
    return (*_left_out(reasons, labels.id), replace(labels, fields=fields))


def _left_out(reasons: list[str], item_id: str) -> Iterable[RecordIssue]:
    return [RecordIssue(f"left out: {reason}", item_id, repaired=True) for reason in reasons]


def _usable(fields: Iterable[Field], name: str) -> tuple[tuple[Field, ...], list[str]]:
    """The labels that fit, with what is broader and fits, and what is wrong with the others."""
    reasons: dict[str, None] = {}
    kept = []
    for field in fields:
        if not (_all_named((field,)) and _fits(field.scheme)):
            reasons[f"{name} {_UNNAMED}"] = None
            continue
        broader = tuple(filter(_fits, field.broader))
        if len(broader) < len(field.broader):
            reasons[f"broader {name} {_UNNAMED}"] = None
            field = replace(field, broader=broader)
        kept.append(field)
    return tuple(kept), list(reasons)


def _placed(author: Author) -> Author:
    """Return the author with those affiliations that have a name."""
    named = tuple(each for each in author.affiliations if _all_named((each,)))
    return replace(author, affiliations=named)


def _all_usable(fields: Collection[Field]) -> bool:
    for each in fields:
        if not 0 < len(each.scheme) <= MAX_NAME_LENGTH:
            return False
        if each.broader and not all(map(_fits, each.broader)):
            return False
    return _all_named(fields)


def _all_named(entries: Iterable[Affiliation | Author | Field]) -> bool:
    for each in entries:  # `_fits`, spelt out: it is asked for every author of every record
        if not (0 < len(each.id) <= MAX_NAME_LENGTH and 0 < len(each.name) <= MAX_NAME_LENGTH):
            return False
    return True


def _doubtful(keys: Collection[str]) -> bool:
    """Return whether one of some ids may be too long, or a path that leads elsewhere."""
    path = "/".join(keys)
    if len(path) > MAX_NAME_LENGTH and max(map(len, keys)) > MAX_NAME_LENGTH:
        return True
    return "/." in path or path.startswith(".")


def _is_id(key: str) -> bool:
    """Return whether a paper may have this id: an address that holds it must lead to it."""
    return _fits(key) and (
        not ("/." in key or key.startswith(".")) or not {".", ".."}.intersection(key.split("/"))
    )


def _fits(key: str) -> bool:
    return 0 < len(key) <= MAX_NAME_LENGTH


def _bad_key(item: Citation | Abstract | Labels | Field | Reading) -> str | None:
    keys: dict[str, str] = {}
    papers: dict[str, str] = {}
    if isinstance(item, Citation):
        papers["the id of the citing paper"] = item.citing
        papers["the id of the cited paper"] = item.cited
        if item.citing == item.cited:
            return f"the paper {item.citing:.100} cites itself"
    elif isinstance(item, Reading):
        keys["the id of the reader"] = item.reader
        papers["the id of the paper"] = item.paper
    elif isinstance(item, Field):
        keys = {"id": item.id, "name": item.name, "scheme": item.scheme}
    else:
        papers["id"] = item.id
    wrong = [(name, key) for name, key in keys.items() if not _fits(key)]
    wrong += [(name, key) for name, key in papers.items() if not _is_id(key)]
    return _bad_id(*wrong[0]) if wrong else None


def _bad_id(name: str, key: str) -> str:
    if not key:
        return f"{name} is missing"
    if len(key) > MAX_NAME_LENGTH:
        return f"{name} is longer than {MAX_NAME_LENGTH:,} characters"
    return f"{name} {key:.100} has a part . or .., which no address can hold"


def add_prefix(item: Item, prefix: str) -> Item:
    """Return the item with `PREFIX:` before the ids of papers, authors, venues and readers.

    Labels are a vocabulary of their own and stay as they are.
    """

    def key(value: str) -> str:
        return f"{prefix}:{value}"

    if isinstance(item, Paper):
        return replace(
            item,
            id=key(item.id),
            authors=tuple(
                replace(
                    author,
                    id=key(author.id),
                    affiliations=tuple(replace(a, id=key(a.id)) for a in author.affiliations),
                )
                for author in item.authors
            ),
            venue=replace(item.venue, id=key(item.venue.id)) if item.venue else None,
            references=tuple(map(key, item.references)),
            citations=tuple(
                replace(c, citing=key(c.citing), cited=key(c.cited)) for c in item.citations
            ),
        )
    if isinstance(item, Citation):
        return replace(item, citing=key(item.citing), cited=key(item.cited))
    if isinstance(item, Reading):
        return replace(item, reader=key(item.reader), paper=key(item.paper))
    if isinstance(item, Abstract | Labels):
        return replace(item, id=key(item.id))
    assert isinstance(item, Field)
    return item


def printable(text: str) -> str:
    """Return the text with U+FFFD for escaped bytes that are not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")
