"""Papers as the Graph API of Semantic Scholar answers: one, many, or a page of them.

Papers are named by SHA (paperId) and not by corpus id: `paperId` is always there, in the papers
that cite and are cited too, and `corpusId` only where it was asked for.
"""

import re
from collections.abc import Iterator
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Found, Problem, RecordError
from specter_graph.loaders.formats.s2_datasets import details, fields_of_study
from specter_graph.loaders.formats.semantic_scholar import (
    SOURCE,
    Values,
    as_text,
    author,
    corpus_id,
    distinct,
    external_identifiers,
    labels,
    required_text,
    venue,
)
from specter_graph.loaders.parsing.field_values import (
    LONGEST_NAME,
    brief,
    clean_name,
    required,
    text,
)
from specter_graph.loaders.records import Affiliation, Author, Citation, Identifier, Paper, Venue

PAGES = ("data", "recommendedPapers")
_PAPER = (
    "paperId corpusId externalIds url title abstract venue publicationVenue year referenceCount"
    " citationCount influentialCitationCount isOpenAccess openAccessPdf fieldsOfStudy"
    " s2FieldsOfStudy publicationTypes publicationDate journal citationStyles authors citations"
    " references embedding tldr textAvailability matchScore"
)
KEYS = frozenset({*_PAPER.split(), *PAGES, "total", "offset", "next", "token"})
_ROR = re.compile(r"0[a-z0-9]{8}")


def page(entries: list[Any]) -> Iterator[Found]:
    """The papers of an answer that holds several."""
    for entry in entries:
        try:
            if not isinstance(entry, dict):
                raise RecordError("an entry of the page is no paper")
            yield from paper(entry)
        except RecordError as error:
            yield Problem(str(error), error.id, as_text(entry))


def paper(record: dict[str, Any]) -> Iterator[Found]:
    """A paper; of what was not asked for (no such key) it says nothing."""
    if record.keys() & {"citedPaper", "citingPaper"}:
        raise RecordError(
            "an answer to /references or /citations does not name the paper that was asked for:"
            " put its entries into the references or citations of that paper"
        )
    paper_id = _id(record)
    title = required_text(record, "title", paper_id)
    values = Values(record)
    references = tuple(_linked(values, "references", paper_id))
    yield from _linked(values, "citations", paper_id)
    found = Paper(
        id=paper_id,
        title=title,
        abstract=values.text("abstract"),
        year=values.year("year"),
        published=values.text("publicationDate"),
        url=values.text("url"),
        source=SOURCE,
        identifiers=tuple(dict.fromkeys(_identifiers(values))),
        authors=distinct(_authors(values)),
        venue=_venue(values),
        fields=tuple(
            dict.fromkeys(
                (
                    *labels("mag", values.texts("fieldsOfStudy")),
                    *fields_of_study(values, "s2FieldsOfStudy"),
                )
            )
        ),
        references=tuple(one.cited for one in references),
        citations=tuple(filter(_says_more, references)),
        elsewhere=tuple(key for key in ("abstract", "references") if key not in record),
    )
    yield from values.problems(paper_id)
    yield found


def _id(record: dict[str, Any]) -> str:
    if record.get("paperId") is None and record.get("corpusId") is not None:
        return corpus_id(record, "corpusId")
    return f"s2:{required(record, 'paperId', LONGEST_NAME)}"


def _identifiers(values: Values) -> Iterator[Identifier]:
    if sha := identifiers.s2(values.record.get("paperId") or ""):
        yield sha
    yield from external_identifiers(values, {"CorpusId": values.record.get("corpusId")})
    yield from external_identifiers(values, values.object("externalIds"))


def _linked(values: Values, key: str, paper_id: str) -> Iterator[Citation]:
    """The citations to (`references`) or from (`citations`) other papers.

    An entry is a paper, or, as /references and /citations answer, a paper with contexts and
    intents. Papers that Semantic Scholar has not identified have no id and are passed over.
    """
    wrapped = "citedPaper" if key == "references" else "citingPaper"
    for entry in values.entries(key, dict):
        one = Values(entry)
        try:
            other = text(one.object(wrapped) or entry, "paperId", LONGEST_NAME)
        except RecordError as error:
            one.left_out.append(f"an entry of {key}: {error}")
            other = None
        if other:
            ends = (paper_id, f"s2:{other}")
            citation = details(one, *(ends if key == "references" else ends[::-1]), "isInfluential")
            if key == "citations" and citation.citing == citation.cited:
                one.left_out.append("the paper is among those that cite it")
            else:
                yield citation
        values.left_out += one.left_out


def _says_more(one: Citation) -> bool:
    known = one.contexts or one.intents or one.influential is not None
    return bool(known) and one.citing != one.cited


def _authors(values: Values) -> Iterator[Author]:
    for entry in values.entries("authors", dict):
        one = Values(entry)
        if name := one.text("name"):
            known = author(name, one.number("authorId"))
            orcid = identifiers.orcid(brief(one.object("externalIds").get("ORCID")))
            yield Author(
                known.id,
                known.name,
                known.identified,
                orcid,
                tuple(dict.fromkeys(_affiliations(one))),
            )
        else:
            values.left_out.append("an author without a name")
        values.left_out += one.left_out


def _affiliations(one: Values) -> Iterator[Affiliation]:
    """Those known to ROR, or else the names that the author gave."""
    normalized = one.entries("normalizedAffiliations", dict)
    for entry in normalized:
        institution = Values(entry)
        name, ror = institution.text("rorDisplayName"), institution.text("rorId")
        if name and ror and (found := _ROR.search(ror)):
            yield Affiliation(f"ror:{found[0]}", clean_name(name))
        else:
            one.left_out.append("a normalized affiliation without a name and a ROR id")
    if not normalized:
        for name in map(clean_name, one.texts("affiliations")):
            yield Affiliation(f"s2:{name}", name)


def _venue(values: Values) -> Venue | None:
    known, journal = Values(values.object("publicationVenue")), Values(values.object("journal"))
    found = venue(
        known.text("name"), values.text("venue"), journal.text("name"), number=known.text("id")
    )
    values.left_out += known.left_out + journal.left_out
    return found
