import random
from collections import Counter
from hashlib import sha256
from itertools import groupby
from typing import Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.triplet_settings import CitationTriplets, triplet_lines
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.triplets import mine
from specter_graph.graph.triplets.mine import TripletStream, mine_triplets
from specter_graph.graph.triplets.sources.path_sources import batch_text
from specter_graph.graph.triplets.triplet_files import SCHEMA
from specter_graph.loaders.records import Paper
from tests.graph.citation_graphs import Truth, corpora, held_out_ids, random_papers, reload, truth
from tests.graph.plans import operators_of

PAPERS = random_papers(400, 12)
Row = tuple[str, str, str, bool]
Split = Literal["train", "validation"]
SOME = settings(max_examples=12)


def rows(stream: TripletStream) -> list[Row]:
    return [tuple(row.values()) for batch in stream for row in batch.to_pylist()]


def digest(database: Database, seed: int = 0, split: Split = "train") -> str:
    stream = mine_triplets(database, seed=seed, split=split)
    assert rows(stream)
    return stream.report.digest


def check(result: list[Row], facts: Truth, split: Split, per_query: int, hard: int) -> None:
    """Compare every triplet of a mining run with the definition."""
    queries = facts.training if split == "train" else facts.validation
    usable = [q for q in sorted(queries) if facts.references(q) and facts.negatives(q)]
    assert [query for query, _ in groupby(result, key=lambda row: row[0])] == usable
    for query, group in groupby(result, key=lambda row: row[0]):
        triplets = list(group)
        positives = [positive for _, positive, _, _ in triplets]
        negatives = [negative for _, _, negative, _ in triplets]
        flags = [is_hard for _, _, _, is_hard in triplets]
        assert len(triplets) == per_query
        assert {*positives} <= facts.references(query)
        assert len({*positives}) == min(per_query, len(facts.references(query)))
        assert {*negatives} <= facts.negatives(query)
        assert len({*negatives}) == min(per_query, len(facts.negatives(query)))
        hard_count = min(hard, len(facts.hard_negatives(query)))
        assert flags == [True] * hard_count + [False] * (per_query - hard_count)
        assert {*negatives[:hard_count]} <= facts.hard_negatives(query)


@SOME
@given(
    papers=corpora(),
    split=st.sampled_from(["train", "validation"]),
    shape=st.sampled_from([(5, 2), (3, 3), (1, 0), (8, 5)]),
    seed=st.integers(0, 2**53),
)
def test_every_triplet_agrees_with_the_definition(
    graph: Database, papers: list[Paper], split: Split, shape: tuple[int, int], seed: int
):
    reload(graph, papers)
    per_query, hard = shape
    stream = mine_triplets(
        graph,
        CitationTriplets(per_query=per_query, hard=hard),
        seed=seed,
        split=split,
        holdout=0.25,
    )
    result = rows(stream)
    facts = truth(papers, 0.25)
    check(result, facts, split, per_query, hard)
    report = stream.report
    queries = len({row[0] for row in result})
    query_papers = len(facts.training if split == "train" else facts.validation)
    assert report.queries == queries
    assert report.skipped == query_papers - queries
    assert report.triplets == len(result) == queries * per_query
    assert report.hard == sum(row[3] for row in result)
    assert report.fallbacks == queries * hard - report.hard


@pytest.mark.parametrize("split", ["train", "validation"])
def test_triplets_of_a_larger_graph_agree_with_the_definition(graph: Database, split: Split):
    load_papers(graph, PAPERS)
    check(rows(mine_triplets(graph, split=split)), truth(PAPERS, 0.1), split, 5, 2)


def test_held_out_papers_and_stubs_are_in_no_triplet(graph: Database):
    load_papers(graph, PAPERS)
    facts = truth(PAPERS, 0.1)
    assert facts.test
    assert facts.validation
    named = {id for row in rows(mine_triplets(graph)) for id in row[:3]}
    assert named <= facts.training
    named = {id for row in rows(mine_triplets(graph, split="validation")) for id in row[:3]}
    assert named <= facts.training | facts.validation


def test_the_edges_of_held_out_papers_make_no_difference(graph: Database):
    load_papers(graph, PAPERS)
    with_edges = digest(graph)
    graph.write(
        "MATCH (p:Paper)-[edge:CITES]-() WHERE p.id IN $ids DELETE edge",
        ids=[*held_out_ids(graph, 0.1)],
    )
    assert digest(graph) == with_edges


def test_with_no_hold_out_all_papers_are_for_training(graph: Database):
    load_papers(graph, PAPERS)
    check(rows(mine_triplets(graph, holdout=0)), truth(PAPERS, 0), "train", 5, 2)


@pytest.mark.parametrize("split", ["train", "validation"])
def test_the_order_of_loading_makes_no_difference(graph: Database, split: Split):
    reload(graph, PAPERS)
    first = digest(graph, split=split)
    shuffled = random.Random(1).sample(PAPERS, len(PAPERS))
    reload(graph, (Paper(p.id, p.title, references=p.references[::-1]) for p in shuffled))
    assert digest(graph, split=split) == first


