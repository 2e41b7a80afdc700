"""SGC on an embedding space: smoothing over the citations of papers that are not held out."""

import json
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow.fs import LocalFileSystem, copy_files
from scipy import sparse

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.parts import Part, Parts, Workers, locate, read_part, write_part
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.graph_convolution import (
    make_unit,
    propagate,
    propagate_in_place,
    smoothing_matrix,
)
from specter_graph.evaluation.protocols.space_evaluation import validation_score
from specter_graph.graph.contents import corpus_fingerprint
from specter_graph.graph.database import Database, column_pages
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    get_space,
    read_vectors,
    refuse_other_kind,
    text_digest,
    text_parts,
    write_space,
)
from specter_graph.graph.split import held_out_below
from specter_graph.pipelines.vector_files import list_array, matrix_of

KS = range(1, 9)
"""The range of k (SPECTER, appendix A, 7)."""

_COLUMNS = 32
"""Dimensions per part: a lost worker loses one part."""
_ARRAYS = ("data", "indices", "indptr")
"""The arrays of a matrix in CSR format, and the names of their files."""


def citation_edges(db: Database, ids: Sequence[str], holdout: float) -> NDArray[np.int32]:
    """Read the citations among these papers: (2, m) positions of citing and cited papers in `ids`.

    Citations from or to held-out papers, and those of stubs, are omitted. The server sends a list
    of node numbers per paper, and NumPy converts them to positions.
    """
    position = {paper: place for place, paper in enumerate(ids)}
    nodes, places, degrees, cited = array("q"), array("i"), array("i"), array("q")
    for page in column_pages(db, "algorithms/citations", held_out=held_out_below(holdout)):
        for paper, node, references in zip(*page, strict=True):
            if (place := position.get(paper)) is not None:
                nodes.append(node)
                places.append(place)
                degrees.append(len(references))
                cited.extend(references)
    del position
    known, targets = np.asarray(nodes), np.asarray(cited)
    # Other nodes, such as held-out papers and stubs, have the position -1.
    place_of_node = np.full(max(known.max(initial=-1), targets.max(initial=-1)) + 1, -1, np.int32)
    place_of_node[known] = places
    targets = place_of_node[targets]
    del cited  # of a hundred million citations, it takes 0.8 GB
    edges = np.stack([np.repeat(np.asarray(places), degrees), targets])
    return edges[:, targets >= 0]


