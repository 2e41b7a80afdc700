"""Read arXiv; the samples follow its API manual, its OAI page and the card of its snapshot."""

import gzip
from pathlib import Path

import pytest

from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats.arxiv import authors_from_line, read_arxiv
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue
from tests.loaders.results import papers, problems

SAMPLES = Path(__file__).parent / "samples"

AI = Field("arxiv", "cs.AI", "cs.AI", ("cs",))
COMBINATORICS = Field("arxiv", "math.CO", "math.CO", ("math",))


def test_every_key_of_the_snapshot_is_read():
    [(_, first), (_, second)] = read_arxiv(SAMPLES / "arxiv.jsonl")
    assert first == Paper(
        id="arxiv:0704.0001",
        title="Calculation of imagined diphotons",
        abstract="We calculate $x^2$ of it.",
        year=2007,
        published="2007-04-02",
        source="arxiv",
        identifiers=(
            Identifier("arxiv", "0704.0001"),
            Identifier("doi", "10.1103/physrevd.76.013009"),
            Identifier("doi", "10.1103/physrevd.76.019999"),
        ),
        authors=(
            Author(
                "arxiv:A. B. Lovelace",
                "A. B. Lovelace",
                affiliations=(Affiliation("arxiv:Inst. X", "Inst. X"),),
            ),
            Author("arxiv:J. Qué Jr.", "J. Qué Jr."),
            Author("arxiv:D0 Collaboration", "D0 Collaboration"),
        ),
        venue=Venue("arxiv:Phys.Rev.D", "Phys.Rev.D"),
        fields=(Field("arxiv", "hep-ph", "hep-ph"), COMBINATORICS),
        elsewhere=("references",),
    )
    assert second == Paper(
        id="arxiv:math/0309136",
        title="An old paper",
        abstract="Old.",
        year=2003,
        source="arxiv",
        retracted=True,
        identifiers=(Identifier("arxiv", "math/0309136"),),
        authors=(
            Author("arxiv:John Smith Jr.", "John Smith Jr."),
            Author("arxiv:K. Müller", "K. Müller"),
            Author("arxiv:Ant Group", "Ant Group"),
        ),
        fields=(Field("arxiv", "math.GT", "math.GT", ("math",)),),
        elsewhere=("references",),
    )


def test_every_layout_of_oai_pmh_is_read():
    result = list(read_arxiv(SAMPLES / "arxiv.oai.xml"))
    assert [line for line, _ in result] == [6, 19, 28, 31]
    own, raw, dublin_core = papers(result)
    assert own == Paper(
        id="arxiv:2401.00001",
        title="An imagined paper",
        abstract="An abstract in lines.",
        year=2024,
        published="2024-01-01",
        source="arxiv",
        identifiers=(Identifier("arxiv", "2401.00001"), Identifier("doi", "10.1234/oai")),
        authors=(
            Author(
                "arxiv:Ada Lovelace Jr",
                "Ada Lovelace Jr",
                affiliations=(Affiliation("arxiv:Engine Lab", "Engine Lab"),),
            ),
            Author("arxiv:D0 Collaboration", "D0 Collaboration"),
        ),
        venue=Venue("arxiv:J. Imag. Sci.", "J. Imag. Sci."),
        fields=(
            AI,
            COMBINATORICS,
            Field("msc", "05C85", "05C85"),
            Field("msc", "68R10", "68R10"),
            Field("acm", "F.2.2", "F.2.2"),
            Field("acm", "I.2.7", "I.2.7"),
        ),
        elsewhere=("references",),
    )
    assert raw == Paper(
        id="arxiv:hep-th/9901001",
        title="A raw paper",
        abstract="Raw.",
        year=1999,
        published="1999-01-01",
        source="arxiv",
        identifiers=(Identifier("arxiv", "hep-th/9901001"),),
        authors=(
            Author("arxiv:Ada Lovelace", "Ada Lovelace"),
            Author("arxiv:Grace Hopper", "Grace Hopper"),
        ),
        fields=(Field("arxiv", "hep-th", "hep-th"),),
        elsewhere=("references",),
    )
    words = "Computer Science - Computation and Language"
    assert dublin_core == Paper(
        id="arxiv:0804.2273",
        title="A paper in Dublin Core",
        abstract="It is described.",
        year=2008,
        published="2008-04-14",
        source="arxiv",
        identifiers=(Identifier("arxiv", "0804.2273"), Identifier("doi", "10.1234/dc")),
        authors=raw.authors,
        fields=(
            Field("arxiv", "cs.CL", "cs.CL", ("cs",)),
            Field("arxiv", "hep-th", "hep-th"),
            Field("keyword", words, words),
        ),
        elsewhere=("references",),
    )
    assert problems(result) == [(28, "arxiv:2401.00002", "arXiv has deleted this record", False)]


