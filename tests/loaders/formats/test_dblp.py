"""Read AMiner's citation network: fields of the table on its "Citation Network Dataset" page.

The layouts are those of version 8 (tagged text), 10 (JSON Lines), and 12 and 13 (one array).
"""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats.dblp import convert, read_dblp
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue
from tests.loaders import results
from tests.loaders.results import count_records

SAMPLES = Path(__file__).parent / "samples"
read = partial(results.read, "dblp")


def mag(*names: str) -> tuple[Field, ...]:
    return tuple(Field("mag", name, name) for name in names)


def test_version_10_has_one_paper_per_line():
    assert dict(read_dblp(SAMPLES / "dblp.v10.json")) == {
        1: Paper(
            id="aminer:001c58d3-26ad-46b3-ab3a-c1e557d16821",
            title="A paper of version ten",
            abstract="We say little.",
            year=2013,
            source="aminer",
            authors=(
                Author("aminer:Ann Author", "Ann Author"),
                Author("aminer:Bob Other", "Bob Other"),
            ),
            venue=Venue("aminer:Made-up Conference", "Made-up Conference"),
            references=("aminer:51c7e02e-f5ed-431a-8cf5-f761f266d4be",),
        ),
        2: Paper(
            id="aminer:001c8744-73c4-4b04-9364-22d31a10dbf1",
            title="Another",
            year=2001,
            source="aminer",
        ),
    }


def test_version_12_has_numeric_ids_and_inverted_abstracts():
    university = Affiliation("aminer:Maker University", "Maker University")
    assert dict(read_dblp(SAMPLES / "dblp.v12.json")) == {
        2: Paper(
            id="aminer:1091",
            title="A paper of version twelve",
            abstract="We say, and say,",
            year=2013,
            source="aminer",
            identifiers=(Identifier("doi", "10.1000/aminer.12"),),
            authors=(
                Author("aminer:2312688602", "Makoto Maker", True, None, (university,)),
                Author("aminer:2482909946", "Ryo Other", True),
            ),
            venue=Venue("aminer:1194094125", "Made-up Journal"),
            fields=mag("Telecommunications", "Protocol"),
            references=("aminer:2005687710", "aminer:2018037215"),
        ),
        3: Paper(
            id="aminer:1388",
            title="A second",
            year=2009,
            source="aminer",
            authors=(Author("aminer:1", "Pan", True),),
            venue=Venue("aminer:Made-up Journal", "Made-up Journal"),
        ),
    }


def test_version_13_has_the_syntax_of_a_database_export():
    institute = Affiliation("aminer:5f71b2ae1c455f439fe3ce6c", "Castor Institute")
    assert dict(read_dblp(SAMPLES / "dblp.v13.json")) == {
        2: Paper(
            id="aminer:53e99784b7602d9701f3e3f5",
            title="A paper of version thirteen {with a brace",
            abstract="NumberInt(7) is no number here.",
            year=2008,
            language="en",
            url="https://doi.org/10.1000/mud.1",
            source="aminer",
            identifiers=(Identifier("doi", "10.1000/mud.1"),),
            authors=(
                Author("aminer:53f45d77dabfaee02ad7e4dd", "Carla Castor", True, None, (institute,)),
                Author("aminer:Dan Delta", "Dan Delta"),
            ),
            venue=Venue("aminer:53a7257c20f7420be8b5baf9", "MUD"),
            fields=(
                *mag("Biology"),
                Field("keyword", "beavers", "beavers"),
                Field("keyword", "dams", "dams"),
            ),
            references=("aminer:53e99785b7602d9701f3f4d2",),
        ),
        41: Paper(id="aminer:53e99785b7602d9701f3f4d2", title="A second", source="aminer"),
    }


