"""The API returns the results of the public API, in pages, with errors that state what to do."""

import json
import re
from copy import copy
from dataclasses import replace
from urllib.parse import quote, unquote

import click
import pytest
from starlette.testclient import TestClient

from specter_graph.cli.options import filter_options
from specter_graph.cypher import library
from specter_graph.graph.search.hits import SearchHit
from specter_graph.graph.search.search_filters import FilterOptions
from specter_graph.loaders.records import Paper
from specter_graph.service import list_pages, paper_pages, paper_queries
from specter_graph.service.app import build_routes
from specter_graph.service.job_queue import JobQueue
from specter_graph.service.models import PAPER_PARTS, paper_path
from specter_graph.service.service_settings import ServiceSettings
from tests.service.small_service import ALONE, BAD, FLAVOR, GLUE, HALO, JETS, STUB, ask

BIB = """@article{one, title={The quark and gluon jet}, year={2001}}
@article{two, title={A paper that nobody has loaded}, year={1999}}"""


def got(client, address, **parameters):
    answer = client.get(f"/v1/{address}", params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(result):
    return [each["id"] for each in result]


def test_search_returns_the_results_of_the_graph_with_reasons(client, small):
    result = got(client, "search", q="gluon jet", k=3)
    expected = small.search("gluon jet", k=3)
    assert ids(result["hits"]) == [each.id for each in expected]
    first, hit = expected[0], result["hits"][0]
    assert hit["score"] == pytest.approx(first.score)
    assert [(each["text"], tuple(each["papers"])) for each in hit["reasons"]] == [
        (each.text, each.papers) for each in first.reasons
    ]


def test_hits_of_all_routes_are_complete(client):
    draft = {"text": "gluon jet", "k": 20}
    every = [
        got(client, "search", q="gluon jet", k=20)["hits"],
        got(client, f"papers/{FLAVOR}/similar")["hits"],
        client.post("/v1/missing-references", json=draft).json()["hits"],
    ]
    for hits in every:
        [hit] = (each for each in hits if each["id"] == JETS)
        assert hit["authors"][0] == "Author bob"
        assert got(client, f"authors/{hit['author_ids'][0]}")["name"] == "Author bob"
        assert (hit["venue"], hit["year"], hit["citations"]) == ("Phys Rev D", 2001, 3)
        assert hit["links"] == [f"https://arxiv.org/abs/{JETS}"]
        assert 0 < hit["score"] <= 1


def test_a_search_for_an_address_finds_the_paper(client):
    result = got(client, "search", q=f"https://arxiv.org/abs/{JETS}v2")
    assert ids(result["hits"]) == [JETS]


def test_a_search_for_an_author_returns_the_author_and_the_papers(client):
    result = got(client, "search", q="author bob")
    assert result["authors"] == [{"id": "a/bob", "name": "Author bob", "papers": 2}]
    assert {*ids(result["hits"])[:2]} == {JETS, FLAVOR}


def test_a_misspelled_query_returns_a_correction_and_a_note(client):
    result = got(client, "search", q="neutrinno")
    assert result["did_you_mean"] == "neutrino"
    assert "No paper has a word of this query" in result["notes"][0]
    assert got(client, "search", q="neutrino")["did_you_mean"] is None


def test_a_mode_ranks_by_one_signal(client, small):
    result = got(client, "search", q="gluon jet", mode="vector")
    expected = small.search("gluon jet", mode="vector")
    assert ids(result["hits"]) == [each.id for each in expected]
    assert client.get("/v1/search?q=gluon&mode=words").status_code == 422


def test_an_unknown_query_parameter_is_rejected_with_the_known_ones(client):
    answer = client.get("/v1/search", params={"q": "gluon", "years": 2001})
    assert answer.status_code == 400
    assert answer.json()["detail"] == "/v1/search has no query parameter 'years'"
    assert answer.json()["hint"].startswith("use q, ")
    assert client.get(f"/v1/papers/{JETS}/similar?kk=3").status_code == 400
    assert client.get("/v1/stats?k=3").json()["hint"] == "omit the parameter"
    query = client.get("/v1/queries/rising_papers?kk=3")
    assert query.status_code == 400
    assert "kk" in query.json()["detail"]


def test_a_query_parameter_that_is_given_twice_is_rejected_unless_it_is_a_list(client):
    for address, hint in (
        ("search?q=jet&q=gluon", "send one value"),
        ("search?q=jet&field=physics&field=math", "send one value"),
        (f"queries/more_like_these?ids={JETS}&ids={GLUE}", "write a list as JSON"),
    ):
        problem = client.get(f"/v1/{address}").json()
        assert (problem["status"], problem["hint"]) == (400, hint)
        assert "is given 2 times" in problem["detail"]
    assert client.get(f"/v1/explore?id={JETS}&id={GLUE}").status_code == 200


def test_pages_of_a_search_follow_each_other_without_overlap(client):
    first = got(client, "search", q="gluon jet", k=2)
    second = client.get(first["next"]).json()
    every = got(client, "search", q="gluon jet", k=4)
    assert ids(first["hits"]) + ids(second["hits"]) == ids(every["hits"])


def test_filters_apply_to_search_and_similar(client, small):
    result = got(client, "search", q="gluon jet", since=2001, until=2002)
    assert {each["year"] for each in result["hits"]} <= {2001, 2002}
    near = got(client, f"papers/{JETS}/similar", since=2003, until="", field="", venue="phys rev d")
    expected = small.similar(JETS, since=2003, venue="phys rev d")
    assert ids(near["hits"]) == [each.id for each in expected]
    assert ids(got(client, "search", q="gluon jet", author="Author ann")["hits"])[0] == GLUE


def test_a_reading_list_is_a_filter(client, small):
    small.lists.create("reefs")
    small.lists.add("reefs", [HALO, GLUE])
    try:
        page = got(client, "search", q="gluon jet", list="reefs", k=1)
        assert ids(page["hits"]) == [GLUE]
        assert ids(client.get(page["next"]).json()["hits"]) == [HALO]
        similar = got(client, f"papers/{JETS}/similar", list="reefs")
        assert ids(similar["hits"]) == [each.id for each in small.similar(JETS, list="reefs")]
        shown = client.get("/?q=gluon&list=reefs").text
        assert '<input type="hidden" name="list" value="reefs">' in shown
    finally:
        small.lists.delete("reefs")
    unknown = client.get("/v1/search?q=gluon&list=reefs")
    assert unknown.json()["detail"] == "the graph has no reading list 'reefs'"


def test_commands_and_routes_have_all_filters_of_the_library_except_excluded_papers(client):
    names = {*FilterOptions.__annotations__} - {"exclude"}
    command = click.command()(filter_options(lambda: None))
    assert {option.name for option in command.params} == names
    own = {"q", "id", "k", "offset", "space", "mode", "min_score", "diversity"}
    for path in ("search", "papers/{id}/similar"):
        operation = got(client, "openapi.json")["paths"][f"/v1/{path}"]["get"]
        assert {each["name"] for each in operation["parameters"]} - own == names


def test_a_minimum_score_and_diversity_select_hits(client, small):
    hits = small.similar(JETS)
    selected = got(client, f"papers/{JETS}/similar", min_score=hits[1].score)["hits"]
    assert ids(selected) == [hit.id for hit in hits[:2]]
    selected = got(client, f"papers/{JETS}/similar", diversity=0.9, k=3)["hits"]
    assert ids(selected) == [hit.id for hit in small.similar(JETS, diversity=0.9, k=3)]
    page = got(client, "search", q="gluon jet", diversity=0.9, k=2)
    assert "diversity=0.9" in page["next"]
    assert ids(page["hits"]) == [hit.id for hit in small.search("gluon jet", diversity=0.9, k=2)]
    assert client.get("/v1/search", params={"q": "jet", "diversity": 2}).status_code == 422


def test_similar_papers_are_those_of_the_requested_space(client, small):
    near = got(client, f"papers/{JETS}/similar", space="other", k=2)
    assert near["space"] == "other"
    assert ids(near["hits"]) == [each.id for each in small.similar(JETS, space="other", k=2)]


def test_a_paper_has_counts_authors_and_valid_links(client):
    paper = got(client, f"papers/{JETS}")
    assert (paper["references"], paper["citations"], paper["venue"]) == (1, 3, "Phys Rev D")
    assert paper["authors"][0] == {"id": "a/bob", "name": "Author bob"}
    assert paper["spaces"] == ["other", "specter"]
    for link in ("self", "similar", "references", "citations", "neighborhood"):
        assert client.get(paper["links"][link]).status_code == 200


def test_an_id_may_have_any_characters(client):
    assert got(client, f"papers/{quote(BAD, safe='')}")["id"] == BAD
    assert got(client, f"papers/{quote(BAD, safe='/')}")["id"] == BAD


@pytest.mark.parametrize("part", PAPER_PARTS)
def test_an_id_may_end_in_the_name_of_a_route(client, part):
    for address, id in (
        (f"none/{part}", "none"),
        (f"none%2F{part}", f"none/{part}"),
        (f"none%2f{part}/{part}", f"none/{part}"),
        (paper_path(f"none/{part}"), f"none/{part}"),
    ):
        answer = client.get(f"/v1/papers/{address.removeprefix('papers/')}")
        assert f"there is no paper '{id}'" in answer.json()["detail"]
    assert paper_path(part) == f"papers/{part}"


def test_a_stub_is_a_paper_without_a_record(client):
    stub = got(client, f"papers/{STUB}")
    assert (stub["stub"], stub["title"], stub["citations"]) == (True, None, 2)
    assert ids(got(client, f"papers/{STUB}/citations")["papers"]) == [GLUE, BAD]


def test_citations_are_listed_by_citation_count_in_pages_or_lines(client):
    page = got(client, f"papers/{FLAVOR}/references", k=1)
    assert ids(page["papers"]) == [GLUE if page["papers"][0]["citations"] > 3 else JETS]
    rest = client.get(page["next"]).json()
    assert rest["next"] is None
    assert {*ids(page["papers"]), *ids(rest["papers"])} == {JETS, GLUE}
    lines = client.get(f"/v1/papers/{JETS}/citations", headers={"Accept": "application/x-ndjson"})
    assert lines.headers["content-type"].startswith("application/x-ndjson")
    assert {json.loads(line)["id"] for line in lines.text.splitlines()} == {HALO, FLAVOR, BAD}


def test_a_neighborhood_grows_with_the_hops_and_is_capped(client):
    near = got(client, f"papers/{HALO}/neighborhood")
    assert set(ids(near["papers"])) == {HALO, JETS}
    assert near["citations"] == [[HALO, JETS]]
    wider = got(client, f"papers/{HALO}/neighborhood", hops=2)
    assert set(ids(wider["papers"])) == {HALO, JETS, GLUE, FLAVOR, BAD}
    assert not wider["is_truncated"]
    capped = got(client, f"papers/{HALO}/neighborhood", hops=2, limit=3)
    assert len(capped["papers"]) == 3
    assert capped["is_truncated"]


def test_a_path_is_that_of_the_library_or_none(client, small):
    [path] = got(client, "path", **{"from": HALO, "to": GLUE})["paths"]
    [expected] = small.query("citation_path", {"from": HALO, "to": GLUE}).rows
    assert path["ids"] == expected["ids"] == [HALO, JETS, GLUE]
    assert path["similarities"] == pytest.approx(expected["similarities"])
    assert got(client, "path", **{"from": HALO, "to": ALONE})["paths"] == []


def test_without_a_space_a_path_is_any_shortest_path(small):
    with ask(small, space="nowhere") as client:
        [path] = got(client, "path", **{"from": HALO, "to": GLUE})["paths"]
    assert (path["ids"], path["similarities"]) == ([HALO, JETS, GLUE], None)


def test_a_path_may_begin_or_end_at_a_stub(client):
    for ends in ([FLAVOR, GLUE, STUB], [STUB, GLUE, FLAVOR]):
        [path] = got(client, "path", **{"from": ends[0], "to": ends[-1]})["paths"]
        assert len(path["ids"]) == 3
        assert [path["ids"][0], path["ids"][-1]] == [ends[0], ends[-1]]


def test_two_papers_are_compared_by_every_signal(client, small):
    both = got(client, "compare", a=FLAVOR, b=JETS)
    assert (both["a_cites_b"], both["b_cites_a"]) == (True, False)
    assert ids(both["references"]["papers"]) == [GLUE]
    assert (both["references"]["shared"], both["references"]["all"]) == (1, 2)
    assert (both["citations"]["shared"], both["citations"]["all"]) == (0, 3)
    assert both["authors"][-1] == "Author bob"
    assert both["venue"] == "Phys Rev D"
    [score] = [hit.score for hit in small.similar(FLAVOR, k=5) if hit.id == JETS]
    assert both["similarities"]["specter"] == pytest.approx(score, rel=1e-4)
    assert both["path"]["ids"] == [FLAVOR, JETS]


def test_missing_references_without_a_year_are_not_recent():
    hits = [SearchHit(JETS, "jets", None, 0.1), SearchHit(GLUE, "glue", None, 0.3)]
    assert paper_queries.grouped(hits, None) == [
        ("Strongly suggested", hits[1:]),
        ("Related", hits[:1]),
    ]
    hits.append(SearchHit(HALO, "halo", 2002, 0.1))
    assert paper_queries.grouped(hits, None)[2:] == [("Recent: 2000 to 2002", hits[2:])]


def test_missing_references_of_a_paper_a_draft_and_a_bibliography(client, small):
    of_paper = got(client, "missing-references", id=FLAVOR)
    expected = small.missing_references(id=FLAVOR)
    assert ids(of_paper["hits"]) == [each.id for each in expected.hits]
    draft = {"text": "gluon jet", "cites": [GLUE], "k": 3}
    of_draft = client.post("/v1/missing-references", json=draft).json()
    assert GLUE not in ids(of_draft["hits"])
    expected = small.missing_references("gluon jet", cites=[GLUE], k=3)
    assert ids(of_draft["hits"]) == [each.id for each in expected.hits]
    of_bib = client.post(
        "/v1/missing-references/bibliography",
        files={"file": ("my.bib", BIB.encode())},
        data={"text": "gluon jet", "cites": [GLUE]},
    ).json()
    assert of_bib["matched"] == [GLUE, JETS]
    assert of_bib["unmatched"] == ["A paper that nobody has loaded"]
    assert not {JETS, GLUE} & {*ids(of_bib["hits"])}


def test_line_breaks_of_a_note_are_those_of_a_text_not_of_a_form(small, tmp_path):
    small.lists.create("noted")
    lines = 990 * ["nine more"]  # with "\r\n", they would be longer than a note may be
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        for address in ("/lists/add", "/lists/note"):
            note = {"name": "noted", "id": JETS, "note": "\r\n".join([address, *lines])}
            assert client.post(address, data=note, follow_redirects=False).status_code == 303
            [entry] = small.lists.entries("noted")
            assert entry.note.split("\n") == [address, *lines]
    small.lists.delete("noted")


def test_a_note_does_not_return_a_removed_paper_to_its_list(small, tmp_path):
    small.lists.create("noted")
    small.lists.add("noted", [JETS, GLUE])
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        form = {"name": "noted", "id": JETS, "note": "x"}
        client.post("/lists/remove", data=form)
        answer = client.post("/lists/note", data=form)
        assert answer.status_code == 404
        assert "The list &#39;noted&#39; does not have" in answer.text
        assert [entry.id for entry in small.lists.entries("noted")] == [GLUE]
    small.lists.delete("noted")


def test_a_change_of_a_long_list_returns_to_the_paper(small, tmp_path, monkeypatch):
    monkeypatch.setattr(list_pages, "PAPERS_PER_PAGE", 2)
    small.lists.create("a long list")
    small.lists.add("a long list", [JETS, GLUE, FLAVOR])
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        shown = client.get("/lists?name=a+long+list&offset=2").text
        assert 'id="paper-3"' in shown
        assert shown.count('name="number" value="3"') == 2  # in the form of the note and of removal
        form = {"name": "a long list", "id": FLAVOR, "number": 3, "sort": "date"}
        changes = ("/lists/note", form | {"note": "x"}), ("/lists/remove", form)
        places = [
            client.post(address, data=data, follow_redirects=False).headers["location"]
            for address, data in changes
        ]
        assert places == [
            "/lists?name=a+long+list&sort=date&offset=2#paper-3",
            "/lists?name=a+long+list&sort=date#paper-2",
        ]
    small.lists.delete("a long list")


def test_selected_papers_are_saved_to_a_list_together(small, tmp_path):
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        page = client.post("/missing", files={"file": ("my.bib", BIB.encode())}).text
        assert '<button class="plain save" formaction="/lists">' in page
        assert "check the boxes" in client.get("/cite?format=bib").text
        form = client.get("/lists", params={"id": [JETS, GLUE, JETS]}).text
        assert "Save 2 papers" in form
        assert form.count('<input type="hidden" name="id"') == 2
        assert "Save the quark and gluon jet" in client.get("/lists", params={"id": JETS}).text
        data = {"id": [JETS, GLUE], "new": "chosen", "note": "cite them"}
        assert client.post("/lists/add", data=data, follow_redirects=False).status_code == 303
    entries = small.lists.entries("chosen")
    assert [(each.id, each.note) for each in entries] == [(JETS, "cite them"), (GLUE, "cite them")]
    small.lists.delete("chosen")


def test_a_paper_of_several_watches_is_shown_once_with_its_reasons(client, small):
    for name in ("first watch", "second watch"):
        small.watches.add("paper", JETS, name=name)
        small.database.write("MATCH (w:Watch) SET w.created = datetime({epochMillis: 0})")
        small.watches.run(lambda papers: None, name)
    try:
        papers = {paper.id for paper in small.watches.reported()}
        assert len(small.watches.reported()) == 2 * len(papers)
        page = client.get("/new").text
        assert page.count('<li class="hit">') == len(papers)
        assert page.count('class="reasons"') == 2 * len(papers)
        feed = client.get("/new.json").json()["items"]
        assert len({item["id"] for item in feed}) == len(feed) == len(papers)
        assert {(*item["tags"],) for item in feed} == {("second watch", "first watch")}
        first = small.watches.reported("first watch")
        assert {item["date_published"] for item in feed} == {paper.at for paper in first}
        assert client.get("/new.rss").text.count("<category>first watch</category>") == len(papers)
    finally:
        for name in ("first watch", "second watch"):
            small.watches.delete(name)


def test_a_file_in_place_of_a_text_and_a_text_in_place_of_a_file_are_errors(small, tmp_path):
    with ask(small, JobQueue(tmp_path, None), data_folder=tmp_path) as client:
        file = {"note": ("note.txt", b"a note")}
        note = client.post("/lists/add", data={"id": JETS, "name": "a"}, files=file)
        assert (note.status_code, "Note: Input should be a valid string" in note.text) == (
            422,
            True,
        )
        sent = client.post("/v1/missing-references/bibliography", data={"file": "refs.bib"})
        assert (sent.status_code, sent.json()["detail"]) == (
            422,
            "file.0: a file is required, not text",
        )


def test_invalid_entries_of_a_bibliography_are_counted_and_named(client):
    files = {"file": ("my.bib", BIB.encode() + b"@article{untitled, year = 2001}")}
    answer = client.post("/v1/missing-references/bibliography", files=files).json()
    [rejected] = answer["rejected"]
    assert rejected.startswith("untitled: ")
    page = client.post("/missing", files=files).text
    assert f"{len(answer['matched'])} of 3 entries are in the corpus" in page
    assert rejected in page


def test_an_uploaded_bibliography_without_usable_entries_is_named_with_the_reason(client):
    for content, reason in (
        (b"no entries", "the file contains no record"),
        (b"@article{untitled, year = 2001}", "title is missing"),
    ):
        files = {"file": ("my.bib", content)}
        answer = client.post("/v1/missing-references/bibliography", files=files)
        detail = f"no entry of my.bib can be read: {reason}"
        assert (answer.status_code, answer.json()["detail"]) == (400, detail)
        assert detail[1:] in client.post("/missing", files=files).text


def test_papers_around_seeds_have_their_citations_and_nearest_pairs(client):
    result = got(client, "explore", id=[JETS, GLUE], k=3)
    assert result["seeds"] == [JETS, GLUE]
    papers = ids(result["papers"])
    assert papers[:2] == [JETS, GLUE]
    assert len(papers) == 5
    assert [JETS, GLUE] in result["citations"]
    assert {each for pair in result["similar"] for each in pair[:2]} <= {*papers}
    assert all(-1 <= cosine <= 1.001 for *_, cosine in result["similar"])
    assert "similar in meaning" in [each["text"] for each in result["papers"][2]["reasons"]]
    stub = got(client, "explore", id=STUB)  # a paper without a vector has only citations
    assert {*ids(stub["papers"])} >= {STUB, JETS}
    reasons = {each["text"] for paper in stub["papers"] for each in paper["reasons"]}
    assert reasons
    assert "similar in meaning" not in reasons
    assert client.get("/v1/explore?id=none").status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "status", "message"),
    [
        ("my.exe", "", 400, "file that ends in &#39;.exe&#39; cannot be read"),
        (
            "my.bib",
            "@article{none, title={A paper that nobody has loaded}}",
            404,
            "o entry of the file is in the graph",
        ),
    ],
)
def test_a_bibliography_without_seeds_is_an_error(client, name, content, status, message):
    page = client.post("/explore", files={"file": (name, content)})
    assert page.status_code == status
    assert message in page.text


