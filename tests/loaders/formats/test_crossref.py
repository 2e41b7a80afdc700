"""Read Crossref works; the samples follow its docs (REST API, JSON format; Retraction Watch)."""

import gzip
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats.crossref import read_crossref
from specter_graph.loaders.parsing import json as json_reader
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue
from tests.loaders import results
from tests.loaders.results import papers, problems

SAMPLES = Path(__file__).parent / "samples"
WORKS = SAMPLES / "crossref.jsonl"

read = partial(results.read, "crossref")


def papers_of(*works: object) -> list[Paper]:
    return papers(read("\n".join(map(json.dumps, works))))


def work(**more: object) -> dict[str, Any]:
    return {"DOI": "10.5555/a", "title": ["A title"]} | {
        key.replace("_", "-"): value for key, value in more.items()
    }


def test_every_field_is_read():
    assert [item for line, item in read_crossref(WORKS) if line == 1] == [
        RecordIssue(
            "left out: references whose DOI is not valid: 1",
            "doi:10.5555/specter.2023.17",
            repaired=True,
        ),
        Paper(
            id="doi:10.5555/specter.2023.17",
            title="How far do citation graphs carry? A small field",
            abstract=(
                "Background\n\nCitation graphs tell readers which papers belong together & which"
                " do not (p < 0.05).\n\nResults\n\nH2O, and x2."
            ),
            year=2023,
            published="2023-01-17",
            language="en",
            url="https://doi.org/10.5555/specter.2023.17",
            source="crossref",
            retracted=True,
            identifiers=(
                Identifier("doi", "10.5555/specter.2023.17"),
                Identifier("arxiv", "2301.04567"),
            ),
            authors=(
                Author(
                    "orcid:0000-0002-1825-0097",
                    "Ada Example Jr.",
                    True,
                    "0000-0002-1825-0097",
                    (
                        Affiliation("ror:02nr0ka47", "Institute of Invented Studies"),
                        Affiliation("crossref:Library of Nowhere", "Library of Nowhere"),
                    ),
                ),
                Author("crossref:Bo Sample", "Bo Sample"),
                Author("crossref:The Nowhere Collaboration", "The Nowhere Collaboration"),
            ),
            venue=Venue("issn:0317-8471", "Journal of Invented Bibliometrics"),
            fields=(
                Field(
                    "crossref-subject",
                    "Library and Information Sciences",
                    "Library and Information Sciences",
                ),
                Field(
                    "crossref-subject",
                    "Computer Science Applications",
                    "Computer Science Applications",
                ),
            ),
            references=("doi:10.5555/shelves.1931.1", "doi:10.5555/nowhere.2020.3"),
        ),
    ]


def test_books_and_preprints_have_their_own_identifiers_and_venues():
    assert [item for line, item in read_crossref(WORKS) if line > 1] == [
        Paper(
            id="doi:10.5555/shelves",
            title="On the shelving of books",
            year=1931,
            published="1931",
            url="http://dx.doi.org/10.5555/shelves",
            source="crossref",
            identifiers=(
                Identifier("doi", "10.5555/shelves"),
                Identifier("doi", "10.5555/shelves.old"),
                Identifier("isbn", "9780306406157"),
            ),
        ),
        Paper(
            id="doi:10.48550/arxiv.2004.07180",
            title="RETRACTED: Nothing at all",
            year=2020,
            published="2020-04-15",
            source="crossref",
            retracted=True,
            identifiers=(
                Identifier("doi", "10.48550/arxiv.2004.07180"),
                Identifier("arxiv", "2004.07180"),
            ),
            venue=Venue("crossref:Archive of Nothing", "Archive of Nothing"),
        ),
    ]


@pytest.mark.parametrize("name", ["crossref.page.json", "crossref.items.json"])
def test_pages_and_files_of_the_public_data_have_the_same_works(name: str, tmp_path: Path):
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress((SAMPLES / name).read_bytes()))
    assert [item for _, item in read_crossref(path)] == [item for _, item in read_crossref(WORKS)]


def test_a_file_may_have_several_pages():
    page = (SAMPLES / "crossref.page.json").read_bytes()
    single = (SAMPLES / "crossref.work.json").read_bytes()
    result = read(page + b"\n" + page + b"\n" + single)
    assert len(papers(result)) == 7
    assert all(repaired for *_, repaired in problems(result))


def test_a_page_may_be_longer_than_any_object(monkeypatch: pytest.MonkeyPatch):
    page = json.loads((SAMPLES / "crossref.page.json").read_bytes())
    page["message"]["items"] = [work(DOI=f"10.5555/{n}") for n in range(2_000)]
    monkeypatch.setattr(json_reader, "MAX_LINE_BYTES", 20_000)
    result = read(json.dumps(page))
    assert [paper.id for paper in papers(result)] == [
        f"doi:10.5555/{number}" for number in range(2_000)
    ]
    assert len(result) == 2_000


