"""Reading lists: papers with notes, tags and citation keys.

    (:ReadingList {name, description, created})-[entry:LISTS]->(:Paper)
    entry {note, tags, key, added, place, included, labeled}

An entry survives merging and deletion of its paper: of a merged paper, LISTS leads to the
SourceRecord, and a deleted paper becomes a stub.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from specter_graph.core.atomic_files import unknown_suffix
from specter_graph.core.errors import (
    GraphError,
    InputError,
    require_choice,
    require_paths,
    require_texts,
    text_list,
)
from specter_graph.graph.database import Database
from specter_graph.graph.export.references import (
    STYLES,
    Annotation,
    ReferenceExport,
    citation_key,
    write_references,
)
from specter_graph.graph.queries.library_queries import paper_rows

MAX_NAME_LENGTH = 200
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")

Label = Literal["yes", "no", "none"]
"""Labels of a screening."""
LABELS: Mapping[Label, bool | None] = {"yes": True, "no": False, "none": None}


@dataclass(frozen=True, slots=True)
class ReadingListCounts:
    """A reading list: its name, description, number of papers, and time of creation."""

    name: str
    description: str | None
    papers: int
    created: str


@dataclass(frozen=True, slots=True)
class ReadingListEntry:
    """A paper of a reading list.

    Attributes:
        id: The paper.
        key: The citation key. Without a key of your own, it is the id with which you added the
            paper, if `merge` has given the paper another id since; None if the id is the key.
        title: None for a stub.
        year: The year.
        authors: Names, in order.
        note: Your note.
        tags: Your tags.
        added: The time at which it was added, ISO 8601.
        included: The label of a screening: yes or no; None without a label.
        labeled: The time of the label, ISO 8601.
    """

    id: str
    key: str | None
    title: str | None
    year: int | None
    authors: tuple[str, ...]
    note: str | None
    tags: tuple[str, ...]
    added: str
    included: bool | None
    labeled: str | None


@dataclass(frozen=True, slots=True)
class ReadingListChange:
    """The papers that were added to a list or removed from it, and those that it has now."""

    name: str
    changed: int
    papers: int


def list_lists(db: Database, name: str | None = None) -> list[ReadingListCounts]:
    """Return all reading lists by name, or only the list of a name."""
    return [ReadingListCounts(**row) for row in db.read("lists/all", name=name)]


def create_list(db: Database, name: str, description: str | None = None) -> bool:
    """Create a reading list, or change the description of an existing one.

    Args:
        db: The graph.
        name: A name of at most MAX_NAME_LENGTH characters.
        description: A description.

    Returns:
        True if there was no list of this name.

    Raises:
        InputError: The name is empty, too long or has a control character, or the description is
            not a text or has one other than white space.
    """
    require_texts(name=name, description=description or "")
    name = name.strip()
    if not name or len(name) > MAX_NAME_LENGTH or _CONTROL.search(name):
        raise InputError(
            f"a reading list needs a name of 1 to {MAX_NAME_LENGTH} characters in one line",
            'specter-graph lists create "coral reefs"',
        )
    _require_printable(description)
    [row] = db.write("lists/create", name=name, description=description)
    return bool(row["created"])


def _require_printable(*texts: str | None) -> None:
    if _CONTROL.search("".join("".join(filter(None, texts)).split())):
        raise InputError(
            "a description, a note or a tag has a control character",
            "leave it out; line breaks and tabs may stay",
        )


def delete_list(db: Database, name: str) -> None:
    """Delete a reading list; its papers stay in the graph.

    Raises:
        GraphError: The list is not in the graph.
    """
    [row] = db.write("lists/delete", name=name)
    if not row["deleted"]:
        raise _unknown_list(db, name)


def add_to_list(
    db: Database,
    name: str,
    ids: Iterable[str],
    *,
    note: str | None = None,
    tags: Sequence[str] = (),
    keys: Mapping[str, str] | None = None,
) -> ReadingListChange:
    """Add papers to a reading list, or a note, tags and keys to papers that it has.

    Args:
        db: The graph.
        name: The list.
        ids: The papers, which may be stubs, by ids or identifiers. The id of a merged record adds
            the merged paper.
        note: A note on each of these papers, which replaces an older one; an empty note
            removes it.
        tags: Tags of each of these papers, in addition to older ones.
        keys: Citation keys, by id.

    Raises:
        GraphError: The list or a paper is not in the graph.
        InputError: The note or a tag has a control character other than white space.
    """
    require_texts(note=note or "")
    given, tags = [*dict.fromkeys(text_list("ids", ids))], text_list("tags", tags)
    _require_printable(note, *tags)
    known = dict(keys or {})
    entries: dict[str, dict[str, str | None]] = {}
    for each, row in zip(given, paper_rows(db, given, ()), strict=True):
        paper = row["paper"]
        entry = entries.setdefault(paper, {"id": row["id"], "key": known.get(paper)})
        entry["key"] = entry["key"] or known.get(each)
    rows = db.write("lists/add", name=name, entries=[*entries.values()], note=note, tags=tags)
    return ReadingListChange(name, rows[0]["added"] if rows else 0, require_list(db, name))


def remove_from_list(db: Database, name: str, ids: Iterable[str]) -> ReadingListChange:
    """Remove papers from a reading list; they stay in the graph.

    Raises:
        GraphError: The list is not in the graph, or a paper is not in the list.
    """
    [row] = db.write("lists/remove", name=name, ids=require_entries(db, name, ids))
    return ReadingListChange(name, row["removed"], require_list(db, name))


def require_entries(db: Database, name: str, ids: Iterable[str]) -> list[str]:
    """Return the ids of papers of a list, given as in `add_to_list`.

    Raises:
        GraphError: The list is not in the graph, or a paper is not in the list.
    """
    given = [*dict.fromkeys(text_list("ids", ids))]
    papers = {entry.id for entry in list_entries(db, name)}
    rows = paper_rows(db, given, ())
    absent = [each for each, row in zip(given, rows, strict=True) if row["paper"] not in papers]
    if absent:
        raise GraphError(
            f"the list {name!r} does not have {absent[0]!r}", f"specter-graph lists show {name!r}"
        )
    return [row["id"] for row in rows]


def require_list(db: Database, name: str) -> int:
    """Return the number of papers of a list; raise GraphError if it is not in the graph."""
    for row in db.read("search/lists_named", name=name):
        papers: int = row["papers"]
        return papers
    raise _unknown_list(db, name)


def _unknown_list(db: Database, name: str) -> GraphError:
    known = ", ".join([counts.name for counts in list_lists(db)][:5])
    return GraphError(
        f"the graph has no reading list {name!r}",
        f"use one of: {known}" if known else f"specter-graph lists create {name!r}",
    )


def list_entries(
    db: Database, name: str, *, tag: str | None = None, label: Label | None = None
) -> list[ReadingListEntry]:
    """Return the papers of a reading list in the order in which they were added.

    Args:
        db: The graph.
        name: The list.
        tag: Only papers with this tag.
        label: Only papers with this label of a screening.

    Raises:
        GraphError: The list is not in the graph.
        InputError: The label is unknown.
    """
    if label is not None:
        require_choice("label", label, LABELS)
    rows = db.read("lists/entries", name=name)
    if not rows:
        require_list(db, name)
    entries = []
    for row in rows:
        former, key = row.pop("former"), row.pop("key")
        key = key or (citation_key(former) if former else None)
        row |= {column: tuple(row[column]) for column in ("authors", "tags")}
        entries.append(ReadingListEntry(key=key, **row))
    return [
        entry
        for entry in entries
        if (tag is None or tag in entry.tags) and (label is None or entry.included is LABELS[label])
    ]


def export_list(
    db: Database, name: str, path: Path | str, *, tag: str | None = None, label: Label | None = None
) -> ReferenceExport:
    """Write a reading list with its notes, tags and citation keys.

    Args:
        db: The graph.
        name: The list.
        path: A file whose suffix is the format: .bib, .ris, .json (CSL-JSON) or .md (Markdown).
        tag: Only papers with this tag.
        label: Only papers with this label of a screening.

    Raises:
        GraphError: The list is not in the graph.
        InputError: The suffix is unknown, or the file cannot be written.
    """
    require_paths('graph.lists.export(NAME, "list.bib")', path=path)
    path = Path(path)
    if path.suffix not in STYLES:
        raise unknown_suffix(path, STYLES)
    entries = list_entries(db, name, tag=tag, label=label)
    annotations = {entry.id: Annotation(entry.key, entry.note, entry.tags) for entry in entries}
    return write_references(db, path, [entry.id for entry in entries], annotations, title=name)
