"""PubMed XML: the baseline and update files of MEDLINE/PubMed, and what E-utilities fetch.

The elements are those of NLM's PubMed DTD of 2025; the map is in docs/formats/pubmed.md.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders.format_api import Count, Format, Found, Problem, RecordError
from specter_graph.loaders.formats.pubmed_authors import authors
from specter_graph.loaders.formats.pubmed_ids import books, own, pubmed_id, references
from specter_graph.loaders.formats.pubmed_labels import labels
from specter_graph.loaders.formats.pubmed_names import DROPPED, MAPPED
from specter_graph.loaders.parsing import tolerant_fields as lenient
from specter_graph.loaders.parsing.dates import exact_date
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.languages import language_code
from specter_graph.loaders.parsing.xml_stream import Element, read_records
from specter_graph.loaders.parsing.xml_text import Parts, each, parts_of, text_of
from specter_graph.loaders.records import Paper, Venue

SOURCE = "pubmed"
RECORDS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument")
RETRACTED = "D016441"
"""The publication type of a paper that was retracted."""

_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
_NO_TITLE = re.compile(r"\[?\s*Not Available\s*\]?\.?", re.IGNORECASE)
_NO_LANGUAGE = ("", "und", "mul")
_ROOT = re.compile(rb"<(Pubmed(?:Book)?Article(?:Set)?)[\s/>]")


def read_pubmed(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The papers of a file with the lines where their records begin."""
    return read_records(path, count, convert, RECORDS, known=MAPPED | DROPPED)


def convert(record: Element) -> Iterator[Found]:
    """The paper of an article or a book; a Problem for each record that PubMed has deleted.

    Raises RecordError where there is no PubMed id or no title.
    """
    if record.tag.startswith("Delete"):
        for element in record.iterchildren("PMID"):
            key = f"pmid:{pubmed_id(text_of(element))}"
            yield Problem("PubMed has deleted this record", key, repaired=True)
        return
    parts = parts_of(record)
    kind = "MedlineCitation" if record.tag == "PubmedArticle" else "BookDocument"
    citation = parts_of(parts.get(kind))
    pmid = pubmed_id(text_of(citation.get("PMID")))
    if not pmid:
        raise RecordError("PMID is missing, or is no number")
    wrong: list[str] = []
    if kind == "MedlineCitation":
        paper = _article(pmid, citation, parts_of(parts.get("PubmedData")), wrong)
    else:
        paper = _book(pmid, citation, parts_of(parts.get("PubmedBookData")), wrong)
    if not paper.title:
        raise RecordError("title is missing", paper.id)
    yield from lenient.problems(wrong, paper.id)
    yield paper


def _article(pmid: str, citation: Parts, data: Parts, wrong: list[str]) -> Paper:
    article = parts_of(citation.get("Article"))
    journal = parts_of(article.get("Journal"))
    issue = parts_of(journal.get("JournalIssue"))
    notes = list(citation.get("CommentsCorrectionsList", ()))
    year, published = _date(issue.get("PubDate"), article.get("ArticleDate"), wrong)
    return Paper(
        id=f"pmid:{pmid}",
        title=_title(article),
        abstract=_abstract(article.get("Abstract")) or _other_abstract(citation),
        year=year,
        published=published,
        language=_language(article),
        source=SOURCE,
        retracted=_is_retracted(article, notes) or None,
        identifiers=own(pmid, article, data, wrong),
        authors=authors(article.get("AuthorList"), wrong),
        venue=_venue(journal, parts_of(citation.get("MedlineJournalInfo"))),
        fields=labels(citation, article),
        references=references(data, notes),
    )


def _book(pmid: str, document: Parts, data: Parts, wrong: list[str]) -> Paper:
    """A book, or a chapter of one: then it has an ArticleTitle, and the book is the venue."""
    book = parts_of(document.get("Book"))
    title = _title(document)
    year, published = _date(document.get("ContributionDate"), book.get("PubDate"), wrong)
    return Paper(
        id=f"pmid:{pmid}",
        title=title or text_of(book.get("BookTitle")),
        abstract=_abstract(document.get("Abstract")),
        year=year,
        published=published,
        language=_language(document),
        source=SOURCE,
        identifiers=own(pmid, document, data, wrong) + (() if title else books(book, wrong)),
        authors=authors(document.get("AuthorList"), wrong)
        or (() if title else authors(book.get("AuthorList"), wrong)),
        venue=_venue(book) if title else None,
        fields=labels(document, document),
        references=references(document, []),
    )


def _title(article: Parts) -> str:
    """The title, or the one in the language of the paper where there is no other."""
    title = text_of(article.get("ArticleTitle"))
    if not title or _NO_TITLE.fullmatch(title):
        return text_of(article.get("VernacularTitle")) or title
    return title


def _abstract(abstract: Element | None) -> str | None:
    """The sections of an abstract, a paragraph each, under their labels if they have any."""
    sections = []
    for part in () if abstract is None else abstract.iterchildren("AbstractText"):
        if text := text_of(part):
            label = (part.get("Label") or "").strip()
            sections.append(f"{label}: {text}" if label else text)
    return "\n\n".join(sections) or None


def _other_abstract(citation: Parts) -> str | None:
    """An abstract in English by somebody else, such as the publisher's summary."""
    others = each(citation.get("OtherAbstract"))
    in_english = (_abstract(one) for one in others if one.get("Language", "eng") == "eng")
    return next(filter(None, in_english), None)


def _date(
    first: Element | None, second: Element | None, wrong: list[str]
) -> tuple[int | None, str | None]:
    """The year, and the date as exactly as it is told: the second where the first has no year."""
    for date in (first, second):
        parts = parts_of(date)
        written = text_of(parts.get("Year")) or text_of(parts.get("MedlineDate"))
        if found := _YEAR.search(written):
            year, month, day = int(found[0]), parts.get("Month"), parts.get("Day")
            told = written if "MedlineDate" in parts else None
            return year, told or exact_date(year, text_of(month), text_of(day))
        if date is not None:
            wrong.append(f"{date.tag} {text_of(date):.40} has no year")
    return None, None


def _language(article: Parts) -> str | None:
    language = text_of(article.get("Language")).lower()
    return None if language in _NO_LANGUAGE else language_code(language)


def _is_retracted(article: Parts, notes: list[Element]) -> bool:
    types = article.get("PublicationTypeList", ())
    return any(kind.get("UI") == RETRACTED for kind in types) or any(
        note.get("RefType") == "RetractionIn" for note in notes
    )


def _venue(*places: Parts) -> Venue | None:
    """A journal by its number in NLM's catalogue, or a book; by its name where it has no number."""
    known = {
        tag: text
        for place in places
        for tag in ("Title", "BookTitle", "ISOAbbreviation", "MedlineTA", "NlmUniqueID")
        if tag in place and (text := clean_name(text_of(place[tag])))
    }
    number = known.pop("NlmUniqueID", None)
    name = next(iter(known.values()), None)
    return Venue(f"{SOURCE}:{number or name}", name) if name else None


def recognise(name: str, head: bytes) -> str | None:
    """A root, or a first record, of PubMed."""
    found = _ROOT.search(head)
    return f"PubMed XML, {found[1].decode()}" if found else None


FORMAT = Format("pubmed", "PubMed XML", read_pubmed, recognise)
