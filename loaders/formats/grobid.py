"""GROBID: full texts that it extracts from PDF files, in TEI; docs/formats/jats.md has the map.

The text is read as that of JATS: sections, paragraphs, and the sentences that cite each reference.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, RecordError, Results
from specter_graph.loaders.formats import bibliography
from specter_graph.loaders.formats.jats_text import References, contexts, read_body
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import full_name, paper_converter
from specter_graph.loaders.parsing.xml import Element, read_records, remove_namespaces, text_of
from specter_graph.loaders.records import Author, Identifier, Paper

SOURCE = "grobid"
_ROOT = re.compile(rb"<(?:\w+:)?TEI(?:corpus)?[\s>]")
_MARK = re.compile(rb"(?i)grobid")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_SCHEMES = {"doi": "doi", "arxiv": "arxiv", "pmid": "pmid", "pmcid": "pmcid", "pmc": "pmcid"}
_ORDER = ("doi", "arxiv", "pmid", "pmcid")
_NAMES_IN_JATS = {"head": "title", "div": "sec", "figure": "graphic", "formula": "disp-formula"}


def read_grobid(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its record begins."""
    return read_records(path, count, convert, ("TEI",))


@paper_converter
def convert(record: Element, omitted: list[str]) -> Paper:
    """Return the paper of a TEI element; raise RecordError without a header."""
    remove_namespaces(record)
    work = record.find("teiHeader//sourceDesc/biblStruct")
    if work is None:
        raise RecordError("the header has no biblStruct: GROBID writes one")
    ids = bibliography.distinct(_read_identifiers(work))
    title = _read_title(work) or text_of(record.find("teiHeader//titleStmt/title"))
    authors = bibliography.unique(_read_authors(work, omitted))
    year, published = bibliography.date(_read_date(record, work))
    digest = next((text_of(idno) for idno in work.iter("idno") if idno.get("type") == "MD5"), "")
    key = identifiers.first_key(ids, _ORDER) or (f"{SOURCE}:{digest}" if digest else None)
    paper_id = key or identifiers.make_id(SOURCE, ids, title, year, authors)
    references = _read_references(record)
    blocks = read_body(_as_jats(record.find("text/body")))
    return Paper(
        id=paper_id,
        title=title,
        abstract=_read_abstract(record),
        year=year,
        published=published,
        language=language_code(next(record.iterfind("teiHeader")).get(_LANGUAGE)),
        source=SOURCE,
        body="\n\n".join(block.text for block in blocks) or None,
        identifiers=ids,
        authors=authors,
        venue=bibliography.make_venue(SOURCE, _read_venue(work)),
        fields=bibliography.labels(_read_keywords(record)),
        references=tuple(dict.fromkeys(references.keys)),
        citations=bibliography.citations_in(paper_id, contexts(blocks, references)),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect a TEI document that names GROBID."""
    return "GROBID, TEI" if _ROOT.search(head[:5_000]) and _MARK.search(head) else None


def _read_title(work: Element) -> str:
    """Return the title of an article, or else of the book."""
    titles = [*work.iterfind("analytic/title"), *work.iterfind("monogr/title")]
    first = next((title for title in titles if title.get("level") in ("a", "m", None)), None)
    return text_of(first)


def _read_venue(work: Element) -> str:
    if work.find("analytic/title") is None:
        return ""
    return next(filter(None, map(text_of, work.iterfind("monogr/title"))), "")


def _read_date(record: Element, work: Element) -> str:
    dates = [*work.iter("date"), *record.iterfind("teiHeader//publicationStmt/date")]
    return next((written for date in dates if (written := date.get("when") or text_of(date))), "")


def _read_abstract(record: Element) -> str | None:
    element = record.find("teiHeader/profileDesc/abstract")
    if element is None:
        return None
    paragraphs = [text_of(paragraph) for paragraph in element.iter("p")] or [text_of(element)]
    return "\n\n".join(filter(None, paragraphs)) or None


def _read_keywords(record: Element) -> Iterator[str]:
    for element in record.iterfind("teiHeader/profileDesc/textClass/keywords"):
        terms = [text_of(term) for term in element.iter("term")]
        yield from terms or re.split(r"[;,]", text_of(element))


def _read_authors(work: Element, omitted: list[str]) -> Iterator[Author | None]:
    place = "analytic" if work.find("analytic/author") is not None else "monogr"
    for element in work.iterfind(f"{place}/author"):
        person = element.find("persName")
        if person is None:
            continue  # an affiliation or an address that belongs to no author
        given, family = (
            " ".join(map(text_of, person.iterfind(part))) for part in ("forename", "surname")
        )
        name = full_name(given, family, text_of(person.find("genName")))
        orcid = next((text_of(x) for x in element.iter("idno") if x.get("type") == "ORCID"), "")
        yield bibliography.make_author(
            SOURCE,
            name,
            omitted,
            orcid=identifiers.orcid(orcid),
            institutions=_read_affiliations(element),
        )


def _read_affiliations(author: Element) -> Iterator[str]:
    for element in author.iterfind("affiliation"):
        names = [each for each in element.iterfind("orgName") if each.get("type") == "institution"]
        yield text_of(names[0]) if names else text_of(element.find("orgName"))


def _read_identifiers(work: Element) -> Iterator[Identifier | None]:
    for element in work.iter("idno"):
        if scheme := _SCHEMES.get((element.get("type") or "").lower()):
            yield identifiers.parse_identifier(f"{scheme}:{text_of(element)}")
    for element in work.iter("ptr"):
        yield bibliography.from_url(element.get("target", ""))


def _read_references(record: Element) -> References:
    """Return the entries of the bibliography; those without an identifier have no paper id."""
    entries: list[tuple[str, ...]] = []
    numbers: dict[str, int] = {}
    for entry in record.iterfind("text/back//listBibl/biblStruct"):
        if key := entry.get(_XML_ID):
            numbers[key] = len(entries)
        cited = identifiers.first_key(bibliography.distinct(_read_identifiers(entry)), _ORDER)
        entries.append((cited,) if cited else ())
    return References(tuple(entries), numbers)


def _as_jats(body: Element | None) -> Element | None:
    """Give the elements of a text, and its pointers to references, the names that JATS has."""
    for element in () if body is None else body.iter():
        element.tag = _NAMES_IN_JATS.get(element.tag, element.tag)
        if element.tag == "ref" and element.get("type") == "bibr":
            element.tag = "xref"
            element.set("ref-type", "bibr")
            element.set("rid", (element.get("target") or "").lstrip("#"))
    return body


FORMAT = Format(SOURCE, "full texts of GROBID in TEI", read_grobid, detect)
