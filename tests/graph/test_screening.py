"""Screening of reading lists: labels, ranking, the stopping rule, PRISMA counts, tables."""

import csv
from pathlib import Path

import numpy as np
import pytest

from specter_graph import LiteratureGraph
from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.statistics import recall_bound, recall_p_value
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Identifier, Paper

CORALS = [f"Bleaching of coral reefs, part {number}" for number in range(20)]
SPUDS = [f"Starch of potatoes, part {number}" for number in range(20)]
PAPERS = [
    Paper(f"p{number}", title, source="test", year=2000 + number)
    for number, title in enumerate(
        title for pair in zip(CORALS, SPUDS, strict=True) for title in pair
    )
]


@pytest.fixture
def review(graph: Database) -> LiteratureGraph:
    load_papers(graph, PAPERS)
    opened = LiteratureGraph(graph.driver, graph.name)
    opened.lists.create("reefs")
    opened.lists.add("reefs", [paper.id for paper in PAPERS])
    return opened


def ranked(review: LiteratureGraph, k: int = 10) -> list[str]:
    return [each.id for each in review.screening.rank("reefs", k=k)]


def test_the_classifier_ranks_by_words_and_vectors(review: LiteratureGraph, graph: Database):
    first = ranked(review, 40)
    assert sorted(first) == sorted(paper.id for paper in PAPERS)
    assert first == ranked(review, 40)
    assert first != [each.id for each in review.screening.rank("reefs", k=40, seed=1)]
    review.screening.label("reefs", ["p0"], "yes")
    assert {int(each[1:]) % 2 for each in ranked(review)} == {0}
    review.screening.label("reefs", ["p1", "p3"], "no")
    candidates = review.screening.rank("reefs", k=40)
    assert {int(each.id[1:]) % 2 for each in candidates[:19]} == {0}
    assert len(candidates) == 37
    assert candidates[0].score > 0.5 > candidates[-1].score
    record = EmbeddingSpace("specter", "base", 2, "", "", "text", sees_edges=False)
    vectors = np.array([[1, 0] if int(p.id[1:]) < 20 else [0, 1] for p in PAPERS], np.float32)
    write_space(graph, record, [paper.id for paper in PAPERS], vectors, ["0" * 16] * 40)
    near = [int(each[1:]) for each in ranked(review, 9)]
    assert len(near) == 9
    assert all(each < 20 and each % 2 == 0 for each in near)


def test_counts_and_the_stopping_rule(review: LiteratureGraph):
    status = review.screening.status("reefs")
    assert (status.papers, status.screened, status.not_screened) == (40, 0, 40)
    assert (status.p_value, status.recall_lower_bound, status.may_stop) == (1, None, False)
    while not status.may_stop:
        [best] = ranked(review, 1)
        label = "yes" if int(best[1:]) % 2 == 0 else "no"
        status = review.screening.label("reefs", [best], label)
    assert status.included == 20
    assert status.screened == status.included + status.excluded < 40
    assert status.recall_lower_bound > 0.95
    status = review.screening.label("reefs", ["p0"], "none")
    assert (status.included, status.not_screened) == (19, 41 - status.screened - 1)


def test_unmatched_rows_of_tables_with_names_of_asreview(review: LiteratureGraph, tmp_path: Path):
    file = tmp_path / "labels.csv"
    file.write_text(
        "record_id,primary_title,included\n"
        f'7,"{SPUDS[0]}",0\n8,Another paper here,1\n9,,1\np4,Unknown,1\n'
    )
    done = review.screening.import_labels("reefs", file)
    assert (done.labeled, done.unmatched) == (2, ("Another paper here", "9"))
    assert [entry.id for entry in review.lists.entries("reefs", label="yes")] == ["p4"]


def test_an_empty_list_may_not_stop(review: LiteratureGraph):
    review.lists.create("empty")
    status = review.screening.status("empty")
    assert (status.papers, status.p_value, status.may_stop) == (0, 1, False)


