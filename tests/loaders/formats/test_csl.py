"""Read CSL-JSON: variables of csl-data.json of CSL 1.0.2, in the layout of Zotero."""

from pathlib import Path
from typing import Any

import pytest

from specter_graph.loaders.format_api import RecordError, RecordIssue, UnknownField
from specter_graph.loaders.formats.csl import convert, detect, read_csl
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue

SAMPLES = Path(__file__).parent / "samples"


def paper(**item: Any) -> Paper:
    """Return the paper of an item that needs no repair."""
    [result] = convert({"id": "a", "title": "A", **item})
    assert isinstance(result, Paper)
    return result


def test_every_variable_is_read():
    assert dict(read_csl(SAMPLES / "csl.json")) == {
        2: Paper(
            id="http://zotero.org/users/1/items/AAAA1111",
            title="How Bees draw maps",
            abstract="Bees & maps.",
            year=2018,
            published="2018-07-05",
            language="en",
            url="https://arxiv.org/abs/1801.00001v2",
            source="csl",
            identifiers=(
                Identifier("doi", "10.1000/bees.1"),
                Identifier("arxiv", "1801.00001"),
                Identifier("pmid", "555"),
            ),
            authors=tuple(
                Author(f"csl:{name}", name)
                for name in ("Anna Bee", "Jan van den Berg Jr.", "The Hive")
            ),
            venue=Venue("csl:Journal of Bees", "Journal of Bees"),
            fields=tuple(Field("keyword", key, key) for key in ("bees", "maps", "entomology")),
        ),
        30: Paper(
            id="7",
            title="A Book",
            year=1999,
            published="1999-05",
            source="csl",
            identifiers=(Identifier("pmcid", "PMC12"), Identifier("isbn", "9780306406157")),
        ),
        38: Paper(
            id="doi:10.1000/talk",
            title="A Talk",
            year=2001,
            published="2001-02",
            source="csl",
            identifiers=(Identifier("doi", "10.1000/talk"),),
            venue=Venue("csl:Talk Days", "Talk Days"),
        ),
    }


def test_problems_are_reported_and_the_rest_is_read():
    result = list(read_csl(SAMPLES / "csl.malformed.json"))
    assert [(line, item.id) for line, item in result if isinstance(item, Paper)] == [
        (4, "bad-values"),
        (7, "last"),
    ]
    problems = [(line, item) for line, item in result if isinstance(item, RecordIssue)]
    assert [(line, item.id, item.reason) for line, item in problems if not item.repaired] == [
        (2, None, "id is missing"),
        (3, "untitled", "title is missing"),
        (6, None, "the object is not JSON: Invalid control character at"),
        (8, None, "this is not a JSON object"),
    ]
    assert {item.reason for _, item in problems if item.repaired} == {
        "left out: issued is not a date",
        "left out: doi none is not a DOI",
        "left out: abstract must be text, not a number",
        "left out: author must hold objects, not text",
        "left out: an author without a name",
    }
    assert (4, UnknownField("colour")) in result


@pytest.mark.parametrize(
    ("issued", "expected"),
    [
        ({"date-parts": [[2020]]}, (2020, None)),
        ({"date-parts": [["2020", "3"]]}, (2020, "2020-03")),
        ({"date-parts": [[2020, 3, 1], [2020, 4, 1]]}, (2020, "2020-03-01")),
        ({"raw": "2020 Mar"}, (2020, "2020-03")),
        ({"literal": "spring 2020"}, (2020, None)),
        ({"edtf": "2020-03~"}, (2020, "2020-03")),
        ("2020-03-01", (2020, "2020-03-01")),
        ({}, (None, None)),
    ],
)
def test_dates_are_written_in_several_ways(issued: object, expected: tuple[int, str]):
    assert (paper(issued=issued).year, paper(issued=issued).published) == expected


def test_a_chinese_name_begins_with_the_family_name():
    [author] = paper(author=[{"given": "伟", "family": "张"}]).authors
    assert author.name == "张伟"


def test_the_number_of_a_preprint_is_its_arxiv_id():
    assert paper(number="arXiv:2004.07180").identifiers == (Identifier("arxiv", "2004.07180"),)
    assert paper(number="2004.07180").identifiers == ()


def test_an_item_without_id_is_identified_by_its_doi():
    [result] = convert({"DOI": "https://doi.org/10.1000/A", "title": "A"})
    assert isinstance(result, Paper)
    assert result.id == "doi:10.1000/a"
    with pytest.raises(RecordError, match="id is missing"):
        list(convert({"DOI": "none", "title": "A"}))


def test_the_isbn_of_a_book_is_not_its_chapters():
    assert paper(type="book", ISBN="9780306406157").identifiers
    assert not paper(type="chapter", ISBN="9780306406157").identifiers


def test_an_item_of_datacite_has_its_doi_as_id(tmp_path: Path):
    [result] = convert({"id": "https://doi.org/10.5281/ZENODO.1", "title": "A"})
    assert isinstance(result, Paper)
    assert result.id == "doi:10.5281/zenodo.1"
    assert result.identifiers == (Identifier("doi", "10.5281/zenodo.1"),)
    item = b'{"type": "dataset", "id": "https://doi.org/10.5281/z", "issued": {"raw": "2018"}}'
    assert detect("a.json", item) == "CSL-JSON, dataset"
    assert detect("a.json", item.replace(b"issued", b"year")) is None
