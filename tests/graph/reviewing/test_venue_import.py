"""Import the lists of a venue, and remove the venue."""

from dataclasses import replace
from pathlib import Path

import pytest

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.contents import corpus_fingerprint, stats
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge, restore_batches
from specter_graph.graph.deduplication.merge_authors import merge_authors
from specter_graph.graph.export import export_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance import delete
from specter_graph.graph.maintenance.delete import clear, delete_papers, delete_venue
from specter_graph.graph.reviewing import venue_data, venue_import
from specter_graph.graph.reviewing.assignments import read_assigned, write_assigned
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.venue_data import (
    VenueCounts,
    list_venues,
    read_bids,
    read_reviewer_papers,
    read_reviewers,
    read_submissions,
)
from specter_graph.graph.reviewing.venue_import import ImportSummary, VenueRecords, import_venue
from specter_graph.loaders.records import Author, Identifier, Paper
from specter_graph.loaders.review_records import (
    AssignedPair,
    Bid,
    Conflict,
    Membership,
    Relation,
    Reviewer,
    Submission,
)
from tests.graph.canonical import canonical
from tests.graph.reviewing.small_venue import (
    ANN_ORCID,
    PAPERS,
    REVIEWERS,
    SUBMISSIONS,
    ann,
    citation_counts,
    load_small_venue,
)

BIDS = [Bid("A1", "s1", 0.5), Bid("~Bob_B1", "s1", -1), Bid("~Bob_B1", "gone", 1)]
DECLARED = [Conflict("~Bob_B1", "s3", "declared", "we talked")]


def relationships(graph: Database) -> list[tuple[object, ...]]:
    rows = graph.read(
        "MATCH (a)-[r]->(b:Submission|ReviewVenue) RETURN a.id AS a, type(r) AS t,"
        " properties(r) AS p, coalesce(b.key, b.name) AS b ORDER BY t, a, b"
    )
    return [(row["a"], row["t"], row["b"], row["p"]) for row in rows]


def test_everything_is_loaded_and_unknown_values_are_reported(graph: Database):
    load_papers(graph, PAPERS)
    loaded = import_venue(
        graph,
        "V",
        VenueRecords(
            submissions=SUBMISSIONS,
            reviewers=REVIEWERS,
            bids=BIDS,
            conflicts=DECLARED,
        ),
    )
    assert loaded == ImportSummary(
        3, 2, 2, 1, ("nobody",), ("lost",), 1, first_unknown_bid="~Bob_B1, gone"
    )
    assert list_venues(graph) == [VenueCounts("V", None, 3, 1, 2, 2, 1, 0)]
    ours, bobs = "openalex:A1", "openreview:~Bob_B1"
    ann_reviews = {
        "key": "A1",
        "minimum": 1,
        "maximum": 4,
        "senior": False,
        "role": "reviewer",
    }
    bob_reviews = {"key": "~Bob_B1", "senior": True, "role": "reviewer"}
    assert relationships(graph) == [
        (ours, "BID", "s1", {"value": 0.5}),
        (bobs, "BID", "s1", {"value": -1.0}),
        (bobs, "DECLARED_CONFLICT", "s3", {"reason": "we talked"}),
        (ours, "REVIEWS_FOR", "V", ann_reviews),
        (bobs, "REVIEWS_FOR", "V", bob_reviews),
        (ours, "SUBMITTED", "s2", {"position": 1}),
        ("x:cara", "SUBMITTED", "s1", {"position": 1}),
        *((f"V/{key}", "SUBMITTED_TO", "V", {}) for key in ("s1", "s2", "s3")),
    ]
    assert graph.read("MATCH (r:Reviewer) RETURN r.id AS id ORDER BY id") == [
        {"id": ours},
        {"id": bobs},
    ]
    assert graph.read(
        "MATCH (s:Submission)-[:REFERS_TO]->(p) WITH s, p ORDER BY p.id"
        " RETURN s.key AS s, collect(p.id) AS p ORDER BY s"
    ) == [{"s": "s1", "p": ["c1", "m", "p6"]}, {"s": "s2", "p": ["c2", "p3"]}]