def test_a_topic_is_a_filter(client, small):
    topic = (
        "CREATE (:Topic {id: 'specter:9', space: 'specter', name: 'halos', terms: ['halos'],"
        " method: 'kmeans', size: 1, years: [], counts: []})<-[:IN_TOPIC]-(p)"
    )
    small.database.write(f"MATCH (p:Paper {{id: $id}}) {topic}", id=HALO)
    try:
        for q in ("gluon jet", "author:cleo"):
            assert ids(got(client, "search", q=q, topic="specter:9")["hits"]) == [HALO]
        for topic_name in ("specter:9", "Halos"):
            similar = got(client, f"papers/{JETS}/similar", topic=topic_name)
            assert ids(similar["hits"]) == [HALO]
        unknown = client.get("/v1/search?q=gluon&topic=specter:7")
        assert unknown.status_code == 404
        assert "no topic 'specter:7'" in unknown.json()["detail"]
        page = client.get("/?q=galaxy&topic=specter:9").text
        assert "topic halos" in page
        assert 'href="/?q=halos&amp;topic=specter%3A9"' in client.get("/").text
        assert "topic halos" in client.get("/?q=galaxy&topic=specter:9&sort=date").text
        other = topic.replace("specter:9", "specter:8").replace("halos", "stars")
        small.database.write(f"MATCH (p:Paper {{id: $id}}) {other}", id=HALO)
        assert "topic halos" in client.get("/?q=galaxy&topic=specter:9").text
        assert "topic stars" in client.get("/?q=galaxy&topic=specter:8").text
    finally:
        small.database.write("MATCH (t:Topic) DETACH DELETE t")


