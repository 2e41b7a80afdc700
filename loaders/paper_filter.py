"""Filters on papers: those of the arXiv protocol and a few more.

The protocol is described in "Finding Related ArXiv Papers with BERT" (section 3): papers in
English, of some categories, with the citations among them.
"""

from dataclasses import dataclass

from specter_graph.core.errors import InputError, extra
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.records import Paper

_MAX_DETECTED = 1_000
"""Characters of title and abstract from which the language is detected."""


@dataclass(frozen=True, slots=True)
class PaperFilter:
    """A predicate on papers; all given conditions must hold.

    A part of a paper that its source delivers elsewhere (`Paper.elsewhere`) counts as present.

    Attributes:
        languages: ISO 639-1 codes, or names that `language_code` turns into codes. If the source
            does not name the language, py3langid detects it from title and abstract.
        fields: Names or ids of labels in any case; an archive such as "cs" includes its categories.
        years: The first and the last year; None is an open end. A paper without a year does not
            match a range.
        in_arxiv: True for papers with an arXiv id, False for papers without one, None for both.
        has_abstract: Only papers with an abstract.
        min_references: Minimum number of references, with or without records of their own.

    Raises:
        InputError: The first year is after the last.
    """

    languages: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    years: tuple[int | None, int | None] = (None, None)
    in_arxiv: bool | None = None
    has_abstract: bool = False
    min_references: int = 0

    def __post_init__(self) -> None:
        first, last = self.years
        if first and last and first > last:
            raise InputError(f"no year is in {first}-{last}", f"give the years {last}-{first}")

    def __call__(self, paper: Paper) -> bool:
        """Return True if the paper matches."""
        return (
            (len(paper.references) >= self.min_references or "references" in paper.elsewhere)
            and (not self.has_abstract or bool(paper.abstract) or "abstract" in paper.elsewhere)
            and self._in_years(paper.year)
            and (
                self.in_arxiv is None
                or self.in_arxiv == any(i.scheme == "arxiv" for i in paper.identifiers)
            )
            and (not self.fields or self._has_field(paper))
            # the slowest test last
            and (not self.languages or language_of(paper) in map(_main_language, self.languages))
        )

    def _in_years(self, year: int | None) -> bool:
        first, last = self.years
        if first is None and last is None:
            return True
        return year is not None and (first or year) <= year <= (last or year)

    def _has_field(self, paper: Paper) -> bool:
        wanted = {field.casefold() for field in self.fields}
        return any(
            name.casefold() in wanted
            for field in paper.fields
            for name in (field.id, field.name, field.id.split(".")[0])
        )


def language_of(paper: Paper) -> str:
    """Return the ISO 639-1 code of the language that the source names, or of the detected one."""
    if paper.language:
        return _main_language(paper.language)
    with extra("formats"):
        import py3langid

    text = f"{paper.title}. {paper.abstract or ''}"[:_MAX_DETECTED]
    code: str = py3langid.classify(text)[0]
    return _main_language(code)


def _main_language(written: str) -> str:
    """Return the code of a language, known or not, without a country."""
    return (language_code(written) or "").replace("_", "-").split("-")[0]
