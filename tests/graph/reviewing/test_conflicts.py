"""Compare conflicts of interest with hand computation, and with their definition."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.reviewing.archive_papers import import_archives
from specter_graph.graph.reviewing.conflict_detection import MIN_ADVISED_PAPERS, find_conflicts
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Affiliation, Author, Paper
from specter_graph.loaders.review_records import Conflict, Reviewer, Submission
from tests.graph.reviewing.small_venue import bob, dan, load_small_venue

SINCE = 2020


def conflicts(graph: Database, kind: str | None = None, **parameters) -> list[Conflict]:
    result = find_conflicts(graph, "V", **parameters)
    return sorted(
        (each for each in result if kind in (None, each.kind)),
        key=lambda each: (each.submission, each.kind, each.reviewer),
    )


def test_the_newest_evidence_of_each_kind_is_shown(graph: Database):
    load_small_venue(graph)
    # Bob was at Acme in 2022, Cara in 2023; Ann and Cara were at CERN too long ago.
    assert conflicts(graph) == [
        Conflict(
            "A1",
            "s1",
            "advisor",
            "last author, with Cara first, of 2 papers (p1, p2, 2015 to 2023)",
            False,
        ),
        Conflict(
            "~Bob_B1",
            "s1",
            "affiliation",
            "was at acme Inc in 2022, and the author Cara in 2023",
        ),
        Conflict("A1", "s1", "coauthor", 'wrote "One" (p1, 2023) with Cara'),
        Conflict("~Bob_B1", "s1", "coauthor", 'wrote "Five" (p5, year unknown) with Cara', False),
        Conflict("A1", "s2", "author", "Ann is an author"),
    ]


def test_years_count_back_from_the_year_of_the_venue(graph: Database):
    load_small_venue(graph)

    def kinds(**parameters) -> set[tuple[str, str]]:
        return {
            (each.reviewer, each.kind)
            for each in conflicts(graph, **parameters)
            if each.submission == "s1" and each.certain
        }

    assert kinds(conflict_years=1) == {("A1", "coauthor")}
    assert kinds(conflict_years=2) == {("A1", "coauthor"), ("~Bob_B1", "affiliation")}
    long = kinds(conflict_years=9)
    assert ("A1", "affiliation") in long
    [evidence] = [
        c.evidence for c in conflicts(graph, "coauthor", conflict_years=9) if c.reviewer == "A1"
    ]
    assert evidence == 'wrote "One" (p1, 2023) with Cara, and 1 more'


def test_a_submission_without_authors_has_declared_conflicts_only(graph: Database):
    load_small_venue(graph)
    import_venue(
        graph, "V", VenueRecords(conflicts=[Conflict("A1", "s3", "declared", "we talked")])
    )
    assert [c for c in conflicts(graph) if c.submission == "s3"] == [
        Conflict("A1", "s3", "declared", "we talked")
    ]


def test_a_reviewer_who_wrote_a_paper_of_the_same_title_may_be_an_author(graph: Database):
    load_small_venue(graph)
    title = "A Preprint of This Submission"
    load_papers(graph, [Paper("own", title, authors=(bob(),)), Paper("q", "a preprint")])
    archived = Paper("archived", title.upper(), authors=(dan(),))
    import_archives(graph, [archived])
    submissions = [Submission("s5", title), Submission("s6", "Three"), Submission("s7", "Six")]
    import_venue(graph, "V", VenueRecords(submissions=submissions, reviewers=[Reviewer("Dan")]))
    ending = "which has the title of the submission"
    assert [c for c in conflicts(graph) if c.submission in ("s5", "s6", "s7")] == [
        Conflict("Dan", "s5", "author", f'wrote "{title.upper()}" (archived), {ending}', False),
        Conflict("~Bob_B1", "s5", "author", f'wrote "{title}" (own), {ending}', False),
    ]


def test_conflicts_of_authors_known_only_by_name_are_likely(graph: Database):
    load_small_venue(graph)
    import_venue(
        graph,
        "V",
        VenueRecords(
            submissions=[Submission("s4", "S", authors=("Dan",))],
            reviewers=[Reviewer("Dan")],
        ),
    )
    result = {
        (c.reviewer, c.kind): c.certain
        for c in conflicts(graph, submissions=["s4"], conflict_years=9)
    }
    assert result == {
        ("Dan", "author"): False,
        ("~Bob_B1", "coauthor"): False,
        ("~Bob_B1", "advisor"): False,
    }


def test_a_certain_conflict_is_shown_instead_of_a_likely_one(graph: Database):
    load_small_venue(graph)
    submission = Submission("s4", "S", authors=("Dan", "dan@x.org"))
    import_venue(graph, "V", VenueRecords(submissions=[submission]))
    import_venue(graph, "V", VenueRecords(reviewers=[Reviewer("Dan", email="dan@x.org")]))
    shown = Conflict("Dan", "s4", "author", "dan@x.org is an author")
    assert [c for c in conflicts(graph, "author") if c.submission == "s4"] == [shown]


PEOPLE = [*(Author(f"x:{name}", name, True) for name in ("Eve", "Fay", "Gus")), Author("N", "N")]
PLACES = [Affiliation("acme", "Acme"), Affiliation("bell", "Bell")]
YEARS = [None, 2019, 2021, 2023]
RANDOM_PAPERS = st.lists(
    st.tuples(
        st.sampled_from(YEARS),
        st.lists(
            st.tuples(st.sampled_from(PEOPLE), st.lists(st.sampled_from(PLACES), unique=True)),
            min_size=1,
            max_size=4,
            unique_by=lambda author: author[0].id,
        ),
    ),
    max_size=8,
)


def expected_conflicts(papers: list[Paper], own: Author, theirs: list[Author]) -> set[Conflict]:
    """Return the conflicts of a reviewer and the authors of a submission by their definition."""
    by_kind: dict[str, list[tuple[tuple[object, ...], bool, str]]] = defaultdict(list)
    recent = {paper.id: paper for paper in papers if (paper.year or SINCE) >= SINCE}
    places: dict[tuple[str, Affiliation], int] = {}
    for paper in papers:
        for author in paper.authors:
            for place in author.affiliations:
                key = author.id, place
                places[key] = max(places.get(key, 0), paper.year or 0)
    if own in theirs:
        by_kind["author"].append(((), own.identified, f"{own.name} is an author"))
    others = [author for author in theirs if author != own]
    common = {paper.id for paper in recent.values() if joint(paper, own, others)}
    more = f", and {len(common) - 1} more" if len(common) > 1 else ""
    for author in others:
        identified = own.identified and author.identified
        for paper in (paper for paper in recent.values() if joint(paper, own, [author])):
            text = f'wrote "{paper.title}" ({paper.id}, {paper.year or "year unknown"})'
            order = -(paper.year or 0), paper.id, author.id
            certain = identified and paper.year is not None
            by_kind["coauthor"].append((order, certain, f"{text} with {author.name}{more}"))
        for place in PLACES:
            years = [places.get((person.id, place)) for person in (own, author)]
            if None in years or any(0 < year < SINCE for year in years):
                continue
            first, last = (year or "an unknown year" for year in years)
            text = f"was at {place.name} in {first}, and the author {author.name} in {last}"
            order = -sum(years), place.id, author.id
            by_kind["affiliation"].append((order, identified and all(years), text))
        for ends, text in (
            ((author, own), f"last author, with {author.name} first,"),
            ((own, author), f"first author, with {author.name} last,"),
        ):
            ids = [person.id for person in ends]
            advised = [p for p in papers if [p.authors[0].id, p.authors[-1].id] == ids]
            if len(advised) >= MIN_ADVISED_PAPERS:
                advised.sort(key=lambda paper: (-(paper.year or 0), paper.id))
                known = [paper.year for paper in advised if paper.year]
                listed = ", ".join(paper.id for paper in advised[:3])
                listed += ", ..." if len(advised) > 3 else ""
                listed += f", {min(known)} to {max(known)}" if known else ""
                order = -len(advised), author.name, ids[0] != own.id
                evidence = f"{text} of {len(advised)} papers ({listed})"
                by_kind["advisor"].append((order, False, evidence))
    result = set()
    for kind, evidence in by_kind.items():
        _, certain, text = min(evidence, key=lambda each: (not each[1], each[0]))
        result.add(Conflict(own.id, "s", kind, text, certain))
    return result


def joint(paper: Paper, own: Author, others: list[Author]) -> bool:
    ids = {author.id for author in paper.authors}
    return own.id in ids and any(author.id in ids for author in others)


@settings(max_examples=20)
@given(
    drawn=RANDOM_PAPERS,
    theirs=st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=3, unique=True),
)
def test_the_conflicts_of_random_papers_are_those_of_their_definition(
    graph: Database, drawn: list[Any], theirs: list[Author]
):
    papers = [
        Paper(
            f"p{number}",
            f"Title {number}",
            year=year,
            authors=tuple(replace(author, affiliations=tuple(at)) for author, at in authors),
        )
        for number, (year, authors) in enumerate(drawn)
    ]
    everyone = Paper("old", "Old", year=1990, authors=(PEOPLE[0], Author("Z", "Z"), *PEOPLE[1:]))
    submission = Submission("s", "S", authors=tuple(author.id for author in theirs))
    reviewers = [Reviewer(author.id) for author in PEOPLE]
    clear(graph)
    load_papers(graph, [everyone, *papers])
    records = VenueRecords(submissions=[submission], reviewers=reviewers, year=SINCE + 3)
    import_venue(graph, "V", records)
    expected = [expected_conflicts([everyone, *papers], person, theirs) for person in PEOPLE]
    assert {*conflicts(graph)} == set().union(*expected)


@pytest.mark.parametrize(
    ("author", "reviewer", "evidence"),
    [
        ("Dan", "~Bob_B1", "last author, with Dan first, of 2 papers (p4, p3, 2020 to 2021)"),
        (
            "openreview:~Bob_B1",
            "Dan",
            "first author, with Bob last, of 2 papers (p4, p3, 2020 to 2021)",
        ),
    ],
)
def test_first_and_last_author_twice_are_likely_advisor_and_student(
    graph: Database, author: str, reviewer: str, evidence: str
):
    load_small_venue(graph)
    # A third paper, but not as the last author; and papers of a single author.
    load_papers(
        graph,
        [
            Paper("q1", "Q", authors=(dan(), bob(), Author("Z", "Z"))),
            Paper("q2", "Q", authors=(dan(),)),
        ],
    )
    submission = Submission("s4", "S", authors=(author,))
    import_venue(graph, "V", VenueRecords(submissions=[submission], reviewers=[Reviewer(reviewer)]))
    [result] = [
        c for c in conflicts(graph, "advisor", submissions=["s4"]) if c.reviewer == reviewer
    ]
    assert result == Conflict(reviewer, "s4", "advisor", evidence, False)


def test_one_paper_as_first_and_last_author_is_not_enough(graph: Database):
    load_small_venue(graph)
    submission = Submission("s4", "S", authors=("x:cara",))
    import_venue(graph, "V", VenueRecords(submissions=[submission]))
    assert [c.reviewer for c in conflicts(graph, "advisor", submissions=["s4"])] == ["A1"]


def test_a_venue_does_not_see_the_reviewers_of_another(graph: Database):
    load_small_venue(graph)
    import_venue(graph, "W", VenueRecords(submissions=[Submission("s1", "S", authors=("x:cara",))]))
    assert list(find_conflicts(graph, "W")) == []
