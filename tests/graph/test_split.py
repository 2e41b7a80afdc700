"""Whatever happens to the graph, no paper is scored on citations that training has seen."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from hypothesis import given, settings

from specter_graph.core.errors import InputError, LeakError
from specter_graph.core.triplet_settings import CitationTriplets, CooccurrenceTriplets
from specter_graph.graph import split
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    get_space,
    record_space,
    usual_holdout,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import delete_corpus, delete_papers
from specter_graph.graph.schema import apply_schema
from specter_graph.graph.split import held_out_below, query_ids, training_ids
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.loaders.records import SAMPLE_PRIME, Identifier, Paper, sample_key
from specter_graph.pipelines.sgc import citation_edges
from tests.graph.canonical import canonical
from tests.graph.citation_graphs import corpora, held_out_ids, random_papers, reload, truth
from tests.graph.deduplication.old_layout import downgrade

PAPERS = random_papers(300, 8)
FRACTIONS = (0.1, 0.2)
SOURCES = [
    CitationTriplets(hard=0),
    *(CooccurrenceTriplets(source=name) for name in ("co_citation", "coupling")),
]


@settings(max_examples=10)
@given(papers=corpora())
def test_the_splits_are_those_of_the_definition(graph: Database, papers: list[Paper]):
    reload(graph, papers)
    expected = truth(papers, 0.3)
    assert list(training_ids(graph, 0.3)) == sorted(expected.training)
    assert query_ids(graph, "test", 0.3) == sorted(expected.test)
    assert query_ids(graph, "validation", 0.3) == sorted(expected.validation)


def test_without_a_hold_out_all_papers_are_for_training(graph: Database):
    load_papers(graph, PAPERS)
    assert list(training_ids(graph, 0)) == sorted(paper.id for paper in PAPERS)
    assert query_ids(graph, "test", 0) == query_ids(graph, "validation", 0) == []


@pytest.mark.parametrize("fraction", [-0.1, 0.5, 1.0, float("nan")])
def test_an_impossible_fraction_is_refused(graph: Database, fraction: float):
    for refused in (query_ids, lambda db, _, f: training_ids(db, f).__next__()):
        with pytest.raises(InputError, match="out of range"):
            refused(graph, "test", fraction)


def test_an_even_sample_of_papers_is_scored_in_any_order_of_loading(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    load_papers(graph, PAPERS)
    every = query_ids(graph, "test", 0.4)
    monkeypatch.setattr(split, "MAX_QUERIES", 40)
    sample = query_ids(graph, "test", 0.4)
    assert len(sample) == 40 < len(every)
    assert {*sample} < {*every}
    mean = sum(map(sample_key, sample)) / 40 / SAMPLE_PRIME
    assert mean == pytest.approx(0.2, abs=0.06)  # the 40 smallest keys have a mean below 0.1
    reload(graph, PAPERS[::-1])
    assert query_ids(graph, "test", 0.4) == sample


# --- No order of loading, deleting, merging, training and scoring leaks -----------------------

TWINS = 120
"""Papers that the corpus B has too, with other ids and references."""


def two_corpora() -> tuple[list[Paper], list[Paper]]:
    """Return papers of A, and papers of B that share identifiers with them or cite them."""
    a, b = [], []
    rng = random.Random(1)
    for number in range(300):
        same = (Identifier("doi", f"10.1/{number}"),) if number < TWINS else ()
        for corpus, papers in (("A", a), ("B", b)):
            known = [f"{corpus}:{each}" for each in range(number)]
            cited = [*rng.sample(known, min(9, number)), f"doi:10.1/{rng.randrange(TWINS)}"]
            key = f"{corpus}:{number}"
            papers.append(Paper(key, key, source=corpus, identifiers=same, references=tuple(cited)))
    return a, b[:TWINS]


A, B = two_corpora()


@dataclass
class Sightings:
    """Citations that training sees and queries of the evaluation, by hold-out, for one graph state.

    Merged papers are replaced with their records, so that states can be compared.
    """

    seen: dict[float, set[str]]
    scored: dict[float, set[str]]

    @classmethod
    def of(cls, graph: Database) -> "Sightings":
        members: dict[str, set[str]] = defaultdict(set)
        for row in graph.read(
            "MATCH (m:SourceRecord)-[:DESCRIBES]->(p) RETURN m.id AS id, p.id AS paper"
        ):
            members[row["paper"]].add(row["id"])

        def records(papers: set[str]) -> set[str]:
            return set().union(*(members.get(paper, {paper}) for paper in papers))

        return cls(
            {fraction: records({*papers_seen(graph, fraction)}) for fraction in FRACTIONS},
            {fraction: records({*query_ids(graph, "test", fraction)}) for fraction in FRACTIONS},
        )


def papers_seen(graph: Database, fraction: float) -> Iterator[str]:
    """Return both ends of every citation and co-citation that training can learn from."""
    titles = {text.title: text.id for text in paper_texts(graph)}
    for text in paper_texts(graph, parts=["references"], holdout=fraction):
        if text.references:
            yield text.id
            yield from (titles[title] for title in text.references)
    ids = sorted(titles.values())
    yield from (ids[place] for place in citation_edges(graph, ids, fraction).ravel())
    for source in SOURCES:
        for batch in mine_triplets(graph, source, holdout=fraction):
            yield from (*batch["query"].to_pylist(), *batch["positive"].to_pylist())


def interrupted(graph: Database, step: Callable[[Database], object]) -> None:
    """Interrupt a step before it merges papers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "specter_graph.graph.deduplication.merge.combine_groups",
            lambda *_: (_ for _ in ()).throw(KeyboardInterrupt),
        )
        with pytest.raises(KeyboardInterrupt):
            step(graph)


