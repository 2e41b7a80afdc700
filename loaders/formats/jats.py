"""JATS: full journal articles, as PubMed Central, PLOS, eLife and others publish them.

The elements are those of JATS Archiving and Interchange 1.3 (ANSI/NISO Z39.96-2021) and of the NLM
DTDs before it; docs/formats/jats.md has the field map.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    citations_in,
    distinct_labels,
    exact_date,
    make_affiliation,
    make_author,
    make_journal,
    read_orcid,
    unique,
)
from specter_graph.loaders.formats.jats_text import (
    HREF,
    abstract,
    article_ids,
    contexts,
    read_body,
    read_references,
)
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import clean_name, full_name, paper_converter
from specter_graph.loaders.parsing.xml import (
    Element,
    Parts,
    iter_children,
    parts_of,
    read_records,
    remove_namespaces,
    text_of,
)
from specter_graph.loaders.records import Affiliation, Author, Field, Paper, Venue

SOURCE = "jats"

Places = dict[str | None, Affiliation | None]

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_DATES = ("publication", "pub", "epub", "epub-ppub", "ppub", "collection")
"""Types of publication dates, in order of preference."""
_NOT_PUBLICATION = ("pmc-release", "nihms-submitted", "preprint", "retracted", "corrected")
_RETRACTED = ("retracted", "eretracted", "pretracted")
_YEAR = re.compile(r"\d{4}", re.ASCII)
_AFFILIATIONS = ("aff", "aff-alternatives")
_AUTHORS = ("author", "collab", None)
"""Types of contributors who are authors; None if the file gives no type."""
_NOT_IN_GROUP_NAMES = frozenset({
    "address", "aff", "contrib-group", "email", "fn", "institution-id", "label", "list", "xref",
})  # fmt: skip
_NOT_IN_AFFILIATIONS = frozenset({
    "email", "ext-link", "fax", "fn", "institution-id", "label", "phone", "sup", "uri", "xref",
})  # fmt: skip
_PARTS_OF_INSTITUTIONS = ("dept", "department", "division")
_NOT_IN_TITLES = ("xref", "fn")
_ARTICLE = re.compile(rb"<(?:\w+:)?article[\s>]")
_JATS = re.compile(rb"<(?:\w+:)?front[\s>]|//NLM//DTD |dtd-version=|jats\.nlm\.nih\.gov")


def read_jats(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its article begins."""
    return read_records(path, count, convert, ("article",), known=known_fields("jats"))


@paper_converter
def convert(article: Element, omitted: list[str]) -> Paper:
    """Return the paper of an article; raise RecordError if its id is missing."""
    if article.tag != "article":  # JATS has a namespace in the OAI-PMH service of PubMed Central
        remove_namespaces(article)
    parts = parts_of(article)
    front = parts_of(parts.get("front"))
    meta = parts_of(front.get("article-meta"))
    ids = article_ids(meta, omitted)
    if not ids.key:
        raise RecordError("no article-id is a DOI, a PubMed id or a publisher's id")
    year, published = _read_date(meta, omitted)
    references = read_references(parts.get("back"), ids)
    blocks = read_body(parts.get("body"))
    return Paper(
        id=ids.key,
        title=_read_title(parts_of(meta.get("title-group"))),
        abstract=abstract(meta),
        year=year,
        published=published,
        language=language_code(article.get(_LANGUAGE, "")),
        source=SOURCE,
        body="\n\n".join(block.text for block in blocks) or None,
        retracted=_is_retracted(meta) or None,
        identifiers=ids.identifiers,
        authors=_read_authors(meta, omitted),
        venue=_read_venue(parts_of(front.get("journal-meta"))),
        fields=_read_labels(article, meta),
        references=references.keys,
        citations=citations_in(ids.key, contexts(blocks, references)),
    )


def _read_title(group: Parts) -> str:
    """Return title and subtitle."""
    texts = [text_of(group.get(tag), _NOT_IN_TITLES) for tag in ("article-title", "subtitle")]
    return ": ".join(filter(None, [texts[0].rstrip(" :") if texts[1] else texts[0], texts[1]]))


