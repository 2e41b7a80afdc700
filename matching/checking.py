"""How well a space of the graph finds reviewers, judged by who wrote and cites new papers.

No ratings are needed (`proxy.reviewers`): each of the last papers should come nearest to its own
authors, by their earlier papers, then to those whom it cites, then to others. A space that has
learnt from citations is judged on papers that were held out from it alone.
"""

from collections.abc import Iterator

from specter_graph.core.errors import GraphError, LeakError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.split import query_ids
from specter_graph.loaders.records import Author, Paper
from specter_graph.matching.expertise import Expertise, evaluate_expertise
from specter_graph.matching.prediction import predict
from specter_graph.matching.proxy import Literature, reviewers, transposed

_PAGE = 2_000


def check_space(db: Database, name: str) -> Expertise:
    """Judge the affinities that vectors of a space give; loss 0.5 is chance.

    Raises GraphError where the graph has no such space or too little to judge by, LeakError for a
    space from which no citations were hidden.
    """
    space = find_space(db, name)
    if space.sees_edges and not space.holdout:
        raise LeakError(
            f"the space {name!r} has seen the citations that it would be judged by",
            "train and embed it again, or judge a space of texts alone: --space base",
        )
    proxy = reviewers(
        Literature(_papers(db)),
        only=set(query_ids(db, "test", space.holdout)) if space.sees_edges else None,
    )
    if not proxy.grades:
        raise GraphError(
            "no new paper is by an author of eight earlier ones and cites another such author",
            "load a corpus with years, authors and references",
        )
    ids, vectors = read_vectors(db, name)
    row = {paper: number for number, paper in enumerate(ids)}
    scores = predict(
        {paper: row[paper] for paper in proxy.grades if paper in row},
        {who: [row[paper] for paper in own if paper in row] for who, own in proxy.profiles.items()},
        vectors,
    )
    return evaluate_expertise(proxy.grades, transposed(scores))


def _papers(db: Database) -> Iterator[Paper]:
    text, after = statement("reviewing/literature").text, ""
    while rows := db.read(text, after=after, limit=_PAGE):
        for row in rows:
            yield Paper(
                row["id"],
                "",
                year=row["year"],
                published=row["published"],
                authors=tuple(Author(key, key) for key in row["authors"]),
                references=tuple(row["references"]),
            )
        after = rows[-1]["id"]
