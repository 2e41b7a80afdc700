"""Conflicts by e-mail domains, declared institutions with aliases and parents, and relations."""

import json
from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.maintenance.delete import delete_venue
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.profiles import institutions_within
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.review_records import (
    Conflict,
    InstitutionLink,
    Membership,
    Relation,
    Reviewer,
    Submission,
    institution_id,
)
from specter_graph.matching.io.lists import (
    read_institutions,
    read_memberships,
    read_relations,
)
from tests.graph.reviewing.small_venue import load_small_venue

ANN, BOB = Reviewer("A1", email="ann@physics.ox.ac.uk"), Reviewer("~Bob_B1", email="Bob@gmail.com")


def conflicts(graph: Database, **lists) -> set[tuple[str, str, str]]:
    """Return the conflicts of a submission by two people who are not in the literature."""
    authors = ("eve@cs.ox.ac.uk", "~Eve2", "fay@gmail.com")
    import_venue(
        graph,
        "V",
        VenueRecords(
            submissions=[Submission("s9", "S", authors=authors)],
            reviewers=[ANN, BOB],
            **lists,
        ),
    )
    result = [each for each in find_conflicts(graph, "V", submissions=["s9"]) if each.certain]
    return {(each.reviewer, each.kind, each.evidence) for each in result}


def pairs(result) -> set[tuple[str, str]]:
    return {(reviewer, kind) for reviewer, kind, _ in result}


def test_a_common_domain_is_a_conflict_but_not_that_of_a_mail_provider(graph: Database):
    load_small_venue(graph)
    evidence = "is or was at ox.ac.uk, and the author eve@cs.ox.ac.uk there too"
    assert conflicts(graph) == {("A1", "affiliation", evidence)}


def test_an_author_with_the_address_of_a_reviewer_is_the_reviewer(graph: Database):
    load_small_venue(graph)
    import_venue(
        graph, "V", VenueRecords(submissions=[Submission("s8", "S", authors=("bob@GMAIL.com",))])
    )
    import_venue(graph, "V", VenueRecords(reviewers=[BOB]))
    assert [*find_conflicts(graph, "V", submissions=["s8"])] == [
        Conflict("~Bob_B1", "s8", "author", "bob@gmail.com is an author")
    ]


def test_declared_institutions_count_until_their_year_with_aliases_and_parents(graph: Database):
    load_small_venue(graph)  # the venue is of 2024, so that 2021 counts
    deepmind, google, inria = "domain:deepmind.com", "domain:google.com", "ror:02kvxyf05"
    links = [InstitutionLink(deepmind, google, False), InstitutionLink(inria, deepmind, True)]
    bob = Membership("~Bob_B1", google, 2021)

    def kinds(*memberships, institutions=links):
        result = conflicts(graph, memberships=[bob, *memberships], institutions=institutions)
        return pairs(result) - {("A1", "affiliation")}

    assert kinds(Membership("~Eve2", google)) == {("~Bob_B1", "affiliation")}
    assert kinds(Membership("~Eve2", deepmind)) == {("~Bob_B1", "affiliation")}
    assert kinds(Membership("~Eve2", deepmind), institutions=[]) == set()
    assert kinds(Membership("~Eve2", inria)) == {("~Bob_B1", "affiliation")}
    assert kinds(Membership("~Eve2", google, 2020)) == set()
    assert kinds() == set()


def test_parts_of_an_institution_are_no_conflict_with_each_other():
    links = [InstitutionLink("a", "top", True), InstitutionLink("b", "top", True)]
    assert institutions_within([*links, InstitutionLink("top", "all", True)]) == {
        ("a", "top"), ("b", "top"), ("a", "all"), ("b", "all"), ("top", "all"),
    }  # fmt: skip


def test_relations_count_in_both_directions_until_their_year(graph: Database):
    load_small_venue(graph)
    both = [Relation("~Eve2", "bob@gmail.com", "advisor"), Relation("A1", "~Eve2", "x", 2019)]
    result = conflicts(graph, relations=both)
    evidence = "relation with the author ~Eve2: advisor"
    assert {each for each in result if each[1] == "relation"} == {("~Bob_B1", "relation", evidence)}
    assert "relation" not in {kind for _, kind in pairs(conflicts(graph, relations=[]))}


