"""Graph algorithms as a habit: ranks, communities, neighbours, embeddings, topics.

In: a database, and what the algorithm is to work on. Out: properties, relationships, embedding
spaces or topics in the graph, and a summary of what was written. The Graph Data Science library of
the server does the work, on a projection of its own that is dropped again whatever happens.
"""

from specter_graph.graph.algorithms.centrality import Written, communities, pagerank
from specter_graph.graph.algorithms.embeddings import ALGORITHMS, make_space
from specter_graph.graph.algorithms.similarity import knn, similarity
from specter_graph.graph.algorithms.topics import Topic, make_topics, topics

__all__ = [
    "ALGORITHMS",
    "Topic",
    "Written",
    "communities",
    "knn",
    "make_space",
    "make_topics",
    "pagerank",
    "similarity",
    "topics",
]
