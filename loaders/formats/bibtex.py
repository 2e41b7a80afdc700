"""BibTeX and BibLaTeX: the entries of a .bib file; docs/formats/library.md has the field map."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bibtexparser.middlewares.names import (
    parse_single_name_into_parts,
    split_multiple_persons_names,
)
from bibtexparser.model import (
    Block,
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    ParsingFailedBlock,
    String,
)
from bibtexparser.model import Entry as ParsedEntry
from bibtexparser.splitter import Splitter

from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import MAX_LINE_BYTES
from specter_graph.loaders.format_api import (
    Count,
    FieldCheck,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.formats import bibliography, known_fields, read_toml
from specter_graph.loaders.parsing.field_values import clean_name, full_name, issues
from specter_graph.loaders.parsing.latex import decode_accents, printed_text, verbatim_text
from specter_graph.loaders.parsing.plain_text import read_text_lines, strip_markup
from specter_graph.loaders.records import Field, Identifier, Venue

# Its warnings become RecordIssues.
logging.getLogger("bibtexparser.splitter").setLevel(logging.CRITICAL + 1)

MAX_ENTRY_LENGTH = MAX_LINE_BYTES
"""Characters."""
MAX_EXPANSION = 2**16
"""Maximum characters that `@string`s add to an entry or to an `@string`."""
MAX_STRINGS = 2**20
"""Maximum characters of all `@string`s of a file together."""

_ENTRY_START = re.compile(r"\s*(%[%\s]*)?@(?:\w*|\[[^\]{}]*\])[ \t]*[{(]")
_LISTED_TYPES = re.compile(r"^([\s%]*@)\[[^\w\]{}]*(\w*)[^\]{}]*\]")
"""Types as Semantic Scholar writes them: `@['JournalArticle', 'Review']{`. The first counts."""
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: name for name in _MONTH_NAMES.split(" ")}

SOURCE = "bibtex"
_BOOKS = """
book collection manual mvbook mvcollection mvproceedings proceedings reference
"""
BOOKS = frozenset(_BOOKS.split())
"""Types of complete books: their ISBN is an id of the entry."""

INHERITED = known_fields("bibtex-inherited")
"""Fields that an entry inherits from the entry in its `crossref`, if it lacks them."""

_IGNORED_PREFIXES = ("bdsk-", "mendeley-", "jabref-", "user", "name", "list", "verb")
"""Fields of BibDesk, Mendeley and JabRef, and BibLaTeX's fields for special purposes (usera)."""
_MACRO = re.compile(r"\{?\\([a-z]+)\s*\}?")
_MAX_DEPTH = 5
_NAME_PART = re.compile(r"\s*([a-z-]+)\s*=\s*(.*)", re.DOTALL)
_OTHER_AND = re.compile(r"; | \\?& ")
_ET_AL = re.compile(r"(?:^|,? )et\.? al\.?$")
_LINK = re.compile(r"https?://[^\s{}]+")
_CORR = re.compile(r"abs/(.+)")
_START = re.compile(
    rb"(?m)^[ \t]*@(?:(?:\[\W{0,5})?(\w+)(?:[^\]{}\n]{0,200}\])?[ \t]*[{(]\s*"
    rb"(?:[^\s,{}]+\s*[,=]|,\s*\w+\s*=)"
    rb"|((?i:comment|preamble))[ \t]*[{(])"
)
_NOT_PAPERS = frozenset({"xdata"})


class _Abbreviations(dict[str, str]):
    """The texts of `@string`s by their names in lower case; `size` is their total length."""

    size = 0

    def define(self, name: str, written: str) -> None:
        """Add or replace one; if it is too long, remove it and raise RecordError."""
        self.size -= len(self.pop(name, ""))
        value, _ = self.expand(written, MAX_EXPANSION)
        if self.size + len(value) > MAX_STRINGS:
            raise RecordError(f"all abbreviations have more than {MAX_STRINGS:,} characters")
        self[name] = value
        self.size += len(value)

    def expand(self, written: str, limit: int) -> tuple[str, list[str]]:
        """Return a value with the texts of its abbreviations, and the unknown ones.

        A value has parts separated by `#`: `{text}`, `"text"`, a number, or an abbreviation. If it
        has more than `limit` characters more than `written`, RecordError is raised.
        """
        parts: list[str] = []
        unknown: list[str] = []
        for part in _split_value(written):
            if len(part) > 1 and part[0] + part[-1] in ("{}", '""'):
                part = part[1:-1]
            elif part.lower() in self:
                part = self[part.lower()]
            elif part and not part.isdecimal():
                unknown.append(part)
            parts.append(part)
        if sum(map(len, parts)) - len(written) > limit:
            raise RecordError(
                f"abbreviations add more than {MAX_EXPANSION:,} characters to the entry"
            )
        return "".join(parts), unknown


