"""SGC on an embedding space: smoothing over the citations of papers that are not held out."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.graph_convolution import sgc
from specter_graph.graph.algorithms.citation_edges import citation_edges
from specter_graph.graph.contents import corpus_fingerprint
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import property_name
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    find_space,
    get_space,
    read_vectors,
    text_digest,
    text_parts,
    write_space,
)

KS = range(1, 9)
"""The range of k (SPECTER, appendix A, 7)."""

Judge = Callable[[Sequence[str], Vectors], float]
"""A function that scores vectors (n, d) of papers on the validation set; higher is better."""


def smooth(
    db: Database,
    space: str,
    output_space: str,
    ks: Sequence[int],
    *,
    holdout: float,
    validate: Callable[[], Judge] | None = None,
    progress: Progress = silent,
) -> tuple[EmbeddingSpace, list[tuple[int, float]]]:
    """Smooth the vectors of a space k times and write them as a space.

    Rows are scaled to length 1 after smoothing. Smoothing shrinks the vectors of papers whose
    neighbors differ, and a Euclidean distance would measure that instead of direction.

    Args:
        db: The graph.
        space: The space to smooth.
        output_space: The space to write.
        ks: Numbers of propagation steps, ascending; the validation score selects one of several.
        holdout: Share of papers whose citations are not used.
        validate: Returns the validation function.
        progress: Called with the number of completed steps.

    Returns:
        The space, and the validation score of each k.

    Raises:
        GraphError: The graph has no such space.
        LeakError: The space has seen citations that `holdout` hides.
        InputError: `output_space` is a space of another kind.
    """
    source = get_space(db, space)
    _refuse_to_overwrite(db, output_space, space)
    check_no_leakage([source], holdout)
    judge = validate() if validate else None
    progress("sgc", 0, len(ks) + 1)
    ids, smoothed = read_vectors(db, space)
    edges = citation_edges(db, ids, holdout)
    tried: list[tuple[int, float]] = []
    best, vectors = ks[0], smoothed
    for done, (before, k) in enumerate(zip((0, *ks), ks, strict=False), 1):
        smoothed = sgc(smoothed, edges, k - before)
        scaled = unit(smoothed)
        if judge:
            tried.append((k, judge(ids, scaled)))
        if len(tried) < 2 or tried[-1][1] > max(value for _, value in tried[:-1]):
            best, vectors = k, scaled
        progress("sgc", done, len(ks) + 1)
    record = smoothed_record(source, output_space, best, holdout, corpus_fingerprint(db))
    write_space(db, record, ids, vectors)
    progress("sgc", len(ks) + 1, len(ks) + 1)
    return record, tried


def smoothed_record(
    base: EmbeddingSpace, name: str, k: int, holdout: float, fingerprint: str
) -> EmbeddingSpace:
    """Describe the space that k rounds of SGC over the citations make of a base space.

    Free text is embedded by the base space's model: a text that cites nothing keeps its features.
    """
    sources = {"space": base.property, "k": k, "text_digest": text_digest(base)}
    sources["parts"] = text_parts(base)
    return EmbeddingSpace(
        property=name,
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


def _refuse_to_overwrite(db: Database, output_space: str, space: str) -> None:
    property_name(output_space)
    stored = find_space(db, output_space)
    if output_space == space or (stored and stored.kind != "sgc"):
        raise InputError(
            f"the space {output_space!r} holds vectors of a model, which SGC would replace",
            "name another space for the smoothed vectors: --output-space sgc",
        )
