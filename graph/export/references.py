"""References for other programs and for people: BibTeX, RIS, CSL-JSON and Markdown."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any

import orjson

from specter_graph.core.atomic_files import (
    check_parent,
    complete_file,
    compressed,
    write_file,
)
from specter_graph.graph.database import Database
from specter_graph.graph.export.source import Source, StoredPaper, read_papers
from specter_graph.graph.loading.record_rows import IDENTIFIERS
from specter_graph.loaders.identifiers import doi_url, is_cjk, split_suffix

PROPERTIES = (
    *("title", "abstract", "year", "published", "url", "language", "retracted"),
    *IDENTIFIERS.values(),
)
"""The properties that an entry has."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"\d{4}-(\d\d)")

_BIBTEX_LINKS = {"doi": "doi", "eprint": "arxiv_id", "pmid": "pubmed_id", "url": "url"}
"""Fields of an entry that are printed as they are, and the properties with their values."""
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9:./+_-]")
# As in Pandoc: no space inside the dollars, no digit after them. "$5 and $6" is not a formula.
_UNSAFE = re.compile(r"[{}\\ ]")
_FORMULA = re.compile(r"(\$(?=\S)[^$]+(?<=\S)\$(?!\d))")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",  # \{ would count as an open brace
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: "\\" + char for char in "&%$#_"},
}
_SPECIALS = re.compile(r"[\\{}~^&%$#_]|(?<=-)-|(?<=')'|(?<=`)`")
_COMMANDS = re.compile(  # they read, write or run, or define other commands
    r"\^\^|\\begin\s*\{\s*(?:filecontents|lua|verbatim|lstlisting)"
    r"|\\(?:[egx]?def|active|afterassignment|aftergroup|catcode|char|chardef|closein|closeout"
    r"|csname|declare|directlua|endinput|endcsname|endlinechar|escapechar|everymath|expandafter"
    r"|filedump|futurelet|global|immediate|include|includegraphics|includeonly|includepdf|input"
    r"|inputiffileexists|inputlisting|jobname|latelua|let|letterspace|loop|lowercase|lstinputlisting"
    r"|luacode|luadirect|luaexec|makeatletter|mathchardef|newcommand|newenvironment|newread"
    r"|newwrite|noexpand|open(?:in|out)|output|pdf[a-z]*|providecommand|read|readline"
    r"|renewcommand|renewenvironment|requirepackage|scantokens|shellescape|shipout|special|string"
    r"|the|toks|tracing[a-z]*|uppercase|usepackage|verbatiminput|write)(?![a-z])",
    re.IGNORECASE,
)
_CONTROL = re.compile("[\x00-\x1f\x7f]+")

_ESCAPED = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>#"})

_PARTICLES = frozenset(
    ["de", "del", "della", "der", "den", "di", "du", "la", "le", "ten", "ter", "van", "von", "y"]
)
_CORPORATE = re.compile(
    r"(?i:(?:^|\s)and(?:\s|$))"
    r"|\b(Agency|Association|Cent(er|re)|Collaboration|Commission|Committee|Consortium|Corporation"
    r"|Council|Department|Foundation|Group|Inc|Institute|Laboratory|Ltd|Ministry|Network"
    r"|Organi[sz]ation|Society|Survey|Team|University)\b"
)
"""Words of a corporate author, such as "Smith and Sons": the graph has names only."""


def _write_source(source: Source, path: Path, suffix: str) -> None:
    with complete_file(path) as unfinished, compressed(unfinished, path) as file:
        for text in render(source.papers(*PROPERTIES, stubs=False), suffix):
            file.write(text.encode())
    source.citations_written = 0


write_bibtex = partial(_write_source, suffix=".bib")
"""Writes an entry for each paper with a record, @article if it has a venue."""
write_ris = partial(_write_source, suffix=".ris")
"""Writes a record for each paper with a record, JOUR if it has a venue."""
write_csl = partial(_write_source, suffix=".json")
"""Writes an item for each paper with a record, article-journal if it has a venue."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The citation key, note and tags of a paper in a reading list."""

    key: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()


