"""arXiv's metadata snapshot: JSON, one paper a line."""

from collections.abc import Iterator
from typing import Any

from specter_graph.loaders.format_api import Found
from specter_graph.loaders.formats.arxiv_authors import author, from_line, once
from specter_graph.loaders.formats.arxiv_entry import Entry, paper_of
from specter_graph.loaders.parsing import tolerant_fields as lenient
from specter_graph.loaders.parsing.field_values import text, type_name
from specter_graph.loaders.records import Author

KEYS = frozenset({
    "abstract", "authors", "authors_parsed", "categories", "comments", "doi", "id", "journal-ref",
    "license", "report-no", "submitter", "title", "update_date", "versions",
})  # fmt: skip


def convert(record: dict[str, Any]) -> Iterator[Found]:
    """The paper of an object; raises RecordError without an arXiv id or a title."""
    wrong: list[str] = []

    def told(key: str) -> str:
        return lenient.text(record, key, wrong) or ""

    versions = lenient.objects(record, "versions", wrong)
    entry = Entry(
        id=text(record, "id") or "",
        title=told("title"),
        abstract=told("abstract"),
        authors=_authors(record, wrong),
        labels=tuple(told("categories").split()),
        created=(lenient.text(versions[0], "created", wrong) or "") if versions else "",
        doi=told("doi"),
        journal=told("journal-ref"),
        comments=told("comments"),
    )
    paper = paper_of(entry, wrong)
    yield from lenient.problems(wrong, paper.id)
    yield paper


def _authors(record: dict[str, Any], wrong: list[str]) -> tuple[Author, ...]:
    """From [last, first, suffix, affiliation...] each, or else from the line of authors."""
    parsed = record.get("authors_parsed")
    if not parsed:
        return from_line(lenient.text(record, "authors", wrong) or "", wrong)
    if not isinstance(parsed, list):
        wrong.append(f"authors_parsed must be a list, not {type_name(parsed)}")
        return ()
    return once(_author(names, wrong) for names in parsed)


def _author(names: object, wrong: list[str]) -> Author | None:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        wrong.append("authors_parsed must hold lists of texts")
        return None
    last, first, suffix, *affiliations = [*names, "", "", ""][: max(3, len(names))]
    return author(f"{first} {last} {suffix}", affiliations, wrong)
