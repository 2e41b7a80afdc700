"""Reviewers over HTTP have the scores, reasons and conflicts of the library; lists of a venue."""

import csv
import html
import io
import re

import pytest

from specter_graph import ScoreSettings, VenueSettings
from specter_graph.matching.assignment.venue_assignment import AssignSettings
from specter_graph.service import reviewer_routes
from specter_graph.service.job_queue import JobQueue
from tests.service.small_service import EVIL, GLUE, JETS, ask

SUBMISSIONS = f"""id,title,abstract,authors
s1,the gluon jet again,jet of quark and gluon,
s2,dwarf galaxy halo,the halo of the dwarf galaxy,a/bob
"e/<b>&'?",{EVIL.replace('"', "'")},the neutrino,
"""
REVIEWERS = "id\na/ann\na/bob\na/cleo\n"


@pytest.fixture(scope="module")
def venue(small, tmp_path_factory):
    """Load a venue with scores and an assignment."""
    folder = tmp_path_factory.mktemp("lists")
    (folder / "submissions.csv").write_text(SUBMISSIONS)
    (folder / "reviewers.csv").write_text(REVIEWERS)
    venue = small.venue("V 27")
    venue.load(
        submissions=folder / "submissions.csv", reviewers=folder / "reviewers.csv", year=2005
    )
    yield venue
    venue.delete()


def test_an_unscored_venue_names_the_command_that_scores_it(venue, client):
    request = {"venue": "V 27", "submissions": ["s1"]}
    answer = client.post("/v1/reviewers/match", json=request)
    assert answer.status_code == 404
    assert "specter-graph match score V 27" in answer.json()["hint"]
    page = client.get("/match/V%2027")
    assert page.status_code == 200
    assert "has no vector in the space" in page.text
    assert '<a href="/match" aria-current="true">Reviewers</a>' in page.text


def test_an_assignment_by_scores_of_a_file_is_shown_without_vectors(small, client, tmp_path):
    venue = small.venue("from a file")
    lists = {"submissions": SUBMISSIONS, "reviewers": REVIEWERS}
    for name, text in lists.items():
        (tmp_path / f"{name}.csv").write_text(text)
    venue.load(**{name: tmp_path / f"{name}.csv" for name in lists})
    try:
        scores = tmp_path / "scores.csv"
        scores.write_text("s1,a/ann,0.9\ns2,a/cleo,0.7\n")
        venue.assign(AssignSettings(per_submission=1), scores=scores)
        page = client.get("/match/from%20a%20file").text
        assert "has no vector in the space" in page
        assert "the gluon jet again" in page
        assert re.search(r"a/ann</span> <span class=\"soft\">affinity 0.900, load 1 of 6<", page)
        assert "/change?" not in page  # a change needs the vectors
    finally:
        venue.delete()


@pytest.fixture(scope="module")
def scores(venue):
    scores = venue.score()
    venue.assign(AssignSettings(per_submission=1))
    return scores


def test_submissions_get_the_reviewers_of_the_library_with_reasons_and_conflicts(
    venue, scores, client
):
    request = {"venue": "V 27", "submissions": ["s2", "s1"], "k": 3}
    second, first = client.post("/v1/reviewers/match", json=request).json()
    assert (first["submission"], first["title"]) == ("s1", "the gluon jet again")
    for result in (first, second):
        row = scores.rows[result["submission"]]
        expected = {who: float(scores.affinity[row, c]) for who, c in scores.columns.items()}
        assert {each["reviewer"]: each["affinity"] for each in result["reviewers"]} == (
            pytest.approx(expected, abs=1e-5)
        )
        values = [each["affinity"] for each in result["reviewers"]]
        assert values == sorted(values, reverse=True)
        for each in result["reviewers"]:
            because = scores.supporting_papers(row, scores.columns[each["reviewer"]])
            assert [p["id"] for p in each["papers"]] == [paper for paper, _ in because]
    bob = next(each for each in second["reviewers"] if each["reviewer"] == "a/bob")
    assert {"kind": "author", "certain": False} in bob["conflicts"]
    assert not bob["assigned"]
    pairs = {(each.submission, each.reviewer) for each in venue.assigned()}
    assigned = {
        (result["submission"], each["reviewer"])
        for result in (first, second)
        for each in result["reviewers"]
        if each["assigned"]
    }
    assert assigned == {pair for pair in pairs if pair[0] in ("s1", "s2")}