def test_no_scored_paper_has_an_edge_in_training_after_any_changes(graph: Database):
    load_papers(graph, A)
    loaded = canonical(graph)
    states = [Sightings.of(graph)]
    tests = query_ids(graph, "test", 0.1)

    delete_papers(graph, tests)
    states.append(Sightings.of(graph))
    load_papers(graph, A)
    assert canonical(graph) == loaded
    states.append(Sightings.of(graph))

    load_papers(graph, B)
    separate = canonical(graph)
    states.append(Sightings.of(graph))
    for prefer in (["A"], ["B"]):  # citations in either direction
        interrupted(graph, lambda db, prefer=prefer: merge(db, prefer=prefer))
        states.append(Sightings.of(graph))
        merge(graph, prefer=prefer)
        merged = canonical(graph)
        load_papers(graph, [*A, *B])
        assert canonical(graph) == merged
        states.append(Sightings.of(graph))
    delete_corpus(graph, "B")
    states.append(Sightings.of(graph))
    load_papers(graph, B)
    graph.write("MATCH (r:MergeRules) DELETE r")
    assert canonical(graph) == separate
    states.append(Sightings.of(graph))

    assert len(states[-2].scored[0.1]) > 10
    for trained in states:
        assert len(trained.seen[0.2]) > 100
        for scored in states:
            assert not trained.seen[0.1] & scored.scored[0.1]
            # A space with a larger hold-out may be scored with a smaller one.
            assert not trained.seen[0.2] & (scored.scored[0.1] | scored.scored[0.2])