def _read_date(meta: Parts, omitted: list[str]) -> tuple[int | None, str | None]:
    """Return the year and the date of publication, as far as it is known."""
    dates = [
        one
        for one in iter_children(meta.get("pub-date"))
        if _read_kind(one) not in _NOT_PUBLICATION
    ]
    dates.sort(
        key=lambda one: _DATES.index(_read_kind(one)) if _read_kind(one) in _DATES else len(_DATES)
    )
    for date in dates:
        parts = parts_of(date)
        year = text_of(parts.get("year"))
        if _YEAR.fullmatch(year):
            day = exact_date(int(year), text_of(parts.get("month")), text_of(parts.get("day")))
            return int(year), day
        omitted.append(f"pub-date {text_of(date):.40} has no year")
    return None, None


def _read_kind(date: Element) -> str:
    return date.get("date-type") or date.get("pub-type") or ""


def _is_retracted(meta: Parts) -> bool:
    """Return True if an article has a link to its retraction, or a date of retraction."""
    related = iter_children(meta.get("related-article"))
    dates = (*iter_children(meta.get("pub-date")), *meta.get("history", ()))
    return any(one.get("related-article-type") == "retraction-forward" for one in related) or any(
        one.get("date-type") in _RETRACTED for one in dates
    )


def _read_venue(journal: Parts) -> Venue | None:
    """Return the journal, identified by the smallest of its ISSNs or else its title."""
    titles = journal | parts_of(journal.get("journal-title-group"))
    numbers = (*iter_children(journal.get("issn")), *iter_children(journal.get("issn-l")))
    return make_journal(SOURCE, text_of(titles.get("journal-title")), map(text_of, numbers))


def _read_authors(meta: Parts, omitted: list[str]) -> tuple[Author, ...]:
    """Return the authors in order, each once; the members of a group author are left out."""
    groups = list(iter_children(meta.get("contrib-group")))
    places = _read_places(meta, groups, omitted)
    contribs = (one for group in groups for one in group.iterchildren("contrib"))
    return unique(
        _read_author(contrib, places, omitted)
        for contrib in contribs
        if contrib.get("contrib-type") in _AUTHORS
    )


def _read_author(contrib: Element, places: Places, omitted: list[str]) -> Author | None:
    parts = parts_of(contrib)
    name = _read_name(parts)
    if not name and "anonymous" in parts:
        return None
    orcid = read_orcid(_read_orcids(contrib), omitted)
    affiliations = _read_affiliations(contrib, places, omitted)
    return make_author(SOURCE, name, omitted, orcid=orcid, affiliations=affiliations)


def _read_name(parts: Parts) -> str:
    if "name-alternatives" in parts:
        parts = parts_of(parts["name-alternatives"])
    if "name" in parts:
        name = parts_of(parts["name"])
        given = f"{text_of(name.get('prefix'))} {text_of(name.get('given-names'))}"
        return full_name(given, text_of(name.get("surname")), text_of(name.get("suffix")))
    if "collab-alternatives" in parts:
        parts = parts_of(parts["collab-alternatives"])
    for tag in ("string-name", "collab", "collab-name"):
        if name_text := clean_name(text_of(parts.get(tag), _NOT_IN_GROUP_NAMES)):
            return name_text
    return ""


def _read_orcids(contrib: Element) -> Iterator[str]:
    for element in contrib.iterchildren("contrib-id", "uri", "ext-link"):
        written = f"{element.get(HREF, '')} {text_of(element)}".strip()
        if element.get("contrib-id-type", "").lower() == "orcid" or "orcid.org/" in written:
            yield written


def _read_places(meta: Parts, groups: list[Element], omitted: list[str]) -> Places:
    """Return affiliations by their ids in the text; the key None has an only affiliation."""
    listed = [element for tag in _AFFILIATIONS for element in iter_children(meta.get(tag))]
    elements = [aff for place in (*groups, *listed) for aff in _find_affiliations(place)]
    places: Places = {}
    for aff in elements:
        affiliation = _read_affiliation(aff, omitted)
        for element in (aff, aff.getparent()):
            if element is not None and element.get("id"):
                places[element.get("id")] = affiliation
        places[None] = affiliation if len(elements) == 1 else None
    return places