def test_the_order_of_labels_is_that_of_the_calls(review: LiteratureGraph):
    review.screening.label("reefs", ["p0", "p2", "p4"], "yes")
    review.screening.label("reefs", [f"p{each}" for each in range(1, 37, 2)], "no")
    late = review.screening.status("reefs")
    review.screening.label("reefs", ["p0", "p2", "p4"], "none")
    review.screening.label("reefs", ["p0", "p2", "p4"], "yes")
    assert review.screening.status("reefs").p_value > late.p_value


def test_merged_records_are_duplicates(review: LiteratureGraph, graph: Database):
    doi = (Identifier("doi", "10.1000/a"),)
    load_papers(graph, [Paper("x", "Same", identifiers=doi), Paper("y", "Same", identifiers=doi)])
    review.lists.add("reefs", ["x", "y"])
    review.screening.label("reefs", ["x"], "yes")
    review.maintenance.merge()
    status = review.screening.status("reefs")
    assert (status.identified, status.duplicates, status.papers) == (42, 1, 41)
    assert (status.included, status.not_screened) == (1, 40)
    review.screening.label("reefs", ["y"], "no")
    assert review.screening.status("reefs").excluded == 1


def test_of_two_labels_of_one_paper_yes_remains(
    review: LiteratureGraph, graph: Database, tmp_path: Path
):
    doi = (Identifier("doi", "10.1000/a"),)
    load_papers(graph, [Paper("x", "Same", identifiers=doi), Paper("y", "Same", identifiers=doi)])
    review.lists.add("reefs", ["x", "y"])
    review.screening.label("reefs", ["x"], "no")
    review.screening.label("reefs", ["y"], "yes")
    review.maintenance.merge()
    status = review.screening.status("reefs")
    assert (status.included, status.excluded) == (1, 0)
    status = review.screening.label("reefs", ["x"], "no")
    assert (status.included, status.excluded) == (0, 1)
    file = tmp_path / "labels.csv"
    file.write_text("id,title,included\np0,x,1\np1,x,0\np1,x,0\np0,x,0\np2,x,0\np2,x,1\np2,x,0\n")
    done = review.screening.import_labels("reefs", file)
    assert (done.labeled, done.contradictory) == (3, ("x", "x"))
    labels = {entry.id: entry.included for entry in review.lists.entries("reefs")}
    assert (labels["p0"], labels["p1"], labels["p2"]) == (True, False, True)


def test_labels_are_written_and_read_in_order(review: LiteratureGraph, tmp_path: Path):
    review.screening.label("reefs", ["p4", "p2"], "yes")
    review.screening.label("reefs", ["p1"], "no")
    file = tmp_path / "labels.csv"
    load_papers(review.database, [Paper("citing", "Reefs and potatoes", references=("stub",))])
    review.lists.add("reefs", ["stub"])
    review.screening.label("reefs", ["stub"], "no")
    done = review.screening.export_labels("reefs", file)
    assert (done.papers, done.stubs) == (40, 1)
    review.lists.remove("reefs", ["stub"])
    with file.open(newline="") as table:
        rows = {row["id"]: row for row in csv.DictReader(table)}
    assert [rows[each]["included"] for each in ("p4", "p1", "p3")] == ["1", "0", ""]
    before = review.lists.entries("reefs")
    review.screening.label("reefs", ["p4", "p2", "p1"], "none")
    done = review.screening.import_labels("reefs", file)
    assert (done.rows, done.labeled, done.unlabeled, done.unmatched) == (40, 3, 37, ())
    assert review.lists.entries("reefs") == before
    assert [entry.id for entry in review.lists.entries("reefs", label="yes")] == ["p2", "p4"]
    review.lists.export("reefs", tmp_path / "in.bib", label="yes")
    assert (tmp_path / "in.bib").read_text().count("@") == 2


