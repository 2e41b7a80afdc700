"""Export to BibTeX, for LaTeX and reference managers."""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from specter_graph.core.atomic_files import complete_file, compressed
from specter_graph.graph.database import Database
from specter_graph.graph.export.source import Selection, Source, StoredPaper

_IDENTIFIERS = ("doi", "arxiv_id", "pubmed_id")
PROPERTIES = (
    *("title", "abstract", "year", "published", "url", "language", "retracted"),
    *_IDENTIFIERS,
)
"""The properties that an entry has."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"\d{4}-(\d\d)")

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
    **{character: "\\" + character for character in "&%$#_"},
}
_SPECIALS = re.compile(r"[\\{}~^&%$#_]|(?<=-)-|(?<=')'|(?<=`)`")
_CONTROL = re.compile("[\x00-\x1f\x7f]+")


def write_bibtex(source: Source, path: Path) -> None:
    """Write an entry for each paper with a record, @article if it has a venue."""
    with complete_file(path) as unfinished, compressed(unfinished, path) as file:
        for paper in source.papers(*PROPERTIES):
            if not paper.stub:
                file.write(entry(paper).encode())
    source.wrote_no_stubs(citations=0)


def bibtex(db: Database, paper_ids: Sequence[str]) -> str:
    """Return the entries of papers; those without a record have none."""
    papers = Source(db, Selection([*paper_ids])).papers(*PROPERTIES)
    return "".join(entry(paper) for paper in papers if not paper.stub)


def entry(
    paper: StoredPaper, key: str | None = None, *, note: str | None = None, tags: Sequence[str] = ()
) -> str:
    """Return the entry of a paper, followed by an empty line.

    Args:
        paper: The paper.
        key: Its citation key, by default its id.
        note: Text for the field `annote`.
        tags: Keywords in addition to those of the paper.
    """
    kind = "article" if paper.venues else "misc"
    lines = "".join(f"  {name} = {value},\n" for name, value in _fields(paper, tags))
    lines += f"  annote = {{{latex(note)}}},\n" if note else ""
    return f"@{kind}{{{citation_key(key or paper.id)},\n{lines}}}\n\n"


def citation_key(paper_id: str) -> str:
    """Return the paper's id as a key; invalid characters are replaced, and a digest is added."""
    key = _NOT_IN_KEYS.sub("_", paper_id)
    if key != paper_id:
        key += "-" + blake2b(paper_id.encode(), digest_size=4).hexdigest()
    return key


def _fields(paper: StoredPaper, tags: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    values = paper.values
    title = latex(values["title"] or paper.id)
    yield "title", f"{{{{{title}}}}}"  # double braces preserve capitals
    if paper.authors:
        yield "author", f"{{{' and '.join(_name(author['name']) for author in paper.authors)}}}"
    if paper.venues:
        yield "journal", f"{{{latex(paper.venues[0]['name'])}}}"
    if values["year"] is not None:
        yield "year", f"{{{values['year']}}}"
    month = _DATE.match(values["published"] or "")
    if month and 1 <= int(month[1]) <= 12:
        yield "month", _MONTHS[int(month[1]) - 1]
    if values["doi"]:
        yield "doi", f"{{{_verbatim(values['doi'])}}}"
    if values["arxiv_id"]:
        yield "eprint", f"{{{_verbatim(values['arxiv_id'])}}}"
        yield "archiveprefix", "{arXiv}"
    if values["pubmed_id"]:
        yield "pmid", f"{{{_verbatim(values['pubmed_id'])}}}"
    if values["url"]:
        yield "url", f"{{{_verbatim(values['url'])}}}"
    if paper.fields or tags:
        names = [*(field["name"] or field["id"] for field in paper.fields), *tags]
        yield "keywords", f"{{{latex(', '.join(names))}}}"
    if values["abstract"]:
        yield "abstract", f"{{{latex(values['abstract'])}}}"
    if values["retracted"]:
        yield "note", "{Retracted}"


def _name(name: str) -> str:
    """Return a name, in braces if BibTeX would read several names or too many parts."""
    text = latex(name)
    several = re.search(r"(?i)(?:^|\s)and(?:\s|$)", text) or text.count(",") > 2
    return f"{{{text}}}" if several else text


def latex(text: str) -> str:
    """Escape a text for LaTeX, on one line; formulas between dollars are unchanged."""
    parts = _FORMULA.split(_CONTROL.sub(" ", text))
    return " ".join("".join(map(_part, parts)).split())


def _part(part: str) -> str:
    if _FORMULA.fullmatch(part) and _is_balanced(part):
        return part
    return _SPECIALS.sub(lambda match: _SPECIAL.get(match[0], "{}" + match[0]), part)


def _is_balanced(formula: str) -> bool:
    depth = 0
    for character in formula:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0


def _verbatim(value: str) -> str:
    """Percent-encode braces, backslashes and spaces of a URL or an identifier.

    LaTeX packages print the value verbatim. A brace would end it, and a backslash would escape the
    brace after it.
    """
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", _CONTROL.sub("", value))
