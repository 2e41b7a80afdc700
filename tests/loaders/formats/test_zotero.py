"""Read Zotero's JSON: items of "Zotero Web API v3, Basics", with its item types and fields."""

from pathlib import Path
from typing import Any

import pytest

from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats.zotero import convert, read_zotero
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue

SAMPLES = Path(__file__).parent / "samples"


def paper(**data: Any) -> Paper:
    """Return the paper of an item that needs no repair."""
    [result] = convert({"key": "A", "data": {"title": "A", **data}})
    assert isinstance(result, Paper)
    return result


def test_every_field_is_read():
    assert dict(read_zotero(SAMPLES / "zotero.json")) == {
        2: Paper(
            id="zotero:ABCD2345",
            title="How Ants Walk",
            abstract="They walk in lines.",
            year=2017,
            published="2017-06-01",
            language="en",
            url="https://example.org/ants",
            source="zotero",
            identifiers=(
                Identifier("doi", "10.48550/arxiv.1706.00001"),
                Identifier("arxiv", "1706.00001"),
                Identifier("pmid", "9"),
            ),
            authors=(
                Author("zotero:Adam Ant", "Adam Ant"),
                Author("zotero:The Colony", "The Colony"),
            ),
            venue=Venue("zotero:arXiv", "arXiv"),
            fields=(
                Field("keyword", "ants, walking", "ants, walking"),
                Field("keyword", "lines", "lines"),
            ),
        ),
        26: Paper(id="zotero:CASE2345", title="Ant v. Grasshopper", source="zotero"),
    }


def test_problems_are_reported():
    result = list(read_zotero(SAMPLES / "zotero.malformed.json"))
    problems = [(line, item) for line, item in result if isinstance(item, RecordIssue)]
    assert [(line, item.id, item.reason) for line, item in problems if not item.repaired] == [
        (2, None, "key is missing"),
        (3, "zotero:NOTITLE2", "title is missing"),
    ]
    assert {item.reason for _, item in problems if item.repaired} == {
        "left out: date long ago has no year",
        "left out: doi none is not a DOI",
        "left out: an author without a name",
        "left out: tags must be a list of objects, not text",
    }
    assert [item.id for _, item in result if isinstance(item, Paper)] == ["zotero:BADVALUE"]
    assert (4, UnknownField("colour")) in result


@pytest.mark.parametrize(
    ("item_type", "creator"),
    [("presentation", "presenter"), ("computerProgram", "programmer"), ("patent", "inventor")],
)
def test_creators_of_all_kinds_are_authors(item_type: str, creator: str):
    creators = [{"creatorType": creator, "lastName": "B", "firstName": "A"}]
    assert paper(itemType=item_type, creators=creators).authors == (Author("zotero:A B", "A B"),)


@pytest.mark.parametrize("key", ["publicationTitle", "proceedingsTitle", "bookTitle", "blogTitle"])
def test_each_item_type_has_its_own_field_of_the_venue(key: str):
    assert paper(**{key: "X"}).venue == Venue("zotero:X", "X")


def test_a_book_is_identified_by_its_isbns():
    result = paper(itemType="book", ISBN="978-0-306-40615-7 0-8044-2957-X").identifiers
    assert result == (Identifier("isbn", "9780306406157"), Identifier("isbn", "9780804429573"))


@pytest.mark.parametrize("kind", ["attachment", "note", "annotation"])
def test_attachments_and_notes_are_no_papers(kind: str):
    assert list(convert({"key": "A", "data": {"itemType": kind, "title": "A"}})) == []