def test_two_hold_outs_do_not_affect_each_other_and_write_nothing(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    load_papers(graph, PAPERS)
    before = canonical(graph)
    for name in ("write", "commit", "transaction"):
        monkeypatch.delattr(Database, name)

    def mined(fraction: float) -> set[str]:
        return {
            paper
            for batch in mine_triplets(graph, holdout=fraction)
            for paper in (*batch["query"].to_pylist(), *batch["positive"].to_pylist())
        }

    with ThreadPoolExecutor(4) as threads:
        result = list(threads.map(mined, [0.1, 0.2, 0.1, 0.2]))
    for papers, fraction in zip(result, [0.1, 0.2, 0.1, 0.2], strict=True):
        assert papers
        assert not papers & held_out_ids(graph, fraction)
        assert not papers & {*query_ids(graph, "test", 0.1)}
    assert canonical(graph) == before


def test_a_merged_paper_is_hidden_with_any_of_its_records_and_scored_with_all(graph: Database):
    load_papers(graph, [*A, *B])
    merge(graph)
    below = held_out_below(0.1)  # the sample keys of the test papers of 0.2
    keys: dict[str, list[int]] = defaultdict(list)
    for row in graph.read(
        "MATCH (m:SourceRecord)-[:DESCRIBES]->(p) RETURN p.id AS id, m.sample_key AS sample_key"
    ):
        keys[row["id"]].append(row["sample_key"])
    rows = graph.read(
        "MATCH (p:Paper)<-[:DESCRIBES]-() RETURN DISTINCT p.id AS id, p.sample_key AS sample_key"
    )
    assert {row["id"]: row["sample_key"] for row in rows} == {
        paper: min(each) for paper, each in keys.items()
    }
    mixed = {paper for paper, each in keys.items() if min(each) < below <= max(each)}
    inside = {paper for paper, each in keys.items() if max(each) < below}
    scored = {*query_ids(graph, "test", 0.2)}
    assert mixed
    assert not mixed & scored
    assert not mixed & {*training_ids(graph, 0.1)}
    assert inside & scored


# --- Which spaces may be scored ---------------------------------------------------------------


def created(name: str, holdout: float, *, sees_edges: bool = True) -> EmbeddingSpace:
    return EmbeddingSpace(name, "head", 2, "m", "m", "d", sees_edges=sees_edges, holdout=holdout)


def test_a_space_leaks_when_less_was_hidden_from_it_than_it_is_scored_on():
    text, tuned = created("text", 0, sees_edges=False), created("tuned", 0.1, sees_edges=False)
    less, more, all_seen = created("less", 0.1), created("more", 0.2), created("all_seen", 0)
    assert usual_holdout([text]) == 0.1
    assert usual_holdout([text, all_seen, more]) == 0.2
    assert usual_holdout([less, more]) == 0.1
    check_no_leakage([text, tuned, less, more], 0.1)
    with pytest.raises(LeakError) as refused:
        check_no_leakage([text, tuned, less, more, all_seen], 0.2)
    assert "'tuned' (hold-out 0.1), 'less' (hold-out 0.1), 'all_seen' (hold-out 0)" in (
        refused.value.message
    )
    assert "with holdout 0.2" in refused.value.hint


def test_loading_papers_invalidates_no_space(graph: Database):
    load_papers(graph, PAPERS[:150])
    scored = {*query_ids(graph, "test", 0.1)}
    load_papers(graph, PAPERS[150:])
    assert scored < {*query_ids(graph, "test", 0.1)}


def test_a_graph_of_an_earlier_version_is_converted_and_its_spaces_are_refused(graph: Database):
    load_papers(graph, [*A, *B])
    merge(graph)
    after = canonical(graph)
    downgrade(graph)
    graph.write("MATCH (m:Merged)-[:INTO]->(p) WHERE m.id = p.id SET p.draw = m.draw")
    graph.write("MATCH (p:Paper) WHERE p.draw < 300000000 SET p:Test")
    graph.write("MATCH (p:Paper) WHERE 300000000 <= p.draw < 600000000 SET p:Validation")
    graph.write("CREATE (:HoldOut {name: 'holdout', fraction: 0.1, digest: 'x'})")
    graph.write("MATCH (s:Schema {version: 7}) DELETE s")
    apply_schema(graph)
    assert canonical(graph) == after

    for name, sees_edges, digest in (
        ("trained", True, "x"),
        ("tuned", False, "x"),
        ("text", False, ""),
    ):
        record_space(graph, created(name, 0.1 if digest else 0, sees_edges=sees_edges))
        graph.write(
            "MATCH (s:EmbeddingSpace {property: $name}) SET s.holdout_digest = $digest",
            name=name,
            digest=digest,
        )
    graph.write(
        "CREATE (:SearchWeights {space: 'text', signals: ['text'], coefficients: [1.0],"
        " queries: 1, holdout_digest: 'x', trained_on: '', created: ''})"
    )
    graph.write("MATCH (s:Schema {version: 7}) DELETE s")
    apply_schema(graph)
    assert get_space(graph, "text").hides(0.1)
    [weights] = graph.read("MATCH (w:SearchWeights) RETURN w.holdout AS holdout")
    assert weights["holdout"] == 0
    for name in ("trained", "tuned"):
        with pytest.raises(LeakError, match=f"'{name}'") as refused:
            check_no_leakage([get_space(graph, name)], 0.1)
        assert "another split" in refused.value.hint
