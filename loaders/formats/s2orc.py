"""S2ORC and its elder, the Open Research Corpus: JSON, one paper a line.

The Open Research Corpus (2017 to 2020) names papers by SHA and has no full text. S2ORC (releases
of 2019 and 2020, and what s2orc-doc2json makes of PDFs) names them by number; its full text stands
in the record of the paper or, in the release of 2020, in files of their own (pdf_parses), which
give the sentences around citations. See docs/formats/semantic-scholar.md for the field map.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, Found, RecordError
from specter_graph.loaders.formats.s2orc_parse import PARSES, Parse, read_parse
from specter_graph.loaders.formats.semantic_scholar import (
    SOURCE,
    Values,
    author,
    cited_by,
    distinct,
    external_identifiers,
    labels,
    read_json,
    required_text,
    venue,
)
from specter_graph.loaders.parsing.field_values import LONGEST_NAME, clean_name, required
from specter_graph.loaders.parsing.json_lines import first_object
from specter_graph.loaders.records import Affiliation, Author, Identifier, Paper

_ORC = (
    "id title paperAbstract entities keyPhrases fieldsOfStudy s2Url s2PdfUrl pdfUrls authors"
    " inCitations outCitations year venue journalName journalVolume journalPages sources doi"
    " doiUrl pmid magId"
)
_S2ORC = (
    "paper_id title authors abstract year venue journal arxiv_id acl_id pmc_id pubmed_id mag_id doi"
    " mag_field_of_study outbound_citations inbound_citations s2_url"
    " has_outbound_citations has_inbound_citations has_pdf_parse has_pdf_parsed_abstract"
    " has_pdf_parsed_body_text has_pdf_parsed_bib_entries has_pdf_parsed_ref_entries"
    " metadata header identifiers pdf_parse grobid_parse latex_parse _pdf_hash pdf_hash s2_pdf_hash"
    " body_text back_matter bib_entries ref_entries"
)
KEYS = frozenset(f"{_ORC} {_S2ORC}".split())
_BREAK = re.compile(r"\s*:::\s*")
_ORC_MARKS = {"paperAbstract", "inCitations", "outCitations", "s2Url"}
_S2ORC_MARKS = {"outbound_citations", "has_pdf_parse", "body_text", "bib_entries", *PARSES}


def read_s2orc(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The papers and citations of a file with their lines, and what in it cannot be used."""
    return read_json(path, count, convert, KEYS)


def convert(record: dict[str, Any]) -> Iterator[Found]:
    """What a JSON object tells; raises RecordError when that is nothing."""
    if "paper_id" not in record:
        return _orc(record)
    if isinstance(record.get("metadata"), dict):
        record = {**record, **record["metadata"]}
    return _paper(record) if "title" in record else _parse_alone(record)


def _orc(record: dict[str, Any]) -> Iterator[Found]:
    key = required(record, "id", LONGEST_NAME)
    paper_id = f"s2:{key}"
    values = Values(record)
    title = required_text(record, "title", paper_id)
    yield from cited_by(values, values.texts("inCitations"), paper_id)
    ids = {"DOI": record.get("doi") or record.get("doiUrl"), "PubMed": record.get("pmid")}
    paper = Paper(
        id=paper_id,
        title=title,
        abstract=values.text("paperAbstract"),
        year=values.year("year"),
        url=values.text("s2Url"),
        source=SOURCE,
        identifiers=(
            *_own(identifiers.s2(key)),
            *external_identifiers(values, {**ids, "MAG": record.get("magId")}),
        ),
        authors=distinct(_orc_authors(values)),
        venue=venue(values.text("venue"), values.text("journalName")),
        fields=(
            *labels("mag", values.texts("fieldsOfStudy")),
            *labels("s2-entity", values.texts("entities")),
            *labels("keyword", values.texts("keyPhrases")),
        ),
        references=tuple(f"s2:{other}" for other in values.texts("outCitations")),
    )
    yield from values.problems(paper_id)
    yield paper


