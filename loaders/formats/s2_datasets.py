"""The Datasets API of Semantic Scholar: separate shards of papers, abstracts, citations and texts.

All of them identify papers by corpus ids. The full texts are the datasets s2orc and s2orc_v2.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import orjson

from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.formats.bibliography import citations_in, labels, unique
from specter_graph.loaders.formats.semantic_scholar import (
    SOURCE,
    corpus_id,
    external_identifiers,
    make_paper,
    numbered_author,
    stripped,
    venue,
)
from specter_graph.loaders.parsing.field_values import (
    Json,
    JsonRecord,
    json_converter,
    required,
    type_name,
)
from specter_graph.loaders.parsing.plain_text import Sentences
from specter_graph.loaders.records import Abstract, Author, Citation, Field, Paper


@json_converter
def paper(record: JsonRecord) -> Paper:
    """Return the paper of a line; its abstract and references are in other shards."""
    record.id = paper_id = corpus_id(record)
    url = record.text("url")
    ids = {**record.part("externalids").values, "CorpusId": paper_id.removeprefix("s2:")}
    return make_paper(
        record,
        ids,
        url.rsplit("/", 1)[-1] if url else None,
        published=record.text("publicationdate"),
        url=url,
        authors=authors(record),
        venue=venue(
            record.text("venue"),
            record.part("journal").text("name"),
            number=record.text("publicationvenueid"),
        ),
        fields=fields_of_study(record, "s2fieldsofstudy"),
        elsewhere=("abstract", "references"),
    )


@json_converter
def abstract(record: JsonRecord) -> Iterator[Abstract]:
    """Yield the abstract of a line."""
    record.id = paper_id = corpus_id(record)
    yield Abstract(paper_id, required(record.values, "abstract"))


@json_converter
def citation(record: JsonRecord) -> Iterator[Citation]:
    """Yield the citation of a line."""
    record.id = citing = corpus_id(record, "citingcorpusid")
    yield details(record, citing, corpus_id(record, "citedcorpusid"), "isinfluential")


def details(record: JsonRecord, citing: str, cited: str, influential: str) -> Citation:
    """Return a citation with its contexts and intents; a context may have a list of intents."""
    known = record.get(influential)
    if not (known is None or type(known) is bool):
        record.omitted.append(f"{influential} must be true or false")
        known = None
    return Citation(
        citing,
        cited,
        intents=tuple(dict.fromkeys(_read_intents(record))),
        influential=known,
        contexts=tuple(dict.fromkeys(stripped(record, "contexts"))),
    )


def _read_intents(record: JsonRecord) -> Iterator[str]:
    entries = record.get("intents") or []
    if not isinstance(entries, list):
        record.omitted.append(f"intents must be a list, not {type_name(entries)}")
        return
    for entry in entries:
        for intent in entry if isinstance(entry, list) else (entry,):
            if isinstance(intent, str):
                yield intent.strip()
            elif intent is not None:  # a context may have none
                record.omitted.append("an intent that is not text")


def authors(record: JsonRecord) -> tuple[Author, ...]:
    """Return the authors, identified by number if they have one."""
    return unique(map(numbered_author, record.objects("authors")))


def fields_of_study(record: JsonRecord, key: str) -> tuple[Field, ...]:
    """Return the fields of Microsoft Academic Graph ("external") and of Semantic Scholar."""
    names: dict[str, list[str]] = {"mag": [], "s2": []}
    for entry in record.objects(key):
        if category := entry.text("category"):
            names["mag" if entry.text("source") == "external" else "s2"].append(category)
    return (*labels(names["mag"], "mag"), *labels(names["s2"], "s2"))


class _Span(NamedTuple):
    """A range of a text with attributes."""

    start: int
    end: int
    attributes: Json


class _Annotated:
    """A text with its annotations; s2orc calls "bibref" what s2orc_v2 calls "bib_ref"."""

    def __init__(self, record: JsonRecord, key: str) -> None:
        content = record.part(key)
        written = content.get("text")
        self.text = written if isinstance(written, str) else ""
        annotations = content.part("annotations")
        self._written = {kind.replace("_", ""): spans for kind, spans in annotations.values.items()}
        self._omitted = record.omitted

    def spans(self, kind: str) -> list[_Span]:
        """Return the valid annotations of a kind, in the order of the text."""
        spans = []
        for entry in JsonRecord({kind: self._decode(kind)}, self._omitted).objects(kind):
            start, end, attributes = entry.get("start"), entry.get("end"), entry.get("attributes")
            # numbers or strings
            if type(start) is type(end) is str and start.isdecimal() and end.isdecimal():
                start, end = int(start[:9]), int(end[:9])
            if type(start) is int and type(end) is int and 0 <= start <= end <= len(self.text):
                known = attributes if isinstance(attributes, dict) else {}
                spans.append(_Span(start, end, known))
            else:
                self._omitted.append(f"an annotation {kind} that is not in the text")
        distinct = {span[:2]: span for span in reversed(spans)}  # the release 2022-12 repeats them
        return [distinct[place] for place in sorted(distinct)]

    def texts(self, kind: str) -> list[str]:
        """Return the texts with this annotation, without white space around them."""
        results = (self.text[span.start : span.end].strip() for span in self.spans(kind))
        return [text for text in results if text]

    def _decode(self, kind: str) -> object:
        written = self._written.get(kind)
        if not isinstance(written, str) or not written:
            return written or None
        try:
            return orjson.loads(written)
        except orjson.JSONDecodeError:
            self._omitted.append(f"annotations {kind} that are not JSON")
            return None


@json_converter
def full_text(record: JsonRecord) -> Paper:
    """Return the paper of a full text."""
    record.id = paper_id = corpus_id(record)
    front = _Annotated(record, "content" if "content" in record else "body")
    back = front if "content" in record else _Annotated(record, "bibliography")
    title = record.text("title") or next(iter(front.texts("title")), "")
    entries = dict(_read_bibliography(back))
    contexts = _read_contexts(front, entries)
    opened = JsonRecord(record.part("openaccessinfo").values)
    ids = (record.part("externalids") or opened.part("externalids")).values
    people = authors(record) if "authors" in record else unique(_read_annotated_authors(front))
    corpus = {"CorpusId": paper_id.removeprefix("s2:")}
    return Paper(
        id=paper_id,
        title=" ".join(title.split()),
        abstract="\n".join(front.texts("abstract")) or None,
        source=SOURCE,
        body=front.text.strip() or None,
        identifiers=tuple(external_identifiers(ids | corpus, record.omitted)),
        authors=people,
        references=tuple(dict.fromkeys((*entries.values(), *contexts))),
        citations=citations_in(paper_id, contexts),
    )


def _read_bibliography(back: _Annotated) -> Iterator[tuple[str, str]]:
    """Yield the entries that Semantic Scholar has matched with a paper: (key, id of the paper)."""
    for number, entry in enumerate(back.spans("bibentry")):
        if cited := _read_matched(entry):
            key = entry.attributes.get("id")
            yield key if isinstance(key, str) else f" {number}", cited


def _read_contexts(front: _Annotated, entries: dict[str, str]) -> dict[str, dict[str, None]]:
    """Return the sentences that cite each paper, in order."""
    contexts: dict[str, dict[str, None]] = {}
    sentences: Sentences | None = None
    for mark in front.spans("bibref"):
        key = mark.attributes.get("ref_id")
        cited = _read_matched(mark) or (entries.get(key) if isinstance(key, str) else None)
        if cited:
            sentences = sentences or Sentences(front.text)
            contexts.setdefault(cited, {})[sentences.around(mark.start, mark.end)] = None
    return contexts


def _read_matched(span: _Span) -> str | None:
    if span.attributes.get("matched_paper_id") is None:
        return None
    try:
        return corpus_id(span.attributes, "matched_paper_id")
    except RecordError:
        return None


def _read_annotated_authors(front: _Annotated) -> Iterator[Author]:
    """Yield the authors from the names within the annotations of authors."""
    names = sorted(
        (*front.spans("authorfirstname"), *front.spans("authorlastname")), key=lambda s: s[:2]
    )
    starts = [name.start for name in names]
    for span in front.spans("author"):
        within = names[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        parts = (front.text[name.start : name.end] for name in within)
        if written := " ".join(" ".join(parts).split()):
            yield Author(f"s2:{written}", written)
