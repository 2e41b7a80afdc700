"""What a model reads of a paper: its parts, in order, as one text or each by itself."""

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from specter_graph.loaders.records import PaperText

Part: TypeAlias = Literal["title", "abstract", "venue", "authors", "references", "body"]
"""SPECTER reads title and abstract (section 2.2), and tried venue and authors (section 6); the full
text and outgoing citations are its future work (sections 7 and 8)."""

Parts: TypeAlias = tuple[Part, ...]

TITLE_AND_ABSTRACT: Parts = ("title", "abstract")

_EDITION = re.compile(
    r"\b(\d+(st|nd|rd|th)?|(19|20)\d\d|proceedings|proc|of the|annual|vol(ume)?|in)\b|[^\w\s]",
    re.IGNORECASE,
)


def texts_of(paper: PaperText, parts: Parts) -> list[str]:
    """The text of each part; empty for what a paper does not have."""
    return [_TEXT[part](paper) for part in parts]


def words_of(papers: Sequence[PaperText], parts: Parts) -> list[str]:
    """The parts of each paper as one text, for what counts words."""
    return [" ".join(texts_of(paper, parts)) for paper in papers]


def venue_name(name: str) -> str:
    """A venue's name without its edition, so that its years are one (footnote 14 of the paper).

    `Proc. of the 57th Annual Meeting of the ACL, 2019` is `meeting acl`.
    """
    return " ".join(_EDITION.sub(" ", name).casefold().split())


_TEXT: dict[Part, Callable[[PaperText], str]] = {
    "title": lambda paper: paper.title,
    "abstract": lambda paper: paper.abstract or "",
    "venue": lambda paper: venue_name(paper.venue or ""),
    "authors": lambda paper: ", ".join(paper.authors),
    "references": lambda paper: "; ".join(paper.references),
    "body": lambda paper: paper.body or "",
}
