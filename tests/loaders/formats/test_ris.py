"""Read RIS: tags of the "RIS Format Specifications", and of EndNote and Zotero."""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.format_api import ParseResult, RecordIssue, UnknownField
from specter_graph.loaders.formats.ris import read_ris
from specter_graph.loaders.parsing import tagged_lines
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from tests.loaders.results import count_records

SAMPLES = Path(__file__).parent / "samples"


def authors(*names: str) -> tuple[Author, ...]:
    return tuple(Author(f"ris:{name}", name) for name in names)


@pytest.fixture
def read(tmp_path: Path):
    def read_text(text: str) -> list[ParseResult]:
        path = tmp_path / "library.ris"
        path.write_text(text, newline="")
        return [result for _, result in read_ris(path)]

    return read_text


def test_every_tag_is_read():
    assert dict(read_ris(SAMPLES / "ris.ris")) == {
        4: Paper(
            id="doi:10.1000/waves.7",
            title="Slow light & fast sound",
            abstract="We let light go slowly through glass.",
            year=2011,
            published="2011-05-09",
            language="en",
            url="https://pubmed.ncbi.nlm.nih.gov/2122232/",
            source="ris",
            identifiers=(
                Identifier("doi", "10.1000/waves.7"),
                Identifier("pmcid", "PMC99"),
                Identifier("pmid", "2122232"),
            ),
            authors=authors("Anna B. Light", "Bo van Sound Jr.", "The Echo Group"),
            venue=Venue("ris:Journal of Waves", "Journal of Waves"),
            fields=tuple(Field("keyword", name, name) for name in ("light", "sound", "glass")),
        ),
        32: Paper(
            id="book-of-waves",
            title="The Book of Waves",
            year=1999,
            source="ris",
            identifiers=(Identifier("isbn", "9780306406157"),),
            authors=authors("Anna B. Light"),
        ),
        41: Paper(
            id="ris:c2960b17daedf39b",
            title="Waves in a Hall",
            year=2003,
            source="ris",
            authors=authors("C. Hall"),
            venue=Venue("ris:Hall Conference", "Hall Conference"),
        ),
    }


def test_problems_are_reported_and_the_rest_is_read():
    result = list(read_ris(SAMPLES / "ris.malformed.ris"))
    assert [(line, item.title) for line, item in result if isinstance(item, Paper)] == [
        (7, "No end"),
        (12, "The last"),
    ]
    problems = [(line, item) for line, item in result if isinstance(item, RecordIssue)]
    assert [(line, item.reason) for line, item in problems if not item.repaired] == [
        (1, "title is missing"),
        (4, "the record does not begin with TY"),
        (12, "the file ends before the ER of its last record; more may be missing"),
    ]
    assert [(line, item.reason) for line, item in problems if item.repaired] == [
        (7, "the record does not end with ER, and was read up to the next TY"),
        (7, "left out: year 199x is not a year"),
        (7, "left out: doi none is not a DOI"),
    ]
    assert (7, UnknownField("ZZ")) in result


def test_a_number_is_no_id_because_every_library_counts_from_one(read):
    [first, second] = read(
        "TY  - JOUR\nID  - 1\nTI  - A\nER  - \nTY  - JOUR\nID  - a1\nTI  - A\nER  -"
    )
    assert first.id.startswith("ris:")
    assert second.id == "a1"


def test_the_same_record_of_two_files_has_the_same_id(read):
    text = "TY  - JOUR\nTI  - {}\nAU  - Ann, A.\nPY  - 1999\nER  - \n"
    [first], [again], [other] = (
        read(text.format("A")),
        read(text.format("a")),
        read(text.format("B")),
    )
    assert first.id == again.id != other.id


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_endings_are_accepted(read, end: str):
    text = end.join(
        ["\ufeffTY  - JOUR", "ID  - a", "TI  - A", "AB  - one", "two", "", "ER  - ", ""]
    )
    assert read(text) == [Paper(id="a", title="A", abstract="one two", source="ris")]


def test_a_text_that_looks_like_a_tag_is_no_tag(read):
    text = "TY  - JOUR\nID  - a\nTI  - A\nAB  - see\nIT - security\nER  - "
    [paper] = read(text)
    assert paper.abstract == "see IT - security"


def test_a_tag_may_have_one_blank_before_the_dash(read):
    assert read("TY - JOUR\nID - a\nTI - A\nER -") == [Paper(id="a", title="A", source="ris")]


def test_older_tags_mean_the_same(read):
    [paper] = read(
        "TY  - JOUR\nID  - a\nT1  - A\nA1  - Ann,A.\nN2  - Text\nY1  - 2001/03//\nJO  - J. X\n"
        "DI  - 10.1000/x\nDB  - PubMed\nAN  - 77\nKW  - one\ntwo\nER  - "
    )
    assert paper == Paper(
        id="doi:10.1000/x", title="A", abstract="Text", year=2001, published="2001-03",
        source="ris", identifiers=(Identifier("doi", "10.1000/x"), Identifier("pmid", "77")),
        authors=authors("A. Ann"), venue=Venue("ris:J. X", "J. X"),
        fields=(Field("keyword", "one", "one"), Field("keyword", "two", "two")),
    )  # fmt: skip


