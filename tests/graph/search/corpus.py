"""Three hundred papers on a line, with years, authors, fields, venues, texts and citations."""

import numpy as np

from specter_graph.cypher import statement
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Author, Field, Paper, Venue

SIZE = 300
TOPICS = ("quark", "neutrino", "lattice")


def paper(number: int) -> Paper:
    """Return the paper at position `number`; it cites the five previous papers of its topic."""
    topic = TOPICS[number % 3]
    before = [number - 3 * step for step in range(1, 6) if number >= 3 * step]
    return Paper(
        id=f"p{number}",
        title=f"On the {topic} of place {number}",
        abstract=f"Much is known. We study {topic}s here, case {number}. It is done.",
        year=1990 + number % 30,
        language="de" if number % 50 == 0 else "en",
        authors=(Author("a:rare", "R. Rare"),) if number % 89 == 5 else (),
        venue=Venue(
            "v:rare" if number % 97 == 5 else "v:plain", "Rare" if number % 97 == 5 else "P"
        ),
        fields=(Field("keyword", topic, topic.capitalize()),),
        references=tuple(f"p{each}" for each in before),
    )


def load_line(graph):
    """Load the papers; paper n has the position (n, 0) in the space "line"."""
    load_papers(graph, [paper(number) for number in range(SIZE)], rejects=None)
    vectors = np.array([[number, 0.0] for number in range(SIZE)], dtype=np.float32)
    record = EmbeddingSpace("line", "base", 2, "line", "line", digest="line", sees_edges=False)
    ids = [f"p{number}" for number in range(SIZE)]
    write_space(graph, record, ids, vectors, ["0" * 16] * SIZE)
    graph.read(statement("search/await_text").text)