def test_every_element_of_a_feed_is_read():
    [(line, paper)] = read_arxiv(SAMPLES / "arxiv.atom.xml")
    assert line == 8
    assert paper == Paper(
        id="arxiv:hep-ex/0307015",
        title="Multi-ant production at HERA",
        abstract="Ants are measured.",
        year=2003,
        published="2003-07-07",
        url="http://arxiv.org/abs/hep-ex/0307015v2",
        source="arxiv",
        identifiers=(
            Identifier("arxiv", "hep-ex/0307015"),
            Identifier("doi", "10.1140/epjc/s2003-01326-x"),
        ),
        authors=(
            Author("arxiv:H1 Collaboration", "H1 Collaboration"),
            Author(
                "arxiv:Ada Lovelace",
                "Ada Lovelace",
                affiliations=(Affiliation("arxiv:Engine Lab", "Engine Lab"),),
            ),
        ),
        venue=Venue("arxiv:Eur.Phys.J. C", "Eur.Phys.J. C"),
        fields=(
            Field("arxiv", "hep-ex", "hep-ex"),
            AI,
            Field("msc", "68T50", "68T50"),
            Field("msc", "91F20", "91F20"),
        ),
        elsewhere=("references",),
    )


def test_a_file_may_have_a_single_record(tmp_path: Path):
    """Some harvesters store one record per file."""
    expected = (SAMPLES / "arxiv.oai.xml").read_bytes()
    start, end = expected.index(b"<arXivRaw "), expected.index(b"</arXivRaw>") + len(b"</arXivRaw>")
    path = tmp_path / "one.xml.gz"
    path.write_bytes(gzip.compress(expected[start:end]))
    assert [item for _, item in read_arxiv(path)] == [
        papers(list(read_arxiv(SAMPLES / "arxiv.oai.xml")))[1]
    ]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("A. One, B. Two", ["A. One", "B. Two"]),
        ("A. One and B. Two", ["A. One", "B. Two"]),
        ("A. One, B. Two, and C. Three", ["A. One", "B. Two", "C. Three"]),
        ("A. One, Jr., B. Two III", ["A. One Jr.", "B. Two III"]),
        ("A. One (1, 2), B. Two (2) ((1) X (in Y), (2) Z)", ["A. One", "B. Two"]),
        ("G. H\\'erisson for the D0 Collaboration", ["G. Hérisson", "D0 Collaboration"]),
        ("Alexandre Anderson", ["Alexandre Anderson"]),
        ("A. One, A. One", ["A. One"]),
        (" , ;", []),
        ("((((", []),
    ],
)
def test_a_line_of_authors_is_split(line: str, names: list[str]):
    assert [author.name for author in authors_from_line(line, [])] == names


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("Phys.Rev.D76:013009,2007", "Phys.Rev.D"),
        ("J. Chem. Phys., Vol. 127, 2007", "J. Chem. Phys."),
        ("Nature (London) 445 (2007)", "Nature (London)"),
        ("Proceedings of the 36th Meeting", None),
        ("2018 IEEE Conference", None),
        ("In: 12", None),
    ],
)
def test_the_venue_is_the_text_before_the_first_number(
    tmp_path: Path, reference: str, name: str | None
):
    (tmp_path / "a.jsonl").write_text(
        f'{{"id": "0704.0001", "title": "T", "journal-ref": "{reference}"}}', "utf-8"
    )
    [(_, paper)] = read_arxiv(tmp_path / "a.jsonl")
    assert isinstance(paper, Paper)
    assert paper.venue == (Venue(f"arxiv:{name}", name) if name else None)