def _find_affiliations(place: Element) -> Iterator[Element]:
    """Yield the affiliations of an element; of alternative notations, the first."""
    if place.tag == "aff":
        yield place
    elif place.tag == "aff-alternatives":
        yield from [*place.iterchildren("aff")][:1]
    else:
        for child in place.iterchildren(*_AFFILIATIONS):
            yield from _find_affiliations(child)


def _read_affiliations(
    contrib: Element, places: Places, omitted: list[str]
) -> tuple[Affiliation, ...]:
    """Return the affiliations within an author and those referred to, or else the only one."""
    affiliations = [_read_affiliation(aff, omitted) for aff in _find_affiliations(contrib)]
    for xref in contrib.iterchildren("xref"):
        if xref.get("ref-type") == "aff":
            affiliations += [places.get(rid) for rid in xref.get("rid", "").split()]
    known = filter(None, affiliations or [places.get(None)])
    return tuple({place.id: place for place in known}.values())


def _read_affiliation(aff: Element, omitted: list[str]) -> Affiliation | None:
    for element in aff.iter("institution-id"):
        if element.get("institution-id-type", "").lower() == "ror":
            ror, name = identifiers.ror(text_of(element)), _read_institution(element.getparent())
            if ror and name:
                return Affiliation(f"ror:{ror}", name)
    name = clean_name(text_of(aff, _NOT_IN_AFFILIATIONS)).strip(" ,;.")
    return make_affiliation(SOURCE, name, omitted)


def _read_institution(wrap: Element | None) -> str:
    """Return the name of an institution, which follows the names of its departments."""
    name = ""
    for element in iter_children(parts_of(wrap).get("institution")):
        if element.get("content-type", "").lower() not in _PARTS_OF_INSTITUTIONS:
            name = clean_name(text_of(element)).strip(" ,;.") or name
    return name


def _read_labels(article: Element, meta: Parts) -> tuple[Field, ...]:
    """Return all labels of an article, each once; subjects refer to the broader subject."""
    kind = clean_name(article.get("article-type", ""))
    return distinct_labels(
        [
            *_read_subjects(meta.get("article-categories"), ()),
            *_read_keywords(meta.get("kwd-group")),
            Field("article-type", kind, kind) if kind else None,
        ]
    )


def _read_subjects(place: Element | None, above: tuple[str, ...]) -> Iterator[Field]:
    for group in () if place is None else place.iterchildren("subj-group"):
        names = [_read_text(subject) for subject in group.iterchildren("subject")]
        yield from (Field("jats-subject", name, name, above) for name in names if name)
        yield from _read_subjects(group, tuple(name for name in names if name))


def _read_keywords(first: Element | None) -> Iterator[Field]:
    """Yield the keywords of all groups, with the parts of compound keywords."""
    for group in iter_children(first):
        for keyword in group.iterchildren("kwd", "compound-kwd", "nested-kwd"):
            names = [keyword]
            if keyword.tag == "compound-kwd":
                names = list(iter_children(parts_of(keyword).get("compound-kwd-part")))
            elif keyword.tag == "nested-kwd":
                names = list(keyword.iter("kwd"))
            yield from (Field("keyword", name, name) for name in map(_read_text, names) if name)


def _read_text(element: Element) -> str:
    return clean_name(text_of(element))


def detect(name: str, head: bytes) -> str | None:
    """Detect an article with front matter, or the document type of NLM's tag sets."""
    if b"<pmc-articleset" in head:
        return "JATS XML, pmc-articleset"
    return "JATS XML, article" if _ARTICLE.search(head) and _JATS.search(head) else None


FORMAT = Format("jats", "JATS XML (PubMed Central, PLOS, eLife)", read_jats, detect)
