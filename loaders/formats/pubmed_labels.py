"""The labels that PubMed gives its papers: MeSH, keywords, types of publication."""

from collections.abc import Iterable, Iterator

from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, text_of
from specter_graph.loaders.records import Field

MESH = "mesh"
MAJOR = "mesh-major"
QUALIFIED = "mesh-qualified"
TYPE = "publication-type"
KEYWORD = "keyword"


def labels(citation: Parts, article: Parts) -> tuple[Field, ...]:
    """All labels of a record, each once.

    | scheme | |
    |---|---|
    | mesh | descriptors, supplementary concepts, substances, by their unique ids |
    | mesh-major | the descriptors that the paper is mainly about, as such or in one aspect |
    | mesh-qualified | descriptors with a qualifier: D009369Q000401, Neoplasms/mortality |
    | publication-type | by the unique ids of MeSH |
    | keyword | the words of the authors and others |

    Entries without an id or a name are passed over.
    """
    substances = (one for chemical in citation.get("ChemicalList", ()) for one in chemical)
    types = [*article.get("PublicationTypeList", ()), *each(article.get("PublicationType"))]
    found = [
        *_headings(citation.get("MeshHeadingList", ())),
        *_named(MESH, citation.get("SupplMeshList", ())),
        *_named(MESH, substances),
        *_named(TYPE, types),
        *_keywords(citation.get("KeywordList")),
    ]
    return tuple({(field.scheme, field.id): field for field in found}.values())


def _headings(headings: Iterable[Element]) -> Iterator[Field]:
    for heading in headings:
        names = list(heading)
        if not names:
            continue
        is_major = any(name.get("MajorTopicYN") == "Y" for name in names)
        for descriptor in _named(MESH, names[:1]):
            yield descriptor
            if is_major:
                yield Field(MAJOR, descriptor.id, descriptor.name)
            for qualifier in _named(QUALIFIED, names[1:]):
                both = f"{descriptor.id}{qualifier.id}"
                yield Field(QUALIFIED, both, f"{descriptor.name}/{qualifier.name}")


def _named(scheme: str, elements: Iterable[Element]) -> Iterator[Field]:
    for element in elements:
        key, name = element.get("UI", "").strip(), clean_name(text_of(element))
        if key and name:
            yield Field(scheme, key, name)


def _keywords(first: Element | None) -> Iterator[Field]:
    for keyword in (keyword for one in each(first) for keyword in one):
        if name := clean_name(text_of(keyword)):
            yield Field(KEYWORD, name, name)
