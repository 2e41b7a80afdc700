"""Drafts in LaTeX or PDF: their text and the papers that they cite. Macros are not executed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from specter_graph.core.errors import InputError, extra
from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus import open_corpus
from specter_graph.loaders.records import Identifier, Paper

MAX_BYTES = 5_000_000
"""Maximum bytes of a draft with its included LaTeX files, and of a .bib file."""
MAX_PDF_BYTES = 50_000_000
"""Maximum bytes of a PDF."""
MAX_WORDS = 300
"""Maximum number of words of a draft's text."""

_MAX_PAGES = 200
_HYPHENATED = re.compile(r"([a-z])-\n([a-z])")
_REFERENCES = re.compile(r"(?im)^\s*(?:\d+\.?\s+)?(?:references|bibliography|literature cited)\s*$")
_MAX_FILES = 200
"""Maximum number of included files, and of files that are not read."""
_MAX_ARGUMENT = 20_000
_MAX_BODY = 50_000
"""Maximum characters of LaTeX converted for MAX_WORDS words."""

_LATEX = re.compile(
    r"\\(?:documentclass|documentstyle|title|begin|chapter|section|bibitem|bibliography"
    r"|\w{0,10}cite\w{0,6})\b"
)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\){0,10})%[^\n]*")
_INCLUDED = re.compile(
    r"\\(?:input|include|subfile)(?:\s*\{([^{}\n]{1,200})\}|\s+([^\s\\{}]{1,200}))"
)
_BIB_FILES = re.compile(
    r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]\n]{0,200}\])?\s*\{([^{}]{1,2000})\}"
)
_KEYS = re.compile(r"(?:\s*\[[^\]]{0,500}\]){0,2}\s*\{([^{}\\]{1,5000})\}")
_CITED = re.compile(
    r"\\[a-zA-Z]{0,10}cite(?:p|t|alp|alt|author|title|year|yearpar|num|s)?\*?"
    rf"(?:\s*\([^()]{{0,500}}\)){{0,2}}((?:{_KEYS.pattern})+)",
    re.IGNORECASE,
)
"""A command that cites. \\textcites and others have several arguments with keys."""
_TITLE = re.compile(r"\\(?:title|chapter)\*?\s*(?:\[[^\]]{0,500}\])?\s*\{")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\}|\\abstract\s*\{")
_ABSTRACT_END = re.compile(r"\\end\s*\{abstract\}")
_BODY = re.compile(r"\\maketitle\b|\\begin\s*\{document\}")
_END = re.compile(r"\\begin\s*\{thebibliography\}|\\bibliography\b|\\end\s*\{document\}")
_NOT_TEXT = re.compile(
    r"\\(?:thanks|footnote|label|ref|eqref|pageref|autoref|[cC]ref|chapter|section|subsection"
    r"|author|affiliation|address|institute|email|date|pacs|keywords|[a-zA-Z]{0,10}cite[a-z]{0,10})\*?"
    r"(?:\s*\[[^\]]{0,500}\]){0,2}\s*\{"
)
_DISPLAYED = re.compile(
    r"\\begin\s*\{((?:figure|table|equation|eqnarray|align|gather|multline|displaymath)\*?)\}"
    r".*?\\end\s*\{\1\}",
    re.DOTALL,
)
_ITEM = re.compile(r"\\bibitem\s*(?:\[.{0,500}?\]\s*)?\{([^{}]{1,200})\}", re.DOTALL)
_LIST_END = re.compile(r"\\end\s*\{thebibliography\}")
_QUOTED = re.compile(r"``(.{12,300}?)''|\"(.{12,300}?)\"|“(.{12,300}?)”", re.DOTALL)
_BLOCK = re.compile(r"\\newblock\s(.{12,300}?)\\newblock\b", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft.

    Attributes:
        text: The title, and the abstract or else the beginning of the text, as plain text.
        entries: The cited papers, with their keys as ids. If a key has no entry in a bibliography,
            the title is "" and the identifiers are one that the key may contain, and the key as the
            id of a paper: a library loaded from BibTeX has its keys as ids.
        unread: Named files that were not read because they are not in the folder or too large.
    """

    text: str
    entries: tuple[Paper, ...]
    unread: tuple[str, ...] = ()

    @property
    def keys(self) -> set[str]:
        """The citation keys without an entry."""
        return {
            entry.id for entry in self.entries if Identifier("id", entry.id) in entry.identifiers
        }


def cited_entries(drafts: Sequence[Draft], bibliography: Iterable[Paper]) -> list[Paper]:
    """Return the papers that drafts with a bibliography cite.

    Of a bibliography, such as an entire library, those entries count whose keys the drafts cite
    without an entry of their own; all, if there are no such keys.
    """
    keys = {key for draft in drafts for key in draft.keys}
    entries = [entry for entry in bibliography if not keys or entry.id in keys]
    known = {entry.id for entry in entries}
    return [*entries, *(e for draft in drafts for e in draft.entries if e.id not in known)]


def read_draft(path: Path, *, single_file: bool = False) -> Draft:
    """Read a LaTeX file, with the included LaTeX files and the .bib files in its folder or below.

    A PDF gives its first words, and, below a heading such as References, the references that have a
    DOI or an arXiv id.

    Args:
        path: The main file, or a PDF.
        single_file: Whether to read no other files.

    Raises:
        InputError: The file is missing, not LaTeX or PDF, or too large, or has neither text nor
            citations.
    """
    if not path.is_file():
        raise InputError(f"file not found: {path}", "check its name")
    if path.suffix.lower() == ".pdf":
        return _read_pdf(path)
    files = _Files(path, single_file=single_file)
    source = files.latex(path)
    if not _LATEX.search(source):
        raise InputError(f"{path.name} is not LaTeX", "name the .tex file of a draft")
    draft = Draft(
        _read_text(source), tuple(_read_entries(source, files)), tuple(dict.fromkeys(files.unread))
    )
    if not draft.text and not draft.entries:
        raise InputError(f"{path.name} has neither text nor citations", "name another .tex file")
    return draft


def _read_pdf(path: Path) -> Draft:
    if path.stat().st_size > MAX_PDF_BYTES:
        raise InputError(f"{path.name} has more than {MAX_PDF_BYTES:,} bytes", "paste its text")
    with extra("formats"):
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    known = (PyPdfError, DependencyError, ValueError, LookupError, TypeError, AttributeError)
    try:
        pages = [page.extract_text() for page in PdfReader(path).pages[:_MAX_PAGES]]
    except (*known, OSError, RecursionError) as error:
        raise InputError(f"{path.name} cannot be read as PDF: {error}", "paste its text") from error
    text = _HYPHENATED.sub(r"\1\2", "\n".join(pages))
    words = text.split()
    if not words:
        raise InputError(f"{path.name} has no text, only images", "paste the text of the draft")
    _, *below = _REFERENCES.split(text)
    references = below[-1] if below else ""
    entries = (
        Paper(identifier.value, "", identifiers=(identifier,))
        for identifier in dict.fromkeys(_find_identifiers(references))
    )
    return Draft(" ".join(words[:MAX_WORDS]), tuple(entries))


@dataclass(slots=True)
class _Files:
    """A reader of the files in the folder of a draft, each once, with up to MAX_BYTES in total."""

    main: Path
    single_file: bool
    unread: list[str] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)
    _size: int = 0

    def latex(self, path: Path) -> str:
        """Return a file without comments, with included files in place of their commands."""
        self._seen.add(path.resolve())
        self._size += path.stat().st_size
        if self._size > MAX_BYTES:
            raise InputError(
                f"{self.main.name} has more than {MAX_BYTES:,} bytes", "name a part of the draft"
            )
        raw = path.read_bytes()
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        return _INCLUDED.sub(self._include, _COMMENT.sub(r"\1", text))

    def find(self, name: str, suffix: str) -> Path | None:
        """Return the path of a named file, or record it as unread and return None."""
        name = name.strip()
        path = PurePosixPath(name)
        if len(self.unread) >= _MAX_FILES:
            return None
        if path.name and ".." not in path.parts and not self.single_file:
            for candidate in (path.with_name(path.name + suffix), path):
                if file := self.inside(candidate):
                    return file
        self.unread.append(name)
        return None

    def inside(self, name: PurePosixPath) -> Path | None:
        """Return the path of a file if, after following links, it is in the folder or below."""
        folder = self.main.parent.resolve()
        try:
            file = (folder / name).resolve()
            return file if file.is_relative_to(folder) and file.is_file() else None
        except (OSError, ValueError):  # not a valid name of a file
            return None

    def _include(self, match: re.Match[str]) -> str:
        file = self.find(match[1] or match[2], ".tex")
        if file is None or file in self._seen or len(self._seen) >= _MAX_FILES:
            return ""
        return self.latex(file)


def _read_text(source: str) -> str:
    title = ""
    if match := _TITLE.search(source):
        title = _convert_text(_read_argument(source, match.end()))
    abstract = ""
    if match := _ABSTRACT.search(source):
        start, limit = match.end(), match.end() + _MAX_ARGUMENT
        if "begin" in match[0]:
            end = _ABSTRACT_END.search(source, start, limit)
            abstract = _convert_text(source[start : end.start() if end else limit])
        else:
            abstract = _convert_text(_read_argument(source, start))
    if not abstract:
        start = max((match.end() for match in _BODY.finditer(source)), default=0)
        end = _END.search(source, start)
        abstract = _convert_text(source[start : end.start() if end else len(source)])
    words = abstract.split()
    beginning = " ".join(words[:MAX_WORDS])
    return ". ".join(part for part in (title.removesuffix("."), beginning) if part)


def _convert_text(latex: str) -> str:
    cut = _CITED.sub(" ", _DISPLAYED.sub(" ", latex[:_MAX_BODY]))
    parts, start = [], 0
    for match in _NOT_TEXT.finditer(cut):
        if match.start() >= start:
            parts.append(cut[start : match.start()])
            start = match.end() + len(_read_argument(cut, match.end())) + 1
    return _printed_text(" ".join([*parts, cut[start:]]))


def _printed_text(latex: str) -> str:
    with extra("formats"):
        from specter_graph.loaders.parsing.latex import printed_text
    return printed_text(latex)


def _read_argument(text: str, start: int) -> str:
    """Return the text from `start` to the closing brace of an argument."""
    depth = 1
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start, start + _MAX_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return text[start : match.start()]
    return text[start : start + _MAX_ARGUMENT]


def _read_entries(source: str, files: _Files) -> Iterator[Paper]:
    """Yield cited papers: from .bib files, from the reference list or the .bbl, then other keys."""
    arguments = (keys for match in _CITED.finditer(source) for keys in _KEYS.findall(match[1]))
    listed = (key for keys in arguments for key in keys.split(","))
    keys = dict.fromkeys(filter(None, map(str.strip, listed)))
    known: set[str] = set()
    for match in _BIB_FILES.finditer(source):
        for name in match[1].split(","):
            for entry in _read_bib_file(name, files):
                if entry.id not in known and ("*" in keys or entry.id in keys):
                    known.add(entry.id)
                    yield entry
    bbl = None if files.single_file else files.inside(PurePosixPath(files.main.stem + ".bbl"))
    for key, item in [*_split_items(source), *_split_items(files.latex(bbl) if bbl else "")]:
        if key not in known:
            known.add(key)
            yield from _convert_item(key, item)
    for key in keys:
        if key not in known and key != "*":
            yield Paper(key, "", identifiers=(*_find_identifiers(key), Identifier("id", key)))


def _read_bib_file(name: str, files: _Files) -> Iterator[Paper]:
    file = files.find(name, ".bib")
    if file and file.stat().st_size <= MAX_BYTES:
        yield from (item for item in open_corpus("bibtex", file) if isinstance(item, Paper))
    elif file:
        files.unread.append(name.strip())


def _split_items(source: str) -> Iterator[tuple[str, str]]:
    """Yield the key and the LaTeX of each item of reference lists."""
    _, *parts = _ITEM.split(source)
    for key, item in zip(parts[::2], parts[1::2], strict=True):
        yield key.strip(), _LIST_END.split(item, maxsplit=1)[0]


def _convert_item(key: str, item: str) -> Iterator[Paper]:
    """Yield the papers of an item: several if it has several identifiers of one scheme."""
    ids = [*dict.fromkeys(_find_identifiers(item))]
    quoted = _QUOTED.search(item) or _BLOCK.search(item)
    written = next((group for group in quoted.groups() if group), "") if quoted else ""
    title = _printed_text(written).rstrip(" .,")
    if len(ids) > len({identifier.scheme for identifier in ids}):
        yield from (Paper(key, "", identifiers=(identifier,)) for identifier in ids)
    else:
        yield Paper(key, title, identifiers=tuple(ids))


def _find_identifiers(latex: str) -> Iterator[Identifier]:
    for word in re.split(r"[\s{},;~]+", latex.replace("\\_", "_").replace("\\%", "%")):
        written = word.rstrip(".]")
        if written.count(")") > written.count("("):
            written = written.rstrip(").")
        if dois := identifiers.dois(written):
            yield from dois
        elif arxiv := identifiers.arxiv(written):
            yield arxiv
