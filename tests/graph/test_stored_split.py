"""Splits by date and by lists of ids, which replace the split by a hash of the ids."""

import pytest

from specter_graph.core.errors import InputError, LeakError
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    find_space,
    record_space,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import (
    HOLDOUT,
    held_out_among,
    near_duplicates,
    query_ids,
    set_split,
    split_digest,
    stored_split,
    training_ids,
)
from specter_graph.loaders.records import Identifier, Paper

YEARS = {f"p{number:02}": 1990 + number // 4 for number in range(40)}


@pytest.fixture
def papers(graph):
    """Return 40 papers, four per year from 1990 to 1999; each cites the previous eight."""
    ids = list(YEARS)
    load_papers(
        graph,
        [
            Paper(
                paper,
                "title",
                year=YEARS[paper],
                published=f"{YEARS[paper]}-0{1 + place % 4}-15",
                references=tuple(ids[max(0, place - 8) : place]),
            )
            for place, paper in enumerate(ids)
        ],
    )
    return graph


def since(year):
    return {paper for paper in YEARS if YEARS[paper] >= year}


def test_papers_of_a_date_or_later_are_held_out(papers):
    stored = set_split(papers, test_since="1998", validation_since="1997-03")
    assert (stored.rule, stored.test, stored.validation) == ("since 1998", 8, 2)
    assert set(query_ids(papers, "test", HOLDOUT)) == since(1998)
    assert set(query_ids(papers, "validation", HOLDOUT)) == {"p30", "p31"}
    assert set(training_ids(papers, HOLDOUT)) == YEARS.keys() - since(1998) - {"p30", "p31"}
    assert set(training_ids(papers, 0)) == YEARS.keys()
    assert set(held_out_among(papers, list(YEARS), HOLDOUT)) == since(1998) | {"p30", "p31"}


def test_a_paper_of_which_only_the_year_is_known_was_published_on_its_first_day(papers):
    load_papers(papers, [Paper("year", "title", year=1998)])
    for since, expected in (("1998-01", ["year"]), ("1998-01-02", [])):
        set_split(papers, test_since=since)
        assert held_out_among(papers, ["year"], HOLDOUT / 2) == expected


def test_a_paper_that_is_merged_later_is_held_out_if_one_of_its_records_is(papers):
    """Otherwise a hash would move papers that a model has learned from to the test papers."""

    def give_identifier(*ids):
        doi = Identifier("doi", f"10.1000/{ids[0]}")
        load_papers(papers, [Paper(f"{paper}", "title", identifiers=(doi,)) for paper in ids])

    hashed = [paper for paper in YEARS if paper in held_out_among(papers, list(YEARS), HOLDOUT)]
    others = [paper for paper in YEARS if paper not in hashed]
    give_identifier(hashed[0], others[0])
    give_identifier(others[1], others[2])
    set_split(papers, test_ids={others[1]}, validation_ids={others[3]})
    merge(papers)
    held_out = set(held_out_among(papers, list(YEARS), HOLDOUT))
    assert held_out in ({others[1], others[3]}, {others[2], others[3]})
    assert others[2] not in training_ids(papers, HOLDOUT)


def test_a_tenth_of_the_other_papers_is_for_validation(papers):
    stored = set_split(papers, test_since="1995")
    validation = set(query_ids(papers, "validation", HOLDOUT))
    assert validation <= YEARS.keys() - since(1995)
    assert 0 < stored.validation < 8


def test_papers_of_lists_are_held_out_and_unknown_ones_change_nothing(papers):
    set_split(papers, test_ids={"p20", "p21"}, validation_ids={"p22"})
    before = stored_split(papers)
    assert query_ids(papers, "test", HOLDOUT) == ["p20", "p21"]
    assert query_ids(papers, "validation", HOLDOUT) == ["p22"]
    with pytest.raises(InputError, match="1 paper to hold out is not in the graph, such as 'x'"):
        set_split(papers, test_ids={"p30", "x"})
    assert query_ids(papers, "test", HOLDOUT) == ["p20", "p21"]
    assert stored_split(papers) == before


def near_duplicate_corpus():
    """Return 30 groups of papers with near duplicates.

    A group has four papers in a chain, where neighbors share 8 of 12 references and others at most
    6 of 14, and a paper that shares 5 of 10 with three of them.
    """
    papers = []
    for group in range(30):
        cited = [f"c{group}-{number}" for number in range(20)]
        starts = {f"g{group}-{place}": 2 * place for place in range(4)}
        papers += [
            Paper(id, id, references=tuple(cited[at : at + 10])) for id, at in starts.items()
        ]
        papers.append(Paper(f"g{group}-far", "far", references=tuple(cited[4:9])))
    return papers


def jaccard(one, other):
    return len({*one} & {*other}) / len({*one} | {*other})


@pytest.mark.parametrize("fraction", [0, 0.1])
def test_near_duplicates_are_the_pairs_that_share_60_percent_of_their_references(graph, fraction):
    corpus = near_duplicate_corpus()
    load_papers(graph, corpus)
    references = {paper.id: paper.references for paper in corpus}
    training = set(training_ids(graph, fraction))
    result = list(near_duplicates(graph, list(references), fraction))
    assert len(result) == len({*result}) > 20
    assert {*result} == {
        (one, other)
        for one, cited in references.items()
        for other in training - {one}
        if jaccard(cited, references[other]) >= 0.6
    }


def test_near_duplicates_are_in_one_split_directly_or_by_others(graph):
    corpus = near_duplicate_corpus()
    load_papers(graph, corpus)
    before = set(held_out_among(graph, [paper.id for paper in corpus], HOLDOUT))
    stored = set_split(graph, near_duplicates=True)
    assert stored.rule == "by hash, with near-duplicates"
    after = set(held_out_among(graph, [paper.id for paper in corpus], HOLDOUT))
    assert before < after
    for group in range(30):
        chain = {f"g{group}-{place}" for place in range(4)}
        assert chain <= after or not chain & after
        assert (f"g{group}-far" in after) == (f"g{group}-far" in before)
    assert not any(near_duplicates(graph, sorted(after), HOLDOUT))
    assert set_split(graph) is None
    assert set(held_out_among(graph, [paper.id for paper in corpus], HOLDOUT)) == before


def test_the_split_by_hash_can_be_restored_and_equal_splits_have_equal_digests(papers):
    keys = "MATCH (p:Paper) RETURN p.id, p.sample_key ORDER BY p.id"
    before = papers.values(keys)
    first = set_split(papers, test_since="1998")
    assert split_digest(papers) == first.digest
    assert set_split(papers, test_since="1997").digest != first.digest
    assert set_split(papers, test_since="1998").digest == first.digest
    assert papers.values(keys) != before
    assert set_split(papers) is None
    assert papers.values(keys) == before
    assert (split_digest(papers), stored_split(papers)) == ("", None)


def test_the_split_by_hash_of_merged_papers_can_be_restored(graph):
    pairs = [(f"a{number}", f"b{number}") for number in range(60)]
    load_papers(
        graph,
        [
            Paper(paper, "title", identifiers=(Identifier("doi", f"10.1000/{first}"),))
            for first, second in pairs
            for paper in (first, second)
        ],
    )
    merge(graph)
    keys = "MATCH (n:Paper|SourceRecord) RETURN labels(n), n.id, n.sample_key ORDER BY n.id"
    before = graph.values(keys)
    held_out = held_out_among(graph, [first for first, _ in pairs], HOLDOUT)
    set_split(graph, test_ids={pairs[0][0]})
    assert graph.values(keys) != before
    assert set_split(graph) is None
    assert graph.values(keys) == before
    stored = set_split(graph, near_duplicates=True)
    assert held_out_among(graph, [first for first, _ in pairs], HOLDOUT) == held_out
    papers = [paper for pair in pairs for paper in pair]
    assert stored.test == len(held_out_among(graph, papers, HOLDOUT / 2)) > 0


def test_a_space_of_another_split_has_seen_the_citations(papers):
    def space(name):
        return find_space(papers, name)

    record_space(papers, EmbeddingSpace("hashed", "sgc", 2, "", "", "d", holdout=0.1))
    record_space(papers, EmbeddingSpace("text", "base", 2, "", "", "d", sees_edges=False))
    check_no_leakage([space("hashed"), space("text")], 0.1)
    stored = set_split(papers, test_since="1998")
    record_space(papers, EmbeddingSpace("dated", "sgc", 2, "", "", "d", holdout=0.1))
    record_space(papers, EmbeddingSpace("model", "head", 2, "", "", "d", holdout=0.1, split=""))
    assert space("dated").split == stored.digest
    check_no_leakage([space("dated"), space("text")], 0.1)
    for name in ("hashed", "model"):
        with pytest.raises(LeakError, match=name):
            check_no_leakage([space(name)], 0.1)
    set_split(papers)
    check_no_leakage([space("hashed"), space("model")], 0.1)
    with pytest.raises(LeakError, match="dated"):
        check_no_leakage([space("dated")], 0.1)


def test_no_space_is_of_an_interrupted_split(papers):
    def interrupt(*_):
        raise KeyboardInterrupt

    set_split(papers, test_since="1998")
    record_space(papers, EmbeddingSpace("dated", "sgc", 2, "", "", "d", holdout=0.1))
    set_split(papers, test_since="1997")
    with pytest.raises(KeyboardInterrupt):
        set_split(papers, test_since="1998", progress=interrupt)
    with pytest.raises(LeakError, match="dated"):
        check_no_leakage([find_space(papers, "dated")], 0.1)
    set_split(papers, test_since="1998")
    check_no_leakage([find_space(papers, "dated")], 0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"test_since": "lately"}, "'lately' is not a date"),
        ({"test_since": "1998-13"}, "'1998-13' is not a date"),
        ({"test_since": "1998", "test_ids": {"p20"}}, "test papers are given twice"),
        ({"validation_since": "1998"}, "validation papers are given without test papers"),
        ({"test_since": "1998", "validation_since": "1999"}, "would begin after the test papers"),
        ({"test_ids": {"p20"}, "validation_ids": {"p20"}}, "1 paper is in both lists"),
        ({"test_since": "2030"}, "the split has no test papers"),
        ({"test_since": "1890"}, "the split has no training papers"),
        ({"test_since": "1998", "validation_since": "1890"}, "the split has no training papers"),
    ],
)
def test_invalid_arguments_of_a_split_are_errors(papers, arguments, message):
    load_papers(papers, [Paper("citing", "title", year=1999, references=("a stub",))])
    with pytest.raises(InputError, match=message):
        set_split(papers, **arguments)
    assert stored_split(papers) is None


def test_a_small_graph_returns_to_the_split_by_hash_even_if_it_has_no_test_papers(graph):
    load_papers(
        graph, [Paper(paper, "title", year=year) for paper, year in (("a", 1990), ("b", 1991))]
    )
    assert set_split(graph, test_since="1991").test == 1
    assert set_split(graph) is None
    assert stored_split(graph) is None