def test_labels_of_asreview(review: LiteratureGraph, tmp_path: Path):
    file = tmp_path / "asreview.csv"
    file.write_text(
        f"record_id,title,abstract,label_included\n0,{CORALS[0]!r},x,1\n".replace("'", '"')
        + f'1,"{SPUDS[0]}",x,0\n2,Another paper here,x,1\n'
        f'3,"{SPUDS[1]}",x,-1\n'
    )
    done = review.screening.import_labels("reefs", file)
    assert (done.labeled, done.unlabeled, done.unmatched) == (2, 1, ("Another paper here",))
    assert [entry.id for entry in review.lists.entries("reefs", label="yes")] == ["p0"]


def test_labels_and_times_of_an_export_of_asreview(review: LiteratureGraph, tmp_path: Path):
    review.screening.label("reefs", ["p0"], "yes")
    review.screening.label("reefs", ["p1"], "no")
    before = tmp_path / "before.csv"
    review.screening.export_labels("reefs", before)
    with before.open(newline="") as table:
        rows = list(csv.DictReader(table))
    review.screening.label("reefs", ["p0", "p1"], "none")
    # as ASReview 3 exports them: relevant papers, papers without a label, irrelevant papers; floats
    # for labels that are missing in part; its own labels and times beside those of the input
    screened = {"p0": "1 00", "p1": "0 00", "p3": "0 10", "p2": "1 20", "p5": "0 30"}
    for row in rows:
        row["included"] += ".0" if row["included"] else ""
        label, second = screened.get(row["id"], " ").split(" ")
        row["asreview_label"] = label
        row["asreview_time"] = second and f"2026-11-28 08:34:{second}"
    file = tmp_path / "asreview.csv"
    with file.open("w", newline="") as table:
        writer = csv.DictWriter(table, rows[0])
        writer.writeheader()
        for label in ("1", "", "0"):
            writer.writerows(row for row in rows if row["asreview_label"] == label)
    done = review.screening.import_labels("reefs", file)
    assert (done.labeled, done.unlabeled, done.unmatched) == (5, 35, ())
    entries = [entry for entry in review.lists.entries("reefs") if entry.labeled]
    order = sorted(entries, key=lambda entry: entry.labeled)
    assert [entry.id for entry in order] == ["p0", "p1", "p3", "p2", "p5"]
    assert [entry.included for entry in order] == [True, False, False, True, False]


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("2026-11-25 19:20", "2026-11-25T19:20:00Z"),
        ("2026-11-25T19:20:00+01:00", "2026-11-25T18:20:00Z"),
        ("2026-11-25 19:20:00.25", "2026-11-25T19:20:00.25Z"),
        ("25.11.2026 19:20", None),
        ("2026-11-25T19:20:00+01:00[Europe/Berlin]", None),
        ("0001-01-01T00:00:00+01:00", None),
    ],
)
def test_times_of_labels(review: LiteratureGraph, tmp_path: Path, value: str, stored: str | None):
    file = tmp_path / "labels.csv"
    file.write_text(f"id,title,included,labeled\np1,,,\np0,,1,{value}\n")
    if stored is None:
        with pytest.raises(InputError, match="has the time") as error:
            review.screening.import_labels("reefs", file)
        assert error.value.message.startswith(f"row 2 of {file}")
    else:
        review.screening.import_labels("reefs", file)
        [entry] = review.lists.entries("reefs", label="yes")
        assert entry.labeled == stored
    assert review.screening.status("reefs").included == (stored is not None)


def test_errors_say_what_to_do(review: LiteratureGraph, tmp_path: Path):
    load_papers(review.database, [Paper("other", "Another")])
    with pytest.raises(GraphError, match="does not have 'other'"):
        review.screening.label("reefs", ["other"], "yes")
    with pytest.raises(GraphError, match="no reading list 'reef'"):
        review.screening.rank("reef")
    with pytest.raises(InputError, match="unknown label 'maybe'"):
        review.screening.label("reefs", ["p0"], "maybe")
    with pytest.raises(InputError, match="unknown label 'maybe'"):
        review.lists.entries("reefs", label="maybe")
    with pytest.raises(InputError, match="k is -1"):
        review.screening.rank("reefs", k=-1)
    with pytest.raises(InputError, match="recall is 0"):
        review.screening.status("reefs", recall=0)
    (tmp_path / "a.csv").write_text("id,title\np0,x\n")
    with pytest.raises(InputError, match="no column of labels"):
        review.screening.import_labels("reefs", tmp_path / "a.csv")
    with pytest.raises(InputError, match="file not found"):
        review.screening.import_labels("reefs", tmp_path / "b.csv")
    (tmp_path / "a.csv").write_text("id,included\np0,maybe\n")
    with pytest.raises(InputError, match="the label 'maybe'"):
        review.screening.import_labels("reefs", tmp_path / "a.csv")


