"""BibTeX and BibLaTeX: the entries of a .bib file; docs/formats/library.md has the field map."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bibtexparser.middlewares.names import (
    parse_single_name_into_parts,
    split_multiple_persons_names,
)

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import (
    Count,
    FieldCheck,
    Format,
    ParseResult,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.formats.bibtex_entries import BibtexEntry, read_entries
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.parsing.latex import decode_accents, verbatim_text
from specter_graph.loaders.parsing.latex import plain_text as printed_text
from specter_graph.loaders.parsing.plain_text import strip_markup
from specter_graph.loaders.records import Field, Identifier, Paper, Venue

SOURCE = "bibtex"
_BOOKS = """
book collection manual mvbook mvcollection mvproceedings proceedings reference
"""
BOOKS = frozenset(_BOOKS.split())
"""Types of complete books: their ISBN is an id of the entry."""

_INHERITED = """
author booktitle crossref date hyphenation journal journaltitle langid language month publisher
subtitle title xdata year
"""
INHERITED = frozenset(_INHERITED.split())
"""Fields that an entry inherits from the entry in its `crossref`, if it lacks them."""

_IGNORED_PREFIXES = ("bdsk-", "mendeley-", "jabref-", "user", "name", "list", "verb")
"""Fields of BibDesk, Mendeley and JabRef, and BibLaTeX's fields for special purposes (usera)."""
_MACRO = re.compile(r"\{?\\([a-z]+)\s*\}?")
_MAX_DEPTH = 5
_NAME_PART = re.compile(r"\s*([a-z-]+)\s*=\s*(.*)", re.DOTALL)
_LINK = re.compile(r"https?://[^\s{}]+")
_CORR = re.compile(r"abs/(.+)")
_START = re.compile(
    rb"(?m)^[ \t]*@(?:(\w+)[ \t]*[{(]\s*(?:[^\s,{}]+\s*[,=]|,\s*\w+\s*=)"
    rb"|((?i:comment|preamble))[ \t]*[{(])"
)
_NOT_PAPERS = frozenset({"xdata"})


