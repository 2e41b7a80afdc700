"""Read archives of OpenReview, which have the papers of reviewers."""

import json
from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.archive_papers import import_archives
from specter_graph.graph.reviewing.venue_data import read_reviewer_papers, read_reviewers
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from specter_graph.loaders.review_records import Reviewer
from specter_graph.matching.io.openreview import read_archives
from specter_graph.venue import ReviewVenue

ANN = Author("openreview:~Ann_B._Smith1", "Ann B. Smith", identified=True)
BOB = Author("openreview:~Bob1", "Bob", identified=True)


def archive(folder: Path, profile: str, *notes: object) -> None:
    text = "".join(json.dumps(note) + "\n" for note in notes)
    (folder / f"{profile}.jsonl").write_text(text)


def note(key: str, **content: object) -> dict[str, object]:
    return {"id": key, "content": {"title": f"On {key}", "abstract": "Text."} | content}


def paper(key: str, *authors: Author, **more: object) -> Paper:
    properties = {"abstract": "Text.", "source": "openreview", "authors": authors} | more
    return Paper(f"openreview:{key}", f"On {key}", **properties)


def test_a_note_in_two_archives_is_one_paper_of_both(tmp_path: Path):
    archive(tmp_path, "~Ann_B._Smith1", note("1"), note("2"))
    archive(tmp_path, "~Bob1", note("2"), note("3"))
    archive(tmp_path, "~Empty1")
    result = read_archives(tmp_path)
    assert result.reviewers == (Reviewer("~Ann_B._Smith1"), Reviewer("~Bob1"), Reviewer("~Empty1"))
    assert result.papers == (paper("1", ANN), paper("2", ANN, BOB), paper("3", BOB))
    assert result.authors[2] == Author("openreview:~Empty1", "Empty", identified=True)


def test_authors_of_a_note_keep_their_positions(tmp_path: Path):
    authors = {
        "authors": ["Cara", "Ann  B. Smith", "Bob", "Dan"],
        "authorids": ["~Cara_C1", "ann@x.org", "~Bob1", ""],
    }
    archive(tmp_path, "~Ann_B._Smith1", note("1", **authors), note("2", authors=["X Y"]))
    archive(tmp_path, "~Bob1", note("1"), note("3", authorids=["~Cara_C1"]))
    cara = Author("openreview:~Cara_C1", "Cara", identified=True)
    [one, two, three] = read_archives(tmp_path).papers
    # The address is dropped; the archive identifies the author.
    assert one.authors == (cara, ANN, BOB, Author("openreview:Dan", "Dan"))
    assert two.authors == (Author("openreview:X Y", "X Y"), ANN)
    assert [author.name for author in three.authors] == ["Cara C", "Bob"]


def test_a_note_has_year_venue_keywords_and_identifiers(tmp_path: Path):
    in_2019, in_2021 = 1_560_000_000_000, 1_620_000_000_000
    archive(
        tmp_path,
        "~Bob1",
        note("1", venue={"value": "ICLR 2021"}, keywords="graphs, text") | {"cdate": in_2021},
        note("2", html="https://doi.org/10.1234/X") | {"pdate": in_2019, "cdate": in_2021},
        note("3", year="2020") | {"pdate": in_2019},
        note("4", year=3) | {"cdate": 10**30},
    )
    labels = tuple(Field("keyword", name, name) for name in ("graphs", "text"))
    assert read_archives(tmp_path).papers == (
        paper("1", BOB, year=2021, venue=Venue("openreview:ICLR 2021", "ICLR 2021"), fields=labels),
        paper("2", BOB, year=2019, identifiers=(Identifier("doi", "10.1234/x"),)),
        paper("3", BOB, year=2020),
        paper("4", BOB),
    )


def test_notes_without_any_text_are_counted(tmp_path: Path):
    archive(
        tmp_path,
        "~Bob1",
        {"id": "1", "content": {}},
        {"id": "2", "content": {"title": None, "abstract": "Text."}},
    )
    result = read_archives(tmp_path)
    assert [(each.id, each.title) for each in result.papers] == [("openreview:2", "")]
    assert result.without_text == 1


def test_an_invalid_note_is_named_with_its_position(tmp_path: Path):
    archive(tmp_path, "~Bob1", note("1"), note("2", title=["T"]))
    with pytest.raises(InputError, match=r"~Bob1.jsonl, line 2, '2': title must be text, not a"):
        read_archives(tmp_path)
    for path in (tmp_path / "none", tmp_path):
        (tmp_path / "~Bob1.jsonl").unlink(missing_ok=True)
        with pytest.raises(InputError, match=r"is not a folder|has no archive"):
            read_archives(path)