def test_sorted_pages_have_the_best_papers_each_once(client, monkeypatch):
    monkeypatch.setattr(paper_queries, "MAX_RANKED", 3)
    monkeypatch.setattr(paper_pages, "HITS_PER_PAGE", 2)
    best = ids(got(client, "search", q="gluon jet", k=3)["hits"])
    pages = [client.get(f"/?q=gluon+jet&sort=date&offset={offset}").text for offset in (0, 2)]
    shown = [re.findall(r'class="paper" href="/papers/([^"?]+)', page) for page in pages]
    assert [len(each) for each in shown] == [2, 1]
    assert {*map(unquote, shown[0] + shown[1])} == {*best}
    assert ['rel="next"' in page for page in pages] == [True, False]


def test_papers_similar_to_a_list_follow_changes_of_the_list_and_of_the_papers(client, small):
    def similar():
        _, _, section = client.get("/lists?name=jets").text.partition('id="similar"')
        return re.findall(r'class="paper" href="/papers/([^"?]+)', section)

    small.lists.create("jets")
    try:
        assert similar() == []
        small.lists.add("jets", [JETS])
        assert GLUE in similar()
        small.lists.add("jets", [GLUE])
        assert FLAVOR in similar()
        assert GLUE not in similar()
        small.load([Paper("new", "the quark and gluon jet again", "jet of quark and gluon", 2006)])
        assert "new" in similar()
        small.maintenance.delete_papers(["new"])
        assert "new" not in similar()
    finally:
        small.lists.delete("jets")


