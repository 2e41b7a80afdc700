"""arXiv's metadata in XML: records of OAI-PMH in four layouts, and entries of the API's feeds."""

from collections.abc import Iterator

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Found, RecordError
from specter_graph.loaders.formats.arxiv_authors import author, from_line, once
from specter_graph.loaders.formats.arxiv_entry import Entry, paper_of
from specter_graph.loaders.parsing import tolerant_fields as lenient
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, forget_namespaces, parts_of, text_of
from specter_graph.loaders.records import Author

BARE = ("arXiv", "arXivRaw", "arXivOld", "dc")
"""The metadata of a record, which may also stand in a file without the record around them."""

NAMES = frozenset({
    "about", "abstract", "acm-class", "affiliation", "arXiv", "arXivOld", "arXivRaw", "author",
    "authors", "categories", "category", "comment", "comments", "contributor", "created",
    "creator", "date", "datestamp", "dc", "description", "doi", "entry", "forenames", "header",
    "id", "identifier", "journal-ref", "journal_ref", "keyname", "language", "license", "link",
    "metadata", "msc-class", "name", "OAI-PMH", "primary_category", "proxy", "published",
    "record", "relation", "report-no", "rights", "setSpec", "size", "source_type", "subject",
    "submitter", "suffix", "summary", "title", "type", "updated", "version",
})  # fmt: skip

_GROUPS = ("physics",)
"""Sets of OAI-PMH that are no archive."""


def convert(record: Element) -> Iterator[Found]:
    """The paper of a record; raises RecordError without an arXiv id or a title."""
    forget_namespaces(record)
    wrong: list[str] = []
    paper = paper_of(_entry(record, wrong), wrong)
    yield from lenient.problems(wrong, paper.id)
    yield paper


def _entry(record: Element, wrong: list[str]) -> Entry:
    if record.tag == "entry":
        return _atom(parts_of(record), wrong)
    if record.tag in BARE:
        return _metadata(record, {}, wrong)
    parts = parts_of(record)
    header = parts.get("header")
    told = parts_of(header)
    if header is not None and header.get("status") == "deleted":
        found = identifiers.arxiv(text_of(told.get("identifier")))
        key = f"arxiv:{found.value}" if found else None
        raise RecordError("arXiv has deleted this record", key)
    for metadata in parts.get("metadata", ()):
        return _metadata(metadata, told, wrong)
    raise RecordError("the record has no metadata")


def _metadata(metadata: Element, header: Parts, wrong: list[str]) -> Entry:
    parts = parts_of(metadata)
    return _dublin_core(parts, header) if metadata.tag == "dc" else _own(metadata, parts, wrong)


def _own(metadata: Element, parts: Parts, wrong: list[str]) -> Entry:
    """arXiv, arXivRaw or arXivOld: they differ in how they tell authors and dates."""

    def told(name: str) -> str:
        return text_of(parts.get(name))

    version = parts_of(parts.get("version"))
    classes = [text_of(one) for name in ("msc-class", "acm-class") for one in each(parts.get(name))]
    return Entry(
        id=told("id"),
        title=told("title"),
        abstract=told("abstract"),
        authors=_authors(parts.get("authors"), wrong),
        labels=(*told("categories").split(), *filter(None, classes)),
        created=told("created") or text_of(version.get("date")) or told("date"),
        doi=told("doi"),
        journal=told("journal-ref"),
        comments=told("comments"),
    )


def _authors(element: Element | None, wrong: list[str]) -> tuple[Author, ...]:
    if element is None or not len(element):
        return from_line(text_of(element), wrong)
    return once(_author(one, wrong) for one in element.iterchildren("author"))


def _author(element: Element, wrong: list[str]) -> Author | None:
    parts = parts_of(element)
    order = ("name", "forenames", "keyname", "suffix")
    name = " ".join(text_of(parts.get(part)) for part in order)
    return author(name, (text_of(one) for one in each(parts.get("affiliation"))), wrong)


def _dublin_core(parts: Parts, header: Parts) -> Entry:
    """Simple Dublin Core: the sets of the header tell the categories that it tells in words."""
    names = [text_of(one) for one in each(parts.get("identifier"))]
    sets = [text_of(one) for one in each(header.get("setSpec"))]
    creators = (_last_first(text_of(one)) for one in each(parts.get("creator")))
    subjects = [text_of(one) for one in each(parts.get("subject"))]
    described = [text_of(one) for one in each(parts.get("description"))]
    comments = [one for one in described if one.startswith("Comment:")]
    return Entry(
        id=next((one for one in names if "arxiv.org/" in one), text_of(header.get("identifier"))),
        title=text_of(parts.get("title")),
        abstract=next((one for one in described if one not in comments), ""),
        authors=once(author(name, (), []) for name in creators),
        labels=tuple(label for one in sets if (label := _category(one))),
        subjects=tuple(subjects),
        created=min(filter(None, (text_of(one) for one in each(parts.get("date")))), default=""),
        doi=" ".join(one for one in names if one.startswith("doi:")),
        comments=" ".join(one.removeprefix("Comment:").strip() for one in comments),
    )


def _last_first(name: str) -> str:
    last, _, first = name.partition(",")
    return f"{first} {last}"


def _category(name: str) -> str | None:
    """The category, or the archive, that a set stands for: cs:cs:CL is cs.CL."""
    group, _, rest = name.partition(":")
    if not rest:
        return None if group in _GROUPS else group
    return rest.replace(":", ".")


def _atom(parts: Parts, wrong: list[str]) -> Entry:
    links = {one.get("rel", ""): one.get("href", "") for one in each(parts.get("link"))}
    terms = [one.get("term", "").strip() for one in each(parts.get("category"))]
    primary = [one.get("term", "").strip() for one in each(parts.get("primary_category"))]
    return Entry(
        id=text_of(parts.get("id")),
        title=text_of(parts.get("title")),
        abstract=text_of(parts.get("summary")),
        authors=once(_author(one, wrong) for one in each(parts.get("author"))),
        labels=tuple(dict.fromkeys(filter(None, [*primary, *terms]))),
        created=text_of(parts.get("published")),
        doi=text_of(parts.get("doi")),
        journal=text_of(parts.get("journal_ref")),
        comments=text_of(parts.get("comment")),
        url=links.get("alternate") or None,
    )
