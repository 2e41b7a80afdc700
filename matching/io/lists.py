"""Read the lists of a venue: reviewers, quotas, bids, conflicts, and what it declares of people.

| file      | columns (CSV, TSV) or keys (JSON Lines)                                              |
|-----------|--------------------------------------------------------------------------------------|
| reviewers | id; minimum, maximum (numbers of papers), senior (true or false), email, name, role, |
|           | tracks (with semicolons between them), region; orcid, openalex, semantic_scholar,    |
|           | dblp: ids elsewhere, one of which can be the id                                      |
| quotas    | reviewer; minimum, maximum; an empty value does not change the bound                 |
| bids      | reviewer, submission, value: from -1 to 1, or a word of OpenReview (see BIDS)        |
| conflicts | reviewer, submission; reason, which may be empty                                     |

For conflicts of interest:

| file         | columns (CSV, TSV) or keys (JSON Lines)                                           |
|--------------|-----------------------------------------------------------------------------------|
| affiliations | person, institution; until (the last year, empty if the person is still there)    |
| relations    | person, other; relation; until (the last year, empty if it continues)             |
| institutions | institution; same_as, parent; or the JSON file of ROR's data dump                 |

A person is an id as in the list of reviewers, or an e-mail address. An institution is a ROR id, a
domain, or an e-mail or web address; an address of a mail provider such as gmail.com is skipped.

The lists of HotCRP, EasyChair and CMT are read too; see the modules of these names.

The id of a reviewer is the id of an author of the graph, an ORCID, the OpenAlex id of an author
(A123) or the OpenReview id of a profile (~Ann_Smith1). The last three can be web addresses.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from specter_graph.core.errors import InputError
from specter_graph.loaders.format_api import RecordError, RecordIssue
from specter_graph.loaders.parsing.field_values import text
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.records import Author
from specter_graph.loaders.review_records import (
    IDENTIFIERS,
    REVIEWER,
    Bid,
    Conflict,
    InstitutionLink,
    Membership,
    Quota,
    Relation,
    Reviewer,
    institution_id,
    is_mail_provider,
    new_author_id,
    normalize_name,
    parse_identifier,
    parse_person_id,
)
from specter_graph.matching.io import cmt, easychair, hotcrp
from specter_graph.matching.io.rows import (
    PERSON_NAMES,
    Layout,
    Places,
    ReadReport,
    Row,
    entries_of,
    errors_of,
    key,
    kind_of,
    listed,
    once,
    parse_bool,
    parse_int,
    parse_year,
    person_name,
    read_table,
    row_error,
    with_columns,
)

BIDS = {"very high": 1.0, "high": 0.5, "neutral": 0.0, "low": -0.5, "very low": -1.0}
"""Words of OpenReview with their values in OpenReview's matcher; "no bid" is skipped."""

_LINKS = ("same_as", "parent")


def read_reviewers(path: Path, report: ReadReport | None = None) -> list[Reviewer]:
    """Read reviewers; raise InputError for the first row that cannot be used."""
    bounds = ("minimum", "maximum", "senior", "email", "name", "role", "tracks", "region")
    others = ("id", *IDENTIFIERS, *bounds, *PERSON_NAMES)
    own = [
        Layout("a list of reviewers", (name,), _reviewer, others)
        for name in ("id", *IDENTIFIERS, "email")
    ]
    systems = [
        with_columns(layout, ("minimum", "maximum", "tracks", "region"), _limits)
        for layout in (easychair.REVIEWERS, *cmt.REVIEWERS)
    ]
    reviewers = read_table(path, once([*own, *systems], attrgetter("id")), report)
    if not reviewers:
        raise InputError(f"{path} has no reviewers", "write one a line, with the column id")
    return reviewers


def reviewer_id(row: Row) -> str:
    """Return the id of a row: `id`, the first id of the reviewer elsewhere, or the address."""
    if text(row, "id"):
        return parse_person_id(key(row, "id"))
    if ids := identifiers_of(row):
        return next(iter(ids.values()))
    if email := text(row, "email"):
        return email.lower()
    raise RecordError("id and email are missing")


def identifiers_of(row: Row) -> dict[str, str]:
    """Return the ids of a reviewer elsewhere, by column: `A123`, `s2:1741101`, `dblp:65/9612`."""
    ids: dict[str, str] = {}
    for kind in IDENTIFIERS:
        if written := text(row, kind):
            parsed = parse_identifier(kind, written)
            if parsed is None:
                raise RecordError(f"{kind} {written:.60} is not an id of this kind", written)
            ids[kind] = parsed
    return ids


def read_quotas(path: Path, report: ReadReport | None = None) -> list[Quota]:
    """Read quotas; raise InputError for the first row that cannot be used."""
    own = Layout("a list of quotas", ("reviewer",), _quota, ("minimum", "maximum"))
    return read_table(path, once([own, cmt.QUOTAS], attrgetter("reviewer")), report)


