"""Test the generated corpus."""

import re
from collections import Counter

import pytest

from specter_graph.loaders.records import Paper
from specter_graph.loaders.synthetic import synthetic_papers, vocabulary


@pytest.fixture(scope="module")
def papers() -> list[Paper]:
    return list(synthetic_papers())


def test_a_seed_determines_the_corpus(papers: list[Paper]):
    assert list(synthetic_papers()) == papers
    assert next(synthetic_papers(seed=1)) != papers[0]


def test_ids_count_from_one_in_order_of_time(papers: list[Paper]):
    assert [paper.id for paper in papers] == [f"demo:{n:04}" for n in range(1, 2_001)]
    years = [paper.year for paper in papers]
    assert years == sorted(years, key=lambda year: year or 0)


def test_papers_cite_only_earlier_papers_each_once(papers: list[Paper]):
    for paper in papers:
        assert len(set(paper.references)) == len(paper.references)
        assert all(reference < paper.id for reference in paper.references)


def test_papers_typically_have_5_to_15_references(papers: list[Paper]):
    counts = [len(paper.references) for paper in papers]
    assert max(counts) <= 15
    assert sum(count >= 5 for count in counts) > 0.95 * len(papers)


def test_citations_follow_subtopic_and_popularity(papers: list[Paper]):
    by_id = {paper.id: paper for paper in papers}
    same = Counter(
        (paper.fields[0] == cited.fields[0], paper.fields[1] == cited.fields[1])
        for paper in papers
        for cited in (by_id[reference] for reference in paper.references)
    )
    assert 0.5 < same[True, True] / same.total() < 0.8
    assert 0.1 < same[True, False] / same.total() < 0.35
    assert 0.05 < same[False, False] / same.total() < 0.25
    cited = Counter(reference for paper in papers for reference in paper.references)
    assert max(cited.values()) > 5 * same.total() / len(papers)


def test_texts_are_readable_and_distinct(papers: list[Paper]):
    assert len({paper.abstract for paper in papers}) == len(papers)
    for paper in papers:
        assert paper.abstract is not None
        assert 45 <= len(paper.abstract.split()) <= 80
        assert not re.search(r"[{}|]|  ", paper.title + paper.abstract)
        assert re.fullmatch(r"([A-Z0-9][^.]*\. )+[A-Z0-9][^.]*\.", paper.abstract)


def test_every_subtopic_has_papers_authors_and_venues(papers: list[Paper]):
    subtopics = {name for topic in vocabulary()["topics"] for name in topic.subtopics}
    assert Counter(paper.fields[1].name for paper in papers).keys() == subtopics
    assert all(paper.authors and paper.venue for paper in papers)
    assert all(
        len(concepts) == 3
        for topic in vocabulary()["topics"]
        for concepts in topic.subtopics.values()
    )
