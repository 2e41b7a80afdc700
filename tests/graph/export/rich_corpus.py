"""Papers that use every part of the data model, with texts that are difficult to export."""

import numpy as np

from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import (
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Labels,
    Paper,
    Reading,
    Venue,
)

NASTY = (
    "A \"quoted\", back\\slash;\nnew line\r\n\ttab & a < b > c {brace ]]> 50% #1 ~ ^ é漢😀 -- ''"
)

ITEMS = [
    Paper(
        "a",
        NASTY,
        abstract=f"First.\n\nThen: {NASTY}",
        year=1999,
        published="1999-07-02",
        language="en",
        url="https://example.org/a?b=1&c={d}",
        source="openalex",
        body="All\x1fof it.",
        retracted=True,
        identifiers=(
            Identifier("doi", "10.1234/x_y"),
            Identifier("arxiv", "hep-ph/9901001"),
            Identifier("pmid", "17"),
        ),
        authors=(
            Author(
                "A1",
                'Zoë "Z" Ångström',
                identified=True,
                orcid="0000-0002-1825-0097",
                affiliations=(Affiliation("ror:1", "CERN; Geneva"), Affiliation("ror:2", "DESY")),
            ),
            Author("A2", "Smith and Sons"),
        ),
        venue=Venue("V1", "J. of A & B"),
        fields=(Field("mesh", "D1", "Disease", broader=("D0",)), Field("keyword", "k", "k")),
        references=("b", "c", "unread"),
        citations=(
            Citation("a", "b", ("method", "result"), True, (NASTY, "Second; context.")),
            Citation("a", "c", influential=False),
        ),
    ),
    Paper("b", "On b", year=2001, fields=(Field("keyword", "k", "k"),), references=("c",)),
    Paper("c", "On c: $x_i^2$ costs $5 and $6", authors=(Author("A1", "Z. A.", identified=True),)),
    Paper("d e/f", "Alone", venue=Venue("V2", "K")),
    Field("mesh", "D0", "All diseases"),
    Citation("b", "d e/f", contexts=("told apart",)),
    Labels("c", (Field("mesh", "D1", "Disease"),)),
]
READING = Reading("reader 1", "a", "SAVED", "2020", "s")


def load_rich_corpus(graph: Database) -> None:
    load_papers(graph, ITEMS)


def write_places(graph: Database, name: str = "specter") -> None:
    """Write a space of two dimensions for all papers but the last."""
    record = EmbeddingSpace(name, "base", 2, "line", "line", digest=name, sees_edges=False)
    vectors = np.array([[0.5, 1], [1.5, 2], [2.5, 3]], dtype=np.float32)
    write_space(graph, record, ["a", "b", "c"], vectors, ["1" * 16, "2" * 16, "3" * 16])