def test_authors_of_both_tags_are_in_the_order_of_the_file(read):
    names = "A1  - Ant, A.\nAU  - Bee, B.\nA1  - Cat, C.\n"
    [paper] = read(f"TY  - JOUR\nTI  - A\n{names}ER  - \n")
    assert paper.authors == authors("A. Ant", "B. Bee", "C. Cat")


def test_a_record_that_is_too_long_is_rejected(read, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tagged_lines, "MAX_LINE_BYTES", 100)
    [problem, paper] = read(
        f"TY  - JOUR\nTI  - {'A' * 100}\nER  - \nTY  - JOUR\nID  - b\nTI  - B\nER  - "
    )
    assert isinstance(problem, RecordIssue)
    assert paper.id == "b"


def test_a_value_of_many_lines_takes_linear_time(read):
    started = process_time()
    [paper] = read("TY  - JOUR\nTI  - A\nAB  - x\n" + "word\n" * 500_000 + "ER  - \n")
    assert len(paper.abstract) == 1 + 5 * 500_000
    assert process_time() - started < 20


TEXTS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=8)


@settings(max_examples=50)
@given(st.lists(st.lists(st.tuples(st.sampled_from(["TI", "AU", "PY", "DO", "ID"]), TEXTS))))
def test_every_record_is_a_paper_or_a_reasoned_reject(records: list[list[tuple[str, str]]]):
    text = "".join(
        f"TY  - JOUR\n{''.join(f'{tag}  - {value}{chr(10)}' for tag, value in record)}ER  - \n"
        for record in records
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "library.ris"
        path.write_text(text)
        result = [item for _, item in read_ris(path)]
    assert count_records(result) == len(records)


def test_papers_of_one_id_and_two_dois_are_two(read):
    text = "TY  - JOUR\nID  - Wang2020\nTI  - {0}\nDO  - 10.5555/{0}\nER  - \n"
    assert [paper.id for paper in read(text.format("a") + text.format("b"))] == [
        "doi:10.5555/a",
        "doi:10.5555/b",
    ]
    assert [p.id for p in read("TY  - JOUR\nID  - Wang2020\nTI  - A\nER  - \n")] == ["Wang2020"]


def test_a_keyword_may_have_a_comma_where_each_has_a_line(read):
    text = "TY  - JOUR\nTI  - A\nKW  - Diabetes Mellitus, Type 2\nKW  - Muscle, Skeletal\nER  - \n"
    [paper] = read(text)
    assert [each.name for each in paper.fields] == ["Diabetes Mellitus, Type 2", "Muscle, Skeletal"]
    [paper] = read("TY  - JOUR\nTI  - A\nKW  - quark, gluon\nER  - \n")
    assert [each.name for each in paper.fields] == ["quark", "gluon"]


def test_ovid_has_references_in_m1_and_text_between_the_records(read):
    first, second = read(
        "1.\nTY  - JOUR\nDO  - http://dx.doi.org/10.5555/a\nT1  - A\nKW  - *Mood\nKW  - Sleep\n"
        "M1  - Ide, A (1999). Salt. Sea, 4, A-9http://dx.doi.org/10.5555/S(99)1-X\n"
        "M1  - Orr, B (2000) Rest. London: Sea.\nER  -\nNL  - J A\n\nLink to the text: https://x\n"
        "\n2.\nTY  - JOUR\nID  - b\nT1  - B\nER  -\nNL  - J B\n"
    )
    assert first.references == ("doi:10.5555/s(99)1-x",)
    assert [label.name for label in first.fields] == ["Mood", "Sleep"]
    assert second.title == "B"


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("DB  - Embase\nDB  - Medline\nU2  - L99\nC5  - 15\n", ("pmid", "15")),
        ("DP  - NLM\nAN  - 15\n", ("pmid", "15")),  # EndNote
        ("DB  - Ovid MEDLINE(R)\nAN  - 15\n", ("pmid", "15")),
        ("C3  - PUBMED 15,EMBASE 16\n", ("pmid", "15")),  # Cochrane
        ("AN  - PMID: 15\n", ("pmid", "15")),
        ("L2  - https://arxiv.org/abs/2004.07180\n", ("arxiv", "2004.07180")),
        ("LK  - https://x.org/f?sid=E&id=doi:10.5555%2Fa.1&title=B\n", ("doi", "10.5555/a.1")),
    ],
)
def test_identifiers_are_read_from_the_tags_of_each_database(
    read, tags: str, expected: tuple[str, str]
):
    [paper] = read(f"TY  - JOUR\nTI  - A\n{tags}ER  - \n")
    assert paper.identifiers == (Identifier(*expected),)
    assert paper.venue is None


def test_a_number_of_another_database_is_no_number_of_pubmed(read):
    [paper] = read("TY  - JOUR\nTI  - A\nDB  - Embase\nDB  - Medline\nAN  - L99\nER  - \n")
    assert paper.identifiers == ()


def test_authors_on_one_line_are_several(read):
    [paper] = read("TY  - JOUR\nTI  - A\nAU  - Ide, A.; Orr, B.;\nAU  - Ash, C.\nER  - \n")
    assert paper.authors == authors("A. Ide", "B. Orr", "C. Ash")


def test_asterisks_of_major_topics_are_removed(read):
    [paper] = read("TY  - JOUR\nTI  - A\nKW  - Salts/*chemistry\n*Sea Ice\nER  - \n")
    assert [label.name for label in paper.fields] == ["Salts/*chemistry", "Sea Ice"]