def test_papers_with_equal_sample_keys_are_sampled_by_id(graph: Database):
    """In a large corpus some papers share a sample key; here nearly all do."""
    digests = set()
    for order in (PAPERS, PAPERS[::-1]):
        reload(graph, order)
        graph.write("MATCH (paper:Paper) SET paper.sample_key = paper.sample_key % 3")
        stream = mine_triplets(graph, holdout=0)
        check(rows(stream), truth(PAPERS, 0), "train", 5, 2)
        digests.add(stream.report.digest)
    assert len(digests) == 1


def test_batches_make_no_difference(graph: Database, monkeypatch: pytest.MonkeyPatch):
    load_papers(graph, PAPERS)
    first = digest(graph)
    monkeypatch.setattr(mine, "_BATCH", 7)
    monkeypatch.setattr(mine, "_WINDOW", 3)
    assert digest(graph) == first


def test_the_same_seed_gives_the_same_triplets_and_another_seed_others(graph: Database):
    load_papers(graph, PAPERS)
    stream = mine_triplets(graph, seed=1)
    first, second = rows(stream), rows(stream)
    assert first == second
    others = rows(mine_triplets(graph, seed=2))
    assert len(others) == len(first)
    assert len({*first} & {*others}) < len(first) / 4


def test_every_reference_and_every_hard_negative_can_be_drawn(graph: Database):
    """Over many seeds: 12 references, each with 3 references; 5 and 2 of them are drawn."""
    references = [
        Paper(f"r{i}", "cited", references=tuple(f"n{i}-{j}" for j in range(3))) for i in range(12)
    ]
    cited = [Paper(f"n{i}-{j}", "cited by a cited paper") for i in range(12) for j in range(3)]
    query = Paper("q", "query", references=tuple(paper.id for paper in references))
    load_papers(graph, [query, *references, *cited])
    positives: Counter[str] = Counter()
    negatives: Counter[str] = Counter()
    seeds = 100
    for seed in range(seeds):
        stream = mine_triplets(graph, seed=seed, holdout=0)
        of_query = [row for row in rows(stream) if row[0] == "q"]
        positives.update(row[1] for row in of_query)
        negatives.update(row[2] for row in of_query if row[3])
    # Bounds that even sampling keeps with probability 0.999 (chi-square, 11 and 35 degrees).
    assert chi_square(positives, [paper.id for paper in references], seeds * 5) < 31.3
    assert chi_square(negatives, [paper.id for paper in cited], seeds * 2) < 66.6
    assert len(negatives) == len(cited)


def chi_square(counts: Counter[str], outcomes: list[str], draws: int) -> float:
    expected = draws / len(outcomes)
    return sum((counts[outcome] - expected) ** 2 / expected for outcome in outcomes)


def test_a_large_corpus_draws_easy_negatives_from_a_part(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mine, "_POOL", 100)
    load_papers(graph, PAPERS)
    result = rows(mine_triplets(graph, holdout=0.3))
    check(result, truth(PAPERS, 0.3), "train", 5, 2)
    assert 50 < len({row[2] for row in result if not row[3]}) < 150


def test_a_reader_that_stops_early_stops_the_mining(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(mine, "_BATCH", 5)
    load_papers(graph, PAPERS)
    stream = mine_triplets(graph)
    batches = iter(stream)
    assert next(batches).schema == SCHEMA
    batches.close()
    assert stream.report.digest == ""
    assert rows(stream)


def test_an_empty_graph_is_an_error(graph: Database):
    with pytest.raises(GraphError, match="has no papers"):
        mine_triplets(graph)


def test_progress_counts_the_query_papers(graph: Database):
    load_papers(graph, PAPERS)
    steps: list[tuple[str, int, int | None]] = []
    stream = mine_triplets(graph, progress=lambda *step: steps.append(step))
    rows(stream)
    total = len(truth(PAPERS, 0.1).training)
    assert steps[0] == ("triplets", 0, 320)  # 0.8 of the papers, as estimated before the mining
    assert steps[-1] == ("triplets", total, total)


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"split": "test"}, {"source": "head"}])
def test_a_wrong_argument_is_refused(graph: Database, wrong: dict[str, object]):
    with pytest.raises(InputError):
        mine_triplets(graph, **wrong)


def test_the_batch_statement_seeks_without_scans(graph: Database):
    plan = operators_of(graph, batch_text(cited_by=False))
    assert "NodeUniqueIndexSeek" in plan
    assert not {"AllNodesScan", "NodeByLabelScan", "CartesianProduct"} & {*plan}


def test_the_digest_depends_on_rows_but_not_on_batches():
    table = [("a", "b", "c", True), ("a", "b", "d", False), ("é", "b", "c", False)]
    complete, cut, other = sha256(), sha256(), sha256()
    complete.update(triplet_lines(batch(table)))
    cut.update(triplet_lines(batch(table).slice(0, 1)))
    cut.update(triplet_lines(batch(table).slice(1)))
    other.update(triplet_lines(batch([*table[:2], ("é", "b", "c", True)])))
    assert complete.hexdigest() == cut.hexdigest() != other.hexdigest()


def batch(table: list[Row]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [dict(zip(SCHEMA.names, row, strict=True)) for row in table], SCHEMA
    )