def test_the_first_versions_are_tagged_text():
    def author(name: str, *orgs: str) -> Author:
        affiliations = tuple(Affiliation(f"aminer:{org}", org) for org in orgs)
        return Author(f"aminer:{name}", name, affiliations=affiliations)

    assert dict(read_dblp(SAMPLES / "dblp.v8.txt")) == {
        2: Paper(
            id="aminer:539078ff20f770854f53d8eb",
            title="A paper of version eight",
            abstract="We begin early and go on.",
            year=1999,
            source="aminer",
            authors=(author("Eve Early", "Early College"), author("Fay Later", "Later College")),
            venue=Venue("aminer:Made-up Conference", "Made-up Conference"),
            references=("aminer:558b0b2fe4b0b32fcb3bac7a", "aminer:558b0b2fe4b0b32fcb3bac7b"),
        ),
        13: Paper(
            id="aminer:7",
            title="A paper of version five",
            year=1989,
            source="aminer",
            authors=(author("Gil Comma"), author("Hal Comma")),
            venue=Venue("aminer:Old Conference", "Old Conference"),
        ),
    }


@pytest.mark.parametrize("between", ["", "\n"])
def test_a_text_record_may_begin_with_its_index(between: str):
    """AMiner-Paper.txt has this layout."""
    record = "#index {0}\n#* Paper {0}\n#@ A;B\n#o X;Y\n#t 1999\n#c V\n#% 9\n#! Text {0}.\n"
    result = read(between.join(record.format(n) for n in (1, 2, 3)))
    assert [
        (item.id, item.title, item.abstract) for _, item in result if isinstance(item, Paper)
    ] == [(f"aminer:{n}", f"Paper {n}", f"Text {n}.") for n in (1, 2, 3)]
    assert len(result) == 3
    assert [line for line, _ in result] == [1 + n * (8 + len(between)) for n in range(3)]


def test_problems_are_reported_and_the_rest_is_read():
    result = list(read_dblp(SAMPLES / "dblp.malformed.json"))
    assert [(line, item.id) for line, item in result if isinstance(item, Paper)] == [
        (2, "aminer:a"),
        (6, "aminer:last"),
    ]
    problems = [(line, item) for line, item in result if isinstance(item, RecordIssue)]
    assert [(line, item.id, item.reason) for line, item in problems if not item.repaired] == [
        (3, None, "id is missing"),
        (4, "aminer:c", "title is missing"),
        (5, None, "the object is not JSON: Expecting ',' delimiter"),
    ]
    assert {item.reason for _, item in problems if item.repaired} == {
        "left out: year 199x is not a year",
        "left out: doi none is not a DOI",
        "left out: an author without a name",
        "left out: a field of study without a name",
        "left out: a reference without an id",
    }
    assert (2, UnknownField("colour")) in result


@pytest.mark.parametrize("year", [0, -1, "", "-1", None])
def test_missing_years_have_several_forms(year: object):
    [paper] = convert({"id": 1, "title": "A", "year": year})
    assert isinstance(paper, Paper)
    assert paper.year is None


def test_an_affiliation_that_is_too_long_is_ignored():
    author = {"name": "A", "org": "x" * 1_001}
    problem, paper = convert({"id": 1, "title": "A", "authors": [author]})
    assert isinstance(problem, RecordIssue)
    assert isinstance(paper, Paper)
    assert paper.authors == (Author("aminer:A", "A"),)


def test_damaged_text_records_are_reported():
    result = read("#*A\n#index1\n#xstrange\n#*B\n\n#*C\n#index3\n#o;\n#@D;E;F\n")
    [first, *_], [last] = (
        [item for _, item in result if isinstance(item, kind)] for kind in (Paper, RecordIssue)
    )
    assert first.id == "aminer:1"
    assert (last.reason, last.record) == ("id is missing", "#*B")
    assert (1, UnknownField("#xstrange")) in result
    assert [line for line, _ in result] == [1, 1, 4, 6]


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["#@A;B", "#t1999", "#index1", "#%2", "#c", "#!x", "y"]))))
def test_every_text_record_is_a_paper_or_a_reasoned_reject(records: list[list[str]]):
    text = "\n".join("\n".join(["#*Title", *lines, ""]) for lines in records)
    result = [item for _, item in read(text)]
    assert count_records(result) == sum(max(1, lines.count("#index1")) for lines in records)