def test_what_a_venue_declares_is_no_conflict_in_another(graph: Database):
    load_small_venue(graph)
    deepmind, google, inria = "domain:deepmind.com", "domain:google.com", "ror:02kvxyf05"
    submission, reviewer = Submission("s9", "S", authors=("~Eve2",)), Reviewer("~Bob_B1")
    lists = {
        "memberships": [
            Membership("~Bob_B1", google),
            *(Membership("~Eve2", place) for place in (google, deepmind, inria)),
        ],
        "institutions": [InstitutionLink(deepmind, inria, False)],
        "relations": [Relation("~Eve2", "~Bob_B1", "advisor")],
    }
    declared = {("~Bob_B1", "affiliation"), ("~Bob_B1", "relation")}
    assert pairs(conflicts(graph, **lists)) >= declared
    import_venue(graph, "W", VenueRecords(submissions=[submission], reviewers=[reviewer]))
    assert [*find_conflicts(graph, "W")] == []
    for places in (
        {"~Bob_B1": google},
        {"~Eve2": google},
        {"~Bob_B1": deepmind, "~Eve2": inria},
    ):
        memberships = [Membership(*each) for each in places.items()]
        import_venue(graph, "W", VenueRecords(memberships=memberships))
        assert [*find_conflicts(graph, "W")] == []


def test_unknown_people_are_listed_and_a_removed_venue_leaves_no_data(graph: Database):
    load_small_venue(graph)
    before = graph.value("MATCH (f:Affiliation) RETURN count(f) AS n")
    conflicts(graph)
    summary = import_venue(
        graph,
        "V",
        VenueRecords(
            memberships=[
                Membership("~Eve2", "domain:eth.ch"),
                Membership("~Zoe1", "domain:eth.ch"),
            ],
            relations=[Relation("~Eve2", "~Zoe1", "advisor")],
        ),
    )
    assert (summary.affiliations, summary.relations) == (1, 0)
    assert summary.unknown_people == ("~Zoe1",)
    delete_venue(graph, "V")
    assert graph.value("MATCH (f:Affiliation) RETURN count(f) AS n") == before
    assert graph.value("MATCH (a:Author) WHERE a.id CONTAINS '~Eve' RETURN count(a) AS n") == 0


@pytest.mark.parametrize(
    ("written", "institution"),
    [
        ("https://ror.org/042nb2s44", "ror:042nb2s44"),
        ("ann@csail.MIT.edu", "domain:mit.edu"),
        ("https://www.ox.ac.uk/about", "domain:ox.ac.uk"),
        ("cs.tsinghua.edu.cn", "domain:tsinghua.edu.cn"),
        ("ann@gmail.com", None),
        ("Oxford", None),
    ],
)
def test_institutions_have_ids(written: str, institution: str | None):
    assert institution_id(written) == institution


def test_files_are_read_and_a_bad_row_is_named(tmp_path: Path):
    file = tmp_path / "l.csv"
    file.write_text("person,institution,until\n~A1,mit.edu,2020\n~B1,b@gmail.com,\n")
    assert read_memberships(file) == [Membership("~A1", "domain:mit.edu", 2020)]
    file.write_text("person,institution\n~A1,mit.edu\n~B1,MIT\n")
    with pytest.raises(InputError, match=r"line 3, '~B1': institution 'MIT' is not a ROR id"):
        read_memberships(file)
    file.write_text("person,other,relation,until\n~A1,~B1,advisor,\n")
    assert read_relations(file) == [Relation("~A1", "~B1", "advisor")]
    file.write_text("person,other\n~A1,~A1\n")
    with pytest.raises(InputError, match=r"line 2, '~A1': the person and the other are the same"):
        read_relations(file)
    file.write_text("institution,same_as,parent\ndeepmind.com,google.com,\nx.org,,y.org\n")
    assert read_institutions(file) == [
        InstitutionLink("domain:deepmind.com", "domain:google.com", False),
        InstitutionLink("domain:x.org", "domain:y.org", True),
    ]
    file.write_text("institution,same_as,parent\nx.org,,\n")
    with pytest.raises(InputError, match=r"line 2, 'x.org': same_as and parent are both empty"):
        read_institutions(file)


def test_the_data_dump_of_ror_gives_domains_and_parents(tmp_path: Path):
    file = tmp_path / "ror.json"
    parent = {"type": "parent", "id": "https://ror.org/05f82e368", "label": "P"}
    record = {
        "id": "https://ror.org/042nb2s44",
        "domains": ["mit.edu"],
        "links": [{"type": "website", "value": "http://web.mit.edu/"}],
        "names": [{"value": "MIT"}],
        "relationships": [parent, {"type": "child", "id": "https://ror.org/00hj54h04"}],
    }
    file.write_text(json.dumps([record], indent=1))
    assert read_institutions(file) == [
        InstitutionLink("ror:042nb2s44", "domain:mit.edu", False),
        InstitutionLink("ror:042nb2s44", "ror:05f82e368", True),
    ]
