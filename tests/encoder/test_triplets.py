from hashlib import sha256
from time import process_time

import numpy as np
import pyarrow as pa
import pytest

from specter_graph.core.errors import ModelError
from specter_graph.encoder.triplets import (
    KnownCitations,
    PaperRows,
    store_triplets,
    stored_triplets,
)
from specter_graph.loaders.records import PaperText


@pytest.fixture
def index(tmp_path):
    """Return a function that indexes a table of triplets of some papers."""

    def index(triplets, papers):
        return store_triplets(tmp_path / "index", triplets, PaperRows.of(papers))

    return index


@pytest.fixture
def rows(papers, triplets, tmp_path):
    return store_triplets(tmp_path / "rows", triplets, PaperRows.of(papers))


def test_ids_become_rows(triplets, rows):
    assert [f"p{row:02}" for row in rows.query] == triplets["query"].to_pylist()
    assert [f"p{row:02}" for row in rows.negative] == triplets["negative"].to_pylist()
    assert rows.hard.tolist() == triplets["hard"].to_pylist()


def test_the_digest_is_over_lines_in_order_however_they_are_batched(index, papers, triplets, rows):
    lines = "".join(
        f"{t['query']}\t{t['positive']}\t{t['negative']}\t{int(t['hard'])}\n"
        for t in triplets.to_pylist()
    )
    assert rows.digest == sha256(lines.encode()).hexdigest()
    assert index(iter(triplets.to_batches(max_chunksize=7)), papers).digest == rows.digest
    backwards = triplets.take(list(range(len(triplets)))[::-1])
    assert index(backwards, papers).digest != rows.digest


def test_triplets_of_papers_that_are_not_in_the_corpus_are_counted(index, papers, triplets):
    known = {paper.id for paper in papers[:70]}
    names = ("query", "positive", "negative")
    complete = [all(row[name] in known for name in names) for row in triplets.to_pylist()]
    rows = index(triplets, papers[:70])
    assert (len(rows), rows.skipped) == (sum(complete), len(complete) - sum(complete))
    assert 0 < len(rows) < len(complete)
    with pytest.raises(ModelError, match="triplets name a paper without a record"):
        index(triplets, papers[:1])


def test_a_table_without_triplets_has_no_rows(index):
    assert len(index([], [PaperText("a", "A")])) == 0


def test_a_citation_and_the_paper_itself_are_no_negatives(index):
    table = pa.table(
        {"query": ["a", "b"], "positive": ["b", "c"], "negative": ["d", "a"], "hard": [True, False]}
    )
    rows = index(table, [PaperText(each, "A") for each in "abcd"])
    excluded = KnownCitations(rows.pairs).excluded(rows.query, rows.positive, rows.negative)
    # candidates: b, c, d, a; a cites b and is a; b is b, cites c, is cited by a
    assert excluded.tolist() == [[True, False, False, True], [True, True, False, True]]


def test_excluded_agrees_with_a_set_of_pairs_even_for_repeated_candidates(rows):
    known = KnownCitations(rows.pairs)
    pairs = {
        *zip(rows.query, rows.positive, strict=True),
        *zip(rows.positive, rows.query, strict=True),
    }
    generator = np.random.default_rng(0)
    for _ in range(20):
        query, positive, negative = (generator.integers(0, 90, n) for n in (30, 30, 50))
        candidates = [*positive, *negative]
        expected = [[(a, b) in pairs or a == b for b in candidates] for a in query]
        assert known.excluded(query, positive, negative).tolist() == expected


def test_the_time_of_a_batch_does_not_depend_on_the_corpus_size(triplets, tmp_path):
    def seconds(papers):
        rows = PaperRows.of(PaperText(f"p{row:02}", "A") for row in range(papers))
        costs = []
        for _ in range(5):
            started = process_time()
            for _ in range(10):
                store_triplets(tmp_path / "t", triplets, rows)
            costs.append(process_time() - started)
        return min(costs)

    assert seconds(200_000) < 5 * seconds(200)


def test_triplets_of_a_paper_without_text_are_skipped_and_counted(index, papers, triplets, rows):
    blank = [PaperText("p04", " ", ""), PaperText("p06", "", None)]
    texts = [*papers[:4], blank[0], papers[5], blank[1], *papers[7:]]
    remaining = index(triplets, texts)
    named = [
        {"p04", "p06"} & {t["query"], t["positive"], t["negative"]} for t in triplets.to_pylist()
    ]
    assert remaining.skipped == sum(map(bool, named)) > 0
    assert len(remaining) == len(rows) - remaining.skipped
    assert {4, 6}.isdisjoint(remaining.papers.tolist())
    assert remaining.digest == rows.digest
    only_abstract = [PaperText(paper.id, "", "An abstract") for paper in papers]
    assert index(triplets, only_abstract).skipped == 0


def test_triplets_on_disk_equal_those_in_memory(tmp_path, papers, triplets, rows):
    for stored in (
        store_triplets(tmp_path / "t", triplets.to_batches(max_chunksize=7), PaperRows.of(papers)),
        stored_triplets(tmp_path / "t"),
    ):
        assert isinstance(stored.query, np.memmap)
        for name in ("query", "positive", "negative", "hard"):
            np.testing.assert_array_equal(getattr(stored, name), getattr(rows, name))
        assert (stored.digest, stored.skipped) == (rows.digest, 0)
    assert len(store_triplets(tmp_path / "t", [], PaperRows.of(papers))) == 0
