"""Small corpora for tests of hold-outs and triplets, and their true splits and citations."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import held_out_below
from specter_graph.loaders.records import SAMPLE_PRIME, Paper, sample_key


@dataclass(frozen=True)
class Truth:
    """Splits and citations computed from the records, by the definitions of docs/triplets.md.

    `test` and `validation` are the papers that are scored.
    """

    cites: dict[str, set[str]]
    fraction: float
    test: set[str]
    validation: set[str]

    def hides(self, paper: str) -> bool:
        """Return True if a paper or a stub is held out."""
        return sample_key(paper) / SAMPLE_PRIME < 2 * self.fraction

    @property
    def training(self) -> set[str]:
        return {paper for paper in self.cites if not self.hides(paper)}

    def references(self, query: str) -> set[str]:
        return self.cites[query] & self.training

    def linked(self) -> dict[str, set[str]]:
        """Return, by training paper, the training papers that it cites or that cite it."""
        linked = {paper: self.references(paper) for paper in self.training}
        for paper in self.training:
            for cited in self.references(paper):
                linked[cited] = linked[cited] | {paper}
        return linked

    def hard_negatives(self, query: str) -> set[str]:
        second = {paper for first in self.references(query) for paper in self.references(first)}
        return second - self.cites[query] - {query}

    def negatives(self, query: str) -> set[str]:
        return self.training - self.cites[query] - {query}


def truth(papers: Iterable[Paper], fraction: float) -> Truth:
    papers = list(papers)
    cites = {paper.id: {*paper.references} - {paper.id} for paper in papers}
    fit = [paper for paper, cited in cites.items() if len(cited & {*cites}) >= 5]
    return Truth(
        cites,
        fraction,
        test={paper for paper in fit if sample_key(paper) / SAMPLE_PRIME < fraction},
        validation={p for p in fit if fraction <= sample_key(p) / SAMPLE_PRIME < 2 * fraction},
    )


@st.composite
def corpora(draw_from: st.DrawFn, largest: int = 16) -> list[Paper]:
    """Return corpora of papers that cite each other, themselves and stubs, in any pattern."""
    size = draw_from(st.integers(1, largest))
    known = [f"paper {number}" for number in range(size)]
    citable = st.sampled_from([*known, "stub 1", "stub 2"])
    lists = st.lists(citable, unique=True, max_size=largest)
    return [Paper(id, f"title of {id}", references=tuple(draw_from(lists))) for id in known]


def random_papers(size: int, references: int, seed: int = 0) -> list[Paper]:
    """Return papers that cite earlier ones; one reference in ten is a stub."""
    rng = random.Random(seed)
    papers = []
    for number in range(size):
        earlier = [f"p{rng.randrange(number)}" for _ in range(references if number else 0)]
        stubs = [f"stub {rng.randrange(size)}" for _ in range(references // 10)]
        cited = tuple(dict.fromkeys(earlier + stubs))
        papers.append(Paper(f"p{number}", f"title {number}", references=cited))
    return papers


def reload(database: Database, papers: Iterable[Paper]) -> None:
    """Replace the content of the database with these papers."""
    database.commit("MATCH (n:!Schema) CALL (n) { DETACH DELETE n } IN TRANSACTIONS")
    load_papers(database, papers)


def held_out_ids(database: Database, fraction: float) -> set[str]:
    """Return the held-out papers with records, scored or not."""
    rows = database.read(
        "MATCH (p:Paper&!Stub) WHERE p.sample_key < $below RETURN p.id AS id",
        below=held_out_below(fraction),
    )
    return {row["id"] for row in rows}
