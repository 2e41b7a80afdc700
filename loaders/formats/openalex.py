"""OpenAlex works: the JSON lines of the snapshot, and what the API gives.

The field map is in docs/formats/openalex.md; the fields are those of OpenAlex's documentation
("Work object", "Authorship object", "Location object").
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import make_author, make_venue, read_dois, unique
from specter_graph.loaders.parsing import tolerant_fields
from specter_graph.loaders.parsing.field_values import clean_name, describe_value
from specter_graph.loaders.parsing.json import read_objects
from specter_graph.loaders.parsing.text import paragraphs, plain
from specter_graph.loaders.parsing.tolerant_fields import Json, objects, part, text
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue

SOURCE = "openalex"
TOPIC = "openalex-topic"
KEYS = known_fields("openalex")

_SITE = "https://openalex.org/"
_WORK = f"{_SITE}W"
_OWN = f"{SOURCE}:"
_ID = re.compile(rf"(?:{re.escape(_SITE)}(?:works/)?)?([WASIVCT]\d+)", re.IGNORECASE)
_NOBODY = frozenset({"A9999999999", "A5317838346"})
"""Ids of authors that are not known, and of deleted ones: no persons."""
_LEVELS = ("subfield", "field", "domain")
_MAX_REMEMBERED = 200_000
_HEAD = re.compile(rb'\s*\{[^\n]*?"id"\s*:\s*"https://openalex\.org/W\d+"')


def read_openalex(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the works of a file with their lines; the labels above a topic come once, before it."""
    return read_objects(path, count, Works().convert, KEYS)