def test_a_text_gets_the_reviewers_that_a_submission_of_the_same_text_gets(venue, scores, client):
    texts = client.post(
        "/v1/reviewers/match", json={"venue": "V 27", "text": "the gluon jet again", "k": 2}
    )
    [result] = texts.json()
    assert result["submission"] is None
    assert len(result["reviewers"]) == 2
    assert result["reviewers"][0]["papers"][0]["id"] in (JETS, GLUE, "alone", "hep-ph/9901003")


def test_a_text_is_scored_in_the_space_of_the_assignment(venue, scores, client, monkeypatch):
    used, recommend = [], reviewer_routes.recommend_reviewers

    def note(db, name, vectors, space, k):
        used.append(space)
        return recommend(db, name, vectors, space, k)

    monkeypatch.setattr(reviewer_routes, "recommend_reviewers", note)
    assigned = AssignSettings(per_submission=1)
    for settings in (VenueSettings(assigned, ScoreSettings(("other",))), assigned):
        venue.assign(settings, replace=True)
        request = {"venue": "V 27", "text": "the gluon jet"}
        assert client.post("/v1/reviewers/match", json=request).status_code == 200
    assert used == ["other", "specter"]


def test_the_assignment_is_downloaded_as_csv(venue, scores, client):
    answer = client.get("/v1/reviewers/V 27/assignment")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["submission"], row["reviewer"]) for row in rows] == [
        (each.submission, each.reviewer) for each in venue.assigned()
    ]
    [listed] = client.get("/v1/reviewers").json()
    assert (listed["name"], listed["submissions"], listed["assigned"]) == ("V 27", 3, len(rows))


def test_pages_show_a_venue_and_who_could_review_a_text(venue, scores, client):
    page = client.get("/match/V%2027").text
    assert "the gluon jet again" in page
    assert "author" in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    result = client.post("/match/text", data={"venue": "V 27", "text": "gluon jet"})
    assert "Author" in result.text
    assert 'type="file"' not in result.text  # this service is read-only
    assert client.get("/match/nothing").status_code == 404
    wrong = client.post("/match/text", data={"venue": "nothing", "text": "gluon"})
    assert wrong.status_code == 404
    assert "The graph has no venue" in wrong.text


def test_the_page_of_a_venue_explains_pairs_and_affinities(venue, scores, client, tmp_path):
    page = client.get("/match/V%2027").text
    assert "What the affinities mean for this venue" in page
    assert "Common topics" not in page  # the submissions have none
    for shown in ("reviews assigned", "above", "median affinity of the assigned reviews"):
        assert shown in page
    order = [
        max(float(scores.affinity[scores.rows[s], scores.columns[r]]) for s, r in pairs)
        for pairs in _assigned_in_order(page, venue)
    ]
    assert order == sorted(order)
    (tmp_path / "bids.csv").write_text("reviewer,submission,value\na/bob,s2,-0.5\n")
    venue.load(bids=tmp_path / "bids.csv")
    assert re.search(r"load [01] of 6, bid -0.5<", client.get("/match/V%2027").text)
    (tmp_path / "bids.csv").write_text("reviewer,submission,value\n")
    venue.load(bids=tmp_path / "bids.csv")
    load = client.get("/match/V%2027/load").text
    assert load.count("<tr>") == 4
    assert client.get("/match/nothing/load").status_code == 404


