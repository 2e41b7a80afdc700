"""Which id a JATS article and its references get, so that they meet.

PubMed Central gives PubMed ids to its articles and to most references, DOIs to fewer; publishers
give DOIs to their articles, and DOIs or both to references. So the file decides: an article that
has an id of PubMed or PubMed Central goes by PubMed ids, and otherwise by DOI; and so do its
references. Whatever else names the article is kept as an Identifier, for merging.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from specter_graph.loaders import identifiers
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, name_of, text_of
from specter_graph.loaders.records import Identifier

OF_PMC = ("pmid", "doi", "pmcid", "arxiv")
OF_PUBLISHERS = ("doi", "pmid", "pmcid", "arxiv")
HREF = "{http://www.w3.org/1999/xlink}href"

_CITATIONS = frozenset(
    {"citation", "citation-alternatives", "element-citation", "mixed-citation", "nlm-citation"}
)
_AFTER_DOI = ".,;:)]}>\"'"
_DOI_IN_TEXT = re.compile(r"doi:\s*(?:https?://(?:dx\.)?doi\.org/)?(10\.\S+)", re.IGNORECASE)
_OF_PAGES = re.compile(r"/(?:abstract|full|e?pdf)/?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of an article; `order` says which scheme comes first, for its references too."""

    key: str | None
    identifiers: tuple[Identifier, ...]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class References:
    """The list of references of an article.

    `entries` are the ids in each entry: none where nothing in it is an id, several where it names
    several works. `places` tells an entry's number by the ids that the text uses for it.
    """

    entries: tuple[tuple[str, ...], ...]
    places: dict[str, int]

    @property
    def keys(self) -> tuple[str, ...]:
        """All ids, in order."""
        return tuple(key for entry in self.entries for key in entry)


def article_ids(meta: Parts, wrong: list[str]) -> Ids:
    """The ids of an article by its article-meta."""
    elements = list(each(meta.get("article-id")))
    found: dict[Identifier, None] = {}
    for element in elements:
        kind = element.get("pub-id-type", "")
        known = _read(kind, text_of(element))
        if known is None:
            wrong.append(f"{kind} {text_of(element):.100} is none")
        found |= dict.fromkeys(known or ())
    schemes = {identifier.scheme for identifier in found}
    order = OF_PMC if schemes & {"pmid", "pmcid"} else OF_PUBLISHERS
    return Ids(_first(found, order) or _publishers(elements), tuple(found), order)


def read_references(back: Element | None, ids: Ids) -> References:
    """The references behind an article."""
    entries: list[tuple[str, ...]] = []
    places: dict[str, int] = {}
    for entry in () if back is None else back.iter("ref"):
        works = [child for child in entry if name_of(child) in _CITATIONS] or [entry]
        keys = (_first(_cited(work, ids.order[0]), ids.order) for work in works)
        for element in (entry, *works):
            if element.get("id"):
                places[element.get("id", "")] = len(entries)
        entries.append(tuple(key for key in keys if key))
    return References(tuple(entries), places)


def _cited(work: Element, best: str) -> dict[Identifier, None]:
    """The identifiers of a work: the tagged ones, and linked ones if the best is not among them."""
    found: dict[Identifier, None] = {}
    for element in work.iter("pub-id"):
        found |= dict.fromkeys(_read(element.get("pub-id-type", ""), text_of(element)) or ())
    if any(identifier.scheme == best for identifier in found):
        return found
    return found | dict.fromkeys(_linked(work))


def _linked(work: Element) -> Iterator[Identifier]:
    """The identifiers in links, and behind "doi:" in the text."""
    for element in work.iter("ext-link", "uri", "object-id"):
        target = element.get(HREF) or text_of(element)
        if "doi" in target or element.get("ext-link-type") == "doi":
            yield from identifiers.dois(_written(target))
        elif "arxiv.org/" in target and (paper := identifiers.arxiv(target)):
            yield paper
    if named := _DOI_IN_TEXT.search(text_of(work)):
        yield from identifiers.dois(_written(named[1]))


def _written(address: str) -> str:
    """A DOI, or an address with one, without what the pages of publishers have behind it."""
    before, ten, rest = address.rstrip(_AFTER_DOI).partition("10.")
    written = re.split("[?#&]" if "?" in before else "[?#]", rest, maxsplit=1)[0]
    return _OF_PAGES.sub("", unquote(before + ten + written))


def _read(kind: str, text: str) -> Iterable[Identifier] | None:
    """The identifiers that a tagged id is: none for a kind of no use; None where it is wrong."""
    if kind == "doi":
        return identifiers.dois(text) or None
    reader = {
        "pmid": identifiers.pubmed,
        "pmc": identifiers.pmc,
        "pmcid": identifiers.pmc,
        "arxiv": identifiers.arxiv,
    }.get(kind)
    if reader is None:
        return ()
    found = reader(text)
    return (found,) if found else None


def _first(found: Iterable[Identifier], order: tuple[str, ...]) -> str | None:
    known: dict[str, str] = {}
    for identifier in found:
        known.setdefault(identifier.scheme, identifier.value)
    return next((f"{scheme}:{known[scheme]}" for scheme in order if scheme in known), None)


def _publishers(elements: list[Element]) -> str | None:
    """The publisher's own id, where there is no other."""
    for element in elements:
        if element.get("pub-id-type") == "publisher-id" and text_of(element):
            return f"jats:{text_of(element)}"
    return None