def test_a_long_list_has_pages_below_its_description(client, small, monkeypatch):
    monkeypatch.setattr(list_pages, "PAPERS_PER_PAGE", 2)
    small.lists.create("long", "For the review of 2027")
    try:
        small.lists.add("long", [JETS, GLUE, FLAVOR])
        pages = [client.get(f"/lists?name=long&offset={offset}").text for offset in (0, 2, 4)]
        _, second, last = (page.partition('aria-labelledby="similar"')[0] for page in pages)
        assert "<p>For the review of 2027</p>" in second
        assert "Papers 3 to 3 of 3" in second
        assert f'href="/papers/{FLAVOR}"' in second
        assert f'href="/papers/{JETS}"' not in second
        assert ['rel="next"' in page for page in pages] == [True, False, False]
        assert "The list ends before this page." in last
        assert 'rel="prev" href="/lists?name=long&amp;offset=2"' in last
    finally:
        small.lists.delete("long")


def test_a_list_is_sorted_by_date_or_citations_over_all_its_pages(client, small, monkeypatch):
    monkeypatch.setattr(list_pages, "PAPERS_PER_PAGE", 2)
    small.lists.create("sorted")
    small.lists.add("sorted", [FLAVOR, GLUE, STUB])

    def first(sort):
        page = client.get(f"/lists?name=sorted&sort={sort}").text
        assert "Papers 1 to 2 of 3" in page
        assert f'rel="next" href="/lists?name=sorted{sort and "&amp;sort="}{sort}&amp;' in page
        return re.search('<h2><a class="paper" href="/papers/([^"]+)"', page)[1]

    try:
        assert [first(sort) for sort in ("", "date", "citations")] == [FLAVOR, FLAVOR, GLUE]
        assert client.get("/lists?name=sorted&sort=other").status_code == 422
    finally:
        small.lists.delete("sorted")


