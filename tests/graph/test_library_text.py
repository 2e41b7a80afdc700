"""Run a query that takes a text with a real model."""

from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.loading.loader import load_papers
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Paper

SUN = Paper("sun", "Neutrinos from the sun", references=("mass",))
PAPERS = [SUN, Paper("mass", "Masses of leptons"), Paper("jet", "Jets of quarks and gluons")]


def test_a_text_is_embedded_by_the_model_of_the_space(graph):
    load_papers(graph, PAPERS)
    embed(graph, Encoder.base(), "base")
    given = {"text": "Electron neutrinos reach us from the sun.", "candidates": 1}
    answer = LiteratureGraph(graph.driver, graph.name).query(
        "seminal_papers", **given, space="base"
    )
    assert [row["id"] for row in answer.rows] == ["mass"]