_NO_ANNOTATION = Annotation()
Entry = tuple[StoredPaper, str, Annotation]
"""A paper with a record, its citation key, and its annotation."""


def bibtex_entry(paper: StoredPaper, key: str, annotation: Annotation = _NO_ANNOTATION) -> str:
    """Return the entry of a paper, followed by an empty line; the note is its field `annote`."""
    kind = "article" if paper.venues else "misc"
    fields = _bibtex_fields(paper, annotation)
    lines = "".join(f"  {name} = {value},\n" for name, value in fields)
    return f"@{kind}{{{key},\n{lines}}}\n\n"


def citation_key(paper_id: str) -> str:
    """Return the paper's id as a key; invalid characters are replaced, and a digest is added."""
    key = _NOT_IN_KEYS.sub("_", paper_id)
    if key != paper_id:
        key += "-" + blake2b(paper_id.encode(), digest_size=4).hexdigest()
    return key


def _bibtex_fields(paper: StoredPaper, annotation: Annotation) -> Iterator[tuple[str, str]]:
    values = paper.values
    title = latex(values["title"] or paper.id)
    yield "title", f"{{{{{title}}}}}"  # double braces preserve capitals
    if paper.authors:
        authors = " and ".join(_bibtex_name(author["name"]) for author in paper.authors)
        yield "author", f"{{{authors}}}"
    if paper.venues:
        yield "journal", f"{{{latex(paper.venues[0]['name'])}}}"
    if values["year"] is not None:
        yield "year", f"{{{values['year']}}}"
    month = _DATE.match(values["published"] or "")
    if month and 1 <= int(month[1]) <= 12:
        yield "month", _MONTHS[int(month[1]) - 1]
    for name, source in _BIBTEX_LINKS.items():
        if values[source]:
            yield name, f"{{{_verbatim(values[source])}}}"
    if values["arxiv_id"]:
        yield "archiveprefix", "{arXiv}"
    if keywords := [*_list_keywords(paper), *annotation.tags]:
        yield "keywords", f"{{{latex(_join_keywords(keywords, ', '))}}}"
    if values["abstract"]:
        yield "abstract", f"{{{latex(values['abstract'])}}}"
    if values["retracted"]:
        yield "note", "{Retracted}"
    if annotation.note:
        yield "annote", f"{{{latex(annotation.note)}}}"


def _bibtex_name(name: str) -> str:
    """Return a name, in braces if it is corporate, or if BibTeX would read several names.

    A name with a suffix is written "King, Jr., Martin Luther".
    """
    text = latex(name)
    if _CORPORATE.search(text) or text.count(",") > 2:
        return f"{{{text}}}"
    family, *given = invert_name(text).split(", ")
    return (
        f"{family}, {given[1]}, {given[0]}"
        if len(given) == 2 and "," not in split_suffix(text)[0]
        else text
    )


def latex(text: str) -> str:
    """Escape a text for LaTeX, on one line; harmless formulas between dollars are unchanged."""
    parts = _FORMULA.split(_CONTROL.sub(" ", text))
    return " ".join("".join(map(_escape_part, parts)).split())


def _escape_part(part: str) -> str:
    if _FORMULA.fullmatch(part) and _is_balanced(part) and not _COMMANDS.search(part):
        return part
    return _SPECIALS.sub(lambda match: _SPECIAL.get(match[0], "{}" + match[0]), part)


def _is_balanced(formula: str) -> bool:
    depths = [*accumulate((each == "{") - (each == "}") for each in formula)]
    return min(depths) == depths[-1] == 0


def _verbatim(value: str) -> str:
    """Percent-encode braces, backslashes and spaces of a URL or an identifier.

    LaTeX packages print the value verbatim. A brace would end it, and a backslash would escape the
    brace after it.
    """
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", _CONTROL.sub("", value))