def test_a_draft_in_latex_may_have_a_bibliography(client, small):
    tex = r"\title{Gluon jet}\begin{document}We cite \cite{one,hep-ph/9901002}.\end{document}"
    address, file = "/v1/missing-references/bibliography", ("file", ("my.tex", tex.encode()))
    alone = client.post(address, files=[file]).json()
    assert (alone["matched"], alone["unmatched"]) == ([GLUE], ["one"])
    both = client.post(address, files=[file, ("file", ("my.bib", BIB.encode()))]).json()
    assert both["matched"] == [JETS, GLUE]
    assert both["unmatched"] == []  # the draft does not cite the other entry
    assert not {JETS, GLUE} & {*ids(both["hits"])}
    library = BIB + "".join(f"@misc{{k{n}, title={{Paper number {n}}}}}\n" for n in range(1_001))
    large = ("file", ("library.bib", library.encode()))
    of_library = client.post(address, files=[file, large]).json()
    assert of_library == both
    wrong = client.post(address, files=[("file", ("my.doc", b""))])
    assert (wrong.status_code, wrong.json()["hint"]) == (400, "use .bib, .ris, .json, .tex or .pdf")
    for name, shown in (("My draft.PDF", "My draft.pdf"), ("ä" * 300 + ".pdf", "ä" * 60 + ".pdf")):
        wrong = client.post(address, files=[("file", (name, b"text"))])
        assert wrong.status_code == 400
        assert wrong.json()["detail"].startswith(f"{shown} cannot be read as PDF")


