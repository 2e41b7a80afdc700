"""Read OpenCitations CSV; the samples follow its docs (COCI, Index and Meta CSV datasets)."""

import csv
import io
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats.opencitations import (
    INDEX,
    META,
    read_opencitations,
)
from specter_graph.loaders.records import Author, Citation, Identifier, Paper, Venue
from tests.loaders.results import read

SAMPLES = Path(__file__).parent / "samples"
WORDS = st.lists(
    st.sampled_from(
        [
            "doi:10.1000/x",
            "10.1000/y",
            "pmid:1",
            "omid:br/061",
            "isbn:9",
            "[",
            "]",
            ";",
            ",",
            "A",
            "é",
        ]
    )
    | st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=4),
    max_size=4,
).map(" ".join)


def meta(**cells: str) -> Paper:
    file = io.StringIO()
    writer = csv.DictWriter(file, sorted(META))
    writer.writeheader()
    writer.writerow({"id": "doi:10.5555/a", "title": "A title"} | cells)
    (paper,) = (
        item for _, item in read("opencitations", file.getvalue()) if isinstance(item, Paper)
    )
    return paper


def test_citations_between_dois():
    assert list(read_opencitations(SAMPLES / "opencitations.coci.csv")) == [
        (2, Citation("doi:10.5555/specter.2023.17", "doi:10.5555/shelves.1931.1")),
        (3, Citation("doi:10.5555/specter.2023.17", "doi:10.5555/nowhere.2020.3")),
    ]


def test_citations_between_omids_and_of_several_ids():
    assert list(read_opencitations(SAMPLES / "opencitations.index.csv")) == [
        (2, Citation("omid:br/06101801781", "omid:br/06180334099")),
        (3, Citation("doi:10.5555/a", "pmid:17")),
    ]


@pytest.mark.parametrize(
    ("written", "paper"),
    [
        ("10.5555/a", "doi:10.5555/a"),
        ("10.5555/A(1)", "doi:10.5555/a(1)"),
        ("10.5555/É", "doi:10.5555/é"),
        ("https://doi.org/10.5555/A", "doi:10.5555/a"),
        ("doi:10.5555/a", "doi:10.5555/a"),
        ("pmid:17", "pmid:17"),
        ("17", "pmid:17"),
        ("br/0617", "omid:br/0617"),
        ("isbn:0306406152", "isbn:9780306406157"),
    ],
)
def test_papers_are_identified_by_their_best_id(written: str, paper: str):
    ((_, citation),) = read("opencitations", f"citing,cited\n{written},doi:10.5555/z\n")
    assert citation == Citation(paper, "doi:10.5555/z")


def test_every_column_of_meta_is_read():
    ada = Author("omid:ra/062503694315", "Ada Example", True, "0000-0002-1825-0097")
    bo = Author("orcid:0000-0001-5109-3700", "Bo Sample", True, "0000-0001-5109-3700")
    assert list(read_opencitations(SAMPLES / "opencitations.meta.csv")) == [
        (
            2,
            Paper(
                id="doi:10.5555/specter.2023.17",
                title="How far do citation graphs carry?",
                year=2023,
                published="2023-01-17",
                source="opencitations",
                identifiers=(
                    Identifier("doi", "10.5555/specter.2023.17"),
                    Identifier("pmid", "29456894"),
                    Identifier("omid", "br/060924"),
                ),
                authors=(
                    ada,
                    bo,
                    Author("opencitations:The Nowhere Collaboration", "The Nowhere Collaboration"),
                    Author("opencitations:D. Worm", "D. Worm"),
                ),
                venue=Venue("issn:0317-8471", "Journal of Invented Bibliometrics"),
            ),
        ),
        (
            3,
            Paper(
                id="isbn:9780306406157",
                title="On the shelving of books",
                year=1931,
                published="1931",
                source="opencitations",
                identifiers=(
                    Identifier("isbn", "9780306406157"),
                    Identifier("omid", "br/060925"),
                ),
            ),
        ),
        (
            4,
            Paper(
                id="doi:10.5555/chapter",
                title="A chapter",
                year=1931,
                published="1931-2",
                source="opencitations",
                identifiers=(Identifier("doi", "10.5555/chapter"), Identifier("omid", "br/060926")),
                venue=Venue("omid:br/060925", "Shelves"),
            ),
        ),
    ]


def test_unusable_values_are_reported():
    result = list(read_opencitations(SAMPLES / "opencitations.malformed.csv"))
    assert [(line, p.reason) for line, p in result if isinstance(p, RecordIssue)] == [
        (2, "cited is missing"),
        (3, "citing nothing is not an id"),
        (4, "the row has 4 columns, the header 7"),
    ]
    assert result[-1] == (5, Citation("doi:10.5555/a", "doi:10.5555/c"))


def test_an_invalid_date_and_an_author_without_a_name_are_ignored():
    result = read("opencitations", "id,title,author,pub_date\ndoi:10.5555/a,A,[orcid:1],199x\n")
    assert result == [
        (2, RecordIssue("left out: pub_date 199x is not a date", "doi:10.5555/a", repaired=True)),
        (2, RecordIssue("left out: an author without a name", "doi:10.5555/a", repaired=True)),
        (
            2,
            Paper(
                "doi:10.5555/a",
                "A",
                source="opencitations",
                identifiers=(Identifier("doi", "10.5555/a"),),
            ),
        ),
    ]


def test_an_author_or_a_venue_without_an_id_is_identified_by_name():
    paper = meta(author="Ø, Å; Ø, Å", venue="B [x]")
    assert paper.authors == (Author("opencitations:Å Ø", "Å Ø"),)
    assert paper.venue == Venue("opencitations:B", "B")


@pytest.mark.parametrize(
    ("cell", "key", "name"),
    [
        ("A B [x:1  omid:br/1]", "omid:br/1", "A B"),
        ("A [B] [omid:br/1]", "omid:br/1", "A [B]"),
        ("A [omid:br/1] B]", "opencitations:A [omid:br/1] B]", "A [omid:br/1] B]"),
        ("A [omid:br/1", "opencitations:A [omid:br/1", "A [omid:br/1"),
        (f"A{' ' * 200_000}B", "opencitations:A B", "A B"),
    ],
    ids=range(5),
)
def test_ids_are_in_brackets_at_the_end(cell: str, key: str, name: str):
    started = time.process_time()
    assert meta(venue=cell).venue == Venue(key, name)
    assert time.process_time() - started < 2


@settings(max_examples=50)
@given(st.sampled_from([INDEX, META]), st.data())
def test_each_row_gives_an_item_or_a_rejection(columns: frozenset[str], data: st.DataObject):
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    rows = data.draw(st.lists(st.tuples(*(WORDS for _ in columns)), max_size=3))
    writer.writerows([sorted(columns), *rows])
    result = [item for _, item in read("opencitations", file.getvalue())]
    items = sum(isinstance(item, Paper | Citation) for item in result)
    rejected = sum(isinstance(item, RecordIssue) and not item.repaired for item in result)
    assert items + rejected == len(rows)
    assert not any(isinstance(item, UnknownField) for item in result)