@dataclass(frozen=True, slots=True)
class ReferenceExport:
    """The written file, and the numbers of papers in it and of stubs, which are left out."""

    path: str
    papers: int
    stubs: int


def write_references(
    db: Database,
    path: Path,
    ids: Sequence[str],
    annotations: Mapping[str, Annotation],
    *,
    title: str,
) -> ReferenceExport:
    """Write the references of papers, in this order; the suffix of the path is the format.

    Two papers with the same citation key get the keys `key` and `key-2`.

    Args:
        db: The graph.
        path: The file, with a suffix in STYLES.
        ids: The papers; stubs are counted and left out.
        annotations: Citation keys, notes and tags, by paper.
        title: The heading of a Markdown file.
    """
    check_parent(path)
    papers = list(read_papers(db, ids, PROPERTIES))
    write_file(path, "".join(render(papers, path.suffix, annotations, title)))
    stubs = sum(paper.stub for paper in papers)
    return ReferenceExport(str(path), len(papers) - stubs, stubs)


def references(db: Database, paper_ids: Sequence[str], suffix: str) -> str:
    """Return the references of papers in a format of STYLES; those without a record have none."""
    return "".join(render(read_papers(db, paper_ids, PROPERTIES), suffix))


def render(
    papers: Iterable[StoredPaper],
    suffix: str,
    annotations: Mapping[str, Annotation] | None = None,
    title: str = "References",
) -> Iterator[str]:
    """Yield the parts of a text in a format of STYLES with the papers that have records."""
    return STYLES[suffix](_list_entries(papers, annotations or {}), title)


def _list_entries(
    papers: Iterable[StoredPaper], annotations: Mapping[str, Annotation]
) -> Iterator[Entry]:
    used: set[str] = set()
    for paper in papers:
        if not paper.stub:
            annotation = annotations.get(paper.id, _NO_ANNOTATION)
            key = citation_key(annotation.key or paper.key or paper.id)
            yield paper, _make_unique(key, used), annotation


def _make_unique(key: str, used: set[str]) -> str:
    number, unique = 1, key
    while unique in used:
        number += 1
        unique = f"{key}-{number}"
    used.add(unique)
    return unique


def _render_bibtex(entries: Iterable[Entry], title: str) -> Iterator[str]:
    return (bibtex_entry(*entry) for entry in entries)


def _render_ris(entries: Iterable[Entry], title: str) -> Iterator[str]:
    for entry in entries:
        yield from (f"{tag}  - {_one_line(value)}\r\n" for tag, value in _ris_lines(*entry))
        yield "\r\n"


def _ris_lines(paper: StoredPaper, key: str, annotation: Annotation) -> Iterator[tuple[str, str]]:
    values = paper.values
    yield "TY", "JOUR" if paper.venues else "GEN"
    yield "ID", key
    yield "TI", values["title"]
    for author in paper.authors:
        yield "AU", invert_name(author["name"])
    for tag, name in (("PY", "year"), ("DA", "published")):
        if values[name]:
            yield tag, str(values[name]).replace("-", "/")
    if paper.venues:
        yield "T2", paper.venues[0]["name"]
    for tag, name in (("AB", "abstract"), ("DO", "doi"), ("UR", "url"), ("LA", "language")):
        if values[name]:
            yield tag, values[name]
    if values["arxiv_id"]:
        yield "M1", f"arXiv:{values['arxiv_id']}"
    if values["pubmed_id"]:
        yield "N1", f"PMID: {values['pubmed_id']}"
    for name in (*_list_keywords(paper), *annotation.tags):
        yield "KW", name
    if annotation.note:
        yield "N1", annotation.note
    if values["retracted"]:
        yield "N1", "Retracted"
    yield "ER", ""


def _render_csl(entries: Iterable[Entry], title: str) -> Iterator[str]:
    items = [_csl_item(*entry) for entry in entries]
    yield orjson.dumps(items, option=orjson.OPT_INDENT_2).decode() + "\n"


