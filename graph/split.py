"""The split into training, validation and test papers.

The split depends only on the sample key of a paper, a hash of its id. With a hold-out of f, papers
with sample_key / SAMPLE_PRIME < f are test papers, and those below 2 f are validation papers. This
split is computed and not stored, so it cannot be lost or outdated. Training uses no citation from
or to a held-out paper. Held-out papers with enough references are scored.

`set_split` splits by date or by lists of ids instead, or joins near-duplicates: it writes other
sample keys, in the ranges of the default hold-out. A new paper gets a hash of its id as its key
until `set_split` runs again.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date as calendar_date
from typing import Any, Literal, get_args

from specter_graph.core.errors import InputError, counted, require_choice, text_list
from specter_graph.core.progress import Progress, batches, silent, timestamp
from specter_graph.graph.database import Database, column_pages, id_pages
from specter_graph.loaders.records import SAMPLE_PRIME, sample_key

HeldOutSplit = Literal["validation", "test"]

_SPLITS = ("test", "validation", "train")
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_BATCH = 10_000
_NEAR_BATCH = 200

HOLDOUT = 0.1
"""The default share of papers held out for test, and again for validation."""
MIN_REFERENCES = 5
"""Minimum number of references with a record of a scored paper."""
MANY_REFERENCES = range(MIN_REFERENCES, 2**31)
SOME_REFERENCES = range(1, MIN_REFERENCES)
ANY_REFERENCES = range(2**31)
MAX_QUERIES = 3_000
"""Maximum number of scored papers of a split."""


def held_out_below(fraction: float) -> int:
    """Return the sample key below which papers are held out: `$held_out` in statements.

    Raises:
        InputError: Not 0 <= fraction < 0.5.
    """
    return split_keys("validation", fraction)[1]


def split_keys(split: HeldOutSplit, fraction: float) -> tuple[int, int]:
    """Return the range of sample keys of a split: the first key, and the key after the last.

    Raises:
        InputError: Not 0 <= fraction < 0.5, or the split is unknown.
    """
    require_choice("split", split, get_args(HeldOutSplit))
    if not 0 <= fraction < 0.5:
        raise InputError(
            f"the hold-out {fraction} is out of range",
            "use a fraction from 0 to below 0.5: validation takes the same share again",
        )
    # key / SAMPLE_PRIME < share holds exactly for the integers key < ceil(share * SAMPLE_PRIME)
    below = [math.ceil(share * SAMPLE_PRIME) for share in (0, fraction, 2 * fraction)]
    return (below[0], below[1]) if split == "test" else (below[1], below[2])


def training_ids(db: Database, fraction: float) -> Iterator[str]:
    """Stream the ids of the papers that have a record and are not held out, in order."""
    held_out, everything = held_out_below(fraction), {"factor": 1, "below": SAMPLE_PRIME}
    for page in id_pages(db, "triplets/training_ids", held_out=held_out, **everything):
        yield from page


def query_ids(
    db: Database, split: HeldOutSplit, fraction: float, *, references: range = MANY_REFERENCES
) -> list[str]:
    """Return the ids of the scored papers of a split, in order.

    They have a record, and `references` contains the number of their references with a record. All
    source records of a merged paper must be in the split. If there are more than MAX_QUERIES
    papers, a sample is returned that depends only on their ids.
    """
    smallest, below = split_keys(split, fraction)
    ids: list[str] = db.value(
        "triplets/queries",
        smallest=smallest,
        below=below,
        fewest=references.start,
        most=references.stop - 1,
        limit=MAX_QUERIES,
    )
    return ids


def paper_dates(db: Database) -> Iterator[tuple[str, str]]:
    """Stream the ids of all papers and stubs with their dates, or else years, or else ""."""
    for ids, dates, *_ in column_pages(db, "evaluation/split_dates"):
        yield from zip(ids, dates, strict=True)


def near_duplicates(
    db: Database, ids: Sequence[str], fraction: float = 0
) -> Iterator[tuple[str, str]]:
    """Stream pairs of one of these papers and a training paper that is its near-duplicate.

    Near-duplicates share at least 60 % of their references (Jaccard index). Papers with fewer than
    MIN_REFERENCES references have none.
    """
    held_out = held_out_below(fraction)
    for part in batches(ids, _NEAR_BATCH):
        for paper, others in db.stream(
            "evaluation/near_duplicates", ids=part, held_out=held_out, references=MIN_REFERENCES
        ):
            yield from ((paper, other) for other in others)


def held_out_among(db: Database, ids: Sequence[str], fraction: float) -> list[str]:
    """Return those of some papers that are held out."""
    held_out = held_out_below(fraction)
    return [
        paper
        for part in batches(ids, _BATCH)
        for paper in db.value("evaluation/held_out_among", ids=part, held_out=held_out)
    ]


@dataclass(frozen=True, slots=True)
class StoredSplit:
    """A split by date, by lists of ids, or with near-duplicates in the same split.

    Attributes:
        rule: How the papers were split, in words.
        digest: SHA-256 over the held-out ids; models and spaces store it.
        test: Number of test papers, including stubs.
        validation: Number of validation papers.
        created: ISO time in UTC.
    """

    rule: str
    digest: str
    test: int
    validation: int
    created: str


def stored_split(db: Database) -> StoredSplit | None:
    """Return the stored split; None if the papers are split by a hash of their ids."""
    rows = db.values("evaluation/stored_split")
    if not rows:
        return None
    [[properties]] = rows
    return StoredSplit(**{name: properties[name] for name in StoredSplit.__slots__})


def split_digest(db: Database) -> str:
    """Return the digest of the stored split; "" without one."""
    split = stored_split(db)
    return split.digest if split else ""


def valid_holdout(holdout: float, split: str | None, present: str) -> float:
    """Return the hold-out of a model or space in the present split: 0 if it has another split.

    The graph does not know the papers that another split holds out.

    Args:
        holdout: The hold-out for which the model or space was made.
        split: The digest of its split; None is the present split.
        present: The digest of the present split.
    """
    return holdout if split in (None, present) else 0.0


def set_split(
    db: Database,
    *,
    test_since: str | None = None,
    validation_since: str | None = None,
    test_ids: Collection[str] | None = None,
    validation_ids: Collection[str] | None = None,
    published: str = "",
    near_duplicates: bool = False,
    progress: Progress = silent,
) -> StoredSplit | None:
    """Split the papers by date or by lists of ids; without arguments, by a hash of their ids again.

    Papers without a date are training papers in a split by date. If only the test papers are given,
    a tenth of the others, by a hash of their ids, are validation papers. The split is used with the
    default hold-out of 0.1. Spaces and models of another split count as having seen its citations.

    Args:
        db: The graph.
        test_since: Papers published on this date (YYYY, YYYY-MM or YYYY-MM-DD) or later are test
            papers. A paper of which only the year is known counts as published on its first day.
        validation_since: Earlier ones published on this date or later are validation papers.
        test_ids: The test papers; unknown ids are an error.
        validation_ids: The validation papers.
        published: Name of a published split, as the rule; ids that are not in the graph are
            skipped.
        near_duplicates: Move near-duplicates of test papers to the test papers, and those of other
            validation papers to the validation papers.
        progress: Called with the number of papers.

    Returns:
        The split; None for the split by hash.

    Raises:
        InputError: A date is malformed, the arguments contradict each other, an id is unknown, or
            a date or list leaves no test or no training papers. Then nothing is changed.
    """
    rule = _Rule(test_since, validation_since, test_ids, validation_ids)
    if near_duplicates:
        rule.moved = _join_near_duplicates(db, rule)
    digest, counts, unknown = hashlib.sha256(), Counter[str](), {*rule.listed}
    has_training_papers = False
    for ids, splits, stubs, _ in _read_splits(db, rule):
        unknown.difference_update(ids)
        counts.update(splits)
        has_training_papers |= ("train", False) in zip(splits, stubs, strict=True)
        for paper, split in zip(ids, splits, strict=True):
            if split != "train":
                digest.update(f"{split}\t{paper}\n".encode())
    if unknown and not published:
        raise InputError(
            f"{counted(len(unknown), 'paper to hold out is', 'papers to hold out are')} not in"
            f" the graph, such as {min(unknown)!r}",
            "load them first, or remove them from the list",
        )
    if not counts["test"] and not rule.is_hash:
        raise InputError("the split has no test papers", "use an earlier date or other ids")
    if not has_training_papers and not rule.is_hash:
        raise InputError("the split has no training papers", "use a later date or other ids")
    # No model or space is of an unfinished split.
    text = (published or rule.text) + (", with near-duplicates" if near_duplicates else "")
    created = timestamp()
    stored = StoredSplit(text, "unfinished", counts["test"], counts["validation"], created)
    db.write("evaluation/store_split", properties=asdict(stored))
    done, total = 0, counts.total()
    for ids, splits, _, records in _read_splits(db, rule):
        rows = [rule.row(*paper) for paper in zip(ids, splits, records, strict=True)]
        db.write("evaluation/set_sample_keys", rows=rows)
        done += len(rows)
        progress("split", done, total)
    if rule.is_hash and not near_duplicates:
        db.write("evaluation/forget_split")
        return None
    stored = replace(stored, digest=digest.hexdigest())
    db.write("evaluation/store_split", properties=asdict(stored))
    return stored


def _read_splits(
    db: Database, rule: "_Rule"
) -> Iterator[tuple[list[str], list[str], list[bool], list[list[str]]]]:
    """Yield pages of all papers: ids, splits, true for a stub, and ids of the source records."""
    for ids, dates, stubs, records in column_pages(db, "evaluation/split_dates"):
        splits = [rule.split(*paper) for paper in zip(ids, dates, records, strict=True)]
        yield ids, splits, stubs, records


def _join_near_duplicates(db: Database, rule: "_Rule") -> dict[str, str]:
    """Return the split of papers whose near-duplicates, directly or by others, have another one.

    The split of the group is test if one is a test paper, else validation.
    """
    from scipy.cluster.hierarchy import DisjointSet

    pairs = [
        pair for ids in id_pages(db, "evaluation/split_dates") for pair in near_duplicates(db, ids)
    ]
    splits: dict[str, str] = {paper: "" for pair in pairs for paper in pair}
    for ids, own, *_ in _read_splits(db, rule):
        splits |= {paper: each for paper, each in zip(ids, own, strict=True) if paper in splits}
    groups = DisjointSet(splits)
    for pair in pairs:
        groups.merge(*pair)
    moved: dict[str, str] = {}
    for group in groups.subsets():
        joined = min((splits[paper] for paper in group), key=_SPLITS.index)
        moved |= {paper: joined for paper in group if splits[paper] != joined}
    return moved


class _Rule:
    """Decides the split of a paper; see `set_split` for the arguments and errors."""

    def __init__(
        self,
        test_since: str | None,
        validation_since: str | None,
        test_ids: Collection[str] | None,
        validation_ids: Collection[str] | None,
    ) -> None:
        if test_since and test_ids is not None:
            raise InputError("test papers are given twice", "give a date or ids, not both")
        is_incomplete = (validation_since and not test_since) or (
            validation_ids is not None and test_ids is None
        )
        if is_incomplete:
            raise InputError("validation papers are given without test papers")
        for date in filter(None, (test_since, validation_since)):
            if not (isinstance(date, str) and _is_date(date)):
                raise InputError(f"{date!r} is not a date", 'use "YYYY", "YYYY-MM" or "YYYY-MM-DD"')
        if test_since and validation_since and validation_since >= test_since:
            raise InputError("validation papers would begin after the test papers")
        self._test_since, self._validation_since = test_since, validation_since
        self._test, self._validation = (
            set[str]() if ids is None else {*text_list(name, ids)}
            for name, ids in (("test_ids", test_ids), ("validation_ids", validation_ids))
        )
        if both := self._test & self._validation:
            raise InputError(
                f"{counted(len(both), 'paper is', 'papers are')} in both lists, such as"
                f" {min(both)!r}"
            )
        self.listed = self._test | self._validation
        self._has_validation = bool(validation_since) or validation_ids is not None
        self.is_hash = not test_since and test_ids is None
        self.moved: dict[str, str] = {}
        self.text = f"since {test_since}" if test_since else "by hash" if self.is_hash else "by ids"

    def split(self, paper: str, date: str, records: Sequence[str]) -> str:
        """Return "test", "validation" or "train" for a paper, merged from these records or none."""
        if paper in self.moved:
            return self.moved[paper]
        if len(date) == len("YYYY"):
            date += "-01-01"
        share = min(map(sample_key, records or [paper])) / SAMPLE_PRIME
        if self.is_hash:
            return "test" if share < HOLDOUT else "validation" if share < 2 * HOLDOUT else "train"
        if paper in self._test or (self._test_since and date >= self._test_since):
            return "test"
        if self._has_validation:
            is_validation = paper in self._validation or bool(
                self._validation_since and date >= self._validation_since
            )
        else:
            is_validation = share < HOLDOUT
        return "validation" if is_validation else "train"

    def row(self, paper: str, split: str, records: Sequence[str]) -> dict[str, Any]:
        """Return the sample keys of a paper, the smallest of its records, and of the records."""
        keys = {id: sample_key(id) for id in records or [paper]}
        if not self.is_hash or paper in self.moved:
            keys = {id: self._move(key, split) for id, key in keys.items()}
        rows = [{"id": id, "sample_key": keys[id]} for id in records]
        return {"id": paper, "sample_key": min(keys.values()), "records": rows}

    def _move(self, key: int, split: str) -> int:
        """Move a sample key into the range of a split; the order of keys is kept."""
        _, test = split_keys("test", HOLDOUT)
        _, validation = split_keys("validation", HOLDOUT)
        first, after = {
            "test": (0, test),
            "validation": (test, validation),
            "train": (validation, SAMPLE_PRIME),
        }[split]
        return first + key * (after - first) // SAMPLE_PRIME


def _is_date(text: str) -> bool:
    """Return True for YYYY, YYYY-MM and YYYY-MM-DD, if the calendar has the month and the day."""
    try:
        return bool(_DATE.fullmatch(text) and calendar_date.fromisoformat(f"{text}-01-01"[:10]))
    except ValueError:
        return False
