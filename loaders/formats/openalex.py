"""OpenAlex works: the JSON Lines of the snapshot, and the answers of the API.

The field map is in docs/formats/openalex.md; the fields are those of OpenAlex's documentation
("Work object", "Authorship object", "Location object").
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    distinct_labels,
    make_author,
    make_venue,
    read_dois,
    unique,
)
from specter_graph.loaders.parsing.field_values import (
    Json,
    JsonRecord,
    clean_name,
    describe_value,
    json_converter,
)
from specter_graph.loaders.parsing.json import first_object, read_json
from specter_graph.loaders.parsing.plain_text import paragraphs, strip_markup
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Item, Paper, Venue

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
_HEAD = re.compile(rb'[\s\[]*\{[^{}\[\]]*?"id"\s*:\s*"https://openalex\.org/W\d+"')
_PAGE_HEAD = re.compile(
    rb'\s*\{\s*(?:"meta"\s*:\s*\{[^{}]*\}\s*,\s*)?"results"\s*:\s*(\[.*)', re.DOTALL
)


def read_openalex(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the works of a file with their lines, after new labels above their topics."""
    return read_json(path, count, work_converter(), KEYS)


def work_converter() -> Callable[[Json], Iterator[ParseResult]]:
    """Return a converter of work objects; it yields each label above a topic once.

    It raises RecordError if the id or the title of a work is missing.
    """
    yielded: set[Field] = set()

    @json_converter
    def convert(record: JsonRecord) -> Iterator[Item]:
        work = _read_work_id(record)
        record.id = f"{SOURCE}:{work}"
        title = record.text("title") or record.text("display_name")
        if record.get("is_authors_truncated") is True:
            record.omitted.append("authors after those that the API gives")
        primary = record.part("primary_location")
        topics = _read_topics(record)
        for label in (label for labels in topics for label in labels[:-1]):
            if title and label not in yielded:
                yielded.add(label)
                yield label
        yield Paper(
            id=record.id,
            title=strip_markup(title or ""),
            abstract=inverted_abstract(record.part("abstract_inverted_index")),
            year=record.year("publication_year"),
            published=record.text("publication_date"),
            language=record.text("language"),
            url=primary.text("landing_page_url"),
            source=SOURCE,
            retracted=record.get("is_retracted") is True or None,
            identifiers=_read_identifiers(work, record),
            authors=unique(_read_author(entry) for entry in record.objects("authorships")),
            venue=_read_venue(primary, record),
            fields=_read_fields(record, [labels[-1] for labels in topics]),
            references=_read_references(record),
        )

    return convert


def _read_author(entry: JsonRecord) -> Author | None:
    author = entry.part("author")
    key, written = _parse_id(author.get("id"), "A"), entry.text("raw_author_name")
    name = author.text("display_name") or written
    if name == "NULL AUTHOR_ID":
        name = written
    if key in _PLACEHOLDER_AUTHORS:
        key, name = None, written or name
    has_affiliations = name and entry.get("institutions")
    return make_author(
        SOURCE,
        name,
        entry.omitted,
        key=_PREFIX + key if key else None,
        orcid=identifiers.orcid(author.text("orcid") or ""),
        affiliations=unique(_read_affiliations(entry)) if has_affiliations else (),
    )


def _read_affiliations(authorship: JsonRecord) -> Iterator[Affiliation]:
    for entry in authorship.objects("institutions"):
        name, ror = entry.text("display_name"), entry.text("ror")
        if name:
            yield _affiliation(name, ror or "", _parse_id(entry.get("id"), "I"))
        else:
            authorship.omitted.append("an institution without a name")


@lru_cache(_CACHE_SIZE)
def _affiliation(name: str, address: str, key: str | None) -> Affiliation:
    name, ror = clean_name(name), identifiers.ror(address)
    return Affiliation(f"ror:{ror}" if ror else f"{SOURCE}:{key or name}", name)


def _read_venue(primary: JsonRecord, record: JsonRecord) -> Venue | None:
    source = primary.part("source") or record.part("host_venue")
    name = source.text("display_name") or primary.text("raw_source_name")
    key = _parse_id(source.get("id"), "S") or _parse_id(source.get("id"), "V")
    return make_venue(SOURCE, name, f"{SOURCE}:{key}" if key else None)


def _read_fields(record: JsonRecord, topics: list[Field]) -> tuple[Field, ...]:
    """Return all labels of a work."""
    fields: list[Field | None] = [*topics]
    for entry in record.objects("concepts"):
        if entry.get("score") != 0:
            fields.append(_read_label(f"{SOURCE}-concept", entry, "id", "display_name"))
    for entry in record.objects("mesh"):
        fields.append(_read_label("mesh", entry, "descriptor_ui", "descriptor_name"))
    for entry in record.objects("keywords"):
        name = "display_name" if "display_name" in entry else "keyword"
        fields.append(_read_label("keyword", entry, name, name))
    for entry in record.objects("sustainable_development_goals"):
        fields.append(_read_label("sdg", entry, "id", "display_name"))
    return distinct_labels(fields)