def test_missing_references_are_no_later_than_the_requested_year(client):
    draft = {"text": "gluon jet", "k": 20}
    every = client.post("/v1/missing-references", json=draft).json()
    assert max(each["year"] for each in every["hits"]) > 2001
    early = client.post("/v1/missing-references", json=draft | {"until": 2001}).json()
    assert {*ids(early["hits"])} == {JETS, GLUE}
    form = {"text": "gluon jet", "until": "2001"}
    file = {"file": ("my.bib", BIB.encode())}
    of_bib = client.post("/v1/missing-references/bibliography", files=file, data=form).json()
    assert ids(of_bib["hits"]) == [GLUE]


def test_papers_without_a_record_are_returned_separately(client):
    result = client.post("/v1/missing-references", json={"text": "gluon jet"}).json()
    assert STUB not in ids(result["hits"])
    [outside] = result["outside"]
    assert (outside["id"], outside["stub"], outside["title"]) == (STUB, True, None)
    assert outside["links"] == [f"https://arxiv.org/abs/{STUB}"]


def test_an_author_has_papers_and_coauthors(client):
    author = got(client, "authors/a/bob")
    assert (author["name"], author["papers"]) == ("Author bob", 2)
    assert ids(author["works"]) == [FLAVOR, JETS]
    assert author["coauthors"][0]["papers"] == 2


def test_spaces_and_counts_are_those_of_the_graph(client, small):
    assert [each["name"] for each in got(client, "spaces")] == ["other", "specter"]
    # The model is a path on the machine.
    assert all("model" not in each for each in got(client, "spaces"))
    assert got(client, "stats")["citations"] == small.stats().citations


