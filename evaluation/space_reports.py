"""The arXiv protocol, and the structure, of the spaces of a graph."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.arxiv_protocol import (
    Related,
    anchors,
    relate_all,
    related_by_chance,
)
from specter_graph.evaluation.classification import classify
from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.graph_labels import labels_by_scheme
from specter_graph.evaluation.labelling import choose_classes, split_labels
from specter_graph.evaluation.measures import Floats
from specter_graph.evaluation.spaces import chosen_spaces, citation_facts, held_out_facts
from specter_graph.evaluation.splits import SHARE
from specter_graph.evaluation.structure import alignment, hubness, on_a_plane, uniformity
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import read_vectors, usual_holdout
from specter_graph.graph.evaluation_data import labelled_papers
from specter_graph.graph.split import HeldOutSplit

CHANCE = "(random)"

_PICTURED = 2_000  # labelled papers on the plane, at most: a picture with more is a blot


@dataclass(frozen=True, slots=True)
class Structure:
    """A space apart from any ranking; see `evaluation.structure`.

    `alignment` is over the citations of held-out papers, None where there are none or the space has
    seen them. Over papers
    with labels, None where there are no classes: `separability`, the macro F1 of a linear SVM on
    those of them that are for test, and the homogeneity and completeness of clusters on a plane.
    """

    papers: int
    hubness: float
    alignment: float | None
    uniformity: float
    separability: float | None
    homogeneity: float | None
    completeness: float | None


def relate_spaces(
    db: Database,
    names: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    k: int = 10,
    beta: float = 1.0,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[tuple[str, str], Related]:
    """Score spaces by the arXiv protocol: by space and distance, after the random predictor.

    Raises LeakError for a space that has seen citations of the held-out papers, and GraphError when
    there is no such space, or papers lack vectors.
    """
    spaces = chosen_spaces(db, names)
    facts = held_out_facts(db, spaces, split, holdout)
    asked = anchors(facts, seed)
    chance = related_by_chance(len(facts.candidates), asked, k=k, beta=beta, seed=seed)
    found = {(CHANCE, "-"): chance}
    for done, space in enumerate(spaces):
        progress("score spaces", done, len(spaces))
        queries, corpus = _split(
            space.property, Embeddings.of(*read_vectors(db, space.property)), facts
        )
        for kind, related in relate_all(queries, corpus, asked, k=k, beta=beta).items():
            found[space.property, kind] = related
    progress("score spaces", len(spaces), len(spaces))
    return found


def structure_of_spaces(
    db: Database,
    names: Sequence[str] | None = None,
    *,
    scheme: str | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, Structure]:
    """Describe spaces. Classes are the labels of a scheme, or venues (`scheme` "venue").

    By default the scheme is the one that gives most papers a class; see `labelling`. Of these up to
    2,000 are drawn for the plane and the SVM. Papers are held out under the smallest hold-out that
    one of the spaces was made under.
    """
    spaces = chosen_spaces(db, names)
    holdout = usual_holdout(spaces)
    facts = citation_facts(db, "test", holdout)
    classes = classes_of(db, scheme, seed)
    found = {}
    for done, space in enumerate(spaces):
        progress("describe spaces", done, len(spaces))
        vectors = Embeddings.of(*read_vectors(db, space.property))
        described = _structure(space.property, vectors, facts, classes, seed)
        aligned = described.alignment if space.hides(holdout) else None
        found[space.property] = replace(described, alignment=aligned)
    progress("describe spaces", len(spaces), len(spaces))
    return found


def _structure(
    name: str, vectors: Embeddings, facts: Facts, classes: dict[str, str], seed: int
) -> Structure:
    queries, corpus = _split(name, vectors, facts)
    pairs = [(i, place) for i, paper in enumerate(facts.papers) for place in paper.cites]
    aligned = None
    if pairs:
        citing, cited = np.array(pairs).T
        aligned = alignment(queries[citing], corpus[cited])
    shown = [paper for paper in classes if paper in vectors]
    plane = separable = None
    if len(set(classes.values())) > 1:
        labels = [classes[paper] for paper in shown]
        plane = on_a_plane(vectors.of_papers(shown), labels, seed=seed)
        separable = classify(split_labels(classes, {}, SHARE), vectors).measures["f1"].value()
    return Structure(
        papers=len(vectors.rows),
        hubness=hubness(corpus, seed=seed),
        alignment=aligned,
        uniformity=uniformity(corpus, seed),
        separability=separable,
        homogeneity=plane.homogeneity if plane else None,
        completeness=plane.completeness if plane else None,
    )


def _split(name: str, vectors: Embeddings, facts: Facts) -> tuple[Floats, Floats]:
    """The vectors of the held-out papers and of the candidates."""
    queries = [paper.id for paper in facts.papers]
    if missing := vectors.missing([*queries, *facts.candidates]):
        raise GraphError(
            f"{missing:,} papers have no vector in the space {name!r}",
            f"make the space again, or choose others: specter-graph embed --space {name}",
        )
    return vectors.of_papers(queries), vectors.of_papers(facts.candidates)


def classes_of(db: Database, scheme: str | None, seed: int) -> dict[str, str]:
    """Up to 2,000 papers with their classes, drawn; see `structure_of_spaces` for the scheme.

    Raises GraphError when no paper has a label of the scheme.
    """
    labels = labels_by_scheme(db, list(labelled_papers(db)))
    if scheme is not None and scheme not in labels:
        raise GraphError(f"no paper has a label of {scheme!r}; there are {', '.join(labels)}")
    chosen = {name: choose_classes(labels[name]) for name in ([scheme] if scheme else labels)}
    classes = max(chosen.values(), key=len)
    generator = np.random.default_rng(seed)
    drawn = generator.permutation(sorted(classes))[:_PICTURED]
    return {str(paper): classes[str(paper)] for paper in sorted(drawn)}
