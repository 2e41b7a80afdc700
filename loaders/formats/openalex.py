"""OpenAlex works: the JSON Lines of the snapshot, and the answers of the API.

The field map is in docs/formats/openalex.md; the fields are those of OpenAlex's documentation
("Work object", "Authorship object", "Location object").
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import make_author, make_venue, read_dois, unique
from specter_graph.loaders.parsing import tolerant_fields
from specter_graph.loaders.parsing.field_values import clean_name, describe_value
from specter_graph.loaders.parsing.json import read_objects
from specter_graph.loaders.parsing.plain_text import paragraphs, plain
from specter_graph.loaders.parsing.tolerant_fields import Json, objects, part, text
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue

SOURCE = "openalex"
TOPIC = "openalex-topic"
KEYS = known_fields("openalex")

_SITE = "https://openalex.org/"
_WORK = f"{_SITE}W"
_PREFIX = f"{SOURCE}:"
_ID = re.compile(rf"(?:{re.escape(_SITE)}(?:works/)?)?([WASIVCT]\d+)", re.IGNORECASE)
_PLACEHOLDER_AUTHORS = frozenset({"A9999999999", "A5317838346"})
"""The ids of unknown and of deleted authors."""
_CACHE_SIZE = 100_000
_HEAD = re.compile(rb'\s*\{[^\n]*?"id"\s*:\s*"https://openalex\.org/W\d+"')


def read_openalex(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the works of a file with their lines, after new labels above their topics."""
    return read_objects(path, count, WorkConverter().convert, KEYS)


class WorkConverter:
    """Converts work objects; it yields each label above a topic once, before its first work."""

    def __init__(self) -> None:
        self._yielded: set[Field] = set()

    def convert(self, record: Json) -> Iterator[ParseResult]:
        """Yield the paper of a work object, after new labels above its topics.

        Raises:
            RecordError: The id or the title is missing.
        """
        omitted: list[str] = []
        work = _work_id(record)
        paper_id = f"{SOURCE}:{work}"
        title = text(record, "title", omitted) or text(record, "display_name", omitted)
        if not title:
            raise RecordError("title is missing", paper_id)
        if record.get("is_authors_truncated") is True:
            omitted.append("authors after those that the API gives")
        primary = part(record, "primary_location", omitted)
        topics = _topics(record, omitted)
        paper = Paper(
            id=paper_id,
            title=plain(title),
            abstract=_abstract(part(record, "abstract_inverted_index", omitted), omitted),
            year=tolerant_fields.year(record, "publication_year", omitted),
            published=text(record, "publication_date", omitted),
            language=text(record, "language", omitted),
            url=text(primary, "landing_page_url", omitted),
            source=SOURCE,
            retracted=record.get("is_retracted") is True or None,
            identifiers=_identifiers(work, record, omitted),
            authors=unique(
                _author(entry, omitted) for entry in objects(record, "authorships", omitted)
            ),
            venue=_venue(primary, record, omitted),
            fields=_fields(record, [labels[-1] for labels in topics], omitted),
            references=_references(record, omitted),
        )
        yield from tolerant_fields.issues(omitted, paper_id)
        for label in (label for labels in topics for label in labels[:-1]):
            if label not in self._yielded:
                self._yielded.add(label)
                yield label
        yield paper


def _author(entry: Json, omitted: list[str]) -> Author | None:
    author = part(entry, "author", omitted)
    key, written = _key(author.get("id"), "A"), text(entry, "raw_author_name", omitted)
    name = text(author, "display_name", omitted) or written
    if key in _PLACEHOLDER_AUTHORS:
        key, name = None, written or name
    has_affiliations = name and entry.get("institutions")
    return make_author(
        SOURCE,
        name,
        omitted,
        key=_PREFIX + key if key else None,
        orcid=identifiers.orcid(text(author, "orcid", omitted) or ""),
        affiliations=_affiliations(entry, omitted) if has_affiliations else (),
    )


def _affiliations(authorship: Json, omitted: list[str]) -> tuple[Affiliation, ...]:
    affiliations: dict[str, Affiliation] = {}
    for entry in objects(authorship, "institutions", omitted):
        name, ror = text(entry, "display_name", omitted), text(entry, "ror", omitted)
        if name:
            affiliation = _affiliation(name, ror or "", _key(entry.get("id"), "I"))
            affiliations[affiliation.id] = affiliation
        else:
            omitted.append("an institution without a name")
    return tuple(affiliations.values())


@lru_cache(_CACHE_SIZE)
def _affiliation(name: str, address: str, key: str | None) -> Affiliation:
    name, ror = clean_name(name), identifiers.ror(address)
    return Affiliation(f"ror:{ror}" if ror else f"{SOURCE}:{key or name}", name)


def _venue(primary: Json, record: Json, omitted: list[str]) -> Venue | None:
    source = part(primary, "source", omitted) or part(record, "host_venue", omitted)
    name = text(source, "display_name", omitted) or text(primary, "raw_source_name", omitted)
    key = _key(source.get("id"), "S") or _key(source.get("id"), "V")
    return make_venue(SOURCE, name, f"{SOURCE}:{key}" if key else None)


def _fields(record: Json, topics: list[Field], omitted: list[str]) -> tuple[Field, ...]:
    """Return all labels of a work."""
    fields: list[Field | None] = [*topics]
    for entry in objects(record, "concepts", omitted):
        if entry.get("score") != 0:
            fields.append(_label(f"{SOURCE}-concept", entry, "id", "display_name", omitted))
    for entry in objects(record, "mesh", omitted):
        fields.append(_label("mesh", entry, "descriptor_ui", "descriptor_name", omitted))
    for entry in objects(record, "keywords", omitted):
        name = "display_name" if "display_name" in entry else "keyword"
        fields.append(_label("keyword", entry, name, name, omitted))
    for entry in objects(record, "sustainable_development_goals", omitted):
        fields.append(_label("sdg", entry, "id", "display_name", omitted))
    return tuple({(f.scheme, f.id): f for f in fields if f}.values())