def test_the_same_import_gives_the_same_graph_and_new_texts_replace_old_ones(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(venue_import, "_SUBMISSIONS_PER_WRITE", 2)
    monkeypatch.setattr(venue_import, "ROWS_PER_WRITE", 1)
    load_papers(graph, PAPERS)
    other_records = {"reviewers": REVIEWERS, "bids": BIDS, "conflicts": DECLARED}
    for _ in range(2):
        import_venue(graph, "V", VenueRecords(submissions=SUBMISSIONS, **other_records))
        once = canonical(graph)
    changed = replace(SUBMISSIONS[0], title="New", abstract=None, authors=(), references=("p1",))
    import_venue(
        graph,
        "V",
        VenueRecords(submissions=[changed], reviewers=[Reviewer("A1", 2)], bids=BIDS[:1]),
    )
    assert canonical(graph) != once
    [first, *_] = read_submissions(graph, "V")
    assert (first.title, first.abstract) == ("New", None)
    assert [each.reviewer for each in read_reviewers(graph, "V")] == [
        Reviewer("A1", 2),
        REVIEWERS[1],
    ]
    assert read_bids(graph, "V") == BIDS[:1]
    assert graph.read(
        "MATCH (s {key: 's1'}) RETURN COUNT { (s)<-[:SUBMITTED]-() } AS by,"
        " COLLECT { MATCH (s)-[:REFERS_TO]->(p) RETURN p.id } AS to"
    ) == [{"by": 0, "to": ["p1"]}]
    import_venue(graph, "V", VenueRecords(submissions=SUBMISSIONS, **other_records))
    assert canonical(graph) == once


@pytest.mark.parametrize("kind", ["bids", "conflicts"])
def test_a_failed_import_of_a_list_keeps_the_previous_one(
    graph: Database, monkeypatch: pytest.MonkeyPatch, kind: str
):
    """A list is replaced in one transaction: no assignment reads a part of it."""
    load_small_venue(graph)
    import_venue(graph, "V", VenueRecords(bids=BIDS, conflicts=DECLARED))
    before = canonical(graph)
    monkeypatch.setattr(venue_data, "ROWS_PER_WRITE", 1)
    batches = venue_data.batches

    def killed(rows, size):
        for number, some in enumerate(batches(rows, size)):
            if number == 1 and "author" in some[0]:
                raise KeyboardInterrupt
            yield some

    monkeypatch.setattr(venue_data, "batches", killed)
    lists = {
        "bids": [Bid("A1", "s2", 1), Bid("A1", "s3", 1)],
        "conflicts": [Conflict("A1", key, "declared", "new") for key in ("s2", "s3")],
    }
    with pytest.raises(KeyboardInterrupt):
        import_venue(graph, "V", VenueRecords(**{kind: lists[kind]}))
    assert canonical(graph) == before


@pytest.mark.parametrize(
    "spelling",
    ["openalex:A1", "A1", "https://openalex.org/A1", ANN_ORCID, f"https://orcid.org/{ANN_ORCID}"],
)
def test_a_reviewer_is_identified_by_an_author_id_an_orcid_or_an_openalex_id(
    graph: Database, spelling: str
):
    load_papers(graph, PAPERS[:1])
    import_venue(graph, "V", VenueRecords(reviewers=[Reviewer(spelling)]))
    [reviewer] = read_reviewers(graph, "V")
    assert (reviewer.id, reviewer.author, reviewer.name) == (spelling, "openalex:A1", "Ann")
    assert reviewer.affiliations == ("bell",)


def test_the_id_of_an_author_takes_precedence(graph: Database):
    load_papers(graph, [Paper("p", "P", authors=(Author("A1", "A1"), ann()))])
    import_venue(graph, "V", VenueRecords(reviewers=[Reviewer("A1")]))
    assert [each.author for each in read_reviewers(graph, "V")] == ["A1"]


def test_unknown_reviewers_are_reported_together_and_nothing_is_changed(graph: Database):
    load_papers(graph, PAPERS)
    before = canonical(graph)
    strangers = [Reviewer(f"~X{n}") for n in range(5)]
    with pytest.raises(GraphError) as refused:
        import_venue(
            graph, "V", VenueRecords(submissions=SUBMISSIONS, reviewers=[*strangers, *REVIEWERS])
        )
    assert refused.value.message == (
        "5 of 7 reviewers are not in the graph: ~X0, ~X1, ~X2, ~X3, ~X4"
    )
    assert "archives" in refused.value.hint
    assert canonical(graph) == before


def test_an_ambiguous_reviewer_is_refused(graph: Database):
    other = Author("orcid:1", "Ann", True, ANN_ORCID)
    load_papers(graph, [Paper("p", "P", authors=(ann(), other))])
    with pytest.raises(GraphError, match="the ORCID of several authors: openalex:A1, orcid:1"):
        import_venue(graph, "V", VenueRecords(reviewers=[Reviewer(ANN_ORCID)]))
    with pytest.raises(GraphError, match="'A1' and 'openalex:A1' are the same author"):
        import_venue(graph, "V", VenueRecords(reviewers=[Reviewer("A1"), Reviewer("openalex:A1")]))
    # A submission has both ids as authors: they are one person under either id.
    import_venue(graph, "V", VenueRecords(submissions=[Submission("s", "S", authors=(ANN_ORCID,))]))
    assert graph.read("MATCH (:Author)-[s:SUBMITTED]->() RETURN s.position AS n") == [
        {"n": 1},
        {"n": 1},
    ]


def test_two_reviewers_with_the_same_address_are_refused(graph: Database):
    load_small_venue(graph)
    import_venue(graph, "V", VenueRecords(reviewers=[Reviewer("A1", email="ann@x.org")]))
    bob = Reviewer("~Bob_B1", email="Ann@X.org")
    with pytest.raises(GraphError, match="'A1' and '~Bob_B1' have the same e-mail address, ann@x"):
        import_venue(graph, "V", VenueRecords(reviewers=[bob]))
    # The address can move to another reviewer.
    moved = [Reviewer("A1", email="a@x.org"), bob]
    import_venue(graph, "V", VenueRecords(reviewers=moved, bids=[Bid("ann@x.org", "s1", 1)]))
    assert read_bids(graph, "V") == [Bid("~Bob_B1", "s1", 1.0)]


def test_the_owner_of_an_empty_archive_is_created_and_deleted_with_the_venue(graph: Database):
    load_papers(graph, PAPERS)
    before = canonical(graph)
    new = Author("openreview:~New_N1", "New N", identified=True)
    import_venue(graph, "V", VenueRecords(reviewers=[Reviewer("~New_N1")], newcomers=[new]))
    [reviewer] = read_reviewers(graph, "V")
    assert (reviewer.author, reviewer.name) == (new.id, "New N")
    assert list(read_reviewer_papers(graph, "V")) == []
    delete_venue(graph, "V")
    assert canonical(graph) == before


@pytest.mark.parametrize("name", ["", " V", "-V", "a/b", "a\nb", "x" * 201])
def test_an_invalid_name_of_a_venue_is_refused(graph: Database, name: str):
    with pytest.raises(InputError, match="cannot be the name of a venue"):
        import_venue(graph, name, VenueRecords())


def test_an_unknown_venue_is_an_error_that_lists_the_known_ones(graph: Database):
    import_venue(graph, "V", VenueRecords())
    for ask in (read_submissions, read_reviewers, read_bids, read_assigned, delete_venue):
        with pytest.raises(GraphError, match="no venue 'W'; its venues are: V"):
            ask(graph, "W")


@pytest.mark.parametrize("pair", [("A1", "s9"), ("openalex:A2", "s1")])
def test_a_conflict_with_an_unknown_submission_or_reviewer_is_refused(
    graph: Database, pair: tuple[str, str]
):
    load_small_venue(graph)
    with pytest.raises(GraphError, match=", ".join(pair)):
        import_venue(graph, "V", VenueRecords(conflicts=[Conflict(*pair, "declared", "")]))


def test_bids_may_use_another_id_of_a_reviewer(graph: Database):
    load_small_venue(graph)
    import_venue(graph, "V", VenueRecords(bids=[Bid(ANN_ORCID, "s1", 1)]))
    assert read_bids(graph, "V") == [Bid("A1", "s1", 1.0)]


def test_an_assignment_is_stored_and_replaced_completely(graph: Database):
    load_small_venue(graph)
    write_assigned(
        graph, "V", [AssignedPair("A1", "s1", 0.25, True), AssignedPair("A1", "s3", 0.5)]
    )
    pairs = [AssignedPair("A1", "s1", 0.75), AssignedPair("~Bob_B1", "s2", 0.5)]
    write_assigned(graph, "V", pairs)
    assert read_assigned(graph, "V") == pairs
    with pytest.raises(GraphError, match="does not have ~Nobody1, s9"):
        write_assigned(graph, "V", [AssignedPair("~Nobody1", "s9", 1)])
    assert read_assigned(graph, "V") == pairs


def test_numbered_submissions_come_in_the_order_of_their_numbers(graph: Database):
    load_papers(graph, PAPERS)
    numbers = ["1", "2", "10", "100", "A2", "A10"]
    import_venue(
        graph,
        "V",
        VenueRecords(
            submissions=[Submission(number, "S") for number in sorted(numbers)],
            reviewers=REVIEWERS,
        ),
    )
    assert [each.id for each in read_submissions(graph, "V")] == numbers
    write_assigned(graph, "V", [AssignedPair("A1", number, 1) for number in sorted(numbers)])
    assert [pair.submission for pair in read_assigned(graph, "V")] == numbers


def test_removing_a_venue_restores_the_graph(graph: Database):
    load_papers(graph, PAPERS)
    before = canonical(graph)
    load_small_venue(graph)
    import_venue(graph, "V", VenueRecords(bids=BIDS, conflicts=DECLARED))
    write_assigned(graph, "V", [AssignedPair("A1", "s1", 0.25)])
    delete_venue(graph, "V")
    assert canonical(graph) == before
    assert list_venues(graph) == []


def test_a_reviewer_of_two_venues_remains_when_one_venue_is_removed(graph: Database):
    load_small_venue(graph)
    without = canonical(graph)
    import_venue(
        graph, "W", VenueRecords(submissions=SUBMISSIONS, reviewers=REVIEWERS[:1], bids=BIDS[:1])
    )
    write_assigned(graph, "W", [AssignedPair("A1", "s1", 0.25)])
    delete_venue(graph, "W")
    assert canonical(graph) == without


def test_a_killed_removal_is_completed_by_running_it_again(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    load_papers(graph, PAPERS)
    before = canonical(graph)
    load_small_venue(graph)
    monkeypatch.setattr(delete, "_OF_VENUE", 1)
    calls = iter([0, 1, KeyboardInterrupt()])

    def killed(*arguments: object) -> None:
        if isinstance(step := next(calls), KeyboardInterrupt):
            raise step

    with monkeypatch.context() as patched:
        patched.setattr(delete, "delete_orphans", killed)
        with pytest.raises(KeyboardInterrupt):
            delete_venue(graph, "V")
    assert list_venues(graph)[0].submissions == 1
    delete_venue(graph, "V")
    assert canonical(graph) == before


def test_clear_deletes_venues_too(graph: Database):
    load_small_venue(graph)
    clear(graph)
    assert graph.read("MATCH (n:!Schema) RETURN n") == []


def test_venues_do_not_change_the_digest_of_the_corpus(graph: Database, tmp_path: Path):
    def of_the_corpus(name: str) -> tuple[object, ...]:
        files = []
        for form in ("jsonl", "graphml"):
            export_graph(graph, path := tmp_path / f"{name}.{form}")
            files += [path] if path.is_file() else sorted(path.iterdir())
        return (
            corpus_fingerprint(graph),
            stats(graph),
            {file.name.replace(name, ""): file.read_bytes() for file in files},
        )

    load_papers(graph, PAPERS)
    before = of_the_corpus("before")
    import_venue(graph, "V", VenueRecords(submissions=SUBMISSIONS, reviewers=REVIEWERS))
    assert of_the_corpus("after") == before


def test_authors_who_review_or_submit_remain_after_their_papers_are_deleted(graph: Database):
    load_papers(graph, PAPERS)
    delete_papers(graph, ["m"])
    import_venue(graph, "V", VenueRecords(submissions=SUBMISSIONS, reviewers=REVIEWERS))
    delete_papers(graph, [paper.id for paper in PAPERS if paper.id != "m"])
    names = "MATCH (a:Author) RETURN a.name AS name ORDER BY name"
    assert graph.read(names) == [{"name": name} for name in ("Ann", "Bob", "Cara")]
    assert [each.id for each in read_reviewers(graph, "V")] == ["A1", "~Bob_B1"]
    delete_venue(graph, "V")
    assert graph.read("MATCH (n:!Schema&!Load&!LoadedFile) RETURN n") == []


def test_a_paper_that_is_deleted_and_loaded_again_is_referenced(graph: Database):
    load_papers(graph, PAPERS)
    import_venue(graph, "V", VenueRecords(submissions=[Submission("s", "S", references=("m",))]))
    before = canonical(graph)
    delete_papers(graph, ["m"])
    load_papers(graph, PAPERS)
    assert canonical(graph) == before


def test_merged_authors_keep_reviews_and_submissions(graph: Database):
    load_small_venue(graph)
    import_venue(graph, "V", VenueRecords(bids=BIDS, conflicts=DECLARED))
    write_assigned(graph, "V", [AssignedPair("~Bob_B1", "s1", 0.5)])
    import_venue(
        graph, "V", VenueRecords(submissions=[Submission("s4", "S", authors=("x", "~Bob_B1"))])
    )
    # First an author who does not review, then one who reviews and bids on the same submission.
    merge_authors(graph, [["Dan", "openreview:~Bob_B1"]])
    assert [(each.id, each.author) for each in read_reviewers(graph, "V")] == [
        ("A1", "openalex:A1"),
        ("~Bob_B1", "Dan"),
    ]
    assert read_assigned(graph, "V") == [AssignedPair("~Bob_B1", "s1", 0.5)]
    merge_authors(graph, [["openalex:A1", "Dan"]])
    rows = relationships(graph)
    assert {a for a, t, *_ in rows if t != "SUBMITTED_TO"} == {"openalex:A1", "x:cara"}
    assert [row[1:] for row in rows if row[1] in ("BID", "DECLARED_CONFLICT", "ASSIGNED")] == [
        ("ASSIGNED", "s1", {"name": "reviewer", "affinity": 0.5, "locked": False}),
        ("BID", "s1", {"value": 0.5}),
        ("DECLARED_CONFLICT", "s3", {"reason": "we talked"}),
    ]
    assert [each.reviewer for each in read_reviewers(graph, "V")] == REVIEWERS[:1]
    assert graph.read("MATCH (a:Author) RETURN a.name AS name ORDER BY name") == [
        {"name": "Cara"},
        {"name": "Dan"},
    ]
    # The former ids still identify the canonical author.
    import_venue(graph, "W", VenueRecords(reviewers=[Reviewer("~Bob_B1")]))
    assert [each.author for each in read_reviewers(graph, "W")] == ["openalex:A1"]


def test_merged_authors_keep_affiliations_and_relations(graph: Database):
    load_small_venue(graph)
    places = [
        Membership("A1", "x.org", 2020),
        Membership("~Bob_B1", "x.org", 2020),
        Membership("~Bob_B1", "y.org"),
    ]
    relations = [
        Relation("A1", "~Bob_B1", "advisor"),
        Relation("~Bob_B1", "x:cara", "colleague", 2024),
        Relation("x:cara", "~Bob_B1", "colleague", 2024),
        Relation("A1", "x:cara", "colleague", 2024),
    ]
    import_venue(graph, "V", VenueRecords(memberships=places, relations=relations))
    merge_authors(graph, [["openalex:A1", "openreview:~Bob_B1"]])
    declared = graph.read("""
        MATCH (a:Author)-[r:MEMBER_OF|RELATED_TO]->(b) WHERE coalesce(r.source, '') <> 'email'
        RETURN a.id AS a, coalesce(r.relation, 'member') AS kind, b.id AS b, r.until AS until
        ORDER BY kind, a, b""")
    assert [(*row.values(),) for row in declared] == [
        ("openalex:A1", "colleague", "x:cara", 2024),
        ("x:cara", "colleague", "openalex:A1", 2024),
        ("openalex:A1", "member", "x.org", 2020),
        ("openalex:A1", "member", "y.org", None),
    ]
    [conflict] = [each for each in find_conflicts(graph, "V") if each.kind == "relation"]
    assert (conflict.reviewer, conflict.submission) == ("A1", "s1")


def test_references_of_submissions_follow_merged_and_restored_papers(graph: Database):
    doi = (Identifier("doi", "10.1234/x"),)
    one = Paper("one:1", "T", source="one", identifiers=doi)
    two = Paper("two:1", "T", source="two", identifiers=doi, authors=(ann(),))
    load_papers(graph, [one, two])
    paper = Submission("s", "S", references=("two:1",))
    import_venue(graph, "V", VenueRecords(submissions=[paper], reviewers=REVIEWERS[:1]))
    before = canonical(graph)
    merge(graph)

    def cited() -> list[int]:
        return [cited for cited, *_ in citation_counts(graph).values()]

    assert cited() == [1]
    for reference in ("two:1", "one:1", "doi:10.1234/x", "https://doi.org/10.1234/X"):
        import_venue(
            graph, "V", VenueRecords(submissions=[replace(paper, references=(reference,))])
        )
        assert cited() == [1]
    import_venue(graph, "V", VenueRecords(submissions=[paper]))
    restore_batches(graph, ["one:1"])
    graph.write("MATCH (r:MergeRules) DELETE r")
    assert cited() == [1]
    assert canonical(graph) == before
