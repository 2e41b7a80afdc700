"""Read ACL Anthology XML; the samples follow the Anthology's data/xml and its schema.rnc."""

from pathlib import Path

import pytest

from specter_graph.loaders.format_api import RecordError, UnknownField
from specter_graph.loaders.formats.acl import anthology_id, read_acl
from specter_graph.loaders.records import Affiliation, Author, Identifier, Paper, Venue
from tests.loaders.results import papers, problems

SAMPLES = Path(__file__).parent / "samples"


def test_every_element_of_a_paper_is_read():
    [(line, first), (_, second)] = read_acl(SAMPLES / "acl.xml")
    assert line == 21
    assert first == Paper(
        id="acl:2020.imag-main.207",
        title="How Transformers dream in O(n^3) & more: a study",
        abstract="We dream. See https://example.org/dream for more.",
        year=2020,
        published="2020-07",
        source="acl",
        identifiers=(
            Identifier("acl", "2020.imag-main.207"),
            Identifier("doi", "10.18653/v1/2020.imag-main.207"),
        ),
        authors=(
            Author(
                "acl:ada-lovelace",
                "Ada B. Lovelace",
                identified=True,
                orcid="0000-0002-1825-0097",
                affiliations=(Affiliation("acl:Institute of Numbers", "Institute of Numbers"),),
            ),
            Author("acl:Weiguang Qu", "Weiguang Qu"),
            Author(
                "orcid:0000-0001-5109-3700", "Mausam", identified=True, orcid="0000-0001-5109-3700"
            ),
        ),
        venue=Venue("acl:imag", "imag"),
        elsewhere=("references",),
    )
    assert second == Paper(
        id="acl:2020.imag-main.208",
        title="Un papier retiré",
        year=2020,
        published="2020-07",
        language="fr",
        source="acl",
        retracted=True,
        identifiers=(Identifier("acl", "2020.imag-main.208"),),
        authors=(Author("acl:Alan Turing", "Alan Turing"),),
        venue=Venue("acl:imag", "imag"),
        elsewhere=("references",),
    )


def test_old_volumes_have_old_ids_and_their_title_as_venue():
    first, second = papers(list(read_acl(SAMPLES / "acl.P18.xml")))
    title = "Proceedings of an Old Meeting (Volume 1: Long Papers)"
    assert first == Paper(
        id="acl:P18-1001",
        title="An old ID",
        year=2018,
        published="2018-07",
        url="https://example.org/P18-1001.pdf",
        source="acl",
        identifiers=(Identifier("acl", "P18-1001"),),
        authors=(Author("acl:Ben Turing", "Ben Turing"),),
        venue=Venue(f"acl:{title}", title),
        elsewhere=("references",),
    )
    assert (second.id, second.retracted) == ("acl:P18-1002", True)


@pytest.mark.parametrize(
    ("parts", "number"),
    [
        (("2020.acl", "main", "207"), "2020.acl-main.207"),
        (("P18", "1", "1"), "P18-1001"),
        (("P18", "1", "345"), "P18-1345"),
        (("W18", "12", "3"), "W18-1203"),
        (("C69", "1", "12"), "C69-0112"),
        (("D19", "1", "12"), "D19-1012"),
        (("D19", "50", "12"), "D19-5012"),
        (("", "P18", "1001"), "P18-1001"),
        (("", "W18", "203"), "W18-0203"),
    ],
)
def test_ids_are_those_of_the_anthology(parts: tuple[str, str, str], number: str):
    assert anthology_id(*parts) == number


@pytest.mark.parametrize(
    "parts",
    [("2020.acl", "", "1"), ("2020.acl", "main", ""), ("P18", "1", "x"), ("P18", "main", "1"),
     ("", "acl", "1"), ("P18", "1", "\u0661"), ("x" * 999, "1", "1")],
)  # fmt: skip
def test_parts_that_give_no_id_are_reported(parts: tuple[str, str, str]):
    with pytest.raises(RecordError) as error:
        anthology_id(*parts)
    assert 0 < len(str(error.value)) <= 200


def test_malformed_records_are_rejected_and_malformed_values_ignored():
    result = list(read_acl(SAMPLES / "acl.malformed.xml"))
    broken, repaired = papers(result)
    assert (broken.id, broken.title) == ("acl:2020.imag-main.3", "Broken &undeclared;")
    assert [repaired] == [
        Paper(
            id="acl:2020.imag-main.4",
            title="Repaired",
            year=2020,
            source="acl",
            identifiers=(Identifier("acl", "2020.imag-main.4"),),
            authors=(Author("acl:Turing", "Turing"),),
            elsewhere=("references",),
        )
    ]
    assert problems(result) == [
        (3, None, "the paper is in no volume", False),
        (
            5,
            None,
            "the XML is broken: Opening and ending tag mismatch: b line 1 and booktitle",
            False,
        ),
        (6, None, "the paper has no id", False),
        (7, "acl:2020.imag-main.2", "title is missing", False),
        (8, None, "the unknown character &undeclared; was read as text", True),
        (9, "acl:2020.imag-main.4", "left out: year 199x is not valid", True),
        (9, "acl:2020.imag-main.4", "left out: doi none is not a DOI", True),
        (9, "acl:2020.imag-main.4", "left out: an author without a name", True),
        (9, "acl:2020.imag-main.4", "left out: orcid none is not valid", True),
        (12, None, "P18-main.1 is not an id of the Anthology", False),
    ]
    assert [item.key for _, item in result if isinstance(item, UnknownField)] == ["novelty"]