def test_unusable_values_are_reported():
    result = list(read_crossref(SAMPLES / "crossref.malformed.jsonl"))
    rejected = [
        (line, p.id, p.reason) for line, p in result if isinstance(p, RecordIssue) if p.record
    ]
    assert rejected == [
        (1, None, "DOI is missing"),
        (2, None, "DOI none is not a DOI"),
        (3, "doi:10.5555/untitled", "title is missing"),
        (5, None, "the line is not JSON: unexpected end of data (column 42)"),
    ]
    assert [item for line, item in result if line == 4] == [
        *(
            RecordIssue(f"left out: {reason}", "doi:10.5555/left.out", repaired=True)
            for reason in [
                "abstract must be text, not a list",
                "ISBN 123 is not an ISBN",
                "author must hold objects, not text",
                "an author without a name",
                "an affiliation without a name",
                "DOI must be text, not a number",
                "references whose DOI is not valid: 1",
            ]
        ),
        Paper(
            id="doi:10.5555/left.out",
            title="What can be left out",
            source="crossref",
            identifiers=(Identifier("doi", "10.5555/left.out"),),
            authors=(Author("crossref:Kept", "Kept"),),
            references=("doi:10.5555/kept",),
        ),
        UnknownField("stray"),
    ]


@pytest.mark.parametrize(
    ("updates", "retracted"),
    [
        ({"updated_by": [{"type": "retraction", "DOI": "10.5555/n"}]}, True),
        ({"updated_by": [{"type": "withdrawal"}]}, True),
        ({"updated_by": [{"type": "correction"}, {"type": 3}, 4]}, None),
        ({"update_to": [{"type": "retraction", "DOI": "10.5555/A"}]}, True),
        ({"update_to": [{"type": "retraction", "DOI": "10.5555/other"}]}, None),
        ({"title": ["RETRACTED ARTICLE: A title"]}, True),
        ({"title": ["Retracted lives"]}, None),
    ],
)
def test_a_retraction_is_that_of_the_work_itself(updates: dict[str, Any], retracted: bool | None):
    (paper,) = papers_of(work(**updates))
    assert paper.retracted is retracted


@pytest.mark.parametrize(
    ("dates", "year", "published"),
    [
        ({"issued": {"date-parts": [[2013, 7, 3]]}}, 2013, "2013-07-03"),
        ({"issued": {"date-parts": [["2013", "12"]]}}, 2013, "2013-12"),
        ({"issued": {"date-parts": [[None]]}, "posted": {"date-parts": [[2014]]}}, 2014, "2014"),
        ({"issued": {"date-parts": [["199x"]]}}, None, None),
        ({"issued": {"date-parts": [[2013, "x", 3]]}}, 2013, "2013"),
        ({"created": {"date-parts": [[2013]]}}, None, None),
        ({"issued": [2013]}, None, None),
    ],
)
def test_a_date_has_its_known_parts(dates: dict[str, Any], year: int | None, published: str | None):
    (paper,) = papers_of(work(**dates))
    assert (paper.year, paper.published) == (year, published)


@pytest.mark.parametrize(
    ("titles", "title"),
    [
        ({"title": [" ", "A <sub>2</sub>"], "subtitle": ["B"]}, "A 2: B"),
        ({"title": ["A: b"], "subtitle": ["B"]}, "A: b"),
        ({"title": [], "original_title": ["Über A"]}, "Über A"),
        ({"title": "A"}, "A"),
    ],
)
def test_the_title_is_plain_and_has_its_subtitle(titles: dict[str, Any], title: str):
    (paper,) = papers_of(work(**titles))
    assert paper.title == title


def test_a_work_of_a_page_that_is_nested_too_deep_to_be_shown_is_rejected():
    deep = "[" * 400 + "]" * 400
    page = '{"message-type": "work-list", "message": {"items": [{"x": DEEP}, null]}}'
    result = read(page.replace("DEEP", deep))
    assert [reason for _, _, reason, _ in problems(result)] == [
        "DOI is missing",
        "an entry of the page must be an object",
    ]


@pytest.mark.parametrize("record", [{}, {"message": "Resource not found."}, {"message": {}}])
def test_objects_without_a_work_are_rejected(record: dict[str, Any]):
    [(_, _, _, repaired)] = problems(read(json.dumps(record)))
    assert not repaired


def test_a_volume_of_a_series_is_a_separate_venue():
    series, volume = "Lecture Notes in Computer Science", "Computer Vision \u2013 ECCV 2014"
    [chapter, article, alone] = papers_of(
        work(type="book-chapter", container_title=[series, volume], ISSN=["0302-9743"]),
        work(type="journal-article", container_title=["J. Inv.", "Abbr."], ISSN=["0317-8471"]),
        work(type="book-chapter", container_title=[series], ISSN=["0302-9743"]),
    )
    assert chapter.venue == Venue(f"crossref:{volume}", volume)
    assert article.venue == Venue("issn:0317-8471", "J. Inv.")
    assert alone.venue == Venue("issn:0302-9743", series)