def read_bibtex(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line of its entry, and RecordIssues.

    An entry without a key gets an id like an entry of RIS. An entry with `crossref` or `xdata` is
    converted after the entries that it names, or at the end.
    """
    parents: dict[str, dict[str, str]] = {}
    waiting: list[tuple[int, BibtexEntry]] = []
    fields = FieldCheck(known_fields("bibtex"))
    for line, entry in read_entries(path, count):
        if isinstance(entry, RecordIssue):
            yield line, entry
            continue
        parents.setdefault(
            entry.key.lower(),
            {name: value for name, value in entry.fields.items() if name in INHERITED},
        )
        names = (name for name in entry.fields if not name.startswith(_IGNORED_PREFIXES))
        for unknown in fields.unknown([*names]):
            yield line, unknown
        if entry.kind in _NOT_PAPERS:
            continue
        if all(name in parents for name in _parent_keys(entry.fields)):
            yield from ((line, item) for item in convert(entry, parents))
        else:
            waiting.append((line, entry))
    for line, entry in waiting:
        yield from ((line, item) for item in convert(entry, parents))


def convert(entry: BibtexEntry, parents: dict[str, dict[str, str]]) -> Iterator[ParseResult]:
    """Yield the paper of an entry; `parents` has the fields to inherit, by key of the parent."""
    fields = {
        name: value for name, value in _inherited(entry.fields, parents, 0).items() if value.strip()
    }
    title = ": ".join(
        text for name in ("title", "subtitle") if (text := plain_text(fields.get(name, "")))
    )
    if not title:
        yield RecordIssue("title is missing", entry.key, entry.text)
        return
    for name in _parent_keys(entry.fields):
        if name not in parents:
            reason = f"its parent entry {name:.100} is not in the file"
            yield RecordIssue(reason, entry.key, repaired=True)
    when = plain_text(fields.get("date") or fields.get("year", ""))
    year, published = bibliography.date(when, plain_text(fields.get("month", "").strip("# ")))
    if when and year is None:
        yield RecordIssue(f"left out: year {when:.100} is not a year", entry.key, repaired=True)
    if "doi" in fields and not identifiers.doi(verbatim_text(fields["doi"])):
        yield RecordIssue(
            f"left out: doi {fields['doi']:.100} is not a DOI", entry.key, repaired=True
        )
    ids = bibliography.distinct(_identifiers(entry, fields))
    authors = bibliography.authors(_names(fields.get("author", "")), SOURCE)
    language = fields.get("langid") or fields.get("language") or fields.get("hyphenation", "")
    yield Paper(
        id=entry.key or identifiers.make_id(SOURCE, ids, title, year, authors),
        title=title,
        abstract=plain_text(fields.get("abstract", "")) or None,
        year=year,
        published=published,
        language=language_code(plain_text(language)),
        url=_url(fields),
        source=SOURCE,
        identifiers=ids,
        authors=authors,
        venue=_venue(fields),
        fields=(*_keywords(fields), *_arxiv_class(fields)),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect a line that begins like `@name{key,`, after nothing but comments."""
    match = _START.search(head.removeprefix(b"\xef\xbb\xbf"))
    if not match:
        return None
    before = head[: match.start()].splitlines()
    if ".bib" not in name.lower() and any(line[:1] not in (b"", b"%") for line in before):
        return None
    return f"BibTeX, @{(match[1] or match[2]).decode().lower()}"


def plain_text(latex: str) -> str:
    """Return the text that LaTeX would print, without the tags and entities of web pages."""
    return strip_markup(printed_text(latex))


def _parent_keys(fields: dict[str, str]) -> list[str]:
    """Return the keys of the parents of an entry, in lower case."""
    names = [fields.get("crossref", ""), *fields.get("xdata", "").split(",")]
    return [key for name in names if (key := verbatim_text(name).lower())]


def _inherited(
    fields: dict[str, str], parents: dict[str, dict[str, str]], depth: int
) -> dict[str, str]:
    """Return the fields, with missing ones inherited from the parents and their parents."""
    for name in _parent_keys(fields) if depth < _MAX_DEPTH else ():
        parent = _inherited(parents.get(name, {}), parents, depth + 1)
        book = parent.get("booktitle") or parent.get("title")
        if book and "crossref" in fields and "journal" not in parent:
            parent = {**parent, "booktitle": book}
        fields = {**parent, **fields}
    return fields


def _names(value: str) -> Iterator[str]:
    for name in split_multiple_persons_names(decode_accents(value)):
        if name.lower() == "others":
            continue
        parts = [_NAME_PART.fullmatch(part) for part in name.split(",")]
        if all(parts):  # BibLaTeX's extended format
            given = {part[1]: part[2] for part in parts if part}
            order = ("given", "prefix", "family", "suffix")
            yield plain_text(" ".join(given.get(part, "") for part in order))
        else:
            yield plain_text(_in_order(name))


def _in_order(name: str) -> str:
    try:
        return parse_single_name_into_parts(name, strict=False).merge_first_name_first
    except Exception:  # a name that the parser cannot split is unchanged
        return name


def _venue(fields: dict[str, str]) -> Venue | None:
    """Return the journal or the book; the venue of all arXiv preprints is arXiv."""
    written = next((fields[n] for n in ("journaltitle", "journal", "booktitle") if n in fields), "")
    macro = _MACRO.fullmatch(written.strip())
    name = _journals().get(macro[1], macro[1]) if macro else clean_name(plain_text(written))
    if not name and "arxiv" in fields.get("publisher", "").lower():
        name = "arXiv"
    if bibliography.from_arxiv_name(name):
        name = "arXiv"
    return bibliography.make_venue(SOURCE, name)


@cache
def _journals() -> dict[str, str]:
    """Return the names of journals by the macros in BibTeX of NASA's ADS."""
    text = Path(__file__).with_name("bibtex_journals.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _url(fields: dict[str, str]) -> str | None:
    if url := verbatim_text(fields.get("url", "")):
        return url
    match = _LINK.search(fields.get("howpublished", ""))
    return verbatim_text(match[0]) if match else None


def _keywords(fields: dict[str, str]) -> tuple[Field, ...]:
    written = (fields.get(name, "") for name in ("keywords", "keyword"))
    return bibliography.keywords(plain_text(value) for value in written)


def _arxiv_class(fields: dict[str, str]) -> tuple[Field, ...]:
    """Return the arXiv category of an eprint, from fields of BibLaTeX or arXiv."""
    written = fields.get("eprintclass") or fields.get("primaryclass") or ""
    if "arxiv" not in _eprint_type(fields) or "eprint" not in fields:
        return ()
    return bibliography.labels([verbatim_text(written)], "arxiv")


def _eprint_type(fields: dict[str, str]) -> str:
    return (fields.get("eprinttype") or fields.get("archiveprefix") or "arxiv").lower()


def _identifiers(entry: BibtexEntry, fields: dict[str, str]) -> Iterator[Identifier | None]:
    verbatim = {
        name: verbatim_text(fields[name])
        for name in ("doi", "pmid", "pmcid", "eprint", "url", "biburl", "volume", "number")
        if name in fields
    }
    yield identifiers.doi(verbatim.get("doi", ""))
    kind = _eprint_type(fields)
    eprint = verbatim.get("eprint", "")
    if "arxiv" in kind and (
        "://" not in eprint or "arxiv.org/" in eprint
    ):  # Wiley has URLs of its pages
        yield identifiers.arxiv(eprint)
    elif "pubmed" in kind or "pmid" in kind:
        yield identifiers.pubmed(eprint)
    if "pmid" in verbatim:
        yield identifiers.pubmed(verbatim["pmid"])
    if "pmcid" in verbatim:
        yield identifiers.pmc(verbatim["pmcid"])
    for name in ("journal", "journaltitle", "number", "howpublished"):
        yield bibliography.from_arxiv_name(fields.get(name, ""))
    if "corr" in fields.get("journal", "").lower() and (
        match := _CORR.fullmatch(verbatim.get("volume", ""))
    ):
        yield identifiers.arxiv(match[1])
    yield bibliography.from_url(verbatim.get("url", ""))
    yield identifiers.dblp(verbatim.get("biburl", "").removesuffix(".bib"))
    if entry.key.startswith("DBLP:"):
        yield identifiers.dblp(entry.key)
    if entry.kind in BOOKS:
        yield from bibliography.isbns(verbatim_text(fields.get("isbn", "")))
    for name in ("note", "annote", "annotation"):
        yield from bibliography.from_note(fields.get(name, ""))


FORMAT = Format(SOURCE, "BibTeX and BibLaTeX", read_bibtex, detect)
