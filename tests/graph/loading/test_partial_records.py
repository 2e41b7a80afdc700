"""Records that each have a part of a paper give one complete paper, in any order of loading."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge, restore_batches
from specter_graph.graph.loading import write_transactions
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Author, Citation, Field, Identifier, Item, Paper, Venue
from tests.graph.canonical import canonical
from tests.graph.loading.bulk.files_graph import in_files

REST = {
    "title": "A",
    "year": 1999,
    "authors": (Author("u", "U"),),
    "venue": Venue("j", "J"),
    "fields": (Field("s", "x", "X"),),
}
ABSTRACT = {"abstract": "We look."}
REFERENCES = {"references": ("b", "c", "d"), "citations": (Citation("a", "c", ("method",)),)}
PARTS = {
    (): ABSTRACT | REFERENCES,
    ("abstract",): REFERENCES,
    ("references",): ABSTRACT,
    ("abstract", "references"): {},
}
COMPLETE, CITING, DESCRIBED, BARE = (
    Paper("a", **REST, **parts, elsewhere=elsewhere) for elsewhere, parts in PARTS.items()
)
OTHERS = [Paper("b", "B", references=("a",)), Paper("c", "C"), Paper("e", "E")]
ANY = st.lists(
    st.builds(
        Paper,
        id=st.just("a"),
        title=st.sampled_from(["A", "A longer title"]),
        abstract=st.sampled_from([None, "We look.", "We look again.", "It is."]),
        year=st.sampled_from([None, 1999]),
        references=st.lists(st.sampled_from("bcdef"), max_size=3).map(tuple),
        elsewhere=st.sampled_from([*PARTS]),
    ),
    min_size=2,
    max_size=5,
)
CONTENT = """
MATCH (p:Paper) WHERE p.id IN ['a', 's2:x']
RETURN p.title AS title, p.abstract AS abstract,
  COLLECT { MATCH (p)-[:CITES]->(q) RETURN q.id ORDER BY q.id } AS references
"""
some = settings(max_examples=15)


def of_content(graph: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the graph without the ranks of its records."""
    ranks = re.compile(r", \('(?:record|abstract|references)_version', \d+\)")
    return {kind: [ranks.sub("", row) for row in rows] for kind, rows in graph.items()}


def loaded(graph: Database, size: int, *loads: Sequence[Item]) -> dict[str, list[str]]:
    """Return the graph after these loads in batches of a number of papers."""
    clear(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write_transactions, "MAX_PAPERS", size)
        for items in loads:
            summary = load_papers(graph, items)
            counted = summary.new + summary.changed + summary.unchanged + summary.duplicates
            assert counted == summary.records == len(items)
    return canonical(graph)


@some
@given(
    records=st.sampled_from(
        [
            [DESCRIBED, CITING],
            [DESCRIBED, CITING, BARE],
            [DESCRIBED, DESCRIBED, CITING, CITING],
            [BARE, COMPLETE],
            [DESCRIBED, CITING, COMPLETE],
        ]
    ),
    random=st.randoms(use_true_random=False),
    size=st.integers(1, 4),
    commands=st.integers(1, 3),
    again=st.booleans(),
)
def test_any_order_batches_and_commands_give_the_same_complete_paper_online_and_in_bulk(
    graph: Database, records: list[Paper], random, size: int, commands: int, again: bool
):
    complete = of_content(loaded(graph, 9, [*OTHERS, COMPLETE]))
    items = [*records, *OTHERS]
    random.shuffle(items)
    loads = [items[number::commands] for number in range(commands)]
    assert of_content(loaded(graph, size, *loads, *(loads if again else ()))) == complete
    bulk, _ = in_files(items, commands, False)
    assert of_content(bulk) == complete


@some
@given(records=ANY, random=st.randoms(use_true_random=False), size=st.integers(1, 4))
def test_the_best_of_different_records_wins_for_each_part(
    graph: Database, records: list[Paper], random, size: int
):
    items = [*records, *OTHERS]
    once = loaded(graph, 9, items)
    random.shuffle(items)
    assert loaded(graph, size, items) == once
    assert of_content(loaded(graph, size, items, items)) == of_content(once)
    assert in_files(items, 2, False)[0] == once


@some
@given(records=ANY, new=ANY, random=st.randoms(use_true_random=False), size=st.integers(1, 4))
def test_a_later_load_replaces_only_the_parts_of_its_records(
    graph: Database, records: list[Paper], new: list[Paper], random, size: int
):
    loaded(graph, 9, records)
    [old] = graph.read(CONTENT)
    loaded(graph, 9, new)
    [expected] = graph.read(CONTENT)
    has = {
        part for each in new for part in ("abstract", "references") if part not in each.elsewhere
    }
    expected |= {part: old[part] for part in ("abstract", "references") if part not in has}
    loaded(graph, size, records, random.sample(new, len(new)))
    assert graph.read(CONTENT) == [expected]


def test_two_responses_of_the_graph_api_are_one_paper(graph: Database, tmp_path):
    (tmp_path / "1.json").write_text('{"paperId": "x", "title": "A", "abstract": "We look."}')
    (tmp_path / "2.json").write_text(
        '{"paperId": "x", "title": "A", "references": [{"paperId": "y"}, {"paperId": "z"}]}'
    )
    files = [tmp_path / "1.json", tmp_path / "2.json"]
    for order in (files, files[::-1]):
        load_papers(graph, open_corpus("s2", *order))
        assert graph.read(CONTENT) == [
            {"title": "A", "abstract": "We look.", "references": ["s2:y", "s2:z"]}
        ]
        clear(graph)


@pytest.mark.parametrize("size", [1, 9])
@pytest.mark.parametrize("commands", [1, 2])
@pytest.mark.parametrize("order", [1, -1])
def test_pending_records_of_a_merged_paper_complete_each_other(
    graph: Database, size: int, commands: int, order: int
):
    doi = (Identifier("doi", "10.1000/x"),)
    twins = [Paper("a", "A", identifiers=doi), Paper("z", "A", identifiers=doi)]
    partial = [
        Paper("a", "A", abstract="We look.", identifiers=doi, elsewhere=("references",)),
        Paper("a", "A", references=("b", "c"), identifiers=doi, elsewhere=("abstract",)),
    ][::order]
    load_papers(graph, twins)
    merge(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write_transactions, "MAX_PAPERS", size)
        for number in range(commands):
            load_papers(graph, partial[number::commands])
    assert restore_batches(graph, ["a"]) == 1
    assert {"title": "A", "abstract": "We look.", "references": ["b", "c"]} in graph.read(CONTENT)
