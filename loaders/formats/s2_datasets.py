"""The shards of the Datasets API of Semantic Scholar: papers, abstracts and citations apart.

All name papers by corpus id. The full text (s2orc, s2orc_v2) is in `s2_full_text`.
"""

from collections.abc import Iterator
from typing import Any

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Found
from specter_graph.loaders.formats.semantic_scholar import (
    SOURCE,
    Values,
    author,
    corpus_id,
    distinct,
    external_identifiers,
    labels,
    required_text,
    venue,
)
from specter_graph.loaders.records import Abstract, Author, Citation, Field, Identifier, Paper

_PAPERS = (
    "corpusid externalids url title authors venue publicationvenueid year referencecount"
    " citationcount influentialcitationcount isopenaccess s2fieldsofstudy publicationtypes"
    " publicationdate journal updated"
)
_ABSTRACTS = "corpusid openaccessinfo abstract updated"
_CITATIONS = "citationid citingcorpusid citedcorpusid isinfluential contexts intents updated"
KEYS = frozenset(f"{_PAPERS} {_ABSTRACTS} {_CITATIONS}".split())


def paper(record: dict[str, Any]) -> Iterator[Found]:
    """A line of the papers; its abstract and its references stand in other shards."""
    paper_id = corpus_id(record)
    title = required_text(record, "title", paper_id)
    values = Values(record)
    url = values.text("url")
    journal = Values(values.object("journal"))
    ids = {**values.object("externalids"), "CorpusId": paper_id.removeprefix("s2:")}
    found = Paper(
        id=paper_id,
        title=title,
        year=values.year("year"),
        published=values.text("publicationdate"),
        url=url,
        source=SOURCE,
        identifiers=(*_sha(url), *external_identifiers(values, ids)),
        authors=distinct(authors(values)),
        venue=venue(
            values.text("venue"), journal.text("name"), number=values.text("publicationvenueid")
        ),
        fields=fields_of_study(values, "s2fieldsofstudy"),
        elsewhere=("abstract", "references"),
    )
    values.left_out += journal.left_out
    yield from values.problems(paper_id)
    yield found


def abstract(record: dict[str, Any]) -> Iterator[Found]:
    """A line of the abstracts."""
    paper_id = corpus_id(record)
    yield Abstract(paper_id, required_text(record, "abstract", paper_id))


def citation(record: dict[str, Any]) -> Iterator[Found]:
    """A line of the citations."""
    citing = corpus_id(record, "citingcorpusid")
    cited = corpus_id(record, "citedcorpusid")
    values = Values(record)
    yield details(values, citing, cited, influential="isinfluential")
    if values.left_out:
        yield from values.problems(citing)


def details(values: Values, citing: str, cited: str, influential: str) -> Citation:
    """A citation with its contexts and intents; of `intents` there may be a list a context."""
    record = values.record
    contexts, intents = record.get("contexts"), record.get("intents")
    known = record.get(influential)
    if not (known is None or type(known) is bool):
        values.left_out.append(f"{influential} must be true or false")
        known = None
    return Citation(
        citing,
        cited,
        intents=tuple(dict.fromkeys(_intents(values))) if intents else (),
        influential=known,
        contexts=tuple(dict.fromkeys(values.texts("contexts"))) if contexts else (),
    )


def _intents(values: Values) -> Iterator[str]:
    for entry in values.entries("intents", object):
        for intent in entry if isinstance(entry, list) else (entry,):
            if isinstance(intent, str):
                yield intent.strip()
            elif intent is not None:  # a context may have none
                values.left_out.append("an intent that is no text")


def authors(values: Values) -> Iterator[Author]:
    """The authors, by number where there is one; also those of the Graph API."""
    for entry in values.entries("authors", dict):
        one = Values(entry)
        if name := one.text("name"):
            yield author(name, one.number("authorId"))
        else:
            values.left_out.append("an author without a name")
        values.left_out += one.left_out


def fields_of_study(values: Values, key: str) -> tuple[Field, ...]:
    """Those of Microsoft Academic Graph ("external") and those of Semantic Scholar's own model."""
    names: dict[str, list[str]] = {"mag": [], "s2": []}
    for entry in values.entries(key, dict):
        one = Values(entry)
        if category := one.text("category"):
            names["mag" if one.text("source") == "external" else "s2"].append(category)
        values.left_out += one.left_out
    return (*labels("mag", names["mag"]), *labels("s2", names["s2"]))


def _sha(url: str | None) -> tuple[Identifier, ...]:
    """The SHA by which the Graph API names the paper: its address ends with it."""
    found = identifiers.s2(url.rsplit("/", 1)[-1]) if url else None
    return (found,) if found else ()