def _read_label(scheme: str, entry: JsonRecord, id_key: str, name_key: str) -> Field | None:
    key, name = entry.text(id_key), entry.text(name_key)
    if not key or not name:
        entry.omitted.append(f"a {scheme} label without an id or a name")
        return None
    return _field(scheme, clean_name(key) if scheme == "keyword" else _cut_address(key), name)


def _read_topics(record: JsonRecord) -> list[list[Field]]:
    """Return the topics of a work, each with the labels above it, the broadest first."""
    entries = record.objects("topics")
    if not entries and (primary := record.part("primary_topic")):
        entries = [primary]
    topics = []
    for entry in entries:
        key, name = entry.text("id"), entry.text("display_name")
        if not key or not name:
            record.omitted.append("a topic without an id or a name")
            continue
        labels: list[Field] = []
        broader: tuple[str, ...] = ()
        for level in ("domain", "field", "subfield"):
            label = JsonRecord(entry.values).part(level)  # the levels may be damaged silently
            number = label.get("id")  # an integer in older snapshots
            if type(number) in (int, str) and (number := _cut_address(str(number))):
                if label_name := label.text("display_name"):
                    labels.append(_field(TOPIC, f"{level}s/{number}", label_name, broader))
                broader = (f"{level}s/{number}",)
        topics.append([*labels, _field(TOPIC, _parse_id(key, "T") or key, name, broader)])
    return topics


@lru_cache(_CACHE_SIZE)
def _field(scheme: str, key: str, name: str, broader: tuple[str, ...] = ()) -> Field:
    return Field(scheme, key, clean_name(name), broader)


def work_key(value: object) -> str | None:
    """Return the short id of a work (`W2741809807`) from its URL, or None."""
    return _parse_id(value, "W")


def _read_work_id(record: JsonRecord) -> str:
    value = record.get("id")
    if value is None:
        raise RecordError("id is missing")
    work = work_key(value)
    if work is None:
        raise RecordError(f"id {describe_value(value):.100} is not the id of an OpenAlex work")
    return work


def _parse_id(value: object, kind: str) -> str | None:
    """Return the short id (`W2741809807`) from an OpenAlex id of that kind, or None."""
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    key = match[1].upper() if match else ""
    return key if key.startswith(kind) else None


def _cut_address(address: str) -> str:
    return address.strip().rstrip("/").rpartition("/")[2]


def inverted_abstract(index: JsonRecord) -> str | None:
    """Return the abstract of an inverted index, which maps each word to its positions.

    The tags and entities that the publisher's text may have are removed.
    """
    try:
        words: list[str | None] = [None] * sum(map(len, index.values.values()))
        for word, positions in index.values.items():
            for position in positions:
                words[position] = word
        abstract = " ".join(words)  # type: ignore[arg-type]
    except (TypeError, IndexError):  # gaps, repeated positions or damage
        abstract = _join_gapped_abstract(index)
    if "<" in abstract or "&" in abstract:
        return paragraphs(abstract)
    return abstract.strip() or None


def _join_gapped_abstract(index: JsonRecord) -> str:
    words: list[tuple[int, str]] = []
    for word, positions in index.values.items():
        if isinstance(positions, list) and all(type(position) is int for position in positions):
            words += [(position, word) for position in positions]
        else:
            index.omitted.append("words of the abstract whose positions are not numbers")
    return " ".join(word for _, word in sorted(words))


def _read_identifiers(work: str, record: JsonRecord) -> tuple[Identifier, ...]:
    ids = record.part("ids")
    results: list[Identifier | None] = [Identifier(SOURCE, work)]
    results += read_dois(record.text("doi") or ids.text("doi"), record.omitted)
    if pmid := ids.text("pmid"):
        results.append(identifiers.pubmed(pmid))
    if pmcid := ids.text("pmcid"):
        results.append(identifiers.pmc(_cut_address(pmcid)))
    if isinstance(mag := ids.get("mag"), int | str):
        results.append(identifiers.number("mag", mag))
    for location in record.objects("locations"):
        url = location.get("landing_page_url")
        if (
            type(url) is str
            and "arxiv.org/abs/" in url
            and (arxiv := identifiers.arxiv(url)) not in results
        ):
            results.append(arxiv)
    return tuple(identifier for identifier in results if identifier)


def _read_references(record: JsonRecord) -> tuple[str, ...]:
    works = record.texts("referenced_works")
    start = len(_SITE)
    keys = [_PREFIX + work[start:] for work in works if work.startswith(_WORK)]
    if len(keys) < len(works):
        short = map(work_key, works)
        keys = [_PREFIX + key for key in short if key]
        if len(keys) < len(works):
            record.omitted.append(
                f"references that are not OpenAlex works: {len(works) - len(keys)}"
            )
    return tuple(keys)


def detect(name: str, head: bytes) -> str | None:
    """Detect JSON objects with the id of an OpenAlex work, or a page of them."""
    page = _PAGE_HEAD.match(head)
    is_work = b'"https://openalex.org/W' in head and {"id", "authorships"} <= first_object(head)
    if is_work or _HEAD.match(page[1] if page else head):
        return "OpenAlex, an answer of the API" if page else "OpenAlex works, JSON"
    return None


FORMAT = Format("openalex", "OpenAlex works", read_openalex, detect)