@dataclass(frozen=True, slots=True)
class BibtexEntry:
    """An entry: its `kind` ("article"), and LaTeX values by names of fields in lower case.

    `text` is the entry in the file.
    """

    kind: str
    key: str
    fields: dict[str, str]
    text: str


def read_entries(path: Path, count: Count) -> Iterator[tuple[int, BibtexEntry | RecordIssue]]:
    """Yield each entry with its line, from 1, after a RecordIssue for each repair.

    As in BibTeX, an `@string` applies to later entries, the first of repeated fields counts, and
    `@comment`, `@preamble` and text between entries are ignored. As in Biber, lines that begin with
    % are removed from an entry that begins with %. After damage, reading continues at the next line
    that begins with `@name{`.
    """
    abbreviations = _Abbreviations(_MONTHS)
    for line, block in _split_blocks(path, count):
        if isinstance(block, RecordIssue):
            yield line, block
            continue
        try:
            parsed = Splitter(block).split().blocks
        except Exception as error:  # the splitter may fail on damaged entries
            yield line, RecordIssue(f"the entry cannot be read: {error}", record=block)
            continue
        for part in parsed:
            number = line + (part.start_line or 0)
            try:
                for result in _read_block(part, abbreviations):
                    yield number, result
            except RecordError as error:
                key = getattr(part, "key", None)
                yield number, RecordIssue(str(error), key, part.raw or "")


def _split_blocks(path: Path, count: Count) -> Iterator[tuple[int, str | RecordIssue]]:
    """Yield the file, split before each line that begins an entry."""
    begin, lines, size, commented = 1, list[str](), 0, False
    for number, line in read_text_lines(path, count):
        if isinstance(line, RecordIssue):
            yield number, line
            continue
        if started := _ENTRY_START.match(line):
            if lines:
                yield begin, "\n".join(lines)
            begin, lines, size = number, [], 0
            line = _LISTED_TYPES.sub(r"\1\2", line)
            commented = started[1] is not None
        if commented and line.lstrip().startswith("%"):
            line = ""
        size += len(line) + 1
        if size <= MAX_ENTRY_LENGTH:
            lines.append(line)
        elif lines:
            reason = f"the entry is longer than {MAX_ENTRY_LENGTH // 2**20} MiB"
            yield begin, RecordIssue(reason, record="\n".join(lines[:10])[:10_000])
            lines = []
    if lines:
        yield begin, "\n".join(lines)


def _read_block(
    block: Block | None, abbreviations: _Abbreviations
) -> Iterator[BibtexEntry | RecordIssue]:
    if isinstance(block, DuplicateBlockKeyBlock):  # two entries on one line: use both
        block = block.ignore_error_block
    if isinstance(block, DuplicateFieldKeyBlock):
        names = ", ".join(sorted(block.duplicate_keys))
        block = block.ignore_error_block
        assert isinstance(block, ParsedEntry)
        reason = f"repeated fields, of which the first counts: {names}"
        yield RecordIssue(reason, block.key, repaired=True)
    if isinstance(block, ParsedEntry):
        yield from _expand_entry(block, abbreviations)
    elif isinstance(block, String):
        abbreviations.define(block.key.lower(), block.value)
    elif isinstance(block, ParsingFailedBlock):
        text = block.raw or ""
        if not text[:8].lower().startswith("@comment"):
            reason = getattr(block.error, "abort_reason", None) or str(block.error)
            if reason.startswith("Unexpectedly reached end"):  # of this entry, not of the file
                reason = "a brace or a quotation mark is not closed"
            raise RecordError(f"the entry cannot be read: {' '.join(reason.split())}")


def _expand_entry(
    parsed: ParsedEntry, abbreviations: _Abbreviations
) -> Iterator[BibtexEntry | RecordIssue]:
    fields: dict[str, str] = {}
    unknown: dict[str, None] = {}
    limit = MAX_EXPANSION
    for field in parsed.fields:
        value, missing = abbreviations.expand(field.value, limit)
        limit -= max(0, len(value) - len(field.value))
        unknown.update(dict.fromkeys(missing))
        fields.setdefault(field.key.lower(), value)
    for name in unknown:
        reason = f"the abbreviation {name:.100} is not defined, and was not replaced"
        yield RecordIssue(reason, parsed.key, repaired=True)
    yield BibtexEntry(parsed.entry_type.lower(), parsed.key, fields, parsed.raw or "")