def test_archives_are_loaded_and_their_owners_review(tmp_path: Path, graph: Database):
    archive(tmp_path, "~Ann_B._Smith1", note("1"), note("2"))
    archive(tmp_path, "~Bob1", note("2"))
    archive(tmp_path, "~Empty1")
    result = read_archives(tmp_path)
    import_archives(graph, result.papers)
    import_venue(graph, "V", VenueRecords(reviewers=result.reviewers, newcomers=result.authors))
    assert [(each.id, each.name) for each in read_reviewers(graph, "V")] == [
        ("~Ann_B._Smith1", "Ann B. Smith"),
        ("~Bob1", "Bob"),
        ("~Empty1", "Empty"),
    ]
    assert [(each.reviewer, each.paper) for each in read_reviewer_papers(graph, "V")] == [
        ("~Ann_B._Smith1", "openreview:1"),
        ("~Ann_B._Smith1", "openreview:2"),
        ("~Bob1", "openreview:2"),
    ]


def test_a_second_folder_takes_nothing_from_the_owners_in_the_first(
    tmp_path: Path, graph: Database
):
    venue = ReviewVenue(graph, "V", lambda _: None)
    first, late = tmp_path / "first", tmp_path / "late"
    for folder, archive_owners in (
        (first, ["~Ann_B._Smith1", "~Bob1"]),
        (late, ["~Ann_B._Smith1"]),
    ):
        folder.mkdir()
        for owner in archive_owners:
            archive(folder, owner, note("1"))
        venue.load(archives=folder)
    assert [each.reviewer for each in read_reviewer_papers(graph, "V")] == [
        "~Ann_B._Smith1",
        "~Bob1",
    ]


def test_reviewers_who_have_archives_but_are_in_no_list_are_named(tmp_path: Path, graph: Database):
    archive(tmp_path, "~Ann_B._Smith1", note("1"))
    archive(tmp_path, "~Bob1", note("1"))
    (tmp_path / "own.csv").write_text("id,email\n~Bob1,bob@x.org\n")
    venue = ReviewVenue(graph, "V", lambda _: None)
    summary = venue.load(archives=tmp_path, reviewers=tmp_path / "own.csv")
    assert summary.unlisted_reviewers == ("~Ann_B._Smith1",)
    (tmp_path / "emails.csv").write_text("email\nann@x.org\n")
    other = ReviewVenue(graph, "W", lambda _: None)
    other.load(reviewers=tmp_path / "emails.csv")
    assert other.load(archives=tmp_path).unlisted_reviewers == ("~Ann_B._Smith1", "~Bob1")
    assert other.load(archives=tmp_path).unlisted_reviewers == ()


def test_archives_keep_what_a_list_says_of_their_owners(tmp_path: Path, graph: Database):
    archive(tmp_path, "~Bob1", note("1"))
    people = tmp_path / "reviewers.csv"
    people.write_text("id,maximum,email,role,tracks\n~Bob1,2,b@x.org,area chair,A\n")
    venue = ReviewVenue(graph, "V", lambda _: None)
    venue.load(archives=tmp_path, reviewers=people)
    before = venue.reviewers()
    archive(tmp_path, "~Bob1", note("1"), note("2"))
    venue.load(archives=str(tmp_path))
    assert venue.reviewers() == before
    with pytest.raises(InputError, match=r"no file named archive") as refused:
        venue.load(archive=tmp_path)  # type: ignore[call-arg]
    assert "archives" in refused.value.hint
    with pytest.raises(InputError, match="reviewers is a list, not a file") as refused:
        venue.load(reviewers=[{"id": "~Bob1"}])  # type: ignore[arg-type]
    assert "to_csv" in refused.value.hint
    assert before[0].reviewer == Reviewer("~Bob1", None, 2, False, "b@x.org", "area chair", ("A",))


@pytest.mark.parametrize(
    "steps",
    [("archives", "reviewers"), ("reviewers", "archives"), ("addresses", "reviewers"), ("both",)],
)
def test_an_owner_who_is_known_by_an_address_has_the_name_of_the_list(
    tmp_path: Path, graph: Database, steps: tuple[str, ...]
):
    folder = tmp_path / "archives"
    folder.mkdir()
    archive(folder, "dan@example.org", note("1"))
    people, addresses = tmp_path / "pc.csv", tmp_path / "addresses.csv"
    people.write_text("given_name,family_name,email\nDan,Ray,dan@example.org\n")
    addresses.write_text("email\ndan@example.org\n")
    venue = ReviewVenue(graph, "V", lambda _: None)
    for step in steps:
        venue.load(
            archives=folder if step in ("archives", "both") else None,
            reviewers={"reviewers": people, "both": people, "addresses": addresses}.get(step),
        )
    assert [(each.id, each.name) for each in venue.reviewers()] == [("dan@example.org", "Dan Ray")]
