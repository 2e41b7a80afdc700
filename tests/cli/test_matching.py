"""Run `specter-graph match`."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from specter_graph import LiteratureGraph
from specter_graph.cli import cli
from specter_graph.core.errors import GraphError, InputError, OutdatedError
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    read_vectors,
    record_space,
    text_hash,
    write_vectors,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.reviewing.venue_data import outdated_submissions, write_submission_vectors
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Author, Paper, PaperText
from specter_graph.loaders.review_records import Bid, Reviewer, Submission
from specter_graph.matching.assignment.venue_assignment import AssignSettings, VenueProblem
from specter_graph.venue import ReviewVenue

SUBJECTS = ("x", "y", "z")


def author(name: str) -> Author:
    return Author(name, name.title(), identified=True)


PAPERS = [
    Paper("x1", "On x", year=2020, authors=(author("ann"),)),
    Paper("x2", "More x", year=2024, authors=(author("ann"), author("bob")), references=("y1",)),
    Paper("y1", "On y", year=2024, authors=(author("cyd"),)),
    Paper("z1", "On z", year=2025, authors=(author("dan"), author("eve"))),
]
SUBMISSIONS = [
    {"id": "1", "title": "x again", "authors": ["eve"], "topics": ["x"]},
    {"id": "2", "title": "y again", "references": ["y1"], "topics": ["y"]},
    {"id": "3", "title": "z again", "authors": ["bob"], "topics": ["z"]},
]
REVIEWERS = ("ann", "bob", "cyd", "dan")


def vector(title: str) -> list[float]:
    """Return a vector by the subject of a text."""
    return [float(subject in title.split()) + 0.1 for subject in SUBJECTS]


def embed_by_hand(graph: Database, papers: list[Paper]) -> None:
    """Write the vectors of papers as `embed` does, without a model."""
    vectors = np.float32([vector(paper.title) for paper in papers])
    hashes = [text_hash("d", PaperText(paper.id, paper.title)) for paper in papers]
    write_vectors(graph, "base", [paper.id for paper in papers], vectors, hashes)


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, ["match", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def venue(graph: Database, server, tmp_path: Path) -> Path:
    """Load a venue with its vectors; return the folder of its files."""
    load_papers(graph, PAPERS)
    record_space(graph, EmbeddingSpace("base", "base", 3, "m", "m", "d", sees_edges=False))
    embed_by_hand(graph, PAPERS)
    submissions, reviewers = tmp_path / "submissions.jsonl", tmp_path / "reviewers.csv"
    submissions.write_text("\n".join(map(json.dumps, SUBMISSIONS)))
    reviewers.write_text("\n".join(["id", *REVIEWERS]))
    run("load", "V", "--submissions", submissions, "--reviewers", reviewers, "--year", "2026")
    texts = outdated_submissions(graph, "V", "base", "d")
    vectors = np.float32([vector(text.title) for text in texts])
    write_submission_vectors(graph, "V", "base", texts, vectors, "d")
    return tmp_path


def assigned(path: Path) -> dict[str, str]:
    with path.open() as file:
        return {row["submission"]: row["reviewer"] for row in csv.DictReader(file)}


def assign(folder: Path, *arguments: str | Path) -> dict[str, str]:
    """Return the reviewers of an assignment of one reviewer to each submission."""
    run("assign", "V", "-o", folder / "a.csv", "--per-submission", "1", "--replace", *arguments)
    return assigned(folder / "a.csv")


def test_scores_have_no_header_and_the_best_reviewer_wrote_on_the_subject(venue: Path):
    run("score", "V", "-o", venue / "scores.csv")
    rows = [line.split(",") for line in (venue / "scores.csv").read_text().splitlines()]
    assert len(rows) == 12
    best = {s: max((r for r in rows if r[0] == s), key=lambda r: float(r[2]))[1] for s in "123"}
    assert best["2"] == "cyd"
    assert best["3"] == "dan"


def test_scores_with_reasons_name_papers(venue: Path):
    run("score", "V", "-o", venue / "scores.jsonl", "--max-reviewers", "1", "--with-papers")
    first, *_ = map(json.loads, (venue / "scores.jsonl").read_text().splitlines())
    assert first["submission"] == "1"
    assert first["reviewer"] in ("ann", "bob")
    assert first["papers"][0]["id"] in ("x1", "x2")


def test_a_score_does_not_change_with_the_pool(venue: Path, graph: Database):
    run("score", "V", "-o", venue / "before.csv")
    load_papers(graph, [Paper("new", "On w", year=2026, authors=(author("zoe"),))])
    write_vectors(graph, "base", ["new"], np.float32([[0.1, 0.1, 1.1]]), ["hash"])
    graph.write("MATCH (:Author {id: 'cyd'})-[r:REVIEWS_FOR]->() DELETE r")
    graph.write("MATCH (s:Submission {key: '3'}) DETACH DELETE s")
    run("score", "V", "-o", venue / "after.csv")
    before = (venue / "before.csv").read_text().splitlines()
    after = (venue / "after.csv").read_text().splitlines()
    assert len(after) == 6
    assert set(after) <= set(before)


def test_citation_signals_raise_scores(venue: Path):
    run("score", "V", "-o", venue / "plain.csv")
    run("score", "V", "-o", venue / "cited.csv", "--citation-weight", "0.5")
    plain, cited = (
        {tuple(row[:2]): float(row[2]) for row in csv.reader((venue / name).open())}
        for name in ("plain.csv", "cited.csv")
    )
    # 2 cites a paper of cyd, and shares that reference with a paper of ann
    assert cited["2", "cyd"] == pytest.approx((plain["2", "cyd"] + 0.5) / 2, abs=1e-5)
    assert cited["2", "ann"] == pytest.approx((plain["2", "ann"] + 1 - 2**-0.25) / 2, abs=1e-5)
    assert cited["1", "dan"] == pytest.approx(plain["1", "dan"] / 2, abs=1e-5)


def test_conflicts_come_with_their_evidence(venue: Path):
    results = [
        json.loads(line) for line in run("conflicts", "V", "--format", "jsonl").stdout.splitlines()
    ]
    pairs = {(each["reviewer"], each["submission"], each["kind"]) for each in results}
    assert pairs == {("dan", "1", "coauthor"), ("ann", "3", "coauthor"), ("bob", "3", "author")}
    assert all(each["certain"] for each in results)
    assert "On z" in next(each["evidence"] for each in results if each["reviewer"] == "dan")


def test_the_absence_of_conflicts_is_reported(venue: Path):
    anonymous = venue / "anonymous.jsonl"
    anonymous.write_text('{"id": "1", "title": "x again"}')
    run("load", "W", "--submissions", anonymous, "--reviewers", venue / "reviewers.csv")
    result = run("conflicts", "W")
    assert (result.stdout, result.stderr) == ("", "no rows\n")


def test_the_assignment_is_stored_and_respects_conflicts(venue: Path):
    result = run("assign", "V", "-o", venue / "a.csv", "--per-submission", "1", "--format", "json")
    assert json.loads(result.stdout)["reviews"] == 3
    pairs = assigned(venue / "a.csv")
    assert pairs["2"] == "cyd"
    assert pairs["3"] == "dan"
    assert pairs["1"] in ("ann", "bob")
    [size] = json.loads(run("list", "--format", "json").stdout)
    assert (size["name"], size["assigned"], size["without_known_author"]) == ("V", 3, 1)


def test_an_assignment_for_hotcrp_is_not_stored_without_addresses(venue: Path):
    file = venue / "a.csv"
    with pytest.raises(InputError, match="4 reviewers have no e-mail address: ann, bob"):
        run("assign", "V", "-o", file, "--per-submission", "1", "--hotcrp")
    [size] = json.loads(run("list", "--format", "json").stdout)
    assert size["assigned"] == 0
    assert not file.exists()


def test_locked_and_forbidden_pairs_are_respected(venue: Path):
    (venue / "lock.csv").write_text("reviewer,submission\ncyd,1\n")
    (venue / "forbid.csv").write_text("reviewer,submission\ndan,3\n")
    pairs = assign(venue, "--lock", venue / "lock.csv", "--forbid", venue / "forbid.csv")
    assert pairs["1"] == "cyd"
    assert pairs["3"] == "cyd"  # all other pairs are conflicts or forbidden
    (venue / "lock.csv").write_text("reviewer,submission\nbob,3\n")
    with pytest.raises(InputError, match="3 bob"):
        assign(venue, "--lock", venue / "lock.csv")


def test_no_assignment_is_explained_in_counts(venue: Path):
    with pytest.raises(InputError, match=r"1 paper .*2 eligible reviewers.* needs? 3"):
        run("assign", "V", "-o", venue / "a.csv", "--per-submission", "3")
    assert not (venue / "a.csv").exists()


def test_an_assignment_uses_scores_of_a_file(venue: Path):
    (venue / "mine.csv").write_text("1,cyd,0.9\n2,dan,0.9\n3,cyd,0.9\n")
    pairs = assign(venue, "--scores", venue / "mine.csv")
    assert pairs == {"1": "cyd", "2": "dan", "3": "cyd"}
    (venue / "mine.csv").write_text("1,cyd,0.9\n2,dan,much\n")
    with pytest.raises(InputError, match="line 2: 'much' is not a score"):
        assign(venue, "--scores", venue / "mine.csv")


def test_scores_of_withdrawn_submissions_are_skipped_and_named(venue: Path):
    file = venue / "mine.csv"
    file.write_text("1,cyd,0.9\n9,cyd,0.9\n9,dan,0.9\n2,dan,0.9\n3,cyd,0.9\n1,fay,0.9\n")
    skipped = f"skipped 3 scores in {file}: the venue does not have 9, fay\n"
    options = ("V", "-o", venue / "a.csv", "--scores", file)
    result = run("assign", *options, "--per-submission", "1")
    assert skipped in result.stderr
    assert assigned(venue / "a.csv") == {"1": "cyd", "2": "dan", "3": "cyd"}
    assert skipped in run("reassign", *options).stderr
    file.write_text("9,cyd,0.9\n")
    with pytest.raises(InputError, match=r"no pair of .*; it does not have 9"):
        run("assign", *options, "--per-submission", "1", "--replace")


def test_pairs_outside_a_top_k_list_have_no_higher_scores(venue: Path):
    (venue / "mine.csv").write_text("1,cyd,-0.05\n1,ann,-0.1\n2,dan,0.9\n3,cyd,0.9\n")
    pairs = assign(venue, "--scores", venue / "mine.csv")
    assert pairs == {"1": "cyd", "2": "dan", "3": "cyd"}


def test_a_bid_does_not_exceed_the_minimum_score(venue: Path):
    (venue / "bids.csv").write_text("reviewer,submission,value\ncyd,1,1\n")
    run("load", "V", "--bids", venue / "bids.csv")
    (venue / "mine.csv").write_text("1,cyd,0.1\n1,ann,0.2\n2,dan,0.9\n3,cyd,0.9\n")
    options = ("--scores", venue / "mine.csv")
    assert assign(venue, *options)["1"] == "cyd"
    assert assign(venue, *options, "--min-affinity", "0.15")["1"] == "ann"


def test_a_drop_out_changes_the_minimum_number_of_pairs(venue: Path):
    before = assign(venue)
    result = run("reassign", "V", "-o", venue / "a.csv", "--remove-reviewer", "dan")
    after = assigned(venue / "a.csv")
    assert after == before | {"3": "cyd"}
    assert "1 review removed, 1 added" in result.stderr
    (venue / "quotas.csv").write_text("reviewer,maximum\ncyd,0\n")
    run("load", "V", "--quotas", venue / "quotas.csv")
    with pytest.raises(InputError, match="has 0 eligible reviewers with 0 places"):  # nor dan
        run("reassign", "V", "-o", venue / "a.csv")


def test_reviewers_are_named_by_their_email_addresses(venue: Path):
    (venue / "people.csv").write_text("id,email\ncyd,Cyd@x.org\ndan,dan@x.org\n")
    run("load", "V", "--reviewers", venue / "people.csv")
    assert "y1  On y" in run("explain", "V", "2", "cyd@X.org").stdout
    (venue / "mine.csv").write_text("1,ann,0.9\n2,dan@x.org,0.9\n3,cyd,0.9\n")
    (venue / "lock.csv").write_text("reviewer,submission\ncyd@x.org,1\n")
    (venue / "forbid.csv").write_text("reviewer,submission\nDAN@x.org,3\n")
    options = ("--lock", venue / "lock.csv", "--forbid", venue / "forbid.csv")
    scores = ("--scores", venue / "mine.csv")
    assert assign(venue, *options, *scores) == {"1": "cyd", "2": "dan", "3": "cyd"}
    run("reassign", "V", "-o", venue / "b.csv", "--remove-reviewer", "dan@x.org", *scores)
    assert assigned(venue / "b.csv")["2"] in {"ann", "bob", "cyd"}


def test_ids_of_submissions_may_be_written_as_decimal_numbers(venue: Path):
    (venue / "bids.csv").write_text("reviewer,submission,value\ncyd,1.0,1\nann,2.5,1\n")
    (venue / "conflicts.csv").write_text("reviewer,submission\ndan,2.0\n")
    loaded = run(
        "load", "V", "--bids", venue / "bids.csv", "--conflicts", venue / "conflicts.csv",
        "--format", "json",
    )  # fmt: skip
    summary = json.loads(loaded.stdout)
    assert (summary["bids"], summary["unknown_bids"], summary["conflicts"]) == (1, 1, 1)
    (venue / "mine.csv").write_text("1.0,ann,0.9\n2.0,dan,0.9\n2,cyd,0.5\n3.0,cyd,0.9\n")
    (venue / "lock.csv").write_text("reviewer,submission\ncyd,1.0\n")
    pairs = assign(venue, "--lock", venue / "lock.csv", "--scores", venue / "mine.csv")
    assert pairs == {"1": "cyd", "2": "cyd", "3": "cyd"}


def test_an_emergency_round_adds_reviews_and_changes_none(venue: Path, graph: Database):
    assign(venue)
    before = LiteratureGraph(graph.driver, graph.name).venue("V").assigned()
    titles = graph.read("MATCH (s:Submission) RETURN s.key AS key, s.title AS title ORDER BY key")
    rows = "".join(
        f"{row['key']},{row['title']},{2 if row['key'] == '2' else ''}\n" for row in titles
    )
    (venue / "more.csv").write_text(f"id,title,demand\n{rows}")
    run("load", "V", "--submissions", venue / "more.csv")
    arguments = ("reassign", "V", "-o", venue / "b.csv", "--only-add")
    result = run(*arguments, "--dry-run")
    assert "0 reviews removed, 1 added" in result.stderr
    assert LiteratureGraph(graph.driver, graph.name).venue("V").assigned() == before
    run(*arguments)
    after = LiteratureGraph(graph.driver, graph.name).venue("V").assigned()
    assert {*before} < {*after}
    assert [each.submission for each in {*after} - {*before}] == ["2"]
    assert not any(each.locked for each in after)


@pytest.mark.parametrize("best", ["ann", "bob"])
def test_a_change_uses_scores_of_a_file(venue: Path, best: str):
    (venue / "mine.csv").write_text(f"1,cyd,0.9\n1,{best},0.8\n2,dan,0.9\n3,dan,0.9\n")
    scores = ("--scores", venue / "mine.csv")
    assert assign(venue, *scores)["1"] == "cyd"
    run("reassign", "V", "-o", venue / "a.csv", *scores, "--remove-reviewer", "cyd")
    assert assigned(venue / "a.csv")["1"] == best


@pytest.mark.parametrize(
    "options", [("--method", "fair"), ("--method", "random"), ("--one-per-affiliation",)]
)
def test_other_assignment_methods_respect_conflicts_too(venue: Path, options: tuple[str, ...]):
    pairs = assign(venue, *options)
    assert pairs.keys() == {"1", "2", "3"}
    assert pairs["1"] != "dan"
    assert pairs["3"] in ("cyd", "dan")


def test_the_settings_of_an_assignment_are_stored(venue: Path, graph: Database):
    assign(venue, "--half-life", "5", "--conflict-years", "2", "--aggregate", "max")
    stored = LiteratureGraph(graph.driver, graph.name).venue("V").settings()
    assert (stored.assignment.per_submission, stored.conflict_years) == (1, 2)
    assert (stored.scoring.half_life, stored.scoring.aggregation.method) == (5, "max")
    assert stored.scoring.spaces == ("base",)
    run("reassign", "V", "-o", venue / "a.csv", "--remove-reviewer", "dan")
    assert LiteratureGraph(graph.driver, graph.name).venue("V").settings() == stored


def test_a_changed_assignment_is_exported_for_a_conference_system(venue: Path, graph: Database):
    people = [f"{name},{name}@{name}.org,reviewer" for name in REVIEWERS]
    (venue / "people.csv").write_text("\n".join(["id,email,role", *people, "eve,,chair"]))
    run("load", "V", "--reviewers", venue / "people.csv")
    run("assign", "V", "-o", venue / "a.csv", "--per-submission", "1", "--hotcrp")
    before = (venue / "a.csv").read_text()
    assert "3,primaryreview,dan@dan.org" in before
    LiteratureGraph(graph.driver, graph.name).venue("V").change("3", removed="dan", added="cyd")
    (venue / "people.csv").write_text("id,email,role\ncyd,cyd@cyd.org,area chair\n")
    run("load", "V", "--reviewers", venue / "people.csv")
    result = run("export", "V", "-o", venue / "b.csv", "--hotcrp")
    assert "reviews        3" in result.stdout
    assert (venue / "b.csv").read_text() == before.replace("dan@dan.org", "cyd@cyd.org")


def test_reviewers_without_papers_are_named(venue: Path):
    (venue / "people.csv").write_text("email\nzoe@x.org\n")
    (venue / "lock.csv").write_text("reviewer,submission\nzoe@x.org,1\n")
    run("load", "V", "--reviewers", venue / "people.csv")
    options = ("--per-submission", "1", "--lock", venue / "lock.csv")
    result = run("assign", "V", "-o", venue / "a.csv", *options)
    assert "1 reviewer is assigned with the affinity 0" in result.stderr
    assert "zoe@x.org" in result.stderr


def test_a_file_in_a_missing_folder_is_an_error_before_anything_is_stored(
    venue: Path, graph: Database
):
    with pytest.raises(InputError, match="folder not found"):
        run("assign", "V", "-o", venue / "absent" / "a.csv", "--per-submission", "1")
    assert LiteratureGraph(graph.driver, graph.name).venue("V").assignments() == {}


def test_a_pair_is_explained(venue: Path):
    (venue / "bids.csv").write_text("reviewer,submission,value\ncyd,2,-0.5\n")
    run("load", "V", "--bids", venue / "bids.csv")
    result = run("explain", "V", "2", "cyd")
    assert "bid -0.5\n" in result.stdout
    assert "y1  On y" in result.stdout
    assert "papers of the reviewer that the submission cites: y1" in result.stdout
    assert "conflict (coauthor): wrote" in run("explain", "V", "3", "ann").stdout
    with pytest.raises(GraphError, match="no reviewer 'nobody'"):
        run("explain", "V", "2", "nobody")


def test_the_report_shows_no_author_of_a_submission(venue: Path):
    assign(venue)
    run("report", "V", "-o", venue / "report.html")
    page = (venue / "report.html").read_text()
    assert "On y" in page
    assert "Cyd" in page
    assert "Eve" not in page
    run("report", "V", "-o", venue / "report.html", "--show-conflict-evidence")
    assert "Eve" in (venue / "report.html").read_text()


def test_reviewers_of_the_same_name_are_distinguished_in_the_report(venue: Path):
    (venue / "names.csv").write_text("id,name\nw@x.org,\u738b\u4f1f\nw@y.org,\u738b\u4f1f\n")
    run("load", "V", "--reviewers", venue / "names.csv")
    (venue / "lock.csv").write_text("reviewer,submission\nw@x.org,1\nw@y.org,2\n")
    rules = ("--lock", venue / "lock.csv", "--per-submission", "1")
    run("assign", "V", "-o", venue / "a.csv", *rules)
    run("report", "V", "-o", venue / "report.html")
    page = (venue / "report.html").read_text()
    assert "<summary>\u738b\u4f1f (w@x.org) " in page
    assert "<summary>\u738b\u4f1f (w@y.org) " in page


def test_a_removed_venue_leaves_no_data(venue: Path, graph: Database):
    run("score", "V", "-o", venue / "scores.csv")
    run("delete", "V", "--yes")
    [left] = graph.read("MATCH (n:ReviewVenue|Submission|Reviewer) RETURN count(n) AS left")
    assert left == {"left": 0}
    with pytest.raises(GraphError, match="no venue 'V'"):
        run("score", "V", "-o", venue / "scores.csv")


class Model:
    """Model that returns the vectors of `vector`, and records what it encodes."""

    digest = "d"

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: list[PaperText], *_: object) -> np.ndarray:
        self.encoded += [text.id for text in texts]
        return np.float32([vector(text.title) for text in texts])


def test_scoring_embeds_the_reviewers_papers_whose_text_changed(venue: Path, graph: Database):
    changed = replace(PAPERS[2], title="On x now")
    late = Paper("y2", "More y", year=2025, authors=(author("cyd"),))
    load_papers(graph, [changed, late])
    model = Model()
    ReviewVenue(graph, "V", lambda _: model).score()
    assert model.encoded == ["y1", "y2"]
    _, [now] = read_vectors(graph, "base", ["y1"])
    np.testing.assert_allclose(now, vector("On x now"), rtol=1e-6)


@pytest.mark.parametrize("authors", [("sue",), ()])
def test_a_reviewers_preprint_of_a_submission_does_not_stop_an_assignment_with_bids(
    graph: Database, server, authors: tuple[str, ...]
):
    """The cosine of equal texts is 1, and may exceed 1 by rounding."""
    papers = [
        Paper("pre", "x again", year=2026, authors=(author("sue"),)),
        Paper("other", "y", authors=(author("tom"),)),
    ]
    load_papers(graph, papers)
    record_space(graph, EmbeddingSpace("base", "base", 3, "m", "m", "d", sees_edges=False))
    import_venue(
        graph,
        "V",
        VenueRecords(
            submissions=[Submission("1", "x again", None, authors)],
            reviewers=[Reviewer("sue"), Reviewer("tom")],
            bids=[Bid("tom", "1", 1)],
        ),
    )
    preprints = ReviewVenue(graph, "V", lambda _: Model())
    assert preprints.score().affinity.max() == pytest.approx(1)
    [pair] = preprints.assign(AssignSettings(per_submission=1))
    assert pair.reviewer == ("tom" if authors else "sue")


def test_bids_for_an_unknown_venue_are_an_error_and_make_no_venue(venue: Path):
    (venue / "bids.csv").write_text("reviewer,submission,value\ncyd,1,1\n")
    for _ in range(2):
        with pytest.raises(GraphError, match="no venue 'W'; its venues are: V"):
            run("load", "W", "--bids", venue / "bids.csv")


def test_scores_of_a_file_above_1_are_refused_for_allowed_pairs_only(venue: Path):
    (venue / "bids.csv").write_text("reviewer,submission,value\ncyd,1,1\n")
    run("load", "V", "--bids", venue / "bids.csv")
    # bob is an author of 3
    (venue / "mine.csv").write_text("1,cyd,0.9\n2,dan,0.9\n3,cyd,0.9\n3,bob,1.5\n")
    assign(venue, "--scores", venue / "mine.csv")
    (venue / "mine.csv").write_text("1,cyd,0.9\n2,dan,0.9\n3,cyd,1.5\n")
    with pytest.raises(InputError, match=r"an affinity is 1\.5"):
        assign(venue, "--scores", venue / "mine.csv")
    assign(venue, "--scores", venue / "mine.csv", "--bid-weight", "1")


@pytest.mark.parametrize(("bid", "chosen"), [("1", "~Zed1"), ("-1", "cyd")])
def test_bids_count_for_affinities_of_0_and_for_reviewers_without_papers(
    venue: Path, graph: Database, bid: str, chosen: str
):
    import_venue(
        graph,
        "V",
        VenueRecords(reviewers=[Reviewer("~Zed1")], newcomers=[Author("openreview:~Zed1", "Zed")]),
    )
    (venue / "bids.csv").write_text(f"reviewer,submission,value\n~Zed1,1,{bid}\n")
    run("load", "V", "--bids", venue / "bids.csv")
    (venue / "forbid.csv").write_text("reviewer,submission\nann,1\nbob,1\n")
    # cyd's affinity is 0.19, that of zed, who has no papers, is 0; dan is in conflict
    assert assign(venue, "--forbid", venue / "forbid.csv")["1"] == chosen


def test_a_reviewers_own_bounds_count_before_the_general_ones(venue: Path):
    (venue / "quotas.csv").write_text("reviewer,minimum,maximum\nann,0,\nbob,,0\ncyd,2,\n")
    run("load", "V", "--quotas", venue / "quotas.csv")
    pairs = assign(venue, "--min-load", "1", "--max-load", "1")
    assert sorted(pairs.values()) == ["cyd", "cyd", "dan"]
    with pytest.raises(InputError, match="minimum load 3 is above the maximum load 2"):
        assign(venue, "--min-load", "3", "--max-load", "2")


def test_columns_that_are_not_read_are_named(venue: Path):
    (venue / "people.csv").write_text("id,affiliation,room\nann,ann@x.org,7\n")
    loaded = run("load", "V", "--reviewers", venue / "people.csv")
    assert "  2: people.csv: affiliation, people.csv: room\n" in loaded.stdout
    assert "affiliations in these lists cause no conflicts" in loaded.stderr


def test_an_assignment_is_overwritten_only_on_request(venue: Path):
    arguments = ("assign", "V", "-o", venue / "a.csv", "--per-submission", "1")
    run(*arguments)
    before = run("list").stdout
    with pytest.raises(
        InputError, match="an assignment 'reviewer' of 'V' already, with 3 reviews"
    ) as no:
        run(*arguments, "--method", "fair")
    assert no.value.hint.startswith("set replace, give another name, or update it:")
    assert run("list").stdout == before
    run(*arguments, "--method", "fair", "--replace")


def test_an_assignment_that_changes_while_another_is_computed_is_not_overwritten(
    venue: Path, graph: Database, monkeypatch: pytest.MonkeyPatch
):
    stored = LiteratureGraph(graph.driver, graph.name).venue("V")

    def change_before(kind: type, method: str, per_submission: int) -> None:
        run_method = getattr(kind, method)

        def change_and_run(*arguments: object) -> object:
            monkeypatch.setattr(kind, method, run_method)
            stored.assign(AssignSettings(per_submission=per_submission), replace=True)
            return run_method(*arguments)

        monkeypatch.setattr(kind, method, change_and_run)

    change_before(ReviewVenue, "_read_or_score", 1)
    with pytest.raises(OutdatedError, match="'reviewer' of 'V' has changed in the meantime"):
        stored.assign(AssignSettings(per_submission=2))
    assert len(stored.assigned()) == 3
    change_before(VenueProblem, "reassign", 2)
    with pytest.raises(OutdatedError, match="nothing is written"):
        stored.reassign()
    assert len(stored.assigned()) == 6


def test_ratings_are_evaluated_without_a_database(tmp_path: Path):
    ratings, scores = tmp_path / "ratings.csv", tmp_path / "scores.json"
    ratings.write_text("ParticipantID\tPaper1\tPaper2\tExpertise1\tExpertise2\nann\ta\tb\t5\t1\n")
    scores.write_text(json.dumps({"ann": {"a": 0.9, "b": 0.1}}))
    arguments = ("evaluate", "--evaluations", ratings, "--predictions", scores)
    results = json.loads(run(*arguments, "--format", "json").stdout)
    assert results["loss"]["value"] == 0
    assert results["easy"]["value"] == 1
    assert "coverage ratings 2 coverage ratings scored 2" in " ".join(
        run(*arguments).stdout.split()
    )
    with pytest.raises(InputError, match="give either --dataset or --predictions"):
        run("evaluate", "--evaluations", ratings)


def test_the_year_of_a_venue_and_of_an_affiliation_has_four_digits(server, tmp_path: Path):
    reviewers, lists = tmp_path / "reviewers.csv", tmp_path / "affiliations.csv"
    reviewers.write_text("id,email\nann,ann@a.edu\n")
    lists.write_text("person,institution,until\nann,a.edu,26\n")
    arguments = ("load", "V", "--reviewers", reviewers)
    with pytest.raises(InputError, match="the year 26 is not between 1000 and 2100"):
        run(*arguments, "--year", "26")
    with pytest.raises(InputError, match="until 26 is not between 1000 and 2100"):
        run(*arguments, "--affiliations", lists)
    assert run("list", "--format", "csv").stdout.count("\n") <= 1


def test_an_option_without_effect_is_an_error(tmp_path: Path):
    for arguments in (
        ("evaluate", "--evaluations", "r.csv", "--predictions", "s.json", "--model", "static"),
        ("push", "V", "V.cc", "--affinities", "s.csv", "--name", "fair"),
        ("push", "V", "V.cc", "--affinities", "s.csv", "--label", "round-1"),
        ("push", "V", "V.cc", "--affinities", "s.csv", "--instance", "trial"),
    ):
        refused = CliRunner().invoke(cli, ["match", *arguments])
        assert refused.exit_code == 2
        assert f"{arguments[-2]} has no effect with {arguments[-4]}." in refused.stderr


CHAIRS = "id,role,region\nann,reviewer,Asia\nbob,,Asia\ncyd,area chair,\ndan,area chair,\n"


def test_area_chairs_and_reviewers_are_assigned_in_two_stages(venue: Path, graph: Database):
    (venue / "roles.csv").write_text(CHAIRS)
    run("load", "V", "--reviewers", venue / "roles.csv")
    assert {*assign(venue, "--role", "area chair").values()} <= {"cyd", "dan"}
    (venue / "forbid.csv").write_text("reviewer,submission\nann,1\n")
    (venue / "more.jsonl").write_text('{"id": "3", "title": "z again"}')
    run("load", "V", "--submissions", venue / "more.jsonl")
    options = ("--forbid", venue / "forbid.csv", "--after", "area chair")
    assert assign(venue, *options)["1"] == "bob"
    run("assign", "V", "-o", venue / "t.csv", "--per-submission", "2", "--name", "trial")
    listed = json.loads(run("list", "V", "--format", "json").stdout)
    assert [(row["name"], row["reviews"]) for row in listed] == [
        ("area chair", 3), ("reviewer", 3), ("trial", 6),
    ]  # fmt: skip
    reviews = LiteratureGraph(graph.driver, graph.name).venue("V")
    assert reviews.settings("area chair").assignment.role == "area chair"
    assert reviews.settings("trial").assignment.per_submission == 2
    with pytest.raises(InputError, match="an assignment 'trial' of 'V' already, with 6 reviews"):
        run("assign", "V", "-o", venue / "t.csv", "--name", "trial")
    run("reassign", "V", "-o", venue / "t.csv", "--name", "trial")
    run("report", "V", "-o", venue / "report.html", "--name", "area chair")
    assert "Cyd" in (venue / "report.html").read_text()
    deleted = run("delete", "V", "--name", "trial", "--yes")
    assert deleted.stderr == "deleted the assignment trial of the venue V\n"
    assert [*reviews.assignments()] == ["area chair", "reviewer"]
    with pytest.raises(GraphError, match="no assignment 'trial'; its assignments are: area chair"):
        run("reassign", "V", "-o", venue / "t.csv", "--name", "trial")
    with pytest.raises(GraphError, match="the roles are: area chair, reviewer"):
        run("assign", "V", "-o", venue / "t.csv", "--role", "area-chair")


def test_the_people_of_an_earlier_stage_count_for_regions(venue: Path):
    regions = CHAIRS.replace("chair,", "chair,Asia").replace("bob,,Asia", "bob,,Europe")
    (venue / "roles.csv").write_text(regions)
    run("load", "V", "--reviewers", venue / "roles.csv")
    (venue / "more.csv").write_text("id,title\n1,x again\n3,z again\n")
    run("load", "V", "--submissions", venue / "more.csv")
    assign(venue, "--max-per-region", "1", "--role", "area chair")
    pairs = assign(venue, "--max-per-region", "1", "--after", "area chair")
    assert {*pairs.values()} == {"bob"}


def test_a_check_names_demands_before_affinities_are_computed(venue: Path):
    (venue / "tracks.csv").write_text("id,title,track\n1,x again,vision\n2,y again,Vision\n")
    run("load", "V", "--submissions", venue / "tracks.csv")
    rows = json.loads(run("check", "V", "--per-submission", "1", "--format", "json").stdout)
    assert rows == [
        {"track": "vision", "submissions": 2, "reviewers": 4, "needed": 2, "places": 24},
        {"track": None, "submissions": 3, "reviewers": 4, "needed": 3, "places": 24},
    ]
    with pytest.raises(InputError, match=r"1 paper .* has 2 eligible reviewers .* needs 3 \(3\)"):
        run("check", "V")
    assert run("list", "V").stderr == "no rows\n"
