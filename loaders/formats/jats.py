"""JATS: journal articles in full, as PubMed Central, PLOS, eLife and others publish them.

The elements are those of JATS Archiving and Interchange 1.3 (ANSI/NISO Z39.96-2021), and of the NLM
DTDs before it; the map is in docs/formats/jats.md.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders.format_api import Count, Format, Found, RecordError
from specter_graph.loaders.formats.jats_authors import authors
from specter_graph.loaders.formats.jats_ids import article_ids, read_references
from specter_graph.loaders.formats.jats_labels import labels
from specter_graph.loaders.formats.jats_names import NAMES
from specter_graph.loaders.formats.jats_text import abstract, contexts, read_body
from specter_graph.loaders.identifiers import issn
from specter_graph.loaders.parsing import tolerant_fields as lenient
from specter_graph.loaders.parsing.dates import exact_date
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.languages import language_code
from specter_graph.loaders.parsing.xml_stream import Element, read_records
from specter_graph.loaders.parsing.xml_text import Parts, each, forget_namespaces, parts_of, text_of
from specter_graph.loaders.records import Citation, Paper, Venue

SOURCE = "jats"

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_DATES = ("publication", "pub", "epub", "epub-ppub", "ppub", "collection")
"""Kinds of dates of publication: the first that an article has counts."""
_NOT_PUBLICATION = ("pmc-release", "nihms-submitted", "preprint", "retracted", "corrected")
_RETRACTED = ("retracted", "eretracted", "pretracted")
_YEAR = re.compile(r"\d{4}", re.ASCII)
_NO_TITLE_TEXT = frozenset({"xref", "fn"})
_ARTICLE = re.compile(rb"<(?:\w+:)?article[\s>]")
_JATS = re.compile(rb"<(?:\w+:)?front[\s>]|//NLM//DTD |dtd-version=|jats\.nlm\.nih\.gov")


def read_jats(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The papers of a file, one article or many, with the lines where the articles begin."""
    return read_records(path, count, convert, ("article",), known=NAMES)


def convert(article: Element) -> Iterator[Found]:
    """The paper of an article; raises RecordError where it has no id or no title."""
    if article.tag != "article":  # the OAI-PMH service of PubMed Central gives JATS a namespace
        forget_namespaces(article)
    parts = parts_of(article)
    front = parts_of(parts.get("front"))
    meta = parts_of(front.get("article-meta"))
    wrong: list[str] = []
    ids = article_ids(meta, wrong)
    if not ids.key:
        raise RecordError("there is no article-id that is a DOI, a PubMed id or a publisher's id")
    title = _title(parts_of(meta.get("title-group")))
    if not title:
        raise RecordError("article-title is missing", ids.key)
    year, published = _date(meta, wrong)
    references = read_references(parts.get("back"), ids)
    blocks = read_body(parts.get("body"))
    paper = Paper(
        id=ids.key,
        title=title,
        abstract=abstract(meta),
        year=year,
        published=published,
        language=_language(article),
        source=SOURCE,
        body="\n\n".join(block.text for block in blocks) or None,
        retracted=_is_retracted(meta) or None,
        identifiers=ids.identifiers,
        authors=authors(meta, wrong),
        venue=_venue(parts_of(front.get("journal-meta"))),
        fields=labels(article, meta),
        references=references.keys,
        citations=tuple(
            Citation(ids.key, cited, contexts=sentences)
            for cited, sentences in contexts(blocks, references).items()
            if cited != ids.key
        ),
    )
    yield from lenient.problems(wrong, ids.key)
    yield paper


def _title(group: Parts) -> str:
    """Title and subtitle."""
    texts = [text_of(group.get(tag), _NO_TITLE_TEXT) for tag in ("article-title", "subtitle")]
    return ": ".join(filter(None, [texts[0].rstrip(" :") if texts[1] else texts[0], texts[1]]))


def _date(meta: Parts, wrong: list[str]) -> tuple[int | None, str | None]:
    """The year and the date of publication, as exactly as it is told."""
    dates = [one for one in each(meta.get("pub-date")) if _kind(one) not in _NOT_PUBLICATION]
    dates.sort(key=lambda one: _DATES.index(_kind(one)) if _kind(one) in _DATES else len(_DATES))
    for date in dates:
        parts = parts_of(date)
        year = text_of(parts.get("year"))
        if _YEAR.fullmatch(year):
            day = exact_date(int(year), text_of(parts.get("month")), text_of(parts.get("day")))
            return int(year), day
        wrong.append(f"pub-date {text_of(date):.40} has no year")
    return None, None


def _kind(date: Element) -> str:
    return date.get("date-type") or date.get("pub-type") or ""


def _language(article: Element) -> str | None:
    language = article.get(_LANGUAGE, "").strip()
    return language_code(language) if language else None


def _is_retracted(meta: Parts) -> bool:
    """The article points forward to its retraction, or has a date of it."""
    related = each(meta.get("related-article"))
    dates = (*each(meta.get("pub-date")), *meta.get("history", ()))
    return any(one.get("related-article-type") == "retraction-forward" for one in related) or any(
        one.get("date-type") in _RETRACTED for one in dates
    )


def _venue(journal: Parts) -> Venue | None:
    """The journal by the least of its ISSNs, by its title where it has none."""
    titles = journal | parts_of(journal.get("journal-title-group"))
    name = clean_name(text_of(titles.get("journal-title")))
    if not name:
        return None
    numbers = (*each(journal.get("issn")), *each(journal.get("issn-l")))
    known = [number for element in numbers if (number := issn(text_of(element)))]
    return Venue(f"issn:{min(known)}" if known else f"{SOURCE}:{name}", name)


def recognise(name: str, head: bytes) -> str | None:
    """An article with front matter, or the document type of NLM's tag sets."""
    if b"<pmc-articleset" in head:
        return "JATS XML, pmc-articleset"
    return "JATS XML, article" if _ARTICLE.search(head) and _JATS.search(head) else None


FORMAT = Format("jats", "JATS XML (PubMed Central, PLOS, eLife)", read_jats, recognise)
