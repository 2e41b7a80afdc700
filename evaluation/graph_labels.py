"""The labels of a graph's papers, by scheme: what they may be classified by."""

from collections.abc import Sequence

from specter_graph.evaluation.scidocs.mesh import disease_classes
from specter_graph.graph.database import Database
from specter_graph.graph.evaluation_data import LabelledPaper, broader_fields


def labels_by_scheme(
    db: Database, papers: Sequence[LabelledPaper]
) -> dict[str, dict[str, list[str]]]:
    """By the name of a scheme of fields, or `venue`: each paper with its labels, in order.

    MeSH descriptors are told as the disease classes that they belong to, as in SciDocs.
    """
    labels = {"venue": {paper.id: sorted(paper.venues) for paper in papers}}
    for scheme in {of for paper in papers for of, _ in paper.fields}:
        labels[scheme] = {
            paper.id: sorted(name for of, name in paper.fields if of == scheme) for paper in papers
        }
    if "mesh" in labels:
        above = broader_fields(db, "mesh")
        labels["mesh"] = {
            paper: sorted(disease_classes(names, above)) for paper, names in labels["mesh"].items()
        }
    return dict(sorted(labels.items()))