class Works:
    """Converts work objects one after another.

    It remembers labels and institutions, which come again and again: that is for speed only. The
    labels above a topic are told when they first appear.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[Any, ...], Any] = {}
        self._told: set[Field] = set()

    def convert(self, record: Json) -> Iterator[ParseResult]:
        """Yield the paper of a work object, after what is new of the hierarchy above its topics.

        Raises RecordError when there is no id or no title.
        """
        wrong: list[str] = []
        work = _work_id(record)
        paper_id = f"{SOURCE}:{work}"
        title = text(record, "title", wrong) or text(record, "display_name", wrong)
        if not title:
            raise RecordError("title is missing", paper_id)
        if record.get("is_authors_truncated") is True:
            wrong.append("authors after those that the API gives")
        if len(self._seen) > _MAX_REMEMBERED:
            self._seen.clear()
        primary = part(record, "primary_location", wrong)
        above: list[Field] = []
        paper = Paper(
            id=paper_id,
            title=plain(title),
            abstract=_abstract(part(record, "abstract_inverted_index", wrong), wrong),
            year=tolerant_fields.year(record, "publication_year", wrong),
            published=text(record, "publication_date", wrong),
            language=text(record, "language", wrong),
            url=text(primary, "landing_page_url", wrong),
            source=SOURCE,
            retracted=record.get("is_retracted") is True or None,
            identifiers=_identifiers(work, record, wrong),
            authors=unique(
                self._author(entry, wrong) for entry in objects(record, "authorships", wrong)
            ),
            venue=self._venue(primary, record, wrong),
            fields=self._fields(record, above, wrong),
            references=_references(tolerant_fields.texts(record, "referenced_works", wrong), wrong),
        )
        yield from tolerant_fields.issues(wrong, paper_id)
        yield from above
        yield paper

    def _author(self, entry: Json, wrong: list[str]) -> Author | None:
        who = part(entry, "author", wrong)
        key, written = _key(who.get("id"), "A"), text(entry, "raw_author_name", wrong)
        name = text(who, "display_name", wrong) or written
        institutions = entry.get("institutions")
        if key in _NOBODY:
            key, name = None, written or name
        return make_author(
            SOURCE,
            name,
            wrong,
            key=_OWN + key if key else None,
            orcid=identifiers.orcid(text(who, "orcid", wrong) or ""),
            affiliations=self._affiliations(entry, wrong) if name and institutions else (),
        )

    def _affiliations(self, authorship: Json, wrong: list[str]) -> tuple[Affiliation, ...]:
        places: dict[str, Affiliation] = {}
        for entry in objects(authorship, "institutions", wrong):
            as_given = (entry.get("id"), entry.get("ror"), entry.get("display_name"))
            affiliation: Affiliation | None = self._remembered(as_given)
            if affiliation is None:
                name = text(entry, "display_name", wrong)
                if not name:
                    wrong.append("an institution without a name")
                    continue
                name, ror = clean_name(name), identifiers.ror(text(entry, "ror", wrong) or "")
                own = f"{SOURCE}:{_key(entry.get('id'), 'I') or name}"
                affiliation = Affiliation(f"ror:{ror}" if ror else own, name)
                self._remember(as_given, affiliation)
            places[affiliation.id] = affiliation
        return tuple(places.values())

    def _venue(self, primary: Json, record: Json, wrong: list[str]) -> Venue | None:
        source = part(primary, "source", wrong) or part(record, "host_venue", wrong)
        name = text(source, "display_name", wrong) or text(primary, "raw_source_name", wrong)
        key = _key(source.get("id"), "S") or _key(source.get("id"), "V")
        return make_venue(SOURCE, name, f"{SOURCE}:{key}" if key else None)

    def _fields(self, record: Json, above: list[Field], wrong: list[str]) -> tuple[Field, ...]:
        """Return the labels of a work; what is new of the hierarchy above them goes to `above`."""
        topics = objects(record, "topics", wrong)
        if not topics and (primary := part(record, "primary_topic", wrong)):
            topics = [primary]
        fields = [self._topic(entry, above, wrong) for entry in topics]
        for entry in objects(record, "concepts", wrong):
            if entry.get("score") != 0:
                fields.append(self._label(f"{SOURCE}-concept", entry, "id", "display_name", wrong))
        for entry in objects(record, "mesh", wrong):
            fields.append(self._label("mesh", entry, "descriptor_ui", "descriptor_name", wrong))
        for entry in objects(record, "keywords", wrong):
            name = "display_name" if "display_name" in entry else "keyword"
            fields.append(self._label("keyword", entry, name, name, wrong))
        for entry in objects(record, "sustainable_development_goals", wrong):
            fields.append(self._label("sdg", entry, "id", "display_name", wrong))
        return tuple({(f.scheme, f.id): f for f in fields if f}.values())

    def _label(
        self, scheme: str, entry: Json, id_key: str, name_key: str, wrong: list[str]
    ) -> Field | None:
        as_given = (scheme, entry.get(id_key), entry.get(name_key))
        field: Field | None = self._remembered(as_given)
        if field is None:
            key, name = text(entry, id_key, wrong), text(entry, name_key, wrong)
            if not key or not name:
                wrong.append(f"a {scheme} label without an id or a name")
                return None
            short = clean_name(key) if scheme == "keyword" else _last(key)
            field = Field(scheme, short, clean_name(name))
            self._remember(as_given, field)
        return field

    def _topic(self, entry: Json, above: list[Field], wrong: list[str]) -> Field | None:
        upper = (entry.get("subfield"), entry.get("field"), entry.get("domain"))
        as_given = (TOPIC, entry.get("id"), entry.get("display_name"))
        before: tuple[tuple[Json, ...], Field] | None = self._remembered(as_given)
        if before and before[0] == upper:
            return before[1]
        key, name = text(entry, "id", wrong), text(entry, "display_name", wrong)
        if not key or not name:
            wrong.append("a topic without an id or a name")
            return None
        field = Field(TOPIC, _key(key, "T") or key, clean_name(name), self._hierarchy(entry, above))
        self._remember(as_given, (upper, field))
        return field

    def _hierarchy(self, topic: Json, above: list[Field]) -> tuple[str, ...]:
        """What is just above a topic; what has not been told yet of all above goes to `above`."""
        broader: tuple[str, ...] = ()
        for level in reversed(_LEVELS):
            entry = part(topic, level, [])
            known = entry.get("id")  # 2740 in older snapshots
            number = _last(str(known)) if known and type(known) in (int, str) else ""
            if not number:
                continue
            key = f"{level}s/{number}"
            if name := text(entry, "display_name", []):
                field = Field(TOPIC, key, clean_name(name), broader)
                if field not in self._told:
                    self._told.add(field)
                    above.append(field)
            broader = (key,)
        return broader

    def _remembered(self, as_given: tuple[Any, ...]) -> Any:  # noqa: ANN401
        try:
            return self._seen.get(as_given)
        except TypeError:  # not texts
            return None

    def _remember(self, as_given: tuple[Any, ...], made: object) -> None:
        if all(isinstance(value, str | None) for value in as_given):
            self._seen[as_given] = made


def work_key(value: object) -> str | None:
    """Return the short id of a work, `W2741809807`, of its address; None for anything else."""
    return _key(value, "W")


def _work_id(record: Json) -> str:
    value = record.get("id")
    if value is None:
        raise RecordError("id is missing")
    work = work_key(value)
    if work is None:
        raise RecordError(f"id {describe_value(value):.100} is not that of an OpenAlex work")
    return work


def _key(value: object, kind: str) -> str | None:
    """Return the short id, such as `W2741809807`, of an OpenAlex id of that kind."""
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    key = match[1].upper() if match else ""
    return key if key.startswith(kind) else None


def _last(address: str) -> str:
    return address.strip().rstrip("/").rpartition("/")[2]


def _abstract(index: Json, wrong: list[str]) -> str | None:
    """Return the abstract of an inverted index, from each word to its positions."""
    try:
        words: list[str | None] = [None] * sum(map(len, index.values()))
        for word, positions in index.items():
            for position in positions:
                words[position] = word
        return _readable(" ".join(words))  # type: ignore[arg-type]
    except (TypeError, IndexError):
        return _gapped_abstract(index, wrong)


def _gapped_abstract(index: Json, wrong: list[str]) -> str | None:
    """Return the same for an index with gaps, with two words in one place, or damaged."""
    words: list[tuple[int, str]] = []
    for word, positions in index.items():
        if isinstance(positions, list) and all(type(position) is int for position in positions):
            words += [(position, word) for position in positions]
        else:
            wrong.append("words of the abstract whose positions are no numbers")
    return _readable(" ".join(word for _, word in sorted(words)))


def _readable(abstract: str) -> str | None:
    """The words are those of the publisher's text, now and then with its tags and entities."""
    if "<" in abstract or "&" in abstract:
        return paragraphs(abstract)
    return abstract.strip() or None


