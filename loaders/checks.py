"""The rules that hold for records of every format: what is rejected and what is repaired."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from specter_graph.loaders.reading import Problem
from specter_graph.loaders.records import (
    Abstract,
    Author,
    Citation,
    Field,
    Item,
    Labels,
    Paper,
    Reading,
)
from specter_graph.loaders.syntax.values import EARLIEST_YEAR, LATEST_YEAR, LONGEST_NAME

_UNNAMED = f"without a name, or with one over {LONGEST_NAME:,} characters"


def checked(item: Item) -> Iterable[Item | Problem]:
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
        return _paper(item)
    if reason := _bad_key(item):
        return (Problem(reason),)
    return (item,)


def _paper(paper: Paper) -> Iterable[Item | Problem]:
    if not paper.id or len(paper.id) > LONGEST_NAME:
        return (Problem(_bad_id("id", paper.id), paper.id[:LONGEST_NAME] or None),)
    if not paper.title:
        return (Problem("title is missing", paper.id),)
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
    if references and ("" in references or _too_long(references)):
        kept = {key: None for key in references if _fits(key)}
        reasons.append(f"{len(references) - len(kept)} references are no ids")
        references = kept
    if len(references) < len(paper.references):
        changes["references"] = tuple(references)
    for name, entries in (("authors", paper.authors), ("fields", paper.fields)):
        if not _all_named(entries):
            changes[name] = tuple(each for each in entries if _all_named((each,)))
            reasons.append(f"{name} {_UNNAMED}")
    if not all(_fits(each.value) for each in paper.identifiers):
        changes["identifiers"] = tuple(each for each in paper.identifiers if _fits(each.value))
        reasons.append(f"identifiers {_UNNAMED}")
    if paper.venue and not (_fits(paper.venue.id) and _fits(paper.venue.name)):
        changes["venue"] = None
        reasons.append("the venue has no name, or one that is too long")
    if not reasons:
        return (paper,)
    problems = [Problem(f"left out: {reason}", paper.id, repaired=True) for reason in reasons]
    return (*problems, replace(paper, **changes))


def _all_named(entries: Iterable[Author | Field]) -> bool:
    for each in entries:  # `_fits`, spelt out: it is asked for every author of every record
        if not (0 < len(each.id) <= LONGEST_NAME and 0 < len(each.name) <= LONGEST_NAME):
            return False
    return True


def _too_long(keys: Collection[str]) -> bool:
    return len("".join(keys)) > LONGEST_NAME and max(map(len, keys)) > LONGEST_NAME


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