def test_malformed_lines_are_rejected_and_malformed_values_ignored():
    result = list(read_arxiv(SAMPLES / "arxiv.malformed.jsonl"))
    assert [paper.id for paper in papers(result)] == ["arxiv:0704.0005", "arxiv:0704.0006"]
    assert papers(result)[0] == Paper(
        id="arxiv:0704.0005",
        title="Repaired",
        year=2007,
        source="arxiv",
        identifiers=(Identifier("arxiv", "0704.0005"),),
        authors=(Author("arxiv:Alan Turing", "Alan Turing"),),
        fields=(Field("arxiv", "cs.LG", "cs.LG", ("cs",)),),
        elsewhere=("references",),
    )
    assert problems(result) == [
        (1, None, "not one is not an arXiv id", False),
        (2, None, "id is missing", False),
        (3, None, "id must be text, not a number", False),
        (4, "arxiv:0704.0004", "title is missing", False),
        (5, "arxiv:0704.0005", "left out: an author without a name", True),
        (5, "arxiv:0704.0005", "left out: authors_parsed must hold lists of texts", True),
        (5, "arxiv:0704.0005", "left out: yesterday is not a date", True),
        (5, "arxiv:0704.0005", "left out: comments must be text, not a number", True),
        (5, "arxiv:0704.0005", "left out: doi none is not a DOI", True),
        (5, "arxiv:0704.0005", "left out: category NONSENSE! is not valid", True),
        (
            6,
            "arxiv:0704.0006",
            "left out: versions must be a list of objects, not a number",
            True,
        ),
        (6, "arxiv:0704.0006", "left out: authors_parsed must be a list, not text", True),
        (7, None, problems(result)[-1][2], False),
    ]
    assert [item.key for _, item in result if isinstance(item, UnknownField)] == ["novelty"]


def test_malformed_records_are_rejected_and_malformed_values_ignored():
    result = list(read_arxiv(SAMPLES / "arxiv.malformed.xml"))
    assert papers(result) == [
        Paper(
            id="arxiv:2401.00004",
            title="Repaired it",
            year=2024,
            source="arxiv",
            identifiers=(Identifier("arxiv", "2401.00004"),),
            fields=(Field("arxiv", "cs.LG", "cs.LG", ("cs",)),),
            elsewhere=("references",),
        )
    ]
    assert [(line, reason, repaired) for line, _, reason, repaired in problems(result)] == [
        (4, "id is missing", False),
        (5, "the record has no metadata", False),
        (6, "the XML is broken: Opening and ending tag mismatch: title line 1 and metadata", False),
        (7, "forbidden characters left out", True),
        (7, "left out: an author without a name", True),
        (7, "left out: category ? is not valid", True),
    ]
    assert [item.key for _, item in result if isinstance(item, UnknownField)] == ["novelty"]


def test_an_error_message_of_the_api_is_no_paper(tmp_path: Path):
    path = tmp_path / "error.xml"
    path.write_text(
        """<feed xmlns="http://www.w3.org/2005/Atom"><entry>
<id>http://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title></entry></feed>"""
    )
    [(_, problem)] = read_arxiv(path)
    assert isinstance(problem, RecordIssue)
    assert problem.reason.endswith("is not an arXiv id")