@pytest.mark.parametrize(
    ("find", "ids"), [("s2", ["s2"]), ("JET gluon", ["s1"]), ("e/<b>&'?", ["e/<b>&'?"]), ("no", [])]
)
def test_a_submission_is_selected_by_its_id_or_words_of_its_title(venue, scores, client, find, ids):
    page = client.get("/match/V%2027", params={"find": find}).text
    shown = re.findall(r'<h2 id="s\d+">.*?<span class="soft">(.*?)</span></h2>', page)
    assert sorted(map(html.unescape, shown)) == sorted(ids)
    assert ("No submission has this id" in page) == (not ids)


def test_a_venue_without_reviewers_has_an_empty_page_of_loads(small, client, tmp_path):
    (tmp_path / "submissions.csv").write_text("id,title\ns1,The gluon jet\n")
    venue = small.venue("new")
    venue.load(submissions=tmp_path / "submissions.csv")
    try:
        assert "This venue has no reviewers." in client.get("/match/new/load").text
    finally:
        venue.delete()


def _assigned_in_order(page, venue):
    """Return the assigned pairs of each submission, in the order of the page."""
    pairs = [(pair.submission, pair.reviewer) for pair in venue.assigned()]
    titles = {"s1": "the gluon jet again", "s2": "dwarf galaxy halo", "e/<b>&'?": "&lt;script&gt;"}
    places = sorted(titles, key=lambda submission: page.index(titles[submission]))
    return [[pair for pair in pairs if pair[0] == submission] for submission in places]


def test_a_read_only_service_shows_the_cost_of_a_change_but_makes_none(venue, scores, client):
    [present] = [pair for pair in venue.assigned() if pair.submission == "s1"]
    other = next(who for who in scores.columns if who != present.reviewer)
    change = {"submission": "s1", "removed": present.reviewer, "added": other}
    page = client.get("/match/V%2027/change", params=change)
    assert page.status_code == 200
    row = scores.affinity[scores.rows["s1"]]
    difference = row[scores.columns[other]] - row[scores.columns[present.reviewer]]
    assert f"{difference:+.3f}" in page.text
    assert "Confirm" not in page.text
    assert client.post("/match/V%2027/change", data=change).status_code in (404, 405)
    assert present in venue.assigned()
    for wrong, status, message in (
        ({"added": "nobody"}, 404, "has no reviewer"),
        ({"removed": other}, 400, "is not assigned"),
        ({"submission": "s9"}, 404, "has no submission"),
        ({"added": present.reviewer, "removed": ""}, 400, "already assigned"),
    ):
        refused = client.get("/match/V%2027/change", params=change | wrong)
        assert refused.status_code == status
        assert message in refused.text


def test_a_pair_is_changed_and_the_change_undone(venue, scores, small, tmp_path):
    before = venue.assigned()
    [present] = [pair for pair in before if pair.submission == "s1"]
    other = next(who for who in scores.columns if who != present.reviewer)
    change = {"submission": "s1", "removed": present.reviewer, "added": other}
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        evil = {"Sec-Fetch-Site": "cross-site"}
        assert client.post("/match/V%2027/change", data=change, headers=evil).status_code == 403
        assert venue.assigned() == before
        assert client.get("/match/V%2027/change", params=change).text.count("Confirm") == 1
        done = client.post("/match/V%2027/change", data=change, follow_redirects=False)
        assert (done.status_code, done.headers["location"]) == (303, "/match/V%2027#changes")
        [changed] = [pair for pair in venue.assigned() if pair.submission == "s1"]
        assert (changed.reviewer, changed.locked) == (other, True)
        affinity = scores.affinity[scores.rows["s1"], scores.columns[other]]
        assert changed.affinity == pytest.approx(float(affinity), abs=1e-5)
        assert client.post("/match/V%2027/change", data=change).status_code == 400  # again
        assert "Undo" in client.get("/match/V%2027").text
        assert client.post("/match/V%2027/undo", headers=evil).status_code == 403
        older = client.post("/match/V%2027/undo", data={"known": 0})  # a page without this change
        assert (older.status_code, venue.assigned() == before) == (409, False)
        assert "changed in the meantime; nothing is written" in older.text
        client.post("/match/V%2027/undo", data={"known": 1})
        assert venue.assigned() == before
        assert "Undo" not in client.get("/match/V%2027").text
        assert client.post("/match/V%2027/undo", data={"known": 0}).status_code == 404