def test_the_p_value_is_that_of_the_hypergeometric_distribution():
    # 10 found, then none in the last 50 of 100: one of the 50 unread would be missed by these with
    # the probability 50/100; that of any longer sequence is higher.
    labels = [True] * 10 + [False] * 50
    assert recall_p_value(labels, 110, 0.95) == pytest.approx(0.5)
    assert recall_p_value(labels, 60, 0.95) == 0
    assert recall_p_value([], 60, 0.95) == 1
    # Of 4 in 100 none is in 50 with probability C(96, 50) / C(100, 50) = 0.0587; of 5, 0.0281.
    assert recall_bound(labels, 110) == pytest.approx(10 / 14)


def test_random_screening_rarely_stops_too_early():
    generator = np.random.default_rng(0)
    missed = 0
    for _ in range(200):
        truth = [*map(bool, generator.permutation([1] * 40 + [0] * 360))]
        stop = next(n for n in range(20, 401, 10) if recall_p_value(truth[:n], 400, 0.9) < 0.05)
        missed += sum(truth[:stop]) < 36
    assert missed <= 20


def test_decisions_of_rayyan_and_of_asreview_in_notes(review: LiteratureGraph, tmp_path: Path):
    notes = [
        'RAYYAN-INCLUSION: {"Ann"=>"Included", "Bo"=>"Maybe"} | RAYYAN-LABELS: reefs',
        'seen | RAYYAN-INCLUSION: {"Ann"=>"Excluded"} | RAYYAN-EXCLUSION-REASONS: wrong plant',
        'RAYYAN-INCLUSION: {"Ann"=>"Excluded", "Bo"=>"Included"}',
        'RAYYAN-INCLUSION: {"Ann"=>"Maybe"}',
    ]
    table, ris = tmp_path / "articles.csv", tmp_path / "articles.ris"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["key", "title", "notes"])
        writer.writerows((f"rayyan-{n}", PAPERS[n].title, note) for n, note in enumerate(notes))
    ris.write_text(
        "".join(
            f"TY  - JOUR\nTI  - {PAPERS[n].title}\nN1  - {notes[n]}\nER  - \n" for n in range(4)
        )
    )
    for file in (table, ris):
        done = review.screening.import_labels("reefs", file)
        assert (done.rows, done.labeled, done.unlabeled, done.unmatched) == (4, 3, 1, ())
        assert done.contradictory == (PAPERS[2].title,)
        assert [e.id for e in review.lists.entries("reefs", label="yes")] == ["p0", "p2"]
        assert [e.id for e in review.lists.entries("reefs", label="no")] == ["p1"]
        review.screening.label("reefs", ["p0", "p1", "p2"], "none")
    ris.write_text(
        f"TY  - JOUR\nTI  - {PAPERS[4].title}\nN1  - DOI: x\nN1  - ASReview_relevant\nER  - \n"
        f"TY  - JOUR\nTI  - {PAPERS[5].title}\nN1  - ASReview_irrelevant\nER  - \n"
        f"TY  - JOUR\nTI  - {PAPERS[6].title}\nN1  - ASReview_not_seen\nER  - \n"
    )
    done = review.screening.import_labels("reefs", ris)
    assert (done.labeled, done.unlabeled) == (2, 1)
    assert [entry.id for entry in review.lists.entries("reefs", label="yes")] == ["p4"]
    ris.write_text(f"TY  - JOUR\nTI  - {PAPERS[4].title}\nER  - \n")
    with pytest.raises(InputError, match="has no label"):
        review.screening.import_labels("reefs", ris)
