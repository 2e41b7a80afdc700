"""Triplets from SPECTER's published training data, without a graph.

data.json gives for each query its related papers with a count: 5 for a paper that the query cites
and 1 for a paper that such a paper cites, or a number of common views. The sampling follows the
SPECTER repository (specter/data_utils/triplet_sampling.py): in a triplet with a hard negative, the
counts of the positive and the negative differ by more than half of the range of the query's counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from specter_graph.core.atomic_files import read_ids
from specter_graph.core.errors import InputError
from specter_graph.core.progress import batches
from specter_graph.graph.triplets.sampler import NegativePool, draw_triplets
from specter_graph.graph.triplets.sources.candidates import Candidates, Stream, query_rng
from specter_graph.graph.triplets.triplet_files import write_triplets
from specter_graph.loaders.formats.s2_scidocs import read_keys, read_related
from specter_graph.loaders.records import sample_key

_BATCH = 1_000  # queries per record batch
_MARGIN = 0.5


@dataclass(slots=True)
class SpecterDataReport:
    """Counts of the triplets of a data.json; complete when all batches have been read.

    Attributes:
        queries: Queries with triplets.
        triplets: All triplets.
        hard: Triplets with a hard negative.
        skipped: Queries without triplets: their counts differ by at most one.
        missing: Queries of the file of queries that are not in data.json.
    """

    queries: int = 0
    triplets: int = 0
    hard: int = 0
    skipped: int = 0
    missing: int = 0


class SpecterDataTriplets:
    """The triplets of a data.json, as Arrow record batches like those of a graph.

    Iterating reads the file as a stream.

    Attributes:
        report: The counts of the last iteration.
    """

    def __init__(
        self,
        data: Path | str,
        queries: Path | str | None = None,
        *,
        per_query: int = 5,
        hard: int = 2,
        seed: int = 0,
    ) -> None:
        """Prepare the sampling.

        Args:
            data: SPECTER's data.json. Easy negatives are drawn from the papers of metadata.json in
                the same folder, or, without it, from all papers of data.json.
            queries: File with one query per line, such as train.txt; by default all queries.
            per_query: Triplets per query.
            hard: Triplets per query with a hard negative.
            seed: Random seed.

        Raises:
            InputError: A file cannot be read.
        """
        self.report = SpecterDataReport()
        self._data, self._per_query, self._hard, self._seed = Path(data), per_query, hard, seed
        self._queries = _read_queries(Path(queries)) if queries else None

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        report = self.report = SpecterDataReport()
        pool = NegativePool(batches(sorted(self._read_papers()), _BATCH), self._seed)
        read, wanted = 0, self._queries
        queries = (each for each in read_related(self._data) if wanted is None or each[0] in wanted)
        for part in batches(queries, _BATCH):
            candidates = [each for query in part if (each := self._select_candidates(*query))]
            mined = draw_triplets(candidates, pool, self._per_query)
            read += len(part)
            report.queries += mined.queries
            report.skipped += len(part) - mined.queries
            report.hard += mined.hard
            report.triplets += mined.rows.num_rows
            yield mined.rows
        report.missing = 0 if wanted is None else len(wanted) - read

    def write(self, path: Path | str) -> Path:
        """Write the triplets into a file: .parquet, .jsonl, .jsonl.gz or .jsonl.zst.

        Raises:
            InputError: The suffix is unknown, the folder does not exist, or an input file cannot
                be read.
        """
        return write_triplets(self, path)

    def _read_papers(self) -> set[str]:
        metadata = self._data.with_name("metadata.json")
        if metadata.is_file():
            return set(read_keys(metadata))
        return {paper for query, related in read_related(self._data) for paper in (query, *related)}

    def _select_candidates(self, query: str, related: dict[str, int]) -> Candidates | None:
        """Return the candidates of a query; None if its counts differ by at most one."""
        counts = np.array(list(related.values()), np.int64)
        spread = np.ptp(counts) if len(counts) else 0
        if spread <= 1:
            return None
        papers, margin, key = list(related), _MARGIN * spread, sample_key(query)
        generator = query_rng(self._seed, Stream.SPECTER_DATA, key)

        hard = generator.permutation(np.flatnonzero(counts < counts.max() - margin))[: self._hard]
        # A hard negative needs a positive that is related closely enough.
        positives = [
            generator.choice(np.flatnonzero(counts > counts[place] + margin)) for place in hard
        ]
        closest = generator.permutation(np.flatnonzero(counts > counts.min() + margin))
        positives += list(np.resize(closest, self._per_query - len(hard)))
        return Candidates(
            query,
            key,
            [papers[place] for place in positives],
            [papers[place] for place in hard],
            related,
        )


def _read_queries(path: Path) -> set[str]:
    """Read a file with one SHA per line."""
    queries = {f"s2:{sha}" for sha in read_ids(path)}
    if not queries:
        raise InputError(f"{path} contains no query", "write one paper id per line")
    return queries