def test_pages_of_another_assignment_show_and_change_this_one(venue, scores, small, tmp_path):
    venue.assign(AssignSettings(per_submission=2), name="two & more")
    before, named = venue.assigned(), {"name": "two & more"}
    stored = venue.assigned("two & more")
    own = {pair.reviewer for pair in stored if pair.submission == "s1"}
    [added] = scores.columns.keys() - own
    change = named | {"submission": "s1", "removed": min(own), "added": added}
    try:
        with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
            assert "two &amp; more</a>" in client.get("/match/V%2027").text
            page = client.get("/match/V%2027", params=named).text
            assert f"<b>{len(stored)}</b> reviews assigned" in page
            assert "/match/V%2027/change?name=two+%26+more&amp;submission=s" in page
            csv = client.get("/v1/reviewers/V 27/assignment", params=named).text
            assert len(csv.splitlines()) == len(stored) + 1
            load = client.get("/match/V%2027/load", params=named).text
            assert "assignment two &amp; more" in load
            assert load != client.get("/match/V%2027/load").text
            assert "Confirm" in client.get("/match/V%2027/change", params=change).text
            done = client.post("/match/V%2027/change", data=change, follow_redirects=False)
            assert done.headers["location"] == "/match/V%2027?name=two+%26+more#changes"
            request = {"venue": "V 27", "submissions": ["s1"]}
            [result] = client.post("/v1/reviewers/match", json=request | named).json()
            assigned = {each["reviewer"] for each in result["reviewers"] if each["assigned"]}
            assert assigned == own - {min(own)} | {added}
            client.post("/match/V%2027/undo", data=named | {"known": 1})
            assert (venue.assigned("two & more"), venue.assigned()) == (stored, before)
            missing = client.get("/match/V%2027/change", params=change | {"name": "none"})
            assert missing.status_code == 404
    finally:
        venue.delete_assignment("two & more")


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"venue": "V 27"}, 422, "either a text or submissions"),
        ({"venue": "V 27", "text": "x", "submissions": ["s1"]}, 422, "either a text or"),
        ({"venue": "V 27", "submissions": ["s9"]}, 404, "has no submission 's9'"),
        ({"venue": "W", "text": "x"}, 404, "the graph has no venue 'W'"),
        ({"venue": "V 27", "text": "x", "space": "none"}, 404, "no embedding space 'none'"),
        ({"venue": "V 27", "submissions": ["s1"] * 51}, 422, "at most 50"),
    ],
)
def test_invalid_requests_for_reviewers_are_errors(venue, scores, client, body, status, message):
    answer = client.post("/v1/reviewers/match", json=body)
    assert answer.status_code == status, answer.text
    assert message in answer.json()["detail"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("submissions.csv", "id,title\ns1,\n", "submissions.csv, line 2, 's1': title"),
        ("submissions.exe", "id,title\ns1,a\n", "a list of submissions cannot end in '.exe'"),
        ("../../submissions.csv", "id\n", "submissions.csv"),
        ("s.csv", "#,title,authors,abstract\n1,a,Ann,b\n", "in a second file, author.csv"),
        ("s.xlsx", "id,title\ns1,a\n", "submissions.xlsx is neither a workbook"),
    ],
)
def test_an_invalid_list_is_refused_with_its_line_before_a_job_is_queued(
    small, tmp_path, name, content, message
):
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        files = {"submissions": (name, content), "reviewers": ("r.csv", REVIEWERS)}
        answer = client.post("/v1/jobs/match", data={"venue": "W"}, files=files)
        assert answer.status_code == 400
        assert message in answer.json()["detail"]
        assert "/tmp" not in answer.text
        page = client.post("/match", data={"venue": "W"}, files=files)
        assert page.status_code == 400
        assert "Bad request" in page.text
        for venue in ("a/b", "-x", "", " x", "x" * 201):
            assert client.post(
                "/v1/jobs/match", data={"venue": venue}, files=files
            ).status_code == (422)
        assert client.get("/v1/jobs").json() == []
        assert [each.name for each in (tmp_path / "jobs").iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (None, "", "the venue has no reviewers"),
        ("Ann.csv", "id\n", "'Ann.csv' is not the name of an archive"),
        ("é" * 125 + ".jsonl", "", "is not the name of an archive"),
        ("x/~Ann1.jsonl", '{"id": "n1"}\n', "archives/~Ann1.jsonl, line 1"),
    ],
)
def test_an_invalid_archive_is_refused(small, tmp_path, name, content, message):
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        files = [("submissions", ("s.csv", "id,title\ns1,a\n"))]
        if name:
            files.append(("archives", (name, content)))
        answer = client.post("/v1/jobs/match", data={"venue": "W"}, files=files)
        assert answer.status_code == 400
        assert message in answer.json()["detail"]
        page = client.post("/match", data={"venue": "W"}, files=files)
        assert (page.status_code, "Bad request" in page.text) == (400, True)
        assert client.get("/v1/jobs").json() == []


