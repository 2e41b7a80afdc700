"""Draw hard negatives of citations without papers that are cited together with the query."""

from specter_graph.core.triplet_settings import CitationTriplets
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources.path_sources import CitationSource
from specter_graph.loaders.records import Paper
from tests.graph.citation_graphs import random_papers, reload, truth
from tests.graph.triplets.sources.reference_counts import by_query, co_citations, rows

PAPERS = random_papers(200, 6)
EXCLUDING = CitationTriplets(exclude_cocited=True)


def test_hard_negatives_are_not_cited_together_with_the_query_by_a_training_paper(graph: Database):
    reload(graph, PAPERS)
    result = by_query(rows(mine_triplets(graph, EXCLUDING)))
    facts = truth(PAPERS, 0.1)
    cocited = co_citations(facts)
    left_out = 0
    for query, triplets in result.items():
        allowed = facts.hard_negatives(query) - {*cocited[query]}
        hard = {negative for _, _, negative, is_hard in triplets if is_hard}
        assert hard <= allowed
        assert len(hard) == min(2, len(allowed))
        left_out += len(facts.hard_negatives(query)) - len(allowed)
    assert left_out > 100
    assert rows(mine_triplets(graph)) != rows(mine_triplets(graph, EXCLUDING))


def test_a_paper_that_many_references_cite_is_drawn_as_often_as_any_other(graph: Database):
    """The query q cites a to f; five of them cite x, the sixth cites y."""
    papers = [Paper(name, name, references=("x",)) for name in "abcde"]
    papers += [Paper("f", "f", references=("y",)), Paper("x", "x"), Paper("y", "y")]
    load_papers(graph, [Paper("q", "q", references=tuple("abcdef")), *papers])

    def share(**settings: bool) -> float:
        source = CitationTriplets(hard=1, **settings)
        drawn = [CitationSource(graph, source, seed, 0).find(["q"])[0].hard for seed in range(200)]
        return drawn.count(["x"]) / 200

    assert 0.4 < share(exclude_cocited=True) < 0.6
    assert share() > 0.7
