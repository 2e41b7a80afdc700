"""PubMed XML: the baseline and update files of MEDLINE/PubMed, and answers of E-utilities.

The elements are those of NLM's PubMed DTD of 2025; docs/formats/pubmed.md has the field map.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import (
    Count,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    distinct,
    distinct_labels,
    exact_date,
    make_affiliation,
    make_author,
    make_venue,
    read_orcid,
    unique,
)
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import clean_name, full_name, paper_converter
from specter_graph.loaders.parsing.xml import (
    Element,
    Parts,
    iter_children,
    parts_of,
    read_records,
    text_of,
)
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue

SOURCE = "pubmed"
RECORDS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument")
RETRACTED = "D016441"
"""The publication type of a paper that was retracted."""

MESH = "mesh"

_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
_NO_TITLE = re.compile(r"\[?\s*Not Available\s*\]?\.?", re.IGNORECASE)
_NO_LANGUAGE = ("", "und", "mul")
_ROOT = re.compile(rb"<(Pubmed(?:Book)?Article(?:Set)?)[\s/>]")
_PMC_TYPES = ("pmc", "pmcid")
_DIGITS = re.compile(r"0*([1-9]\d{0,11})", re.ASCII)


def read_pubmed(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its record begins."""
    return read_records(path, count, convert, RECORDS, known=known_fields("pubmed"))


def convert(record: Element) -> Iterator[ParseResult]:
    """Yield the paper of an article or a book, or a RecordIssue for each deleted record.

    Raises:
        RecordError: The PubMed id or the title is missing.
    """
    if record.tag.startswith("Delete"):
        for element in record.iterchildren("PMID"):
            key = f"pmid:{_parse_pubmed_id(text_of(element))}"
            yield RecordIssue("PubMed has deleted this record", key, repaired=True)
    else:
        yield from _convert_paper(record)


@paper_converter
def _convert_paper(record: Element, omitted: list[str]) -> Paper:
    parts = parts_of(record)
    kind = "MedlineCitation" if record.tag == "PubmedArticle" else "BookDocument"
    citation = parts_of(parts.get(kind))
    pmid = _parse_pubmed_id(text_of(citation.get("PMID")))
    if not pmid:
        raise RecordError("PMID is missing or not a number")
    if kind == "MedlineCitation":
        return _convert_article(pmid, citation, parts_of(parts.get("PubmedData")), omitted)
    return _convert_book(pmid, citation, parts_of(parts.get("PubmedBookData")), omitted)


def _convert_article(pmid: str, citation: Parts, data: Parts, omitted: list[str]) -> Paper:
    article = parts_of(citation.get("Article"))
    journal = parts_of(article.get("Journal"))
    issue = parts_of(journal.get("JournalIssue"))
    notes = list(citation.get("CommentsCorrectionsList", ()))
    year, published = _read_date(issue.get("PubDate"), article.get("ArticleDate"), omitted)
    return Paper(
        id=f"pmid:{pmid}",
        title=_read_title(article),
        abstract=_read_abstract(article.get("Abstract")) or _read_other_abstract(citation),
        year=year,
        published=published,
        language=_read_language(article),
        source=SOURCE,
        retracted=_is_retracted(article, notes) or None,
        identifiers=distinct(_read_own_ids(pmid, article, data, omitted)),
        authors=_read_authors(article.get("AuthorList"), omitted),
        venue=_read_venue(journal, parts_of(citation.get("MedlineJournalInfo"))),
        fields=_read_labels(citation, article),
        references=_read_references(data, notes),
    )


def _convert_book(pmid: str, document: Parts, data: Parts, omitted: list[str]) -> Paper:
    """Return a book, or a chapter, which has an ArticleTitle and its book as venue."""
    book = parts_of(document.get("Book"))
    title, ids = _read_title(document), _read_own_ids(pmid, document, data, omitted)
    year, published = _read_date(document.get("ContributionDate"), book.get("PubDate"), omitted)
    return Paper(
        id=f"pmid:{pmid}",
        title=title or text_of(book.get("BookTitle")),
        abstract=_read_abstract(document.get("Abstract")),
        year=year,
        published=published,
        language=_read_language(document),
        source=SOURCE,
        identifiers=distinct((*ids, *(() if title else _read_isbns(book, omitted)))),
        authors=_read_authors(document.get("AuthorList"), omitted)
        or (() if title else _read_authors(book.get("AuthorList"), omitted)),
        venue=_read_venue(book) if title else None,
        fields=_read_labels(document, document),
        references=_read_references(document, []),
    )