def with_stored_ids(
    reviewers: Iterable[Reviewer], stored: Iterable[Reviewer], places: Places
) -> list[Reviewer]:
    """Return the reviewers of a list, with the id and the bounds of a stored one by address.

    A conference system knows only the e-mail addresses of reviewers. If the venue has a reviewer
    with this address, the list adds to that reviewer.

    Raises InputError for a reviewer whom the venue has under the e-mail address alone.
    """
    stored = [*stored]
    by_email = {each.email.lower(): each for each in stored if each.email}
    addresses = {each.id.lower() for each in stored if "@" in each.id}
    merged = []
    for reviewer in reviewers:
        email = (reviewer.email or "").lower()
        if email in addresses and reviewer.id.lower() != email:
            where = f"{places[reviewer]}: " if reviewer in places else ""
            raise InputError(
                f"{where}{reviewer.id!r} reviews already under the address {email}",
                "remove the venue, and load this list before the list of the conference system",
            )
        if known := by_email.get(reviewer.id.lower()):
            known = replace(known, **_read_given_fields(reviewer))
            _copy_place(places, reviewer, known)
        merged.append(known or reviewer)
    return merged


def _read_given_fields(reviewer: Reviewer) -> dict[str, Any]:
    """Return the fields, besides ids of the person, that are not the defaults."""
    fields = ("minimum", "maximum", "senior", "role", "tracks", "region", "member", "name")
    unset = Reviewer("")
    values = {name: getattr(reviewer, name) for name in fields}
    return {name: value for name, value in values.items() if value != getattr(unset, name)}


def _copy_place(places: Places, old: Reviewer, new: Reviewer) -> None:
    if old in places:
        places.setdefault(new, places[old])


def new_author(reviewer: Reviewer) -> Author:
    """Return the author for a reviewer whom the graph does not know."""
    return Author(new_author_id(reviewer.id), reviewer.name or reviewer.id, identified=True)


def with_quotas(
    reviewers: Iterable[Reviewer], quotas: Iterable[Quota], places: Places
) -> list[Reviewer]:
    """Return the reviewers with the bounds of their quotas; a quota can have an e-mail address.

    Raises InputError for a quota of an unknown reviewer, and for a minimum above the maximum.
    """
    by_id = {reviewer.id: reviewer for reviewer in reviewers}
    id_of = {each.email.lower(): each.id for each in by_id.values() if each.email}
    for quota in quotas:
        where = f"{places[quota]}: " if quota in places else ""
        reviewer = by_id.get(quota.reviewer) or by_id.get(id_of.get(quota.reviewer.lower(), ""))
        if reviewer is None:
            raise InputError(
                f"{where}the quota of {quota.reviewer!r} has no reviewer",
                "use the ids of the list of reviewers",
            )
        minimum = reviewer.minimum if quota.minimum is None else quota.minimum
        maximum = reviewer.maximum if quota.maximum is None else quota.maximum
        if minimum is not None and maximum is not None and minimum > maximum:
            raise InputError(
                f"{where}the minimum load {minimum} of {quota.reviewer!r} is above the maximum"
                f" {maximum}",
                "correct the quota or the list of reviewers",
            )
        by_id[reviewer.id] = replace(reviewer, minimum=minimum, maximum=maximum)
        _copy_place(places, reviewer, by_id[reviewer.id])
    return list(by_id.values())


def _reviewer(row: Row) -> Reviewer:
    name = reviewer_id(row)
    with errors_of(name):
        identifiers_of(row)
        return Reviewer(
            name,
            senior=parse_bool(row, "senior"),
            email=text(row, "email"),
            role=normalize_name(text(row, "role") or REVIEWER),
            name=text(row, "name") or person_name(row),
            **_limits(row),
        )


def _limits(row: Row) -> dict[str, Any]:
    return {**_bounds(row), "tracks": listed(row, "tracks"), "region": text(row, "region")}


def _quota(row: Row) -> Quota:
    name = parse_person_id(key(row, "reviewer"))
    with errors_of(name):
        return Quota(name, **_bounds(row))


def _bounds(row: Row) -> dict[str, int | None]:
    minimum, maximum = parse_int(row, "minimum"), parse_int(row, "maximum")
    if minimum is not None and maximum is not None and minimum > maximum:
        raise RecordError(f"minimum {minimum} is above maximum {maximum}")
    return {"minimum": minimum, "maximum": maximum}


def read_bids(path: Path, report: ReadReport | None = None) -> list[Bid]:
    """Read bids; raise InputError for the first row that cannot be used.

    A repeated bid must have the same value.
    """
    if kind_of(path) == "xml":
        return cmt.read_bids(path, report)
    values: dict[tuple[str, str], float] = {}

    def convert(row: Row) -> Bid | None:
        pair = _pair(row)
        with errors_of(pair[0]):
            value = _bid(row.get("value"))
            if value is not None and values.setdefault(pair, value) != value:
                raise RecordError(f"bids both {values[pair]:g} and {value:g} on {pair[1]!r}")
        return Bid(*pair, value) if value is not None else None

    own = Layout("a list of bids", ("reviewer", "submission", "value"), convert)
    layouts = [own, hotcrp.PREFERENCES, easychair.PREFERENCES]
    return list(dict.fromkeys(read_table(path, layouts, report)))


