"""The group `graph.algorithms`, whose libraries take seconds to import."""

from specter_graph.graph.algorithms import centrality
from specter_graph.graph.algorithms import fastrp as random_projection
from specter_graph.graph.algorithms import similarity as similar_papers
from specter_graph.graph.algorithms import topics as clusters
from specter_graph.groups import Group, Method


class Algorithms(Group):
    """Graph algorithms on the server; each writes its results to the graph."""

    pagerank = Method(centrality.pagerank)
    communities = Method(centrality.communities)
    knn = Method(similar_papers.knn)
    similarity = Method(similar_papers.similarity)
    fastrp = Method(random_projection.fastrp)
    find_topics = Method(clusters.find_topics)
    list_topics = Method(clusters.list_topics)