def test_an_archive_whose_name_no_file_can_have_is_refused(small, tmp_path):
    part = b'--b\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\nx\r\n'
    body = part % (b"venue", b"") + part % (b"archives", b'; filename="a\0.jsonl"') + b"--b--\r\n"
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        kind = {"content-type": "multipart/form-data; boundary=b"}
        answer = client.post("/v1/jobs/match", content=body, headers=kind)
        assert (answer.status_code, "not the name of an archive" in answer.text) == (400, True)


def test_a_venue_of_the_graph_is_assigned_again_without_lists(venue, small, tmp_path):
    jobs = JobQueue(tmp_path, None)
    with ask(small, jobs, data_folder=tmp_path) as client:
        jobs._closing = True  # no job runs
        fields = {"venue": "V 27", "per_submission": "2", "max_load": "", "replace": "true"}
        done = client.post("/match", data=fields, follow_redirects=False)
        assert (done.status_code, done.headers["location"]) == (303, "/status#jobs")
        [job] = jobs.all_jobs()
        assert (job.request.per_submission, job.request.replace) == (2, True)
        assert job.request.max_load == 6
        wrong = client.post("/match", data={"venue": "V 27", "per_submission": "0"})
        assert (wrong.status_code, "greater than or equal to 1" in wrong.text) == (422, True)


def test_two_assignments_are_compared_the_largest_losses_first(venue, scores, client):
    venue.assign(AssignSettings(per_submission=2), name="two each")
    try:
        page = client.get("/match/V%2027/compare", params={"other": "two each"}).text
        assert "Submissions with other reviewers" in page
        assert 'class="number">6</td>' in page  # reviews of the second assignment
        own = client.get("/match/V%2027/compare", params={"other": "reviewer"}).text
        assert "None." in own  # an assignment compared with itself
        assert "Compare two assignments" in client.get("/match/V%2027").text
    finally:
        venue.delete_assignment("two each")


@pytest.mark.parametrize(
    "address",
    [
        "/v1/reviewers/V 27/assignment?name=typo",
        "/match/V 27?name=typo",
        "/match/V 27/load?name=typo",
        "/match/V 27/compare?name=typo",
        "/match/V 27/compare?other=typo",
    ],
)
def test_an_unknown_assignment_is_an_error_that_names_the_existing_ones(
    venue, scores, client, address
):
    answer = client.get(address)
    assert answer.status_code == 404
    assert "its assignments are: reviewer" in answer.text
