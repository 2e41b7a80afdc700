"""Read what a venue declares of people and institutions, for conflicts of interest.

| file         | columns (CSV, TSV) or keys (JSON Lines)                                           |
|--------------|-----------------------------------------------------------------------------------|
| affiliations | person, institution; until (the last year, empty if the person is still there)    |
| relations    | person, other; relation; until (the last year, empty if it continues)             |
| institutions | institution; same_as, parent; or the JSON file of ROR's data dump                 |

A person is an id as in the list of reviewers, or an e-mail address. An institution is a ROR id, a
domain, or an e-mail or web address; an address of a mail provider such as gmail.com is skipped.
"""

from pathlib import Path

from specter_graph.loaders.format_api import RecordError, RecordIssue
from specter_graph.loaders.parsing.field_values import text
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.review_records import (
    InstitutionLink,
    Membership,
    Relation,
    institution_id,
    is_mail_provider,
    parse_person_id,
)
from specter_graph.matching.io.rows import (
    Row,
    key,
    kind_of,
    parse_int,
    read_records,
    row_error,
)

_LINKS = ("same_as", "parent")


def read_memberships(path: Path, ignored: list[str] | None = None) -> list[Membership]:
    """Read affiliations of people; raise InputError for the first row that cannot be used."""

    def convert(row: Row) -> Membership | None:
        person = parse_person_id(key(row, "person"))
        institution = _institution(row, "institution", person)
        until = parse_int(row, "until")
        return None if institution is None else Membership(person, institution, until)

    columns = ("person", "institution", "until")
    return list(
        dict.fromkeys(read_records(path, convert, columns, ("person", "institution"), ignored))
    )


def read_relations(path: Path, ignored: list[str] | None = None) -> list[Relation]:
    """Read relations of people; raise InputError for the first row that cannot be used."""

    def convert(row: Row) -> Relation:
        person, other = (parse_person_id(key(row, column)) for column in ("person", "other"))
        if person == other:
            raise RecordError("the person and the other are the same", person)
        return Relation(person, other, text(row, "relation") or "relation", parse_int(row, "until"))

    columns = ("person", "other", "relation", "until")
    return list(dict.fromkeys(read_records(path, convert, columns, ("person", "other"), ignored)))


def read_institutions(path: Path, ignored: list[str] | None = None) -> list[InstitutionLink]:
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

    read_records(path, convert, ("institution", *_LINKS), ("institution",), ignored)
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
        for name in (*record.get("domains", ()), *_values(record, "links", "website", "value")):
            if other := institution_id(str(name)):
                links.append(InstitutionLink(institution, other, is_parent=False))
        for name in _values(record, "relationships", "parent", "id"):
            if other := institution_id(str(name)):
                links.append(InstitutionLink(institution, other, is_parent=True))
        return ()

    keys = frozenset(("id", "domains", "links", "relationships"))
    for line, problem in read_array(path, lambda size: None, convert, keys):
        if isinstance(problem, RecordIssue) and not problem.repaired:
            raise row_error(path, line, problem.reason, problem.id)
    return list(dict.fromkeys(links))


def _values(record: Row, column: str, kind: str, name: str) -> list[object]:
    """Return the values of the entries of a list that have this type."""
    entries = [entry for entry in record.get(column) or () if isinstance(entry, dict)]
    return [entry.get(name) for entry in entries if entry.get("type") == kind]
