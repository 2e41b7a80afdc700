"""Validation rules for the records of all formats, and prefixes of ids."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any, TypeVar

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
    Venue,
)

EARLIEST_YEAR, LATEST_YEAR = 1000, 2100
MAX_NAME_LENGTH = 1_000
"""Maximum number of characters of an id or a name; keys of Neo4j's indexes may have 8 KB."""

_Named = TypeVar("_Named", Affiliation, Author, Field, Venue)
_Prefixed = TypeVar("_Prefixed", bound=Item | Affiliation | Author | Venue)

_ID_FIELDS = ("id", "citing", "cited", "reader", "paper")
_DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?=[T ]|$)|$)|$)")
"""A date as in `Paper.published`; a time may follow a day."""
_CONTROLS = re.compile(r"[\x80-\x9f]")
_NO_NAME = f"without a name, or with a name longer than {MAX_NAME_LENGTH:,} characters"


def year_problem(name: str, year: int | None) -> str:
    """Return the reason why a year cannot be used, or an empty text."""
    if year is None or (isinstance(year, Integral) and EARLIEST_YEAR <= year <= LATEST_YEAR):
        return ""
    return f"{name} {year!r} is not between {EARLIEST_YEAR} and {LATEST_YEAR}"


def validate(item: Item) -> Iterable[Item | RecordIssue]:
    """Return the item, corrected if possible, after a RecordIssue for each correction.

    An item that cannot be corrected is replaced by a RecordIssue.

    | rule | otherwise |
    |---|---|
    | a paper has an id and a title | rejected |
    | ids and names have 1 to 1,000 characters | rejected; an entry of a list is left out |
    | no segment of a paper's id between slashes is `.` or `..` | the same |
    | years are 1000 to 2100 | left out |
    | dates are 2020-07-05, 2020-07 or 2020 | left out; the time after a date is left out, too |
    | a paper does not cite itself | the reference is left out |
    | a reference occurs once | repetitions are left out |
    """
    if isinstance(item, Paper):
        return _validate_paper(item)
    if reason := _key_problem(item):
        return (RecordIssue(reason),)
    if isinstance(item, Labels):
        fields, reasons = _check_fields(item.fields, "labels")
        if not fields and item.fields:
            return (RecordIssue(f"labels {_NO_NAME}", item.id),)
        return (*_corrections(reasons, item.id), replace(item, fields=fields) if reasons else item)
    if isinstance(item, Field) and item.broader:
        [field], reasons = _check_fields((item,), "labels")
        return (*_corrections(reasons, item.id), field)
    return (item,)


def _validate_paper(paper: Paper) -> Iterable[Item | RecordIssue]:
    is_doubtful = _has_doubtful((paper.id, *paper.references))  # one quick test of all ids
    if is_doubtful and (reason := _id_problem("id", paper.id)):
        return (RecordIssue(reason, paper.id[:MAX_NAME_LENGTH] or None),)
    if not paper.title:
        return (RecordIssue("title is missing", paper.id),)
    changes: dict[str, Any] = {}
    reasons: list[str] = []
    for name, text in (("title", paper.title), ("abstract", paper.abstract)):
        if text and not text.isascii() and (changed := replace_controls(text)) != text:
            changes[name] = changed
            reasons.append(f"control characters of the {name}, which are Windows-1252")
    if problem := year_problem("year", paper.year):
        changes["year"] = None
        reasons.append(problem)
    if paper.published and not _DATE.fullmatch(paper.published):
        date = _DATE.match(paper.published)  # a time may follow
        changes["published"] = date[0] if date else None
        if not date:
            reasons.append(f"date {paper.published:.100} is not YYYY-MM-DD, YYYY-MM or YYYY")
    references = dict.fromkeys(paper.references)
    if len(references) < len(paper.references):
        repeated = len(paper.references) - len(references)
        reasons.append(f"references given more than once: {repeated}")
    if paper.id in references:
        del references[paper.id]
        reasons.append("the paper cites itself")
    if is_doubtful:
        valid = {key: None for key in references if not _id_problem("id", key)}
        if len(valid) < len(references):
            reasons.append(f"references that are not valid ids: {len(references) - len(valid)}")
        references = valid
    if len(references) < len(paper.references):
        changes["references"] = tuple(references)
    authors = _check_names(paper.authors)
    if len(authors) < len(paper.authors):
        changes["authors"] = authors
        reasons.append(f"authors {_NO_NAME}")
    affiliations = [author.affiliations for author in authors if author.affiliations]
    if affiliations and any(len(_check_names(places)) < len(places) for places in affiliations):
        changes["authors"] = tuple(
            replace(author, affiliations=_check_names(author.affiliations)) for author in authors
        )
        reasons.append(f"affiliations {_NO_NAME}")
    fields, field_reasons = _check_fields(paper.fields, "fields")
    if field_reasons:
        changes["fields"] = fields
        reasons += field_reasons
    known = tuple([i for i in paper.identifiers if _has_valid_length(i.value)])
    if len(known) < len(paper.identifiers):
        changes["identifiers"] = known
        reasons.append(f"identifiers {_NO_NAME}")
    if paper.venue and not _check_names((paper.venue,)):
        changes["venue"] = None
        reasons.append(f"a venue {_NO_NAME}")
    if not changes and not reasons:
        return (paper,)
    return (*_corrections(reasons, paper.id), replace(paper, **changes))


