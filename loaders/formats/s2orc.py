"""S2ORC and its predecessor, the Open Research Corpus: JSON, one paper a line.

The Open Research Corpus (2017 to 2020) identifies papers by SHA and has no full text. S2ORC
(releases of 2019 and 2020, and the output of s2orc-doc2json) identifies them by number. Its full
text is in the record of the paper or, in the release of 2020, in separate files (pdf_parses).
docs/formats/semantic-scholar.md has the field map.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    citations_in,
    labels,
    make_author,
    unique,
)
from specter_graph.loaders.formats.semantic_scholar import (
    author,
    cited_by,
    make_paper,
    stripped,
    venue,
)
from specter_graph.loaders.parsing.field_values import (
    Json,
    JsonRecord,
    full_name,
    json_converter,
    required,
)
from specter_graph.loaders.parsing.json import first_object, read_json
from specter_graph.loaders.parsing.plain_text import Sentences
from specter_graph.loaders.records import Author, Citation, Item
from specter_graph.loaders.validation import MAX_NAME_LENGTH

PARSES = ("pdf_parse", "grobid_parse", "latex_parse")
"""The keys of the parse of a record, the best first; otherwise the record itself is the parse."""

KEYS = known_fields("s2orc")
_EXTERNAL_IDS = {
    "DOI": "doi", "ArXiv": "arxiv_id", "PubMed": "pubmed_id", "PubMedCentral": "pmc_id",
    "MAG": "mag_id", "ACL": "acl_id",
}  # fmt: skip
_BREAK = re.compile(r"\s*:::\s*")
_ORC_MARKS = {"paperAbstract", "inCitations", "outCitations", "s2Url"}
_UNARXIVE_MARKS = {"_source_hash", "_source_name"}  # unarXive has other keys below the same names
_S2ORC_MARKS = {"outbound_citations", "has_pdf_parse", "body_text", "bib_entries", *PARSES}


def read_s2orc(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers and citations of a file with their lines, and RecordIssues."""
    return read_json(path, count, convert, KEYS)


def convert(record: Json) -> Iterator[ParseResult]:
    """Return the results of a JSON object; raise RecordError if it has no id or title."""
    if "paper_id" not in record:
        return _convert_orc(record)
    if isinstance(record.get("metadata"), dict):
        record = {**record, **record["metadata"]}
    return _convert_paper(record) if "title" in record else _convert_parse(record)


@json_converter
def _convert_orc(record: JsonRecord) -> Iterator[Item]:
    key = required(record.values, "id", MAX_NAME_LENGTH)
    record.id = f"s2:{key}"
    yield from cited_by(record, "inCitations", record.id)
    ids = {
        "DOI": record.get("doi") or record.get("doiUrl"),
        "PubMed": record.get("pmid"),
        "MAG": record.get("magId"),
    }
    yield make_paper(
        record,
        ids,
        key,
        abstract=record.text("paperAbstract"),
        url=record.text("s2Url"),
        authors=unique(_read_orc_author(entry) for entry in record.objects("authors")),
        venue=venue(record.text("venue"), record.text("journalName")),
        fields=(
            *labels(record.texts("fieldsOfStudy"), "mag"),
            *labels(record.texts("entities"), "s2-entity"),
            *labels(record.texts("keyPhrases"), "keyword"),
        ),
        references=tuple(f"s2:{other}" for other in stripped(record, "outCitations")),
    )


@json_converter
def _convert_paper(record: JsonRecord) -> Iterator[Item]:
    key = required(record.values, "paper_id", MAX_NAME_LENGTH)
    record.id = paper_id = f"s2:{key}"
    parsed_abstract, body, cited = _read_full_text(record)
    given = record.text("abstract") if isinstance(record.get("abstract"), str) else None
    yield from cited_by(record, "inbound_citations", paper_id)
    ids = {name: record.get(column) for name, column in _EXTERNAL_IDS.items()}
    if identifiers.number("s2corpus", key):
        ids = {"CorpusId": key} | ids
    listed = [f"s2:{other}" for other in stripped(record, "outbound_citations")]
    yield make_paper(
        record,
        ids,
        key,
        # ":::" stands for the line breaks of structured abstracts
        abstract=_BREAK.sub("\n", given) if given else parsed_abstract,
        url=record.text("s2_url"),
        body=body,
        authors=unique(_read_author(entry) for entry in record.objects("authors")),
        venue=venue(record.text("venue"), record.text("journal")),
        fields=labels(record.texts("mag_field_of_study"), "mag"),
        # the references that are only in the bibliography of the parse are last
        references=(*listed, *(key for key in cited if key not in set(listed))),
        citations=citations_in(paper_id, cited),
    )