def _read_title(article: Parts) -> str:
    """Return the title, or else the title in the language of the paper."""
    title = text_of(article.get("ArticleTitle"))
    if not title or _NO_TITLE.fullmatch(title):
        return text_of(article.get("VernacularTitle")) or title
    return title


def _read_abstract(abstract: Element | None) -> str | None:
    """Return the sections of an abstract as paragraphs, with their labels if any."""
    sections = []
    for part in () if abstract is None else abstract.iterchildren("AbstractText"):
        if text := text_of(part):
            label = (part.get("Label") or "").strip()
            sections.append(f"{label}: {text}" if label else text)
    return "\n\n".join(sections) or None


def _read_other_abstract(citation: Parts) -> str | None:
    """Return an English abstract by others, such as a summary of the publisher."""
    abstracts = iter_children(citation.get("OtherAbstract"))
    english = (_read_abstract(one) for one in abstracts if one.get("Language", "eng") == "eng")
    return next(filter(None, english), None)


def _read_date(
    first: Element | None, second: Element | None, omitted: list[str]
) -> tuple[int | None, str | None]:
    """Return year and date of the first element that has a year."""
    for date in (first, second):
        parts = parts_of(date)
        written = text_of(parts.get("Year")) or text_of(parts.get("MedlineDate"))
        if match := _YEAR.search(written):
            year, day = int(match[0]), text_of(parts.get("Day"))
            month = text_of(parts.get("Month")) or written[match.end() :]  # 1998 Dec-1999 Jan
            return year, exact_date(year, month, day)
        if date is not None:
            omitted.append(f"{date.tag} {text_of(date):.40} has no year")
    return None, None


def _read_language(article: Parts) -> str | None:
    language = text_of(article.get("Language")).lower()
    return None if language in _NO_LANGUAGE else language_code(language)


def _is_retracted(article: Parts, notes: list[Element]) -> bool:
    types = article.get("PublicationTypeList", ())
    return any(kind.get("UI") == RETRACTED for kind in types) or any(
        note.get("RefType") == "RetractionIn" for note in notes
    )


def _read_venue(*sources: Parts) -> Venue | None:
    """Return a journal, identified by its number in NLM's catalog or else its name, or a book."""
    known = {
        tag: text
        for source in sources
        for tag in ("Title", "BookTitle", "ISOAbbreviation", "MedlineTA", "NlmUniqueID")
        if tag in source and (text := clean_name(text_of(source[tag])))
    }
    number = known.pop("NlmUniqueID", None)
    name = next(iter(known.values()), None)
    return make_venue(SOURCE, name, f"{SOURCE}:{number}" if number else None)


def _parse_pubmed_id(text: str) -> str | None:
    """Return a PubMed id, a number without anything else."""
    match = _DIGITS.fullmatch(text)
    return match[1] if match else None


def _read_own_ids(
    pmid: str, article: Parts, data: Parts, omitted: list[str]
) -> Iterator[Identifier | None]:
    """Yield the PubMed id, the DOI and the PubMed Central id from all their places."""
    yield Identifier("pmid", pmid)
    locations = iter_children(article.get("ELocationID"))
    valid = (element for element in locations if element.get("ValidYN") != "N")
    for element in (*valid, *_find_ids(article), *_find_ids(data)):
        kind, text = element.get("EIdType") or element.get("IdType"), text_of(element)
        if kind == "doi" or kind in _PMC_TYPES:
            known = identifiers.doi(text) if kind == "doi" else identifiers.pmc(text)
            if not known:
                omitted.append(f"{kind} {text:.100} is not valid")
            yield known


def _read_isbns(book: Parts, omitted: list[str]) -> Iterator[Identifier | None]:
    for element in iter_children(book.get("Isbn")):
        isbn = identifiers.isbn(text_of(element))
        if not isbn:
            omitted.append(f"Isbn {text_of(element):.40} is not valid")
        yield isbn


def _read_references(data: Parts, notes: list[Element]) -> tuple[str, ...]:
    """Return the ids of the references in the list or the notes ("Cites") of a record."""
    listed = [
        key
        for first in iter_children(data.get("ReferenceList"))
        for reference in first.iter("Reference")
        if (key := _read_reference(reference))
    ]
    cited = (parts_of(note).get("PMID") for note in notes if note.get("RefType") == "Cites")
    noted = (f"pmid:{pmid}" for element in cited if (pmid := _parse_pubmed_id(text_of(element))))
    known = set(listed)
    return (*listed, *(key for key in noted if key not in known))