def _identifiers(work: str, record: Json, wrong: list[str]) -> tuple[Identifier, ...]:
    ids = part(record, "ids", wrong)
    results: list[Identifier | None] = [Identifier(SOURCE, work)]
    results += read_dois(text(record, "doi", wrong) or text(ids, "doi", wrong), wrong)
    if pmid := text(ids, "pmid", wrong):
        results.append(identifiers.pubmed(pmid))
    if pmcid := text(ids, "pmcid", wrong):
        results.append(identifiers.pmc(_last(pmcid)))
    if isinstance(mag := ids.get("mag"), int | str):
        results.append(identifiers.mag(mag))
    for location in objects(record, "locations", wrong):
        url = location.get("landing_page_url")
        if (
            type(url) is str
            and "arxiv.org/abs/" in url
            and (arxiv := identifiers.arxiv(url)) not in results
        ):
            results.append(arxiv)
    return tuple(identifier for identifier in results if identifier)


def _references(works: list[str], wrong: list[str]) -> tuple[str, ...]:
    start = len(_SITE)
    keys = [_OWN + work[start:] for work in works if work.startswith(_WORK)]
    if len(keys) < len(works):
        short = map(work_key, works)
        keys = [_OWN + key for key in short if key]
        if len(keys) < len(works):
            wrong.append(f"{len(works) - len(keys)} references that are no OpenAlex works")
    return tuple(keys)


def detect(name: str, head: bytes) -> str | None:
    """Detect an object a line, with the id of an OpenAlex work."""
    return "OpenAlex works, one JSON object a line" if _HEAD.match(head) else None


FORMAT = Format("openalex", "OpenAlex works", read_openalex, detect)
