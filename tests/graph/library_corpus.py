"""Two communities on a line, one of quarks and one of neutrinos, in two spaces."""

import numpy as np

from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.reviewing.assignments import write_score_summary
from specter_graph.graph.reviewing.venue_data import write_submission_vectors
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Author, Citation, Field, Paper, PaperText, Venue
from specter_graph.loaders.review_records import Reviewer, Submission

# id: year, position in "specter" and "sgc", references, authors, venue, fields; s1, s2 are stubs
PAPERS = {
    "q1": (1990, 0.0, 8.0, "", "Ann", "V", "quarks"),
    "q2": (1995, 1.0, 6.0, "q1", "Ann Bob", "V", "quarks"),
    "q3": (2000, 2.0, 0.0, "q1 q2 s1", "Cara", "V", "quarks"),
    "q4": (2001, 3.0, 1.0, "q1 q2", "Dan Ann", "W", "quarks"),
    "t": (2002, 3.1, 9.0, "q1 q2", "Dan", "W", ""),
    "b": (2006, 6.0, 2.0, "q2 n2", "Hal Ann", "W", "quarks neutrinos"),
    "n1": (1991, 10.0, 4.0, "", "Eve", "W", "neutrinos"),
    "n2": (1996, 11.0, 3.0, "n1 s1 s2", "Eve Fay", "W", "neutrinos"),
    "n3": (2001, 12.0, 7.0, "n1 n2 q1", "Gus", "V", "neutrinos"),
}
BARE = Paper("bare", "Without a vector", year=2003, references=("q1",))
SUBMISSIONS = [
    Submission("1", "On gluons", None, ("Ann",), ("q2", "n1"), ("quarks", "neutrinos")),
    Submission("2", "On axions", None, (), ("q3",), ("neutrinos",)),
]
REVIEWERS = [Reviewer(name) for name in ("Ann", "Bob", "Cara", "Dan", "Eve", "Gus")]
TITLES = {"t": "on Q4"}
CONTEXTS = {
    ("q3", "q1"): "Quarks are confined [1].",
    ("q3", "q2"): "Gluons bind confined quarks [2].",
    ("b", "n2"): "Neutrinos oscillate [3].",
}


def load_library_corpus(graph):
    load_papers(graph, [*(_paper(id_) for id_ in PAPERS), BARE], rejects=None)
    for name, column in (("specter", 1), ("sgc", 2)):
        vectors = np.array([[row[column], 0.0] for row in PAPERS.values()], dtype=np.float32)
        record = EmbeddingSpace(name, "base", 2, "line", "line", digest=name, sees_edges=False)
        write_space(graph, record, list(PAPERS), vectors, ["0" * 16] * len(PAPERS))
    import_venue(
        graph, "V27", VenueRecords(submissions=SUBMISSIONS, reviewers=REVIEWERS, year=2003)
    )
    for name, places in (("specter", [[1, 1], [9, -3]]), ("sgc", [[2, 3], [4, 1]])):
        texts = [PaperText(each.id, each.title, None) for each in SUBMISSIONS]
        write_submission_vectors(graph, "V27", name, texts, np.array(places, np.float32), name)
    affinity = np.linspace(0, 1, 12, dtype=np.float32).reshape(2, 6)
    write_score_summary(graph, "V27", [each.id for each in SUBMISSIONS], affinity)


def place(text, _space):
    """Embed a text that begins with a number: its position on the line."""
    return np.array([float(text.split()[0]), 0.0], dtype=np.float32)


def _paper(paper):
    year, _, _, references, authors, venue, fields = PAPERS[paper]
    return Paper(
        id=paper,
        title=TITLES.get(paper, f"On {paper}"),
        year=year,
        venue=Venue(venue, f"Journal {venue}"),
        fields=tuple(Field("keyword", field, field) for field in fields.split()),
        authors=tuple(Author(name, name) for name in authors.split()),
        references=tuple(references.split()),
        citations=tuple(
            Citation(paper, cited, contexts=(CONTEXTS[paper, cited],))
            for cited in references.split()
            if (paper, cited) in CONTEXTS
        ),
    )