def smooth(
    db: Database,
    space: str,
    output_space: str,
    *,
    steps: int | None,
    holdout: float,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> tuple[EmbeddingSpace, list[tuple[int, float]]]:
    """Smooth the vectors of a space k times and write them as a space.

    Rows are scaled to length 1 after smoothing. Smoothing shrinks the vectors of papers whose
    neighbors differ, and a Euclidean distance would measure that instead of direction.

    Args:
        db: The graph.
        space: The space to smooth.
        output_space: The space to write.
        steps: Propagation steps, 1 to 8; None for the number with the best validation score.
        holdout: Share of papers whose citations are not used.
        workers: Processes that each smooth some of the dimensions; the result is the same. Their
            parts are in the folder `sgc-SPACE` of their storage until the vectors are written.
        progress: Called with the number of completed steps.

    Returns:
        The space, and the validation score of each k that was compared.

    Raises:
        GraphError: The graph has no such space, or no citations between its papers.
        LeakError: The space has seen citations that `holdout` hides.
        InputError: `steps` is not from 1 to 8, `output_space` is a space of another kind, or there
            are too few validation papers.
    """
    if steps is not None and steps not in KS:
        raise InputError(f"steps is {steps}", f"give a number from {KS[0]} to {KS[-1]}")
    ks = KS if steps is None else [steps]
    source = get_space(db, space)
    if output_space == space:
        raise InputError(
            f"SGC would replace the vectors of {space!r}, which it reads",
            "name another output_space for the smoothed vectors, such as sgc",
        )
    refuse_other_kind(db, output_space, "sgc")
    check_no_leakage([source], holdout)
    judge = validation_score(db, holdout) if steps is None else None
    progress("sgc", 0, len(ks) + 1)
    ids, smoothed = read_vectors(db, space)
    smoothing = smoothing_matrix(citation_edges(db, ids, holdout), len(ids))
    if smoothing.nnz == len(ids):  # only the diagonal
        raise GraphError(
            f"no paper with a vector in {space!r} cites another: SGC would change nothing",
            f"add references with `specter-graph enrich{db.option}`",
        )
    fingerprint = corpus_fingerprint(db)
    by_columns = None
    if workers:
        digest = sha256(np.ascontiguousarray(smoothed).data).hexdigest()
        identity = {"set of vectors": digest, "corpus": fingerprint, "hold-out": str(holdout)}
        parts = Parts(f"{workers.storage}/sgc-{output_space}", identity)
        by_columns = _ByColumns(parts, workers, smoothing, smoothed)
    tried: list[tuple[int, float]] = []
    best, vectors = ks[0], smoothed[:0]
    for done, (before, k) in enumerate(zip((0, *ks), ks, strict=False), 1):
        if by_columns:
            smoothed = by_columns(before, k)
        else:
            propagate_in_place(smoothing, smoothed, k - before)
        if k < ks[-1]:
            scaled = unit(smoothed)
        else:  # without a copy, because ten million vectors take gigabytes
            make_unit(smoothed)
            scaled = smoothed
        if judge:
            tried.append((k, judge(ids, scaled)))
        if len(tried) < 2 or tried[-1][1] > max(value for _, value in tried[:-1]):
            best, vectors = k, scaled
        progress("sgc", done, len(ks) + 1)
    record = smoothed_record(source, output_space, best, holdout, fingerprint)
    write_space(db, record, ids, vectors)
    if by_columns:
        by_columns.parts.remove()
    progress("sgc", len(ks) + 1, len(ks) + 1)
    return record, tried


@dataclass(frozen=True, slots=True)
class SmoothColumns:
    """The smoothing of a part with some dimensions of all papers, in a worker.

    The worker maps the matrix into its memory, and exchanges nothing with other workers.

    Attributes:
        folder: The folder of the parts and of the matrix.
        k: The smoothing steps of the result.
        steps: The steps from the given part to the result.
    """

    folder: str
    k: int
    steps: int
    uses_gpu: bool = False

    def open(self) -> Callable[[Part], Part]:
        """Open the matrix; one in an object store is copied to the disk first.

        The files of the copy are deleted as soon as they are mapped. Their space on the disk is
        free when the process ends, also if it is killed.
        """
        files, path = locate(self.folder)
        with TemporaryDirectory(prefix="specter-graph-") as copy:
            if not isinstance(files, LocalFileSystem):
                for name in _ARRAYS:
                    file = f"{name}.npy"
                    copy_files(f"{path}/{file}", f"{copy}/{file}", files, LocalFileSystem())
                path = copy
            arrays = [np.load(f"{path}/{name}.npy", mmap_mode="r") for name in _ARRAYS]
        n = len(arrays[-1]) - 1
        smoothing = sparse.csr_array(tuple(arrays), shape=(n, n), copy=False)

        def smooth_columns(part: Part) -> Part:
            features = matrix_of(read_part(self.folder, part)["features"])
            name = _name(self.k, part.name.rpartition("-")[2])
            return _write(self.folder, name, propagate(smoothing, features, self.steps))

        return smooth_columns


class _ByColumns:
    """Smoothing by workers: parts of `_COLUMNS` dimensions, for 0 steps and for each k."""

    def __init__(
        self, parts: Parts, workers: Workers, smoothing: sparse.csr_array, features: Vectors
    ) -> None:
        self.parts = parts
        self._workers = workers
        self._starts = [f"{start:05}" for start in range(0, features.shape[1], _COLUMNS)]
        files, path = locate(parts.folder)
        for name in _ARRAYS:
            with files.open_output_stream(f"{path}/{name}.npy") as file:
                np.save(file, getattr(smoothing, name))
        for start in self._starts:
            if (name := _name(0, start)) not in parts:
                columns = features[:, int(start) : int(start) + _COLUMNS]
                parts.record(_write(parts.folder, name, columns))

    def __call__(self, before: int, k: int) -> Vectors:
        """Return the features after k steps, (n, d), from those after `before` steps."""
        tasks = {_name(k, start): self.parts[_name(before, start)] for start in self._starts}
        work = SmoothColumns(self.parts.folder, k, k - before)
        for _ in self.parts.compute(tasks, work, self._workers):
            pass
        return np.hstack([matrix_of(table["features"]) for table in self.parts.tables(tasks)])


def _name(k: int, start: str) -> str:
    return f"{k}-{start}"


def _write(folder: str, name: str, features: Vectors) -> Part:
    return write_part(folder, name, pa.table({"features": list_array(features)}))


def smoothed_record(
    base: EmbeddingSpace, name: str, k: int, holdout: float, fingerprint: str
) -> EmbeddingSpace:
    """Describe the space that k rounds of SGC over the citations make of a base space.

    Free text is embedded by the base space's model: a text that cites nothing keeps its features.
    """
    sources = {"space": base.name, "k": k, "text_digest": text_digest(base)}
    sources["parts"] = text_parts(base)
    return EmbeddingSpace(
        name=name,
        kind="sgc",
        dimension=base.dimension,
        model=base.model,
        base=base.base,
        digest=sha256(f"sgc {k} {base.digest} {fingerprint} {holdout}".encode()).hexdigest(),
        revision=base.revision,
        pooling=base.pooling,
        document_prompt=base.document_prompt,
        query_prompt=base.query_prompt,
        holdout=holdout,
        learned_from=tuple(sorted({*base.learned_from, "citations"})),
        trained_on=fingerprint,
        sources=json.dumps(sources),
    )
