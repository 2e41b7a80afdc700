"""The split into training, validation and test papers.

The split depends only on the sample key of a paper, a hash of its id. With a hold-out of f, papers
with sample_key / SAMPLE_PRIME < f are test papers, and those below 2 f are validation papers. The
split is computed and not stored, so it cannot be lost or outdated. Training uses no citation from
or to a held-out paper. Held-out papers with enough references are scored.
"""

import math
from collections.abc import Iterator
from typing import Literal

from specter_graph.core.errors import InputError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.paging import id_pages
from specter_graph.loaders.records import SAMPLE_PRIME

HeldOutSplit = Literal["validation", "test"]

HOLDOUT = 0.1
"""The default share of papers held out for test, and again for validation."""
MIN_REFERENCES = 5
"""Minimum number of references with a record of a scored paper."""
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
        InputError: Not 0 <= fraction < 0.5.
    """
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
    for page in id_pages(db, "triplets/training_ids", held_out=held_out_below(fraction)):
        yield from page


def query_ids(db: Database, split: HeldOutSplit, fraction: float) -> list[str]:
    """Return the ids of the scored papers of a split, in order.

    They have a record and at least MIN_REFERENCES references with a record. All source records of a
    merged paper must be in the split. If there are more than MAX_QUERIES papers, a sample is
    returned that depends only on their ids.
    """
    smallest, below = split_keys(split, fraction)
    ids: list[str] = db.value(
        statement("triplets/queries").text,
        smallest=smallest,
        below=below,
        references=MIN_REFERENCES,
        limit=MAX_QUERIES,
    )
    return ids
