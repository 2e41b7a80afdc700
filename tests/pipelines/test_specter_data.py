"""Mine triplets from SPECTER's data.json, whose counts select positives and hard negatives."""

import json
from collections import Counter

import pytest

from specter_graph import SpecterDataTriplets
from specter_graph.core.errors import InputError


def data_file(folder, related, metadata=()):
    path = folder / "data.json"
    path.write_text(
        json.dumps(
            {
                query: {paper: {"count": count} for paper, count in counts.items()}
                for query, counts in related.items()
            }
        )
    )
    if metadata:
        (folder / "metadata.json").write_text(
            json.dumps({key: {"paper_id": key, "title": key} for key in metadata})
        )
    return path


def rows_of(triplets):
    return [row for batch in triplets for row in batch.to_pylist()]


CITATIONS = {
    "q": {"c1": 5, "c2": 5, "c3": 5, "n1": 1, "n2": 1, "n3": 1},
    "r": {"c1": 5, "c2": 5},
    "s": {"n1": 1},
    "t": {"c9": 5, "n9": 1},
}


def test_cited_papers_are_positives_and_papers_that_they_cite_hard_negatives(tmp_path):
    path = data_file(tmp_path, CITATIONS, [f"m{number}" for number in range(50)])
    triplets = SpecterDataTriplets(path, per_query=5, hard=2)
    rows = rows_of(triplets)
    assert Counter(row["query"] for row in rows) == {"s2:q": 5, "s2:t": 5}
    for row in rows:
        counts = CITATIONS[row["query"][3:]]
        assert counts[row["positive"][3:]] == 5
        assert counts.get(row["negative"][3:]) == (1 if row["hard"] else None)
        assert row["hard"] or row["negative"].startswith("s2:m")
    hard = Counter(row["query"] for row in rows if row["hard"])
    assert hard == {"s2:q": 2, "s2:t": 1}
    report = triplets.report
    assert (report.queries, report.triplets, report.hard, report.skipped) == (2, 10, 3, 2)


def test_counts_of_a_hard_triplet_differ_by_more_than_half_of_the_range(tmp_path):
    views = {"q": {f"p{number}": number for number in range(1, 22)}}
    rows = rows_of(SpecterDataTriplets(data_file(tmp_path, views), per_query=30, hard=20))
    hard = [row for row in rows if row["hard"]]
    counts = [tuple(views["q"][row[name][3:]] for name in ("positive", "negative")) for row in hard]
    assert {negative for _, negative in counts} == set(range(1, 11))
    assert all(positive - negative > 10 for positive, negative in counts)


def test_all_hard_pairs_of_a_file_are_reachable_and_a_seed_repeats_them(tmp_path):
    path = data_file(tmp_path, CITATIONS, [f"m{number}" for number in range(50)])
    rows = rows_of(SpecterDataTriplets(path, per_query=9, hard=9, seed=3))
    assert {(row["query"], row["negative"]) for row in rows if row["hard"]} == {
        *(("s2:q", f"s2:n{number}") for number in (1, 2, 3)),
        ("s2:t", "s2:n9"),
    }
    assert rows == rows_of(SpecterDataTriplets(path, per_query=9, hard=9, seed=3))
    assert rows != rows_of(SpecterDataTriplets(path, per_query=9, hard=9, seed=4))


def test_queries_of_a_file_and_those_that_are_missing(tmp_path):
    path = data_file(tmp_path, CITATIONS)
    (tmp_path / "train.txt").write_text("q\n\nunknown\n")
    triplets = SpecterDataTriplets(path, tmp_path / "train.txt")
    assert {row["query"] for row in rows_of(triplets)} == {"s2:q"}
    assert triplets.report.missing == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": {"p": {"count": 5}', "cannot be read after member 0"),
        ('{"q": ["p"]}', "q does not have the form"),
        ('{"q": {"p": {"count": "5"}}}', "the count of q and s2:p is not an integer"),
    ],
)
def test_a_damaged_file_is_one_clear_error(tmp_path, text, message):
    path = tmp_path / "data.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        rows_of(SpecterDataTriplets(path))
