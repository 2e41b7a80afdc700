"""The labels of a JATS article: subjects, keywords, the type of article."""

from collections.abc import Iterator

from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, parts_of, text_of
from specter_graph.loaders.records import Field

SUBJECT = "jats-subject"
KEYWORD = "keyword"
TYPE = "article-type"


def labels(article: Element, meta: Parts) -> tuple[Field, ...]:
    """All labels of an article, each once; a subject knows the one above it."""
    found = [
        *_subjects(meta.get("article-categories"), ()),
        *_keywords(meta.get("kwd-group")),
        *_type(article),
    ]
    return tuple({(field.scheme, field.id): field for field in found}.values())


def _subjects(place: Element | None, above: tuple[str, ...]) -> Iterator[Field]:
    for group in () if place is None else place.iterchildren("subj-group"):
        names = [_text(subject) for subject in group.iterchildren("subject")]
        yield from (Field(SUBJECT, name, name, above) for name in names if name)
        yield from _subjects(group, tuple(name for name in names if name))


def _keywords(first: Element | None) -> Iterator[Field]:
    """Keywords of all groups; of abbreviations only what they stand for."""
    for group in each(first):
        for keyword in group.iterchildren("kwd", "compound-kwd", "nested-kwd"):
            names = [keyword]
            if keyword.tag == "compound-kwd":
                names = list(each(parts_of(keyword).get("compound-kwd-part")))
            elif keyword.tag == "nested-kwd":
                names = list(keyword.iter("kwd"))
            yield from (Field(KEYWORD, name, name) for name in map(_text, names) if name)


def _type(article: Element) -> Iterator[Field]:
    if name := clean_name(article.get("article-type", "")):
        yield Field(TYPE, name, name)


def _text(element: Element) -> str:
    return clean_name(text_of(element))