def _split_value(written: str) -> Iterator[str]:
    begin, depth, quoted = 0, 0, False
    if "#" not in written:
        yield written.strip()
        return
    for at, character in enumerate(written):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == '"' and depth == 0:
            quoted = not quoted
        elif character == "#" and depth == 0 and not quoted:
            yield written[begin:at].strip()
            begin = at + 1
    yield written[begin:].strip()


def read_bibtex(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line of its entry, and RecordIssues.

    An entry without a key gets an id like an entry of RIS. An entry with `crossref` or `xdata` is
    converted after the entries that it names, or at the end.
    """
    parents: dict[str, dict[str, str]] = {}
    waiting: list[tuple[int, BibtexEntry]] = []
    fields = FieldCheck(known_fields("bibtex") | INHERITED)
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
        if all(name in parents for name in _read_parent_keys(entry.fields)):
            yield from ((line, item) for item in convert(entry, parents))
        else:
            waiting.append((line, entry))
    for line, entry in waiting:
        yield from ((line, item) for item in convert(entry, parents))


def convert(entry: BibtexEntry, parents: dict[str, dict[str, str]]) -> Iterator[ParseResult]:
    """Yield the paper of an entry; `parents` has the fields to inherit, by key of the parent."""
    fields = {
        name: value
        for name, value in _inherit_fields(entry.fields, parents, set()).items()
        if value.strip()
    }
    title = ": ".join(
        text for name in ("title", "subtitle") if (text := printed_text(fields.get(name, "")))
    )
    if not title:
        yield RecordIssue("title is missing", entry.key, entry.text)
        return
    for name in _read_parent_keys(entry.fields):
        if name not in parents:
            reason = f"its parent entry {name:.100} is not in the file"
            yield RecordIssue(reason, entry.key, repaired=True)
    omitted: list[str] = []
    when = plain_text(fields.get("date") or fields.get("year", ""))
    month = plain_text(fields.get("month", "").strip("# "))

    def first(*names: str) -> str:
        return printed_text(next((fields[name] for name in names if name in fields), ""))

    paper = bibliography.make_paper(
        SOURCE,
        first,
        omitted,
        paper_id=entry.key,
        title=title,
        date=bibliography.read_date(omitted, when, month=month),
        url=_read_url(fields),
        ids=_read_identifiers(entry, fields, omitted),
        authors=bibliography.authors(_read_names(fields.get("author", "")), SOURCE),
        venue=_read_venue(fields),
        fields=(*_read_keywords(fields), *_read_arxiv_class(fields)),
        references=_read_references(fields),
    )
    yield from issues(omitted, paper.id)
    yield paper


def detect(name: str, head: bytes) -> str | None:
    """Detect a line that begins like `@name{key,`, after nothing but comments."""
    match = _START.search(head)
    if not match:
        return None
    before = head[: match.start()].splitlines()
    if ".bib" not in name.lower() and any(line[:1] not in (b"", b"%") for line in before):
        return None
    return f"BibTeX, @{(match[1] or match[2]).decode().lower()}"


def plain_text(latex: str) -> str:
    """Return the text that LaTeX would print, without the tags and entities of web pages."""
    return strip_markup(printed_text(latex))


def _read_parent_keys(fields: dict[str, str]) -> list[str]:
    """Return the keys of the parents of an entry, in lower case."""
    names = [fields.get("crossref", ""), *fields.get("xdata", "").split(",")]
    return [key for name in names if (key := verbatim_text(name).lower())]


def _inherit_fields(
    fields: dict[str, str], parents: dict[str, dict[str, str]], seen: set[str], depth: int = 0
) -> dict[str, str]:
    """Return the fields, with missing ones inherited from the parents and their parents.

    Each parent counts once: its key is added to `seen`.
    """
    for name in _read_parent_keys(fields) if depth < _MAX_DEPTH else ():
        if name in seen:
            continue
        seen.add(name)
        parent = _inherit_fields(parents.get(name, {}), parents, seen, depth + 1)
        book = parent.get("booktitle") or parent.get("title")
        if book and "crossref" in fields and "journal" not in parent:
            parent = {**parent, "booktitle": book}
        fields = {**parent, **fields}
    return fields


def _read_names(value: str) -> Iterator[str]:
    value = " ".join(decode_accents(value).replace("\\and ", "and ").split())
    value = value.removesuffix(" and")
    if " and " not in value.lower() and "{" not in value:  # a frequent mistake
        parts = _OTHER_AND.split(value)
        value = " and ".join(parts) if all(" " in part for part in parts) else value
    names = (_ET_AL.sub("", name) for name in split_multiple_persons_names(value))
    for name in chain.from_iterable(map(bibliography.split_at_commas, names)):
        if name.lower() == "others":
            continue
        named = [_NAME_PART.fullmatch(part) for part in name.split(",")]
        if all(named):  # BibLaTeX's extended format
            given = {part[1]: part[2] for part in named if part}
            family = f"{given.get('prefix', '')} {given.get('family', '')}"
            yield plain_text(full_name(given.get("given"), family, given.get("suffix")))
        else:
            yield plain_text(_reorder_name(name))


def _reorder_name(name: str) -> str:
    if "," not in name:
        return name
    try:
        parts = parse_single_name_into_parts(name, strict=False)
    except Exception:  # a name that the parser cannot split is unchanged
        return name
    first, *others = (" ".join(x) for x in (parts.first, parts.von + parts.last, parts.jr))
    return full_name(first, *others)


def _read_venue(fields: dict[str, str]) -> Venue | None:
    """Return the journal or the book; the venue of all arXiv preprints is arXiv."""
    written = next((fields[n] for n in ("journaltitle", "journal", "booktitle") if n in fields), "")
    macro = _MACRO.fullmatch(written.strip())  # of NASA's ADS
    name = clean_name(plain_text(written))
    if macro:
        name = str(read_toml("bibtex_journals").get(macro[1], macro[1]))
    if not name and "arxiv" in fields.get("publisher", "").lower():
        name = "arXiv"
    if bibliography.from_arxiv_name(name):
        name = "arXiv"
    return bibliography.make_venue(SOURCE, name)


def _read_url(fields: dict[str, str]) -> str:
    if url := verbatim_text(fields.get("url", "")):
        return url
    match = _LINK.search(fields.get("howpublished", ""))
    return verbatim_text(match[0]) if match else ""


def _read_keywords(fields: dict[str, str]) -> tuple[Field, ...]:
    names = ("keywords", "keyword", "author_keywords")  # the last one in Scopus
    return bibliography.keywords(plain_text(fields.get(name, "")) for name in names)


def _read_references(fields: dict[str, str]) -> Iterator[str]:
    """Yield the ids of cited papers in entries of Scopus and Web of Science."""
    yield from bibliography.scopus_references(verbatim_text(fields.get("references", "")))
    yield from bibliography.wos_references(verbatim_text(fields.get("cited-references", "")))


def _read_arxiv_class(fields: dict[str, str]) -> tuple[Field, ...]:
    """Return the arXiv category of an eprint, from fields of BibLaTeX or arXiv."""
    written = fields.get("eprintclass") or fields.get("primaryclass") or ""
    if "arxiv" not in _read_eprint_type(fields) or "eprint" not in fields:
        return ()
    return bibliography.labels([verbatim_text(written)], "arxiv")


def _read_eprint_type(fields: dict[str, str]) -> str:
    return (fields.get("eprinttype") or fields.get("archiveprefix") or "arxiv").lower()


def _read_identifiers(
    entry: BibtexEntry, fields: dict[str, str], omitted: list[str]
) -> Iterator[Identifier | None]:
    def get(name: str) -> str:
        return verbatim_text(fields.get(name, ""))

    yield from bibliography.read_dois(get("doi"), omitted)
    kind, eprint = _read_eprint_type(fields), get("eprint")
    if "arxiv" in kind and ("://" not in eprint or "arxiv.org/" in eprint):
        yield identifiers.arxiv(eprint)  # Wiley has URLs of its pages
    elif "pubmed" in kind or "pmid" in kind:
        yield identifiers.pubmed(eprint)
    yield identifiers.arxiv(get("arxivid"))  # of Mendeley
    yield identifiers.pubmed(get("pmid"))
    yield identifiers.pmc(get("pmcid"))
    for name in ("journal", "journaltitle", "number", "howpublished"):
        yield bibliography.from_arxiv_name(fields.get(name, ""))
    if "corr" in fields.get("journal", "").lower() and (match := _CORR.fullmatch(get("volume"))):
        yield identifiers.arxiv(match[1])
    yield bibliography.from_url(get("url"))
    yield identifiers.dblp(get("biburl").removesuffix(".bib"))
    if entry.key.startswith("DBLP:"):
        yield identifiers.dblp(entry.key)
    if entry.kind in BOOKS:
        yield from bibliography.isbns(get("isbn"))
    notes = (fields.get(name, "") for name in ("note", "annote", "annotation"))
    yield from bibliography.from_notes(notes)


FORMAT = Format(SOURCE, "BibTeX and BibLaTeX", read_bibtex, detect)