@json_converter
def _convert_parse(record: JsonRecord) -> Iterable[Citation]:
    """Return the citations of a line of pdf_parses; the record of the paper is in another file."""
    record.id = paper_id = f"s2:{required(record.values, 'paper_id', MAX_NAME_LENGTH)}"
    if not record.values.keys() & {"body_text", "bib_entries", *PARSES}:
        raise RecordError("title is missing")
    _, _, cited = _read_full_text(record)
    return citations_in(paper_id, cited)


def _read_orc_author(entry: JsonRecord) -> Author | None:
    number = next(iter(stripped(entry, "ids")), None)
    return author(entry.text("name"), number, entry.omitted)


def _read_author(entry: JsonRecord) -> Author | None:
    at = entry.part("affiliation")
    place = at.text("institution") or at.text("laboratory") or ""
    given = " ".join([entry.first_text("first"), *stripped(entry, "middle")])
    name = full_name(given, entry.text("last"), entry.text("suffix"))
    return make_author("s2", name, entry.omitted, institutions=[place])


def _read_full_text(record: JsonRecord) -> tuple[str | None, str | None, dict[str, list[str]]]:
    """Return the abstract and the body of a parse, and the sentences that cite each paper.

    Records of the releases of 2019 and 2020 and of s2orc-doc2json have one.
    """
    nested = (record.part(key) for key in PARSES)
    record = next(filter(None, nested), record)
    links = dict(_read_links(record))
    abstract = paragraphs_of(record, "abstract")
    body = paragraphs_of(record, "body_text")
    return joined(abstract), joined(body), sentences_citing((*abstract, *body), links)


def sentences_citing(
    paragraphs: Iterable[JsonRecord], links: dict[str, str]
) -> dict[str, list[str]]:
    """Return the sentences that cite each paper; `links` are their ids by `ref_id`."""
    cited: dict[str, list[str]] = {link: [] for link in links.values()}
    for paragraph in paragraphs:
        text, sentences = paragraph.get("text"), None
        for span in paragraph.objects("cite_spans"):
            key, start, end = (span.get(name) for name in ("ref_id", "start", "end"))
            if not isinstance(key, str) or key not in links:
                continue
            if type(start) is int and type(end) is int and 0 <= start < len(text):
                sentences = sentences or Sentences(text)
                cited[links[key]].append(sentences.around(start, end))
            else:
                span.omitted.append("a citation with a position outside its paragraph")
    return cited


def _read_links(record: JsonRecord) -> Iterator[tuple[str, str]]:
    """Yield (key, paper id) of the entries of the bibliography that are papers of S2ORC."""
    for key, entry in record.part("bib_entries").values.items():
        # "links" in the release of 2019
        link = (entry.get("link") or entry.get("links")) if isinstance(entry, dict) else None
        if isinstance(link, str) and link.strip():
            yield key, f"s2:{link.strip()}"
        elif link or not isinstance(entry, dict):
            record.omitted.append(f"the bibliography's entry {key:.40} has no usable link")


def paragraphs_of(record: JsonRecord, key: str) -> list[JsonRecord]:
    """Return the paragraphs with a text, or [] if the value is a string."""
    if isinstance(record.get(key), str):
        return []
    paragraphs = record.objects(key)
    texts = [entry for entry in paragraphs if isinstance(entry.get("text"), str)]
    if len(texts) < len(paragraphs):
        record.omitted.append(f"paragraphs of {key} without a text: {len(paragraphs) - len(texts)}")
    return texts


def joined(paragraphs: Iterable[JsonRecord]) -> str | None:
    """Return the paragraphs as one text, with the titles of sections before them."""
    parts: list[str] = []
    last: object = "Abstract"
    for paragraph in paragraphs:
        section = paragraph.get("section")
        if isinstance(section, str) and section.strip() and section != last:
            parts.append(section.strip())
            last = section
        parts.append(paragraph.get("text").strip())
    return "\n\n".join(filter(None, parts)) or None


def detect(name: str, head: bytes) -> str | None:
    """Detect objects with the keys of the Open Research Corpus or of S2ORC."""
    keys = first_object(head)
    if {"id", "title"} <= keys and keys & _ORC_MARKS:
        return "Open Research Corpus of Semantic Scholar"
    if "paper_id" in keys and keys & _S2ORC_MARKS and not keys & _UNARXIVE_MARKS:
        return "S2ORC" if "title" in keys or "metadata" in keys else "S2ORC, full text (pdf_parses)"
    return None


FORMAT = Format("s2orc", "S2ORC and the Open Research Corpus", read_s2orc, detect)
