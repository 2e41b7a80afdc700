"""The identifiers in a PubMed record: its own, and those of its references."""

import re
from collections.abc import Iterable, Iterator

from specter_graph.loaders import identifiers
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, parts_of, text_of
from specter_graph.loaders.records import Identifier

_OF_PMC = ("pmc", "pmcid")
_DIGITS = re.compile(r"0*([1-9]\d{0,11})", re.ASCII)


def pubmed_id(text: str) -> str | None:
    """A PubMed id: a number and nothing else."""
    found = _DIGITS.fullmatch(text)
    return found[1] if found else None


def own(pmid: str, article: Parts, data: Parts, wrong: list[str]) -> tuple[Identifier, ...]:
    """The PubMed id, the DOI and the PubMed Central id, from all places that tell them."""
    found = {Identifier("pmid", pmid): None}
    for element in (*_locations(article), *_ids(article), *_ids(data)):
        kind, text = element.get("EIdType") or element.get("IdType"), text_of(element)
        known: Iterable[Identifier | None]
        if kind == "doi":
            known = identifiers.dois(text)
        elif kind in _OF_PMC:
            known = (identifiers.pmc(text),)
        else:
            continue
        if not any(known):
            wrong.append(f"{kind} {text:.100} is none")
        found |= {identifier: None for identifier in known if identifier}
    return tuple(found)


def books(book: Parts, wrong: list[str]) -> tuple[Identifier, ...]:
    """The ISBNs of a book."""
    found: dict[Identifier, None] = {}
    for element in each(book.get("Isbn")):
        if isbn := identifiers.isbn(text_of(element)):
            found[isbn] = None
        else:
            wrong.append(f"Isbn {text_of(element):.40} is none")
    return tuple(found)


def references(data: Parts, notes: list[Element]) -> tuple[str, ...]:
    """The ids of those references that have one.

    They are listed with the record, or in its notes ("Cites"), or in both.
    """
    found = [
        key
        for first in each(data.get("ReferenceList"))
        for reference in first.iter("Reference")
        if (key := _reference(reference))
    ]
    cited = (parts_of(note).get("PMID") for note in notes if note.get("RefType") == "Cites")
    noted = (f"pmid:{pmid}" for element in cited if (pmid := pubmed_id(text_of(element))))
    told = set(found)
    return (*found, *(key for key in noted if key not in told))


def _reference(reference: Element) -> str | None:
    ids = {element.get("IdType", "pubmed"): element for element in _ids(parts_of(reference))}
    of_pmc = next((ids[kind] for kind in _OF_PMC if kind in ids), None)
    if pmid := pubmed_id(text_of(ids.get("pubmed"))):
        return f"pmid:{pmid}"
    other = identifiers.doi(text_of(ids.get("doi"))) or identifiers.pmc(text_of(of_pmc))
    return f"{other.scheme}:{other.value}" if other else None


def _locations(article: Parts) -> Iterator[Element]:
    for element in each(article.get("ELocationID")):
        if element.get("ValidYN") != "N":
            yield element


def _ids(parts: Parts) -> Iterable[Element]:
    return parts.get("ArticleIdList", ())
