"""Which papers are held out: chosen by a hash of the id, labelled Test and Validation.

Held-out papers lose all their edges before triplets are mined and before SGC smooths, so a score
on them is a score on citations that no model has seen.
"""

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from specter_graph.cypher import statement
from specter_graph.errors import InputError, LeakError
from specter_graph.graph.connection import Database
from specter_graph.graph.id_pages import id_pages
from specter_graph.graph.spaces import EmbeddingSpace
from specter_graph.loaders.records import DRAW_PRIME

Split = Literal["train", "validation", "test"]

LEAST_REFERENCES = 5
"""A held-out paper has at least this many references that have records."""

_IDS = {
    "train": "holdout/training_ids",
    "validation": "holdout/validation_ids",
    "test": "holdout/test_ids",
}


@dataclass(frozen=True, slots=True)
class HoldOut:
    """A hold-out: `digest` is SHA-256 over the sorted test ids, then the validation ids.

    `fraction` is the share of test papers among those fit to be held out, and that of validation
    papers. With fraction 0 nothing is held out and the digest is empty.
    """

    fraction: float
    digest: str
    tests: int
    validations: int


def hold_out(
    db: Database, fraction: float = 0.1, check: Callable[[HoldOut], None] | None = None
) -> HoldOut:
    """Label the held-out papers and record what was labelled; writes nothing when nothing changed.

    A paper is fit when it has a record and five references that have records. A fit paper with
    draw / DRAW_PRIME < fraction is a test paper, one below 2 * fraction a validation paper.
    Fraction 0 takes all labels off. `check` sees the hold-out before anything is labelled; what it
    raises leaves the labels as they are (see `require_made_under`).

    Raises InputError unless 0 <= fraction < 0.5.
    """
    if not 0 <= fraction < 0.5:
        raise InputError(
            f"a hold-out of {fraction} cannot be made",
            "give a fraction from 0 to below 0.5: as many papers again are for validation",
        )
    wanted = _choose(db, fraction)
    if check:
        check(wanted)
    if current_hold_out(db) == wanted:
        return wanted
    # The record goes first: after a kill half-way the labels are not taken for what they were.
    db.write(statement("holdout/forget").text)
    db.commit(statement("holdout/unlabel").text)
    for page in _test_pages(db, fraction):
        db.write(statement("holdout/label_test").text, ids=page)
    for page in _validation_pages(db, fraction):
        db.write(statement("holdout/label_validation").text, ids=page)
    db.write(
        statement("holdout/record").text,
        fraction=wanted.fraction,
        digest=wanted.digest,
        tests=wanted.tests,
        validations=wanted.validations,
    )
    return wanted


def current_hold_out(db: Database) -> HoldOut | None:
    """What the labels on the papers are now; None before the first hold-out."""
    rows = db.read(statement("holdout/current").text)
    return HoldOut(**rows[0]) if rows else None


def require_hold_out(db: Database, held_out: HoldOut) -> None:
    """Raise LeakError when the labels are no longer those: what was read meanwhile may leak."""
    if current_hold_out(db) != held_out:
        raise LeakError(
            "the hold-out was changed by another command while this one was at work",
            "run this command again",
        )


def require_made_under(held_out: HoldOut, space: EmbeddingSpace | None) -> None:
    """Raise LeakError when the space, if there is one, has seen citations that this one hides."""
    if space is None or space.hides(held_out.digest):
        return
    if space.holdout == held_out.fraction:
        other = f"{held_out.fraction:g} holds out now: papers or citations have come or gone since"
        hint = "train, embed and smooth again"
    else:
        other = f"{held_out.fraction:g}"
        hint = f"use --holdout {space.holdout:g}, or make it again"
    raise LeakError(
        f"the space {space.property!r} was made under another hold-out than {other}", hint
    )


def split_ids(db: Database, split: Split) -> Iterator[str]:
    """The ids of the papers of a split, in order, a page at a time from the server.

    'train' are the papers with a record that are not held out. Call `hold_out` first.
    """
    for page in id_pages(db, _IDS[split]):
        yield from page


def _choose(db: Database, fraction: float) -> HoldOut:
    if fraction == 0:
        return HoldOut(0.0, "", 0, 0)
    digest = hashlib.sha256()
    counts = [0, 0]
    for part, pages in enumerate((_test_pages(db, fraction), _validation_pages(db, fraction))):
        for page in pages:
            counts[part] += len(page)
            digest.update("".join(f"{paper_id}\n" for paper_id in page).encode())
        digest.update(b"\n")
    return HoldOut(float(fraction), digest.hexdigest(), *counts)


def _test_pages(db: Database, fraction: float) -> Iterator[list[str]]:
    return _candidate_pages(db, 0.0, fraction)


def _validation_pages(db: Database, fraction: float) -> Iterator[list[str]]:
    return _candidate_pages(db, fraction, 2 * fraction)


def _candidate_pages(db: Database, least: float, below: float) -> Iterator[list[str]]:
    if below == 0:
        return iter(())
    return id_pages(
        db,
        "holdout/candidates",
        # draw / DRAW_PRIME < f holds exactly for the integers draw < ceil(f * DRAW_PRIME)
        **{
            "from": math.ceil(least * DRAW_PRIME),
            "below": math.ceil(below * DRAW_PRIME),
            "references": LEAST_REFERENCES,
        },
    )
