"""Which of several records of one thing counts: always the same, in any order."""

from hashlib import blake2b

import orjson

from specter_graph.loaders.records import Citation, Paper

_LENGTH_BITS, _DIGEST_BITS = 24, 39
"""63 in all: Neo4j's integers have a sign. Records of 16 MB and more count as equally long."""


def rank(record: Paper | Citation) -> int:
    """Length of the record's canonical JSON text in bytes, then a digest of it, in one integer.

    Of two records of a paper the one of greater rank counts; two of equal rank say the same, but
    for one chance in 2^39 if they are equally long.
    """
    text = orjson.dumps(record)
    digest = int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> (64 - _DIGEST_BITS)
    length: int = min(len(text), 2**_LENGTH_BITS - 1)
    return length << _DIGEST_BITS | digest


def length_of(rank: int) -> int:
    """The length, in bytes, of a record of this rank."""
    return rank >> _DIGEST_BITS