def _corrections(reasons: Iterable[str], item_id: str) -> list[RecordIssue]:
    return [RecordIssue(f"left out: {reason}", item_id, repaired=True) for reason in reasons]


def _check_fields(
    fields: tuple[Field, ...], noun: str
) -> tuple[tuple[Field, ...], Collection[str]]:
    """Return the labels that are usable, and the reasons why parts are left out."""
    reasons: dict[str, None] = {}
    usable = []
    for field in fields:
        names = (field.scheme, field.id, field.name)
        if not all(names) or max(map(len, names)) > MAX_NAME_LENGTH:
            continue
        if field.broader and not all(map(_has_valid_length, field.broader)):
            reasons[f"broader {noun} {_NO_NAME}"] = None
            field = replace(field, broader=tuple(filter(_has_valid_length, field.broader)))
        usable.append(field)
    if len(usable) < len(fields):
        reasons[f"{noun} {_NO_NAME}"] = None
    return tuple(usable), reasons


def _check_names(records: tuple[_Named, ...]) -> tuple[_Named, ...]:
    """Return the records that have an id and a name, neither of which is too long."""
    return tuple(
        [
            record
            for record in records
            if 0 < len(record.id) <= MAX_NAME_LENGTH and 0 < len(record.name) <= MAX_NAME_LENGTH
        ]
    )


def _has_valid_length(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME_LENGTH


def _has_doubtful(keys: Collection[str]) -> bool:
    """Return True if one of the keys may be an invalid id; a quick test of all of them."""
    path = "/".join(keys)
    if len(path) > MAX_NAME_LENGTH and max(map(len, keys)) > MAX_NAME_LENGTH:
        return True
    return "" in keys or "/." in path or path.startswith(".")


def _key_problem(item: Citation | Abstract | Labels | Field | Reading) -> str | None:
    """Return why an item cannot be used, if its ids or names are not valid."""
    if isinstance(item, Citation):
        if item.citing == item.cited:
            return f"the paper {item.citing:.100} cites itself"
        return _id_problem("the id of the citing paper", item.citing) or _id_problem(
            "the id of the cited paper", item.cited
        )
    if isinstance(item, Reading):
        return _name_problem("the id of the reader", item.reader) or _id_problem(
            "the id of the paper", item.paper
        )
    if isinstance(item, Field):
        names = {"id": item.id, "name": item.name, "scheme": item.scheme}
        return next(filter(None, (_name_problem(*name) for name in names.items())), None)
    return _id_problem("id", item.id)


def _name_problem(what: str, value: str) -> str | None:
    if not value:
        return f"{what} is missing"
    if len(value) > MAX_NAME_LENGTH:
        return f"{what} is longer than {MAX_NAME_LENGTH:,} characters"
    return None


def _id_problem(what: str, key: str) -> str | None:
    """Return why a string cannot be the id of a paper: each id must be usable in a URL path."""
    if problem := _name_problem(what, key):
        return problem
    if ("/." in key or key.startswith(".")) and not {".", ".."}.isdisjoint(key.split("/")):
        return f"{what} {key:.100} has a segment . or .., which no URL can contain"
    return None


def add_prefix(item: _Prefixed, prefix: str) -> _Prefixed:
    """Return the item with `PREFIX:` before the ids of papers, authors, venues and readers.

    Ids of labels belong to their vocabularies and are unchanged.
    """
    if isinstance(item, Field):
        return item
    changes: dict[str, Any] = {
        name: f"{prefix}:{getattr(item, name)}" for name in _ID_FIELDS if hasattr(item, name)
    }
    for name in ("affiliations", "authors", "citations"):
        if parts := getattr(item, name, ()):
            changes[name] = tuple(add_prefix(part, prefix) for part in parts)
    if isinstance(item, Paper):
        changes["venue"] = item.venue and add_prefix(item.venue, prefix)
        changes["references"] = tuple(f"{prefix}:{key}" for key in item.references)
    return replace(item, **changes)


def replace_controls(text: str) -> str:
    """Return the text with characters U+0080 to U+009F, which are not printed, as Windows-1252.

    They are letters and quotation marks that a program decoded as ISO 8859-1.
    """
    return _CONTROLS.sub(lambda match: match[0].encode("latin-1").decode("cp1252", "ignore"), text)


def printable(text: str) -> str:
    """Return the text with U+FFFD in place of escaped bytes that are not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")
