"""Which of several records of one thing counts: always the same, in any order."""

from hashlib import blake2b

import orjson

from specter_graph.loaders.records import Citation, Paper

_LENGTH_BITS, _DIGEST_BITS = 24, 37
"""With 2 bits above them 63: Neo4j's integers have a sign. 16 MB and more are equally long."""

_MOST_ELSEWHERE = 3


def rank(record: Paper | Citation) -> int:
    """How much a record tells: what it does not leave to be told elsewhere, then its length.

    The length is that of its canonical JSON text in bytes; a digest of it follows, all in one
    integer. Of two records of a paper the one of greater rank counts; two of equal rank say the
    same, but for one chance in 2^37 if they are equally long.
    """
    text = orjson.dumps(_values(record) if isinstance(record, Paper) else record)
    digest = int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> (64 - _DIGEST_BITS)
    length: int = min(len(text), 2**_LENGTH_BITS - 1)
    elsewhere = len(record.elsewhere) if isinstance(record, Paper) else 0
    return ((_MOST_ELSEWHERE - elsewhere) << _LENGTH_BITS | length) << _DIGEST_BITS | digest


def _values(paper: Paper) -> tuple[object, ...]:
    """All that a record says, without the names: three times as fast as orjson's own way."""
    return (
        *(paper.id, paper.title, paper.abstract, paper.year, paper.published, paper.language),
        *(paper.url, paper.source, paper.body, paper.retracted),
        [(each.scheme, each.value) for each in paper.identifiers],
        [(a.id, a.name, a.identified, a.orcid, a.affiliations) for a in paper.authors],
        paper.venue and (paper.venue.id, paper.venue.name),
        [(each.scheme, each.id, each.name, each.broader) for each in paper.fields],
        paper.references,
        paper.citations,
        paper.elsewhere,
    )


def length_of(rank: int) -> int:
    """The length, in bytes, of a record of this rank."""
    length: int = (rank >> _DIGEST_BITS) & (2**_LENGTH_BITS - 1)
    return length