def _label(
    scheme: str, entry: Json, id_key: str, name_key: str, omitted: list[str]
) -> Field | None:
    key, name = text(entry, id_key, omitted), text(entry, name_key, omitted)
    if not key or not name:
        omitted.append(f"a {scheme} label without an id or a name")
        return None
    return _field(scheme, clean_name(key) if scheme == "keyword" else _last(key), name)


def _topics(record: Json, omitted: list[str]) -> list[list[Field]]:
    """Return the topics of a work, each with the labels above it, the broadest first."""
    entries = objects(record, "topics", omitted)
    if not entries and (primary := part(record, "primary_topic", omitted)):
        entries = [primary]
    topics = []
    for entry in entries:
        key, name = text(entry, "id", omitted), text(entry, "display_name", omitted)
        if not key or not name:
            omitted.append("a topic without an id or a name")
            continue
        labels: list[Field] = []
        broader: tuple[str, ...] = ()
        for level in ("domain", "field", "subfield"):
            label = part(entry, level, [])
            number = label.get("id")  # an integer in older snapshots
            if type(number) in (int, str) and (number := _last(str(number))):
                if label_name := text(label, "display_name", []):
                    labels.append(_field(TOPIC, f"{level}s/{number}", label_name, broader))
                broader = (f"{level}s/{number}",)
        topics.append([*labels, _field(TOPIC, _key(key, "T") or key, name, broader)])
    return topics


@lru_cache(_CACHE_SIZE)
def _field(scheme: str, key: str, name: str, broader: tuple[str, ...] = ()) -> Field:
    return Field(scheme, key, clean_name(name), broader)


def work_key(value: object) -> str | None:
    """Return the short id of a work (`W2741809807`) from its URL, or None."""
    return _key(value, "W")


def _work_id(record: Json) -> str:
    value = record.get("id")
    if value is None:
        raise RecordError("id is missing")
    work = work_key(value)
    if work is None:
        raise RecordError(f"id {describe_value(value):.100} is not the id of an OpenAlex work")
    return work


def _key(value: object, kind: str) -> str | None:
    """Return the short id (`W2741809807`) from an OpenAlex id of that kind, or None."""
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    key = match[1].upper() if match else ""
    return key if key.startswith(kind) else None


def _last(address: str) -> str:
    return address.strip().rstrip("/").rpartition("/")[2]


def _abstract(index: Json, omitted: list[str]) -> str | None:
    """Return the abstract of an inverted index, which maps each word to its positions."""
    try:
        words: list[str | None] = [None] * sum(map(len, index.values()))
        for word, positions in index.items():
            for position in positions:
                words[position] = word
        return _readable(" ".join(words))  # type: ignore[arg-type]
    except (TypeError, IndexError):
        return _gapped_abstract(index, omitted)


def _gapped_abstract(index: Json, omitted: list[str]) -> str | None:
    """Return the abstract of an index that has gaps, repeated positions or damage."""
    words: list[tuple[int, str]] = []
    for word, positions in index.items():
        if isinstance(positions, list) and all(type(position) is int for position in positions):
            words += [(position, word) for position in positions]
        else:
            omitted.append("words of the abstract whose positions are not numbers")
    return _readable(" ".join(word for _, word in sorted(words)))


def _readable(abstract: str) -> str | None:
    """Return an abstract without the tags and entities that the publisher's text may have."""
    if "<" in abstract or "&" in abstract:
        return paragraphs(abstract)
    return abstract.strip() or None


def _identifiers(work: str, record: Json, omitted: list[str]) -> tuple[Identifier, ...]:
    ids = part(record, "ids", omitted)
    results: list[Identifier | None] = [Identifier(SOURCE, work)]
    results += read_dois(text(record, "doi", omitted) or text(ids, "doi", omitted), omitted)
    if pmid := text(ids, "pmid", omitted):
        results.append(identifiers.pubmed(pmid))
    if pmcid := text(ids, "pmcid", omitted):
        results.append(identifiers.pmc(_last(pmcid)))
    if isinstance(mag := ids.get("mag"), int | str):
        results.append(identifiers.mag(mag))
    for location in objects(record, "locations", omitted):
        url = location.get("landing_page_url")
        if (
            type(url) is str
            and "arxiv.org/abs/" in url
            and (arxiv := identifiers.arxiv(url)) not in results
        ):
            results.append(arxiv)
    return tuple(identifier for identifier in results if identifier)


def _references(record: Json, omitted: list[str]) -> tuple[str, ...]:
    works = tolerant_fields.texts(record, "referenced_works", omitted)
    start = len(_SITE)
    keys = [_PREFIX + work[start:] for work in works if work.startswith(_WORK)]
    if len(keys) < len(works):
        short = map(work_key, works)
        keys = [_PREFIX + key for key in short if key]
        if len(keys) < len(works):
            omitted.append(f"references that are not OpenAlex works: {len(works) - len(keys)}")
    return tuple(keys)


def detect(name: str, head: bytes) -> str | None:
    """Detect JSON objects with the id of an OpenAlex work, one a line."""
    return "OpenAlex works, one JSON object a line" if _HEAD.match(head) else None


FORMAT = Format("openalex", "OpenAlex works", read_openalex, detect)