def read_conflicts(path: Path, report: ReadReport | None = None) -> list[Conflict]:
    """Read declared conflicts; raise InputError for the first row that cannot be used."""

    def convert(row: Row) -> Conflict:
        reviewer, submission = _pair(row)
        return Conflict(reviewer, submission, "declared", text(row, "reason") or "declared")

    own = Layout("a list of conflicts", ("reviewer", "submission"), convert, ("reason",))
    layouts = [own, hotcrp.CONFLICTS, hotcrp.PREFERENCE_CONFLICTS]
    return list(dict.fromkeys(read_table(path, layouts, report)))


def _pair(row: Row) -> tuple[str, str]:
    return parse_person_id(key(row, "reviewer")), key(row, "submission")


def _bid(value: object) -> float | None:
    """Return the value of a bid, None for "no bid"."""
    if isinstance(value, str):
        word = " ".join(value.lower().split())
        if word == "no bid":
            return None
        if word in BIDS:
            return BIDS[word]
    if isinstance(value, str):
        value = value.replace(",", ".")  # as Excel writes numbers in many countries
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not -1 <= number <= 1:
        words = ", ".join(word.title() for word in BIDS)
        raise RecordError(f"the bid {value!s:.40} is neither a number from -1 to 1 nor {words}")
    return number


def read_memberships(path: Path, report: ReadReport | None = None) -> list[Membership]:
    """Read affiliations of people; raise InputError for the first row that cannot be used."""

    def convert(row: Row) -> Membership | None:
        person = parse_person_id(key(row, "person"))
        institution = _institution(row, "institution", person)
        until = parse_year(row, "until")
        return None if institution is None else Membership(person, institution, until)

    layout = Layout("a list of affiliations", ("person", "institution"), convert, ("until",))
    return list(dict.fromkeys(read_table(path, [layout], report)))


def read_relations(path: Path, report: ReadReport | None = None) -> list[Relation]:
    """Read relations of people; raise InputError for the first row that cannot be used."""

    def convert(row: Row) -> Relation:
        person, other = (parse_person_id(key(row, column)) for column in ("person", "other"))
        if person == other:
            raise RecordError("the person and the other are the same", person)
        return Relation(
            person, other, text(row, "relation") or "relation", parse_year(row, "until")
        )

    columns = ("relation", "until")
    layout = Layout("a list of relations", ("person", "other"), convert, columns)
    return list(dict.fromkeys(read_table(path, [layout], report)))


def read_institutions(path: Path, report: ReadReport | None = None) -> list[InstitutionLink]:
    """Read aliases and parents of institutions; raise InputError for the first bad row."""
    if kind_of(path) == "json":
        return _read_ror(path)
    links: list[InstitutionLink] = []

    def convert(row: Row) -> None:
        name = key(row, "institution")
        institution = _institution(row, "institution", name)
        given = [column for column in _LINKS if text(row, column)]
        if not given:
            raise RecordError("same_as and parent are both empty", name)
        for column in given:
            other = _institution(row, column, name)
            if institution and other:
                links.append(InstitutionLink(institution, other, column == "parent"))

    layout: Layout[None] = Layout("a list of institutions", ("institution",), convert, _LINKS)
    read_table(path, [layout], report)
    return list(dict.fromkeys(links))


def _institution(row: Row, column: str, name: str) -> str | None:
    written = key(row, column)
    institution = institution_id(written)
    if institution is None and not is_mail_provider(written):
        reason = f"{column} {written!r} is not a ROR id, a domain, or an address"
        raise RecordError(reason, name)
    return institution


def _read_ror(path: Path) -> list[InstitutionLink]:
    """Read ROR's data dump (schema 2): domains and web addresses are aliases."""
    links: list[InstitutionLink] = []

    def convert(record: Row) -> tuple[()]:
        institution = institution_id(str(record.get("id")))
        if institution is None:
            raise RecordError("the id is not a ROR id", str(record.get("id")))
        for name in (
            *listed(record, "domains"),
            *_read_values(record, "links", "website", "value"),
        ):
            if other := institution_id(str(name)):
                links.append(InstitutionLink(institution, other, is_parent=False))
        for name in _read_values(record, "relationships", "parent", "id"):
            if other := institution_id(str(name)):
                links.append(InstitutionLink(institution, other, is_parent=True))
        return ()

    keys = frozenset(("id", "domains", "links", "relationships"))
    for line, problem in read_array(path, lambda size: None, convert, keys):
        if isinstance(problem, RecordIssue) and not problem.repaired:
            raise row_error(path, line, problem.reason, problem.id)
    return list(dict.fromkeys(links))


def _read_values(record: Row, column: str, kind: str, name: str) -> list[object]:
    """Return the values of the entries of a list that have this type."""
    entries = [entry for entry in entries_of(record, column) if isinstance(entry, dict)]
    return [entry.get(name) for entry in entries if entry.get("type") == kind]
