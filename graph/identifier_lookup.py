"""Papers that a query names by identifiers, or by URLs that contain one."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from specter_graph.graph.database import Database
from specter_graph.loaders import identifiers
from specter_graph.loaders.records import Identifier

MAX_IDENTIFIERS = 50
"""Maximum number of identifiers in a query."""
_MAX_LETTERS = 5_000
_UNMISTAKABLE = {"doi", "arxiv", "pmid", "pmcid"}
"""Schemes whose identifiers are not taken for words of a query."""

_LABEL = re.compile(r"\b(doi|arxiv|pmid|pubmed|pmcid)(?:\s*:\s*|\s+(?=\S*\d))", re.IGNORECASE)
_CLASS = re.compile(r"(?<=\s)\[[\w.-]+\]")
"""arXiv writes the class of a paper after its id: "[hep-ph]"."""
_ARXIV = re.compile(r"(?:[a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?")
_LABELED = re.compile(r"(?:(?P<label>[a-z]\w*):)?(?P<value>.*)", re.IGNORECASE | re.DOTALL)
_PUBMED = re.compile(r"\d{5,9}", re.ASCII)
_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.|dx\.|export\.)?(?P<site>[a-z][a-z.]*\.[a-z]{2,})/(?P<path>[^?#]+)(?:[?#].*)?",
    re.IGNORECASE,
)

ReadIdentifier = Callable[[str], Identifier | None]
_SITES: Mapping[str, tuple[str, ReadIdentifier]] = {
    "arxiv.org": (r"(?:abs|pdf|html)/(.+)", identifiers.arxiv),
    "pubmed.ncbi.nlm.nih.gov": (r"(\d+)", identifiers.pubmed),
    "ncbi.nlm.nih.gov": (r"pubmed/(\d+)", identifiers.pubmed),
    "pmc.ncbi.nlm.nih.gov": (r"articles/(PMC\d+)", identifiers.pmc),
    "semanticscholar.org": (r"paper/(?:.*/)?([0-9a-f]{40})", identifiers.s2),
    "openalex.org": (r"(?:works/)?(W\d+)", lambda value: Identifier("openalex", value.upper())),
    "aclanthology.org": (r"(.+)", identifiers.acl),
}


def papers_by_identifier(db: Database, text: str) -> tuple[list[str], list[str]]:
    """Return the papers that a query names by identifiers, and the identifiers of no paper.

    The query must consist only of identifiers and URLs, separated by white space or commas. Any
    other query does not access the database, unless it is one word with a digit, `:` or `/`, which
    may be the id of a paper.

    Returns:
        The current ids of the papers in the order of the query, stubs among them; then the DOIs,
        arXiv ids and labeled PubMed ids that no paper has.
    """
    names = [*filter(_bare, _CLASS.sub("", _LABEL.sub(r"\1:", text)).split())]
    if not names or len(names) > MAX_IDENTIFIERS or len(text) > _MAX_LETTERS:
        return [], []
    if not (len(names) == 1 and re.search(r"[\d:/]", names[0])) and not all(map(_is_name, names)):
        return [], []
    rows = identified_rows(db, map(_readings, names))
    ids = list(dict.fromkeys(row["id"] for row in sorted(rows, key=lambda row: row["number"])))
    known = {row["number"] for row in rows}
    unknown = [
        name
        for number, name in enumerate(names)
        if number not in known and not name.isdecimal() and {*_schemes(name)} & _UNMISTAKABLE
    ]
    return ids, unknown


def find_papers(db: Database, names: Sequence[str]) -> dict[str, str]:
    """Find the papers, without stubs, with these ids or identifiers.

    A number is an id, or the id of Semantic Scholar's corpus without its prefix; it is not taken
    for a PubMed id.

    Returns:
        The current id of the paper of each name that is found.
    """
    readings = (
        (Identifier("", name), Identifier("s2", name)) if name.isdecimal() else _readings(name)
        for name in names
    )
    rows = identified_rows(db, readings)
    return {names[row["number"]]: row["id"] for row in reversed(rows) if row["titled"]}


def identified_rows(db: Database, items: Iterable[Iterable[Identifier]]) -> list[dict[str, Any]]:
    """Return the rows of search/identified; `number` is the item that has the identifier."""
    entries = [
        {"number": number, "scheme": identifier.scheme, "value": identifier.value}
        for number, of_item in enumerate(items)
        for identifier in dict.fromkeys(of_item)
    ]
    return db.read("search/identified", entries=entries)


def _is_name(name: str) -> bool:
    return any(_schemes(name)) or bool(re.search(r"\d", name) and re.search("[:/]", name))


def _schemes(name: str) -> Iterator[str]:
    return (identifier.scheme for identifier in _readings(name))


def _readings(name: str) -> Iterator[Identifier]:
    """Yield the possible identifiers of a word; the id of a paper has no scheme."""
    for part in dict.fromkeys((name, *name.split(","))):
        bare = _bare(part)
        if not bare:
            continue
        yield Identifier("", bare)
        if address := _ADDRESS.fullmatch(bare):
            yield from _at_address(address["site"].lower(), unquote(address["path"]))
        if "://" not in bare:
            yield from _written(bare)


def _bare(part: str) -> str:
    """Return a word without the punctuation of the text around it."""
    bare = part.strip("<>\"'.,;").removeprefix("(").removeprefix("[")
    while bare[-1:] in (")", "]") and bare.count(bare[-1]) > bare.count(
        {")": "(", "]": "["}[bare[-1]]
    ):
        bare = bare[:-1].rstrip(".,;")
    return bare


def _at_address(site: str, path: str) -> Iterator[Identifier]:
    yield from identifiers.dois(path)
    pattern, read = _SITES.get(site, ("", identifiers.doi))
    match = re.match(pattern, path, re.IGNORECASE) if pattern else None
    if match and (known := read(match[1])):
        yield known


def _written(bare: str) -> Iterator[Identifier]:
    label, value = _LABELED.findall(bare)[0]
    if label:
        known = identifiers.parse_identifier(
            f"{'pmid' if label.lower() == 'pubmed' else label}:{value}"
        )
        yield from identifiers.dois(value) if label.lower() == "doi" else filter(None, [known])
        return
    if value.startswith("10."):
        yield from identifiers.dois(value)
    if _ARXIV.fullmatch(value.lower()):
        yield from filter(None, [identifiers.arxiv(value.lower())])
    if _PUBMED.fullmatch(value):
        yield from filter(None, [identifiers.pubmed(value)])
    for read in (identifiers.acl, identifiers.dblp, identifiers.pmc, identifiers.s2):
        known = read(value)
        if known and known.value.lower() == value.lower():
            yield known
