"""The authors of a PubMed record, with their affiliations."""

from collections.abc import Iterator

from specter_graph.loaders import identifiers
from specter_graph.loaders.parsing.field_values import LONGEST_NAME, clean_name
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, parts_of, text_of
from specter_graph.loaders.records import Affiliation, Author

SOURCE = "pubmed"


def authors(first: Element | None, wrong: list[str]) -> tuple[Author, ...]:
    """In order, each once; `first` is the first of the lists of authors and editors.

    Editors count only where there are no authors. Entries that NLM has marked as corrected
    (ValidYN="N") are passed over.
    """
    lists = list(each(first))
    written = [one for one in lists if one.get("Type") != "editors"] or lists
    found: dict[str, Author] = {}
    for element in (author for one in written for author in one.iterchildren("Author")):
        if element.get("ValidYN") == "N":
            continue
        if author := _author(element, wrong):
            found.setdefault(author.id, author)
        else:
            wrong.append("an author without a name")
    return tuple(found.values())


def _author(element: Element, wrong: list[str]) -> Author | None:
    parts = parts_of(element)
    name = _name(parts)
    if not name:
        return None
    orcid = _orcid(element, wrong) if "Identifier" in parts else None
    key = f"orcid:{orcid}" if orcid else f"{SOURCE}:{name}"
    affiliations = _affiliations(element, wrong) if "AffiliationInfo" in parts else ()
    return Author(key, name, orcid is not None, orcid, affiliations)


def _name(parts: Parts) -> str:
    if "CollectiveName" in parts:
        return clean_name(text_of(parts["CollectiveName"]))
    fore = text_of(parts.get("ForeName")) or text_of(parts.get("Initials"))
    last, suffix = text_of(parts.get("LastName")), text_of(parts.get("Suffix"))
    return clean_name(f"{fore} {last} {suffix}")


def _orcid(author: Element, wrong: list[str]) -> str | None:
    for element in author.iterchildren("Identifier"):
        if element.get("Source") == "ORCID":
            if orcid := identifiers.orcid(text_of(element)):
                return orcid
            wrong.append(f"ORCID {text_of(element):.60} is none")
    return None


def _affiliations(author: Element, wrong: list[str]) -> tuple[Affiliation, ...]:
    found: dict[str, Affiliation] = {}
    for info in author.iterchildren("AffiliationInfo"):
        name = clean_name(text_of(parts_of(info).get("Affiliation")))
        if len(name) > LONGEST_NAME:
            wrong.append(f"an affiliation of more than {LONGEST_NAME:,} characters")
        elif name:
            ror = next(_rors(info), None)
            key = f"ror:{ror}" if ror else f"{SOURCE}:{name}"
            found.setdefault(key, Affiliation(key, name))
    return tuple(found.values())


def _rors(info: Element) -> Iterator[str]:
    for element in info.iterchildren("Identifier"):
        if element.get("Source") == "ROR" and (ror := identifiers.ror(text_of(element))):
            yield ror
