"""The hold-out: the papers whose citations no model sees, so that it can be scored on them.

The split is a function of each paper's draw, a hash of its id, and of nothing else: with a hold-out
of f, papers with draw / DRAW_PRIME < f are test papers, and those below 2 f are validation papers.
Nothing is written, so nothing can be lost or out of date. All held-out papers lose all their edges
in training; those with enough references are scored.
"""

import math
from collections.abc import Iterator
from typing import Literal

from specter_graph.core.errors import InputError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.paging import id_pages
from specter_graph.loaders.records import DRAW_PRIME

HeldOutSplit = Literal["validation", "test"]

HOLDOUT = 0.1
"""The default share of papers held out for test, and again for validation."""
MIN_REFERENCES = 5
"""A paper that is scored has at least so many references with a record."""
MAX_QUERIES = 3_000
"""The largest number of papers of a split that are scored."""


def held_out_below(fraction: float) -> int:
    """Return the draw below which papers are held out: `$held_out` in statements.

    Raises InputError unless 0 <= fraction < 0.5.
    """
    return split_draws("validation", fraction)[1]


def split_draws(split: HeldOutSplit, fraction: float) -> tuple[int, int]:
    """Return the smallest draw of a split, and the draw below which its papers are.

    Raises InputError unless 0 <= fraction < 0.5.
    """
    if not 0 <= fraction < 0.5:
        raise InputError(
            f"a hold-out of {fraction} cannot be made",
            "give a fraction from 0 to below 0.5: as many papers again are for validation",
        )
    # draw / DRAW_PRIME < share holds exactly for the integers draw < ceil(share * DRAW_PRIME)
    below = [math.ceil(share * DRAW_PRIME) for share in (0, fraction, 2 * fraction)]
    return (below[0], below[1]) if split == "test" else (below[1], below[2])


def training_ids(db: Database, fraction: float) -> Iterator[str]:
    """Stream the ids of the papers that have a record and are not held out, in order."""
    for page in id_pages(db, "triplets/training_ids", held_out=held_out_below(fraction)):
        yield from page


def query_ids(db: Database, split: HeldOutSplit, fraction: float) -> list[str]:
    """Return the ids of the papers of a split that are scored, in order.

    They have a record and MIN_REFERENCES references with one. A merged paper must be in the split
    with all the records that it is made of. Of more than MAX_QUERIES papers, a sample that depends
    on their ids alone.
    """
    smallest, below = split_draws(split, fraction)
    ids: list[str] = db.value(
        statement("triplets/queries").text,
        smallest=smallest,
        below=below,
        references=MIN_REFERENCES,
        limit=MAX_QUERIES,
    )
    return ids