def _csl_item(paper: StoredPaper, key: str, annotation: Annotation) -> dict[str, Any]:
    values = paper.values
    written = str(values["published"] or values["year"] or "")
    parts = [int(part) for part in written.split("-") if part.isdecimal()]
    keywords = [*_list_keywords(paper), *annotation.tags]
    item = {
        "id": key,
        "type": "article-journal" if paper.venues else "article",
        "title": values["title"],
        "author": [_csl_name(author["name"]) for author in paper.authors],
        "issued": {"date-parts": [parts]} if parts else None,
        "container-title": paper.venues[0]["name"] if paper.venues else None,
        "abstract": values["abstract"],
        "DOI": values["doi"],
        "PMID": values["pubmed_id"],
        "number": f"arXiv:{values['arxiv_id']}" if values["arxiv_id"] else None,
        "URL": values["url"],
        "language": values["language"],
        "keyword": _join_keywords(keywords, "; "),
        "note": annotation.note,
    }
    return {name: value for name, value in item.items() if value}


def _csl_name(name: str) -> dict[str, str]:
    if _CORPORATE.search(name):
        return {"literal": name}
    family, given, suffix = [*invert_name(name).split(", "), "", ""][:3]
    parts = {"family": family, "given": given, "suffix": suffix}
    return {part: value for part, value in parts.items() if value} if given else {"literal": name}


def _render_markdown(entries: Iterable[Entry], title: str) -> Iterator[str]:
    yield f"# {_escape(title)}\n\n"
    for entry in entries:
        yield from _markdown_lines(*entry)


def _markdown_lines(paper: StoredPaper, key: str, annotation: Annotation) -> Iterator[str]:
    values = paper.values
    names = [author["name"] for author in paper.authors]
    authors = ", ".join(names[:10]) + (" et al." if len(names) > 10 else "")
    address = values["url"] or (doi_url(values["doi"]) if values["doi"] else None)
    if not address and values["arxiv_id"]:
        address = f"https://arxiv.org/abs/{values['arxiv_id']}"
    address = _one_line(address or "").replace("<", "%3C").replace(">", "%3E")
    title = _escape(values["title"])
    parts = [_escape(authors)] if authors else []
    parts += [f"({values['year']})"] if values["year"] else []
    line = f"{' '.join(parts)}. " if parts else ""
    line += f"**[{title}](<{address}>)**" if address else f"**{title}**"
    line += f". *{_escape(paper.venues[0]['name'])}*" if paper.venues else ""
    line += f". [@{key}]"
    line += "".join(f" #{tag.replace(' ', '-')}" for tag in annotation.tags)
    yield f"- {line}\n"
    if annotation.note:
        yield f"  - {_escape(annotation.note)}\n"


STYLES = {
    ".bib": _render_bibtex,
    ".ris": _render_ris,
    ".json": _render_csl,
    ".md": _render_markdown,
}
"""The functions that write references, by the suffix of the file."""


def _list_keywords(paper: StoredPaper) -> list[str]:
    return [field["name"] or field["id"] for field in paper.fields]


def _join_keywords(names: list[str], separator: str) -> str:
    """Join keywords; with semicolons if one has a comma, because `load` splits at commas, too."""
    if "," in "".join(names):
        return "; ".join(names) + ";" * (len(names) == 1)
    return separator.join(names)


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _escape(text: str) -> str:
    return _one_line(text).translate(_ESCAPED)


def invert_name(name: str) -> str:
    """Return "King, Martin Luther, Jr." for "Martin Luther King Jr."; others stay."""
    written, suffix = split_suffix(name)
    if _CORPORATE.search(name) or is_cjk(name) or "," in written:
        return name
    words = written.split()
    at = len(words) - 1
    while at > 1 and words[at - 1] in _PARTICLES:
        at -= 1
    if at < 1:
        return name
    return ", ".join(filter(None, [" ".join(words[at:]), " ".join(words[:at]), suffix]))
