"""The group `graph.algorithms`, whose libraries take seconds to import."""

from specter_graph.graph.algorithms import centrality, fastrp, similarity, topics
from specter_graph.groups import Group, Method


class Algorithms(Group):
    """Graph algorithms on the server; each writes its results to the graph."""

    pagerank = Method(centrality.pagerank)
    communities = Method(centrality.communities)
    knn = Method(similarity.knn)
    similarity = Method(similarity.similarity)
    fastrp = Method(fastrp.fastrp)
    make_topics = Method(topics.make_topics)
    topics = Method(topics.list_topics)
