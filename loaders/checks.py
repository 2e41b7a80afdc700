"""The rules that hold for records of every format: what is rejected and what is repaired."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from specter_graph.loaders.reading import Problem
from specter_graph.loaders.records import (
    Abstract,
    Author,
    Citation,
    Field,
    Identifier,
    Item,
    Labels,
    Paper,
    Reading,
    Venue,
)
from specter_graph.loaders.syntax.values import EARLIEST_YEAR, LATEST_YEAR, LONGEST_NAME


def checked(item: Item) -> Iterator[Item | Problem]:
    """The item, mended where a rule says how, or a Problem instead; what was mended comes first.

    | rule | |
    |---|---|
    | a paper has an id and a title | else rejected |
    | ids have 1 to 1,000 characters | rejected; of a list the entry is left out |
    | years are 1000 to 2100 | left out |
    | a paper does not cite itself | left out |
    | a reference counts once | repetitions left out |
    """
    if isinstance(item, Paper):
        yield from _paper(item)
    elif reason := _bad_key(item):
        yield Problem(reason)
    else:
        yield item


def _paper(paper: Paper) -> Iterator[Item | Problem]:
    if not paper.id or len(paper.id) > LONGEST_NAME:
        yield Problem(_bad_id("id", paper.id), paper.id[:LONGEST_NAME] or None)
        return
    if not paper.title:
        yield Problem("title is missing", paper.id)
        return
    changes: dict[str, Any] = {}
    reasons: list[str] = []
    if paper.year is not None and not EARLIEST_YEAR <= paper.year <= LATEST_YEAR:
        changes["year"] = None
        reasons.append(f"year {paper.year} is not between {EARLIEST_YEAR} and {LATEST_YEAR}")
    references = dict.fromkeys(paper.references)
    if len(references) < len(paper.references):
        reasons.append(f"{len(paper.references) - len(references)} references are given twice")
    if paper.id in references:
        del references[paper.id]
        reasons.append("the paper cites itself")
    kept = [r for r in references if 0 < len(r) <= LONGEST_NAME]
    if len(kept) < len(references):
        reasons.append(f"{len(references) - len(kept)} references are no ids")
    if len(kept) < len(paper.references):
        changes["references"] = tuple(kept)
    for name, fits in (("authors", _named), ("fields", _named), ("identifiers", _valued)):
        entries = getattr(paper, name)
        if len(usable := [entry for entry in entries if fits(entry)]) < len(entries):
            changes[name] = tuple(usable)
            reasons.append(f"{name} without a name, or with one over {LONGEST_NAME:,} characters")
    if paper.venue and not _named(paper.venue):
        changes["venue"] = None
        reasons.append("the venue has no name, or one that is too long")
    for reason in reasons:
        yield Problem(f"left out: {reason}", paper.id, repaired=True)
    yield replace(paper, **changes) if changes else paper


def _named(entry: Author | Field | Venue) -> bool:
    return 0 < len(entry.id) <= LONGEST_NAME and 0 < len(entry.name) <= LONGEST_NAME


def _valued(entry: Identifier) -> bool:
    return _fits(entry.value)


def _fits(key: str) -> bool:
    return 0 < len(key) <= LONGEST_NAME


def _bad_key(item: Citation | Abstract | Labels | Field | Reading) -> str | None:
    keys: dict[str, str]
    if isinstance(item, Citation):
        keys = {"the id of the citing paper": item.citing, "the id of the cited paper": item.cited}
        if item.citing == item.cited:
            return f"the paper {item.citing:.100} cites itself"
    elif isinstance(item, Reading):
        keys = {"the id of the reader": item.reader, "the id of the paper": item.paper}
    else:
        keys = {"id": item.id}
    return next((_bad_id(name, key) for name, key in keys.items() if not _fits(key)), None)


def _bad_id(name: str, key: str) -> str:
    return f"{name} is longer than {LONGEST_NAME:,} characters" if key else f"{name} is missing"
