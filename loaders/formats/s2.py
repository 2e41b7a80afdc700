"""Semantic Scholar: the Datasets API, the Graph API, and the files of SPECTER and SciDocs.

The keys of an object decide which of them it is; docs/formats/semantic-scholar.md has the field
maps.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from specter_graph.core.errors import counted
from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import (
    Count,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import known_fields, s2_datasets, s2_scidocs
from specter_graph.loaders.formats.bibliography import labels, unique
from specter_graph.loaders.formats.semantic_scholar import (
    corpus_id,
    make_paper,
    numbered_author,
    stripped,
    venue,
)
from specter_graph.loaders.parsing.field_values import (
    Json,
    JsonRecord,
    clean_name,
    describe_value,
    json_converter,
    required,
)
from specter_graph.loaders.parsing.field_values import text as strict_text
from specter_graph.loaders.parsing.json import convert_page, first_object, read_json
from specter_graph.loaders.records import Affiliation, Author, Citation, Item
from specter_graph.loaders.validation import MAX_NAME_LENGTH

KEYS = known_fields("s2-datasets") | known_fields("s2-graph")

_DATASETS = {"content": "s2orc", "body": "s2orc_v2", "title": "papers", "abstract": "abstracts"}
"""The datasets of papers by the keys that only they have, or that others before them have."""
PAGES = ("data", "recommendedPapers")


def read_s2(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the results of a file with their lines (SciDocs: numbers of members)."""
    if s2_scidocs.detect_layout(read_head(path)[0]):
        yield from s2_scidocs.read_scidocs(path, count)
        return
    line, unidentified = 0, 0

    def convert(record: Json) -> Iterator[ParseResult]:
        nonlocal unidentified
        if "citingcorpusid" in record and record.get("citedcorpusid") is None:
            unidentified += 1
            return iter(())
        return _convert(record)

    for line, result in read_json(path, count, convert, KEYS):
        yield line, result
    if unidentified:
        reason = f"left out: {counted(unidentified, 'citation')} of papers that have no corpus id"
        yield line + 1, RecordIssue(reason, repaired=True)


def _convert(record: Json) -> Iterator[ParseResult]:
    """Return the results of a JSON object; raise RecordError if its kind is unknown."""
    if "citingcorpusid" in record:
        return s2_datasets.citation(record)
    if "paperId" in record or record.keys() & {"citedPaper", "citingPaper"}:
        return graph_paper(record)
    if "corpusid" in record:
        if record.keys() & {"content", "body"}:
            return s2_datasets.full_text(record)
        if "title" in record:
            return s2_datasets.paper(record)
        if "abstract" in record:
            return s2_datasets.abstract(record)
    for key in PAGES:
        if isinstance(entries := record.get(key), list):
            return convert_page(entries, graph_paper)
    raise RecordError("this is not a paper, abstract or citation of Semantic Scholar")


def detect(name: str, head: bytes) -> str | None:
    """Detect a layout by the keys of the first object."""
    if file := s2_scidocs.detect_layout(head):
        return f"{file} of SPECTER and SciDocs"
    keys = first_object(head)
    if {"citingcorpusid", "citedcorpusid"} <= keys:
        return "Semantic Scholar Datasets API, citations"
    kind = next((kind for mark, kind in _DATASETS.items() if mark in keys), None)
    if "corpusid" in keys and kind:
        return f"Semantic Scholar Datasets API, {kind}"
    if "paperId" in keys or (keys & set(PAGES) and b'"paperId"' in head):
        return "Semantic Scholar Graph API, papers"
    return None


@json_converter
def graph_paper(record: JsonRecord) -> Iterator[Item]:
    """Yield a paper of the Graph API; a record has only the requested keys."""
    if record.values.keys() & {"citedPaper", "citingPaper"}:
        raise RecordError(
            "an answer to /references or /citations does not contain the requested paper:"
            " put its entries into the references or citations of that paper"
        )
    if record.get("paperId") is None and record.get("corpusId") is not None:
        paper_id = corpus_id(record, "corpusId")
    else:
        paper_id = f"s2:{required(record.values, 'paperId', MAX_NAME_LENGTH)}"
    record.id = paper_id
    references = tuple(_read_citations(record, "references", paper_id))
    yield from _read_citations(record, "citations", paper_id)
    ids = {"CorpusId": record.get("corpusId")} | record.part("externalIds").values
    place, journal = record.part("publicationVenue"), record.part("journal")
    fields = (
        *labels(record.texts("fieldsOfStudy"), "mag"),
        *s2_datasets.fields_of_study(record, "s2FieldsOfStudy"),
    )
    yield make_paper(
        record,
        ids,
        record.get("paperId"),
        abstract=record.text("abstract"),
        published=record.text("publicationDate"),
        url=record.text("url"),
        authors=unique(_read_author(entry) for entry in record.objects("authors")),
        venue=venue(
            place.text("name"), record.text("venue"), journal.text("name"), number=place.text("id")
        ),
        fields=tuple(dict.fromkeys(fields)),
        references=tuple(citation.cited for citation in references),
        citations=tuple(filter(_has_details, references)),
        elsewhere=tuple(key for key in ("abstract", "references") if key not in record),
    )


def _read_citations(record: JsonRecord, key: str, paper_id: str) -> Iterator[Citation]:
    """Yield the citations to (`references`) or from (`citations`) other papers.

    An entry is a paper, or, from /references and /citations, a paper with contexts and intents.
    Papers without an id, which Semantic Scholar has not identified, are skipped.
    """
    wrapped = "citedPaper" if key == "references" else "citingPaper"
    for entry in record.objects(key):
        try:
            other = strict_text((entry.part(wrapped) or entry).values, "paperId", MAX_NAME_LENGTH)
        except RecordError as error:
            record.omitted.append(f"an entry of {key}: {error}")
            continue
        if other:
            ends = (paper_id, f"s2:{other}")
            citing, cited = ends if key == "references" else ends[::-1]
            citation = s2_datasets.details(entry, citing, cited, "isInfluential")
            if key == "citations" and citing == cited:
                record.omitted.append("the paper is among those that cite it")
            else:
                yield citation


def _has_details(citation: Citation) -> bool:
    details = citation.contexts or citation.intents or citation.influential is not None
    return bool(details) and citation.citing != citation.cited


def _read_author(entry: JsonRecord) -> Author | None:
    known = numbered_author(entry)
    if known is None:
        return None
    orcid = identifiers.orcid(describe_value(entry.part("externalIds").get("ORCID")))
    return replace(known, orcid=orcid, affiliations=unique(_read_affiliations(entry)))


def _read_affiliations(entry: JsonRecord) -> Iterator[Affiliation]:
    """Yield the affiliations with ROR ids, or else those in the author's own words."""
    normalized = entry.objects("normalizedAffiliations")
    for institution in normalized:
        name = institution.text("rorDisplayName")
        ror = identifiers.ror(institution.text("rorId") or "")
        if name and ror:
            yield Affiliation(f"ror:{ror}", clean_name(name))
        else:
            entry.omitted.append("a normalized affiliation without a name and a ROR id")
    if not normalized:
        for name in map(clean_name, stripped(entry, "affiliations")):
            yield Affiliation(f"s2:{name}", name)


FORMAT = Format("s2", "Semantic Scholar (Datasets, Graph API, SciDocs)", read_s2, detect)