def test_the_library_is_listed_and_run(client, small):
    assert len(got(client, "queries")) == len(library())
    rows = got(client, "queries/missing_references", id=FLAVOR, k="2")
    assert rows["columns"][0] == "id"
    expected = small.query("missing_references", {"id": FLAVOR, "k": 2}).rows
    assert [row[0] for row in rows["rows"]] == [row["id"] for row in expected]


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [
        ("papers/hep-ph/9901009", 404, "use one of the similar ids: hep-ph/990100"),
        ("papers/hep-ph/9901001/similar?space=no", 404, "there is no embedding space 'no'"),
        ("search?q=jet&space=no", 404, "no embedding space 'no'; there are other, specter"),
        (f"path?from={HALO}&to={GLUE}&space=no", 404, "there is no embedding space 'no'"),
        ("authors/nobody", 404, "there is no author 'nobody'"),
        ("queries/nothing", 404, "there is no query named 'nothing'"),
        ("queries/missing_references?id=x&k=ten", 400, "is INTEGER, not 'ten'"),
        ("search?q=", 400, "the query is empty"),
        ("search?q=x&since=2001&until=2000", 400, "no year is both"),
        ("search?q=x&since=5", 422, "since: '5' is not a year from 1000 to 9999"),
        ("search?q=x&until=soon", 422, "until: 'soon' is not a year from 1000 to 9999"),
        ("search?q=jet&venue=phys+rev", 404, "no venue 'phys rev'use Phys Rev D"),
        (f"papers/{JETS}/similar?field=fisics", 404, "there is no field 'fisics'"),
        ("search?q=x&k=100000", 422, "k: Input should be less than or equal to 200"),
        ("compare?a=alone&b=alone", 400, "the two papers are the same"),
        ("nothing", 404, "/v1/nothing: Not Foundread the routes at /v1/openapi.json"),
    ],
)
def test_errors_are_problem_details(client, address, status, message):
    answer = client.get(f"/v1/{address}")
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert message in problem["detail"] + str(problem.get("hint"))


def test_the_page_of_an_error_keeps_the_query(client):
    page = client.get("/", params={"q": 'two "jets"', "field": "fisics"})
    assert page.status_code == 404
    assert 'value="two &#34;jets&#34;"' in page.text