def _paper(record: dict[str, Any]) -> Iterator[Found]:
    key = required(record, "paper_id", LONGEST_NAME)
    paper_id = f"s2:{key}"
    values = Values(record)
    title = required_text(record, "title", paper_id)
    parse = read_parse(values)
    given = values.text("abstract") if isinstance(record.get("abstract"), str) else None
    yield from cited_by(values, values.texts("inbound_citations"), paper_id)
    paper = Paper(
        id=paper_id,
        title=title,
        # ":::" stands for the line breaks of structured abstracts
        abstract=_BREAK.sub("\n", given) if given else parse.abstract,
        year=values.year("year"),
        url=values.text("s2_url"),
        source=SOURCE,
        body=parse.body,
        identifiers=(
            *_own(identifiers.s2_corpus(key) or identifiers.s2(key)),
            *external_identifiers(values, _external(record)),
        ),
        authors=distinct(_s2orc_authors(values)),
        venue=venue(values.text("venue"), values.text("journal")),
        fields=labels("mag", values.texts("mag_field_of_study")),
        references=_references(values, parse),
        citations=tuple(parse.citations(paper_id)),
    )
    yield from values.problems(paper_id)
    yield paper


def _parse_alone(record: dict[str, Any]) -> Iterator[Found]:
    """A line of pdf_parses: the record of the paper stands in another file."""
    paper_id = f"s2:{required(record, 'paper_id', LONGEST_NAME)}"
    if not record.keys() & {"body_text", "bib_entries", *PARSES}:
        raise RecordError("title is missing", paper_id)
    values = Values(record)
    yield from read_parse(values).citations(paper_id)
    yield from values.problems(paper_id)


def _own(identifier: Identifier | None) -> tuple[Identifier, ...]:
    return (identifier,) if identifier else ()


def _external(record: dict[str, Any]) -> dict[str, Any]:
    return {
        "DOI": record.get("doi"),
        "ArXiv": record.get("arxiv_id"),
        "PubMed": record.get("pubmed_id"),
        "PubMedCentral": record.get("pmc_id"),
        "MAG": record.get("mag_id"),
        "ACL": record.get("acl_id"),
    }


def _references(values: Values, parse: Parse) -> tuple[str, ...]:
    """The papers that are cited, with those that only the bibliography of the parse links to."""
    given = [f"s2:{other}" for other in values.texts("outbound_citations")]
    known = set(given)
    return (*given, *(cited for cited in parse.cited if cited not in known))


def _orc_authors(values: Values) -> Iterator[Author]:
    for entry in values.entries("authors", dict):
        one = Values(entry)
        if name := one.text("name"):
            yield author(name, next(iter(one.texts("ids")), None))
        else:
            values.left_out.append("an author without a name")
        values.left_out += one.left_out


def _s2orc_authors(values: Values) -> Iterator[Author]:
    for entry in values.entries("authors", dict):
        one = Values(entry)
        parts = (one.text("first"), *one.texts("middle"), one.text("last"), one.text("suffix"))
        name = clean_name(" ".join(filter(None, parts)))
        if name:
            yield Author(f"s2:{name}", name, affiliations=tuple(_affiliations(one)))
        else:
            values.left_out.append("an author without a name")
        values.left_out += one.left_out


def _affiliations(one: Values) -> Iterable[Affiliation]:
    at = Values(one.object("affiliation"))
    name = clean_name(at.text("institution") or at.text("laboratory") or "")
    one.left_out += at.left_out
    return (Affiliation(f"s2:{name}", name),) if name else ()


def recognise(name: str, head: bytes) -> str | None:
    """Objects with the keys of the Open Research Corpus or of S2ORC."""
    keys = first_object(head).keys()
    if {"id", "title"} <= keys and keys & _ORC_MARKS:
        return "Open Research Corpus of Semantic Scholar"
    if "paper_id" in keys and keys & _S2ORC_MARKS:
        return "S2ORC" if "title" in keys or "metadata" in keys else "S2ORC, full text (pdf_parses)"
    return None


FORMAT = Format("s2orc", "S2ORC and the Open Research Corpus", read_s2orc, recognise)