def _read_reference(reference: Element) -> str | None:
    ids = {element.get("IdType", "pubmed"): element for element in _find_ids(parts_of(reference))}
    if pmid := _parse_pubmed_id(text_of(ids.get("pubmed"))):
        return f"pmid:{pmid}"
    pmc = next((ids[kind] for kind in _PMC_TYPES if kind in ids), None)
    other = identifiers.doi(text_of(ids.get("doi"))) or identifiers.pmc(text_of(pmc))
    return f"{other.scheme}:{other.value}" if other else None


def _find_ids(parts: Parts) -> Iterable[Element]:
    return parts.get("ArticleIdList", ())


def _read_authors(first: Element | None, omitted: list[str]) -> tuple[Author, ...]:
    """Return the authors in order, each once, or else the editors.

    `first` is the first list of authors or editors. Entries that NLM has marked as corrected
    (ValidYN="N") are skipped.
    """
    lists = list(iter_children(first))
    lists = [group for group in lists if group.get("Type") != "editors"] or lists
    elements = (author for group in lists for author in group.iterchildren("Author"))
    return unique(
        _read_author(author, omitted) for author in elements if author.get("ValidYN") != "N"
    )


def _read_author(element: Element, omitted: list[str]) -> Author | None:
    parts = parts_of(element)
    if "CollectiveName" in parts:
        name = text_of(parts["CollectiveName"])
    else:
        fore = text_of(parts.get("ForeName")) or text_of(parts.get("Initials"))
        name = full_name(fore, text_of(parts.get("LastName")), text_of(parts.get("Suffix")))
    infos = iter_children(parts.get("AffiliationInfo"))
    affiliations = (_read_affiliation(info, omitted) for info in infos)
    orcid = read_orcid(_read_ids("ORCID", element), omitted)
    return make_author(SOURCE, name, omitted, orcid=orcid, affiliations=affiliations)


def _read_affiliation(info: Element, omitted: list[str]) -> Affiliation | None:
    ror = next(filter(None, map(identifiers.ror, _read_ids("ROR", info))), None)
    name = text_of(parts_of(info).get("Affiliation"))
    return make_affiliation(SOURCE, name, omitted, f"ror:{ror}" if ror else None)


def _read_ids(source: str, element: Element) -> Iterator[str]:
    """Yield the ids of an author or an affiliation in a registry."""
    for child in element.iterchildren("Identifier"):
        if child.get("Source") == source:
            yield text_of(child)


def _read_labels(citation: Parts, article: Parts) -> tuple[Field, ...]:
    """Return all labels of a record, each once.

    | scheme | labels |
    |---|---|
    | mesh | descriptors, supplementary concepts and substances, by their unique ids |
    | mesh-major | main descriptors of the paper, also those with a main qualifier |
    | mesh-qualified | descriptors with a qualifier: D009369Q000401, Neoplasms/mortality |
    | publication-type | publication types, by their unique ids in MeSH |
    | keyword | keywords of authors and others |

    Entries without an id or a name are skipped.
    """
    substances = (one for chemical in citation.get("ChemicalList", ()) for one in chemical)
    types = [
        *article.get("PublicationTypeList", ()),
        *iter_children(article.get("PublicationType")),
    ]
    lists = iter_children(citation.get("KeywordList"))
    keywords = (clean_name(text_of(keyword)) for group in lists for keyword in group)
    labels = [
        *_read_headings(citation.get("MeshHeadingList", ())),
        *_read_fields(MESH, citation.get("SupplMeshList", ())),
        *_read_fields(MESH, substances),
        *_read_fields("publication-type", types),
        *(Field("keyword", name, name) for name in keywords if name),
    ]
    return distinct_labels(labels)


def _read_headings(headings: Iterable[Element]) -> Iterator[Field]:
    for heading in headings:
        names = list(heading)
        is_major = any(name.get("MajorTopicYN") == "Y" for name in names)
        for descriptor in _read_fields(MESH, names[:1]):
            yield descriptor
            if is_major:
                yield Field("mesh-major", descriptor.id, descriptor.name)
            for qualifier in _read_fields("mesh-qualified", names[1:]):
                both = f"{descriptor.id}{qualifier.id}"
                yield Field("mesh-qualified", both, f"{descriptor.name}/{qualifier.name}")


def _read_fields(scheme: str, elements: Iterable[Element]) -> Iterator[Field]:
    for element in elements:
        key, name = element.get("UI", "").strip(), clean_name(text_of(element))
        if key and name:
            yield Field(scheme, key, name)


def detect(name: str, head: bytes) -> str | None:
    """Detect a root or a first record of PubMed."""
    match = _ROOT.search(head)
    return f"PubMed XML, {match[1].decode()}" if match else None


FORMAT = Format("pubmed", "PubMed XML", read_pubmed, detect)
