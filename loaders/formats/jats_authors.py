"""The authors of a JATS article, with their affiliations."""

from collections.abc import Iterator

from specter_graph.loaders import identifiers
from specter_graph.loaders.formats.jats_ids import HREF
from specter_graph.loaders.parsing.field_values import LONGEST_NAME, clean_name
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, parts_of, text_of
from specter_graph.loaders.records import Affiliation, Author

SOURCE = "jats"

_AUTHORS = ("author", "collab", None)
"""Kinds of contributors who are authors: None where a file does not say."""
_NOT_IN_A_GROUP_NAME = frozenset(
    {"aff", "contrib-group", "fn", "institution-id", "label", "list", "xref"}
)
_NOT_IN_AN_AFFILIATION = frozenset(
    {"email", "ext-link", "fax", "fn", "institution-id", "label", "phone", "sup", "uri", "xref"}
)
_PARTS_OF_INSTITUTIONS = frozenset({"dept", "department", "division"})


def authors(meta: Parts, wrong: list[str]) -> tuple[Author, ...]:
    """In order, each once. Members of a group author are not told, only the group."""
    groups = list(each(meta.get("contrib-group")))
    places = _places(meta, groups, wrong)
    found: dict[str, Author] = {}
    for contrib in (one for group in groups for one in group.iterchildren("contrib")):
        if contrib.get("contrib-type") not in _AUTHORS:
            continue
        parts = parts_of(contrib)
        if name := _name(parts):
            orcid = _orcid(contrib, wrong)
            key = f"orcid:{orcid}" if orcid else f"{SOURCE}:{name}"
            own = _affiliations(contrib, places, wrong)
            found.setdefault(key, Author(key, name, orcid is not None, orcid, own))
        elif "anonymous" not in parts:
            wrong.append("an author without a name")
    return tuple(found.values())


def _name(parts: Parts) -> str:
    if "name-alternatives" in parts:
        parts = parts_of(parts["name-alternatives"])
    if "name" in parts:
        name = parts_of(parts["name"])
        order = ("prefix", "given-names", "surname", "suffix")
        return clean_name(" ".join(text_of(name.get(part)) for part in order))
    if "collab-alternatives" in parts:
        parts = parts_of(parts["collab-alternatives"])
    for tag in ("string-name", "collab", "collab-name"):
        if name_text := clean_name(text_of(parts.get(tag), _NOT_IN_A_GROUP_NAME)):
            return name_text
    return ""


def _orcid(contrib: Element, wrong: list[str]) -> str | None:
    for element in contrib.iterchildren("contrib-id", "uri", "ext-link"):
        written = f"{element.get(HREF, '')} {text_of(element)}"
        is_orcid = element.get("contrib-id-type", "").lower() == "orcid"
        if not is_orcid and "orcid.org/" not in written:
            continue
        if orcid := identifiers.orcid(written):
            return orcid
        wrong.append(f"orcid {written.strip():.60} is none")
    return None


def _places(
    meta: Parts, groups: list[Element], wrong: list[str]
) -> dict[str | None, Affiliation | None]:
    """Affiliations by their ids in the text; by None the one that is everybody's, if it is one."""
    elements = [
        aff
        for place in (*groups, *each(meta.get("aff")), *each(meta.get("aff-alternatives")))
        for aff in _within(place)
    ]
    places: dict[str | None, Affiliation | None] = {}
    for aff in elements:
        affiliation = _affiliation(aff, wrong)
        for element in (aff, aff.getparent()):
            if element is not None and element.get("id"):
                places[element.get("id")] = affiliation
        places[None] = affiliation if len(elements) == 1 else None
    return places


def _within(place: Element) -> Iterator[Element]:
    """Affiliations that stand there for themselves; of several ways to write one, the first."""
    if place.tag == "aff":
        yield place
    elif place.tag == "aff-alternatives":
        for aff in each(place.find("aff")):
            yield aff
            return
    else:
        for child in place.iterchildren("aff", "aff-alternatives"):
            yield from _within(child)


def _affiliations(
    contrib: Element, places: dict[str | None, Affiliation | None], wrong: list[str]
) -> tuple[Affiliation, ...]:
    """Those with the author, then those referred to; the only one there is, if none is named."""
    own = [_affiliation(aff, wrong) for aff in _within(contrib)]
    for xref in contrib.iterchildren("xref"):
        if xref.get("ref-type") == "aff":
            own += [places.get(rid) for rid in xref.get("rid", "").split()]
    found = [affiliation for affiliation in own or [places.get(None)] if affiliation]
    return tuple({affiliation.id: affiliation for affiliation in found}.values())


def _affiliation(aff: Element, wrong: list[str]) -> Affiliation | None:
    for element in aff.iter("institution-id"):
        if element.get("institution-id-type", "").lower() == "ror":
            ror, name = identifiers.ror(text_of(element)), _institution(element.getparent())
            if ror and name:
                return Affiliation(f"ror:{ror}", name)
    name = clean_name(text_of(aff, _NOT_IN_AN_AFFILIATION)).strip(" ,;.")
    if len(name) > LONGEST_NAME:
        wrong.append(f"an affiliation of more than {LONGEST_NAME:,} characters")
    return Affiliation(f"{SOURCE}:{name}", name) if 0 < len(name) <= LONGEST_NAME else None


def _institution(wrap: Element | None) -> str:
    """The name of an institution, which stands behind those of its parts."""
    name = ""
    for element in each(parts_of(wrap).get("institution")):
        if element.get("content-type", "").lower() not in _PARTS_OF_INSTITUTIONS:
            name = clean_name(text_of(element)).strip(" ,;.") or name
    return name