def test_unchanged_content_is_not_sent_again(client):
    first = client.get(f"/v1/papers/{JETS}")
    tag = first.headers["etag"]
    assert "no-cache" in first.headers["cache-control"]
    again = client.get(f"/v1/papers/{JETS}", headers={"If-None-Match": f'"x", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get(f"/v1/papers/{JETS}", headers={"If-None-Match": "*"}).status_code == 304


@pytest.mark.parametrize("part", ["bytes=0-4", "bytes=5-2", "bytes=99999999-", "lines=1"])
@pytest.mark.parametrize("address", ["/static/service.css", "/v1/stats"])
def test_a_range_is_ignored(client, address, part):
    complete = client.get(address)
    answer = client.get(address, headers={"Range": part})
    assert (answer.status_code, answer.content) == (200, complete.content)
    assert "accept-ranges" not in answer.headers


def test_a_body_without_the_header_of_json_is_an_error_that_names_the_header(client):
    sent = client.post("/v1/missing-references", content='{"text": "jets"}')
    assert sent.status_code == 422
    assert sent.json()["detail"] == "the body is not sent as JSON"
    assert sent.json()["hint"].endswith("Content-Type: application/json")
    assert "valid dictionary" in client.post("/v1/missing-references", json=[]).json()["detail"]


def test_a_request_without_parameters_does_not_wait_for_the_openapi_document(small):
    service = build_routes(small, ServiceSettings())
    with TestClient(service) as client:
        assert client.get(f"/v1/papers/{JETS}").json()["id"] == JETS
    assert service.openapi_schema is None


def test_the_openapi_document_names_every_route_with_examples(client):
    document = client.get("/v1/openapi.json").json()
    names = [each["operationId"] for path in document["paths"].values() for each in path.values()]
    assert {"search", "missing_references", "paper"} <= {*names}
    assert len({*names}) == len(names)
    assert {
        "/v1/search",
        "/v1/papers/{id}",
        "/v1/papers/{id}/similar",
        "/v1/papers/{id}/neighborhood",
        "/v1/path",
        "/v1/compare",
        "/v1/missing-references",
        "/v1/authors/{id}",
        "/v1/queries/{name}",
        "/v1/spaces",
        "/v1/stats",
    } <= document["paths"].keys()
    assert "neutrino oscillations" in json.dumps(document["paths"]["/v1/search"])
    assert "/v1/cypher" not in document["paths"]


def test_the_openapi_document_lets_a_client_send_the_parameters_of_a_query(client):
    document = client.get("/v1/openapi.json").json()
    assert "securitySchemes" not in document["components"]
    [given] = [
        each
        for each in document["paths"]["/v1/queries/{name}"]["get"]["parameters"]
        if each["in"] == "query"
    ]
    assert (given["style"], given["explode"]) == ("form", True)  # ?one=...&other=...
    assert given["schema"] == {"type": "object", "additionalProperties": {"type": "string"}}


def test_the_openapi_document_gives_the_media_type_and_the_schema_of_errors(client):
    document = client.get("/v1/openapi.json").json()
    problem = {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}
    for path in ("/v1/search", "/v1/papers/{id}/references", "/v1/map"):
        responses = document["paths"][path]["get"]["responses"]
        for status in ("400", "404", "422", "429", "503", "504"):
            assert responses[status]["content"] == {"application/problem+json": problem}
    ready = document["paths"]["/v1/healthz/ready"]["get"]["responses"]
    assert ready["503"]["content"].keys() == {"application/json"}
    assert ready["200"]["content"] == ready["503"]["content"]


def test_the_openapi_document_has_every_status_and_the_type_of_every_result(small, tmp_path):
    document = build_routes(small, ServiceSettings(), JobQueue(tmp_path, None)).openapi()
    paths = document["paths"]
    for path, operations in paths.items():
        for method, operation in operations.items():
            responses = operation["responses"]
            assert {"403", "421", "500"} <= responses.keys(), path
            assert ({"408", "413"} <= responses.keys()) == (method == "post"), path
            [result] = [response for status, response in responses.items() if status < "300"]
            for content in result["content"].values():
                assert content["schema"], path
    types = {
        "/v1/map": {"application/json"},
        "/v1/reviewers/{venue}/assignment": {"text/csv"},
        "/v1/jobs/{id}/files/{name}": {"text/csv", "text/html"},
    }
    for path, expected in types.items():
        assert paths[path]["get"]["responses"]["200"]["content"].keys() == expected


def test_the_openapi_document_describes_parameters_and_fields(small, tmp_path):
    document = build_routes(small, ServiceSettings(), JobQueue(tmp_path, None)).openapi()
    for path, operations in document["paths"].items():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                assert parameter["description"], (path, parameter)
                assert "anyOf" not in parameter["schema"], (path, parameter)  # a URL has no null
    schemas = document["components"]["schemas"]
    distance = schemas["SearchHit"]["properties"]["distance"]
    assert distance["description"].endswith("null if it was not computed.")
    for name, schema in schemas.items():
        assert not re.search("Attributes:|None", schema.get("description", "")), name


def test_the_openapi_document_lets_a_generated_client_send_files_in_forms(small, tmp_path):
    document = build_routes(small, ServiceSettings(), JobQueue(tmp_path, None)).openapi()
    schemas = document["components"]["schemas"]
    draft, match = (schemas[name]["properties"] for name in ("DraftUpload", "MatchForm"))
    for file in (draft["file"]["items"], match["submissions"], match["archives"]["items"]):
        assert (file["type"], file["format"]) == ("string", "binary")
    assert draft["until"]["type"] == "integer"  # a form would send null as the text "null"


def test_a_misspelled_key_of_a_body_is_an_error(client):
    answer = client.post("/v1/missing-references", json={"text": "gluon jet", "limit": 3})
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "limit: Extra inputs are not permitted",
    )


def test_health_and_metrics_are_reported(client):
    assert got(client, "healthz/live") == {"live": True}
    assert got(client, "healthz/ready") == {"live": True, "ready": True}
    client.get(f"/v1/papers/{ALONE}")
    metrics = client.get("/v1/metrics").text
    assert 'route="/v1/papers/{id:path}"' in metrics
    assert "specter_graph_texts_total" in metrics


def test_empty_pages_name_the_instance_in_their_commands(small):
    trial = copy(small)
    trial.database = replace(small.database, instance="trial")
    with ask(trial) as client:
        assert "specter-graph report --instance trial" in client.get("/report").text
        assert (
            "specter-graph spaces map --space other --instance trial"
            in client.get("/map?space=other").text
        )
        assert "specter-graph match load --instance trial" in client.get("/match").text
    with ask(small) as client:
        assert "--instance" not in client.get("/report").text


@pytest.mark.parametrize("name", ["10.1000/Alone", "doi:10.1000/alone"])
def test_a_doi_is_accepted_as_the_id_of_a_paper(client, name):
    assert client.get(f"/v1/papers/{name}").json()["id"] == ALONE
    near = client.get(f"/v1/papers/{ALONE}/similar").json()["hits"]
    assert near
    assert client.get(f"/v1/papers/{name}/similar").json()["hits"] == near
    assert "string and brane" in client.get(f"/papers/{name}").text


def test_the_pages_of_a_service_that_only_reads_are_marked(client):
    assert 'class="read-only"' in client.get("/").text


def test_a_retracted_paper_is_marked_in_the_api_in_python_and_on_its_page(client, small):
    for paper, retracted in ((ALONE, True), (JETS, False)):
        assert client.get(f"/v1/papers/{paper}").json()["retracted"] is retracted
        assert small.paper(paper).retracted is retracted
        own, *_ = client.get(f"/papers/{paper}").text.split("<section")  # before similar papers
        assert ("was retracted" in own) is retracted
        title = {"q": small.paper(paper).title, "k": 1}
        first = client.get("/", params=title).text.split('class="hit"')[1]
        assert ("was retracted" in first) is retracted
        [hit] = client.get("/v1/search", params=title).json()["hits"]
        assert (hit["id"], hit["retracted"]) == (paper, retracted)
