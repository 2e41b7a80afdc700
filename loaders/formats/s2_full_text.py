"""The full-text shards of the Datasets API of Semantic Scholar: s2orc and s2orc_v2.

A record is a text with annotations: lists of {"start", "end", "attributes"} by kind, each list
written as a text of JSON. Positions count characters from 0.
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from specter_graph.loaders.format_api import Found, RecordError
from specter_graph.loaders.formats.citation_contexts import Sentences
from specter_graph.loaders.formats.s2_datasets import authors
from specter_graph.loaders.formats.semantic_scholar import (
    SOURCE,
    Values,
    author,
    corpus_id,
    distinct,
    external_identifiers,
)
from specter_graph.loaders.records import Author, Citation, Paper

_KEYS = "corpusid externalids content updated title authors openaccessinfo body bibliography"
KEYS = frozenset(_KEYS.split())


class _Span(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int
    attributes: dict[str, Any]


class _Annotated:
    """A text with its annotations; s2orc calls "bibref" what s2orc_v2 calls "bib_ref"."""

    def __init__(self, values: Values, key: str) -> None:
        content = Values(values.object(key))
        text = content.record.get("text")
        self.text = text if isinstance(text, str) else ""
        self._written = {
            kind.replace("_", ""): spans for kind, spans in content.object("annotations").items()
        }
        self._left_out = values.left_out
        self._left_out += content.left_out

    def spans(self, kind: str) -> list[_Span]:
        """The annotations of a kind that fit the text, in its order."""
        entries = Values({kind: self._decoded(kind)})
        spans = []
        for entry in entries.entries(kind, dict):
            start, end, attributes = (entry.get(name) for name in ("start", "end", "attributes"))
            # written as numbers or as texts
            if (type(start), type(end)) == (str, str) and start.isdecimal() and end.isdecimal():
                start, end = int(start[:9]), int(end[:9])
            if type(start) is int and type(end) is int and 0 <= start <= end <= len(self.text):
                known = attributes if isinstance(attributes, dict) else {}
                spans.append(_Span(start, end, known))
            else:
                entries.left_out.append(f"an annotation {kind} that is not in the text")
        self._left_out += entries.left_out
        return sorted(spans, key=lambda span: span[:2])

    def texts(self, kind: str) -> list[str]:
        """What is annotated so, without white space around it."""
        found = (self.text[span.start : span.end].strip() for span in self.spans(kind))
        return [text for text in found if text]

    def _decoded(self, kind: str) -> object:
        written = self._written.get(kind)
        if not isinstance(written, str) or not written:
            return written or None
        try:
            return orjson.loads(written)
        except orjson.JSONDecodeError:
            self._left_out.append(f"annotations {kind} that are not JSON")
            return None


def paper(record: dict[str, Any]) -> Iterator[Found]:
    """The paper of a full text, as far as the text itself tells of it."""
    paper_id = corpus_id(record)
    values = Values(record)
    front = _Annotated(values, "content" if "content" in record else "body")
    back = front if "content" in record else _Annotated(values, "bibliography")
    title = values.text("title") or next(iter(front.texts("title")), None)
    if not title:
        raise RecordError("title is missing", paper_id)
    entries = dict(_bibliography(back))
    contexts = _contexts(front, entries)
    ids = values.object("externalids") or Values(values.object("openaccessinfo")).object(
        "externalids"
    )
    found = Paper(
        id=paper_id,
        title=" ".join(title.split()),
        abstract="\n".join(front.texts("abstract")) or None,
        source=SOURCE,
        body=front.text.strip() or None,
        identifiers=tuple(
            external_identifiers(values, {**ids, "CorpusId": paper_id.removeprefix("s2:")})
        ),
        authors=distinct(authors(values) if "authors" in record else _authors(front)),
        references=tuple(dict.fromkeys((*entries.values(), *contexts))),
        citations=tuple(
            Citation(paper_id, cited, contexts=tuple(sentences))
            for cited, sentences in contexts.items()
            if cited != paper_id
        ),
    )
    yield from values.problems(paper_id)
    yield found


def _bibliography(back: _Annotated) -> Iterator[tuple[str, str]]:
    """The entries that Semantic Scholar has matched with a paper: (key, id of the paper)."""
    for number, entry in enumerate(back.spans("bibentry")):
        if cited := _matched(entry):
            key = entry.attributes.get("id")
            yield key if isinstance(key, str) else f" {number}", cited


def _contexts(front: _Annotated, entries: dict[str, str]) -> dict[str, dict[str, None]]:
    """The sentences that cite each paper, in order."""
    contexts: dict[str, dict[str, None]] = {}
    sentences: Sentences | None = None
    for mark in front.spans("bibref"):
        key = mark.attributes.get("ref_id")
        cited = _matched(mark) or (entries.get(key) if isinstance(key, str) else None)
        if cited:
            sentences = sentences or Sentences(front.text)
            contexts.setdefault(cited, {})[sentences.around(mark.start, mark.end)] = None
    return contexts


def _matched(span: _Span) -> str | None:
    if span.attributes.get("matched_paper_id") is None:
        return None
    try:
        return corpus_id(span.attributes, "matched_paper_id")
    except RecordError:
        return None


def _authors(front: _Annotated) -> Iterator[Author]:
    """The authors by the names that stand within what is annotated as an author."""
    names = sorted(
        (*front.spans("authorfirstname"), *front.spans("authorlastname")), key=lambda s: s[:2]
    )
    starts = [name.start for name in names]
    for span in front.spans("author"):
        within = names[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        parts = (front.text[name.start : name.end] for name in within)
        if written := " ".join(" ".join(parts).split()):
            yield author(written)
