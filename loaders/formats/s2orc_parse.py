"""The full text of S2ORC records: paragraphs that point into a bibliography."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from specter_graph.loaders.formats.citation_contexts import Sentences
from specter_graph.loaders.formats.semantic_scholar import Values
from specter_graph.loaders.records import Citation

PARSES = ("pdf_parse", "grobid_parse", "latex_parse")
"""Where a record keeps its parse, the best first; or it is the parse itself."""


@dataclass(slots=True)
class Parse:
    """What a parse says; `cited` are the ids of the papers that its bibliography links to."""

    abstract: str | None = None
    body: str | None = None
    cited: dict[str, list[str]] = field(default_factory=dict)  # with the sentences that cite it

    def citations(self, citing: str) -> Iterator[Citation]:
        """The citations whose sentences are known."""
        for cited, contexts in self.cited.items():
            if contexts and cited != citing:
                yield Citation(citing, cited, contexts=tuple(dict.fromkeys(contexts)))


def read_parse(values: Values) -> Parse:
    """The parse of a record, as of the releases of 2019 and 2020 and of s2orc-doc2json."""
    if nested := next(filter(None, map(values.object, PARSES)), None):
        left_out, values = values.left_out, Values(nested)
        values.left_out = left_out
    links = dict(_links(values))
    abstract, body = _paragraphs(values, "abstract"), _paragraphs(values, "body_text")
    parse = Parse(_joined(abstract), _joined(body))
    parse.cited = {link: [] for link in links.values()}
    for paragraph in (*abstract, *body):
        _add_contexts(values, paragraph, links, parse.cited)
    return parse


def _links(values: Values) -> Iterator[tuple[str, str]]:
    """The entries of the bibliography that name a paper of S2ORC: (key, id of the paper)."""
    for key, entry in values.object("bib_entries").items():
        # the release of 2019 says "links"
        link = (entry.get("link") or entry.get("links")) if isinstance(entry, dict) else None
        if isinstance(link, str) and link.strip():
            yield key, f"s2:{link.strip()}"
        elif link or not isinstance(entry, dict):
            values.left_out.append(f"the bibliography's entry {key:.40} has no usable link")


def _paragraphs(values: Values, key: str) -> list[dict[str, Any]]:
    """The paragraphs with a text; an abstract may also be a text by itself, which is no part."""
    if isinstance(values.record.get(key), str):
        return []
    paragraphs = values.entries(key, dict)
    kept = [p for p in paragraphs if isinstance(p.get("text"), str)]
    if len(kept) < len(paragraphs):
        values.left_out.append(f"{len(paragraphs) - len(kept)} paragraphs of {key} without a text")
    return kept


def _joined(paragraphs: Iterable[dict[str, Any]]) -> str | None:
    """The paragraphs as one text, with the titles of sections where one begins."""
    parts: list[str] = []
    last: object = "Abstract"
    for paragraph in paragraphs:
        section = paragraph.get("section")
        if isinstance(section, str) and section.strip() and section != last:
            parts.append(section.strip())
            last = section
        parts.append(paragraph["text"].strip())
    return "\n\n".join(filter(None, parts)) or None


def _add_contexts(
    values: Values, paragraph: dict[str, Any], links: dict[str, str], cited: dict[str, list[str]]
) -> None:
    spans = Values(paragraph)
    linked = [
        (span, links[span["ref_id"]])
        for span in spans.entries("cite_spans", dict)
        if isinstance(span.get("ref_id"), str) and span["ref_id"] in links
    ]
    if linked:
        sentences = Sentences(paragraph["text"])
        for span, link in linked:
            start, end = span.get("start"), span.get("end")
            if type(start) is int and type(end) is int and 0 <= start < len(paragraph["text"]):
                cited[link].append(sentences.around(start, end))
            else:
                spans.left_out.append("a citation's place is not in its paragraph")
    values.left_out += spans.left_out
