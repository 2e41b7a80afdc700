"""The syntax of search queries: phrases, AND, OR, exclusions, author, venue and years."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from specter_graph.core.errors import InputError
from specter_graph.graph.search.lucene import MAX_WORDS, STOP_WORDS, clauses, quoted, tokenize
from specter_graph.graph.search.search_filters import Filters

MAX_OPERATOR_WORDS = 12
"""Maximum words of a text with quotes, AND, OR and `-`; a longer text may be an abstract."""
MAX_TITLE_WORDS = 40
"""Maximum words of a text that may be a title."""
TITLE_WEIGHT = 4
"""Weight of the text as a phrase in the title, relative to a word."""
_MAX_LETTERS = 500

_QUOTES = str.maketrans("\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}", '""')
_FIELD = re.compile(
    r"""(?<!\S)(?:AND\s+)?(?P<name>author|venue|year):
    (?:"(?P<quoted>[^"]*\w[^"]*)"[.,;]?(?!\S)
      |(?P<inverted>[^\W\d_][\w'-]*,[ ]?(?:[A-Z]\.[ ]?)+(?!\S))
      |(?P<plain>(?:[A-Z]\.[ ]?)*[^\s"]*\w[^\s"]*))""",
    re.IGNORECASE | re.VERBOSE,
)
_YEARS = re.compile(r"(?P<since>\d{4})?(?P<to>[-\N{EN DASH}])?(?P<until>\d{4})?", re.ASCII)
_PART = re.compile(
    r"""(?<!\S)\(*(?P<out>-(?=["]|[^\W\d_]))?
    (?:"(?P<phrase>[^"]*)"(?=[\s.,;:!?)]|$)[.,;:!?)]*|(?P<plain>\S+))""",
    re.VERBOSE,
)
_CAPITALS = re.compile(r"\b(?!AND\b|OR\b)[A-Z]{2,}\b")
_SMALL = re.compile(r"(?<![\\A-Za-z])[a-z]{2,}")
"""Lower-case letters that are not a TeX command."""
_ENDS_IN_DASH = re.compile(r"[\w+]-(?!\S)")
"""As in "e+e- -annihilation", which excludes nothing."""
_ONE_WORD = re.compile(r"\W*(\w+)\W*", re.ASCII)

_Kind = Literal["word", "phrase", "out", "AND", "OR"]


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    Attributes:
        text: The words and phrases without operators, in their case: the input of a model.
        words: The different words of `text` in lower case, from `lucene.tokenize`.
        lucene: The query for the full-text index of papers; empty without words and exclusions.
        restricts: True if `lucene` has conditions that a paper must satisfy.
        author: The required author, as typed.
        venue: The required venue, as typed.
        since: The first year.
        until: The last year.
    """

    text: str
    words: tuple[str, ...]
    lucene: str
    restricts: bool = False
    author: str | None = None
    venue: str | None = None
    since: int | None = None
    until: int | None = None

    def narrowed(self, filters: Filters) -> Filters:
        """Return filters with the additional conditions of the query.

        Raises:
            InputError: No year satisfies both.
        """
        since = [year for year in (self.since, filters.since) if year is not None]
        until = [year for year in (self.until, filters.until) if year is not None]
        return replace(
            filters,
            author=self.author or filters.author,
            venue=self.venue or filters.venue,
            since=max(since, default=None),
            until=min(until, default=None),
        )


NOTHING = Query("", (), "")


class _Token(NamedTuple):
    """A part of a query; `out` is a word or a phrase that is excluded."""

    kind: _Kind
    text: str


@dataclass(slots=True)
class _Group:
    """Alternatives: a word or a phrase, or several joined by OR."""

    items: list[str]
    is_required: bool = False


def parse(text: str) -> Query:
    """Parse a query.

    The syntax is described in docs/search.md; other Lucene syntax is treated as text.

    Args:
        text: A query, a title or an abstract.

    Raises:
        InputError: A field, such as `author:`, occurs twice.
    """
    rest, fields = _take_fields(text.translate(_QUOTES))
    tokens = _split_tokens(rest) if _may_have_operators(rest) else []
    if all(token.kind == "word" for token in tokens):
        query_words = tuple(tokenize(rest))
        lucene = " ".join(query_words)
        if 1 < len(query_words) <= MAX_TITLE_WORDS:  # rank a paper with this title first
            lucene += f" title:{quoted(rest)}^{TITLE_WEIGHT}"
        return Query(rest, query_words, lucene, False, **fields)
    groups, excluded = _group(tokens)
    plain = " ".join(item for group in groups for item in group.items)
    return Query(
        plain,
        tuple(tokenize(plain)),
        _render_lucene(groups, excluded),
        bool(excluded) or any(group.is_required for group in groups),
        **fields,
    )


def _take_fields(text: str) -> tuple[str, dict[str, Any]]:
    """Return a text without its fields, and their values under the names of `Query`."""
    values: dict[str, Any] = {}

    def take(match: re.Match[str]) -> str:
        name = match["name"].lower()
        value = " ".join((match["quoted"] or match["inverted"] or match["plain"]).split())
        read: dict[str, Any] = {name: value if match["inverted"] else value.rstrip(",;")}
        if name == "year":
            read = _parse_years(value.rstrip(".,;"))
            if not read:
                return match[0]
        if values.keys() & read.keys():
            raise InputError(f"{name}: occurs twice", f"search for one {name} at a time")
        values.update(read)
        return " "

    rest = _FIELD.sub(take, text)
    return " ".join(rest.split()).removeprefix("AND ") if values else text.strip(), values


def _parse_years(value: str) -> dict[str, int | None]:
    """Parse `1998`, `1998-2001`, `1998-` or `-2001`; return {} for anything else."""
    match = _YEARS.fullmatch(value)
    years = sorted(int(year) for year in match.group("since", "until") if year) if match else []
    if not match or not years or (len(years) == 2 and not match["to"]):
        return {}
    if len(years) == 2 or not match["to"]:
        return {"since": years[0], "until": years[-1]}
    return {"since": None, "until": None} | {"since" if match["since"] else "until": years[0]}


def _may_have_operators(text: str) -> bool:
    if len(text) > _MAX_LETTERS or clauses(text) > MAX_WORDS:
        return False
    only = _PART.fullmatch(text)
    return len(text.split()) <= MAX_OPERATOR_WORDS or bool(only and only["phrase"])


def _split_tokens(text: str) -> list[_Token]:
    """Split a text into words, phrases, exclusions and operators; skip parts without letters."""
    has_and_or = len(_CAPITALS.findall(text)) <= 2 * len(_SMALL.findall(text))
    has_out = not _ENDS_IN_DASH.search(text)
    tokens = []
    for match in _PART.finditer(text):
        phrase, plain = match["phrase"], match["plain"]
        if has_and_or and plain in ("AND", "OR") and not match["out"]:
            tokens.append(_Token("AND" if plain == "AND" else "OR", plain))
        elif tokenize(phrase or plain or ""):
            is_excluded = has_out and match["out"] and (phrase or not plain.startswith('"'))
            kind: _Kind = "out" if is_excluded else "phrase" if phrase else "word"
            tokens.append(_Token(kind, phrase or plain))
    return [
        token if _has_operands(token, before, after) else _Token("word", token.text)
        for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False)
    ]


def _has_operands(token: _Token, before: _Token | None, after: _Token | None) -> bool:
    """Return False for AND and OR without an operand on both sides."""
    joined = {"AND": ("word", "phrase", "out"), "OR": ("word", "phrase")}.get(token.kind)
    return joined is None or all(
        neighbor is not None and neighbor.kind in joined for neighbor in (before, after)
    )


def _group(tokens: list[_Token]) -> tuple[list[_Group], list[str]]:
    """Return the groups of alternatives, in order, and the exclusions. OR binds before AND."""
    groups: list[_Group] = []
    excluded: list[str] = []
    last: _Group | None = None
    operator = ""
    for token in tokens:
        if token.kind in ("AND", "OR"):
            operator = token.kind
            continue
        if operator == "OR" and last:
            last.items.append(token.text)
        else:
            if operator == "AND" and last:
                last.is_required = _has_content(last.items)
            last = None if token.kind == "out" else _Group([token.text])
            if last:
                groups.append(last)
            elif _has_content([token.text]):
                excluded.append(token.text)
        if last and (token.kind == "phrase" or operator == "AND"):
            last.is_required = _has_content(last.items)
        operator = ""
    return groups, excluded


def _has_content(items: Iterable[str]) -> bool:
    """Return True if an item has a word that is not a stop word; others would match nothing."""
    return not STOP_WORDS.issuperset(tokenize(*items))


def _render_lucene(groups: Sequence[_Group], excluded: Sequence[str]) -> str:
    optional = [item for group in groups if not group.is_required for item in group.items]
    required = [" ".join(map(_render_item, group.items)) for group in groups if group.is_required]
    parts = [
        *(f"+({alternatives})" for alternatives in required),
        *tokenize(*optional),
        *(f"-{_render_item(item)}" for item in excluded),
    ]
    only_excludes = excluded and not required and not _has_content(optional)
    return " ".join(["*:*", *parts] if only_excludes else parts)


def _render_item(text: str) -> str:
    """Return a word unchanged, and text that Lucene may split as a phrase."""
    word = _ONE_WORD.fullmatch(text)
    return word[1].lower() if word else quoted(text)
