"""unarXive: full texts of arXiv with matched references; docs/formats/arxiv.md has the map."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, Results
from specter_graph.loaders.formats import arxiv, known_fields, s2orc
from specter_graph.loaders.formats.bibliography import citations_in
from specter_graph.loaders.parsing.field_values import JsonRecord, json_converter
from specter_graph.loaders.parsing.json import first_object, read_objects
from specter_graph.loaders.records import Paper

_SCHEMES = {
    "arxiv_id": "arxiv", "doi": "doi", "pubmed_id": "pmid", "pmc_id": "pmcid",
}  # fmt: skip
_MARKS = frozenset({"paper_id", "metadata"})
_ALL_MARKS = frozenset({"_source_hash", "_source_name", "discipline"})


def read_unarxive(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, one a line, and RecordIssues."""
    return read_objects(path, count, convert, known_fields("unarxive"))


@json_converter
def convert(record: JsonRecord) -> Iterator[ParseResult]:
    """Yield the paper of an object: the metadata of arXiv, the text, and the references."""
    metadata = {"id": record.get("paper_id"), **record.part("metadata").values}
    cited = dict(_read_cited(record))
    paragraphs = s2orc.paragraphs_of(record, "body_text")
    for item in arxiv.convert_json(metadata):
        if isinstance(item, Paper):
            sentences = s2orc.sentences_citing(paragraphs, cited)
            abstract = item.abstract or record.part("abstract").text("text")
            item = replace(
                item,
                abstract=abstract,
                body=s2orc.joined(paragraphs),
                references=tuple(sentences),
                citations=citations_in(item.id, sentences),
                elsewhere=(),
            )
        yield item


def detect(name: str, head: bytes) -> str | None:
    """Detect objects with the metadata of arXiv and the hash of a source."""
    keys = first_object(head)
    return "unarXive" if keys >= _MARKS and keys & _ALL_MARKS else None


def _read_cited(record: JsonRecord) -> Iterator[tuple[str, str]]:
    """Yield (key, paper id) of the entries of the bibliography that have an identifier."""
    for key in record.part("bib_entries").values:
        entry = record.part("bib_entries").part(key)
        ids = entry.part("ids")
        values = [(scheme, ids.text(name)) for name, scheme in _SCHEMES.items()]
        values += [("arxiv", link.text("id")) for link in entry.objects("contained_arXiv_ids")]
        written = (f"{scheme}:{value}" for scheme, value in values if value)
        known = filter(None, map(identifiers.parse_identifier, written))
        work = (ids.text("open_alex_id") or "").rsplit("/", 1)[-1]
        first = next(known, None)
        if first or work:
            yield key, f"{first.scheme}:{first.value}" if first else f"openalex:{work}"


FORMAT = Format("unarxive", "unarXive", read_unarxive, detect)
