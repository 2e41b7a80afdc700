"""Which papers of a corpus to take: the filters of the arXiv protocol and a few more.

The protocol is that of "Finding Related ArXiv Papers with BERT" (section 3): papers in English, of
some categories, with their citations among themselves.
"""

from dataclasses import dataclass

from specter_graph.core.errors import extra
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.records import Paper

_READ = 1_000
"""Characters that are enough to know a language."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Called with a paper it says whether to take it: all that is given must hold.

    `languages` are ISO 639-1 codes, or what `language_code` makes such codes of; where the source
    does not name the language, py3langid detects it in title and abstract. `fields` are names or
    ids of labels, whatever their case; an archive such as "cs" stands for all its categories.
    `years` are the first and the last, either None for open; a paper without a year is not within
    them. `min_references` counts the references of the record, with or without records of their
    own. What the source tells elsewhere, an abstract or references, is not missed.
    """

    languages: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    years: tuple[int | None, int | None] = (None, None)
    in_arxiv: bool | None = None
    has_abstract: bool = False
    min_references: int = 0

    def __call__(self, paper: Paper) -> bool:
        """Return whether to take a paper."""
        return (
            self._has_references(paper)
            and (not self.has_abstract or bool(paper.abstract) or "abstract" in paper.elsewhere)
            and self._in_years(paper.year)
            and (self.in_arxiv is None or self.in_arxiv == _in_arxiv(paper))
            and (not self.fields or self._has_field(paper))
            and (not self.languages or self._in_languages(paper))  # the slowest last
        )

    def _has_references(self, paper: Paper) -> bool:
        return len(paper.references) >= self.min_references or "references" in paper.elsewhere

    def _in_years(self, year: int | None) -> bool:
        first, last = self.years
        if first is None and last is None:
            return True
        return year is not None and (first or year) <= year <= (last or year)

    def _in_languages(self, paper: Paper) -> bool:
        return language_of(paper) in map(_main_language, self.languages)

    def _has_field(self, paper: Paper) -> bool:
        wanted = {field.casefold() for field in self.fields}
        return any(
            not wanted.isdisjoint(
                {field.id.casefold(), field.name.casefold(), field.id.casefold().split(".")[0]}
            )
            for field in paper.fields
        )


def language_of(paper: Paper) -> str:
    """The language that the source names, or else the one detected: its ISO 639-1 code, if any."""
    if paper.language:
        return _main_language(paper.language)
    with extra("formats"):
        import py3langid

    text = f"{paper.title}. {paper.abstract or ''}"[:_READ]
    code: str = py3langid.classify(text)[0]
    return _main_language(code)


def _main_language(written: str) -> str:
    """Return the code without a country, also of a language that is not known."""
    return (language_code(written) or "").replace("_", "-").split("-")[0]


def _in_arxiv(paper: Paper) -> bool:
    return any(identifier.scheme == "arxiv" for identifier in paper.identifiers)
