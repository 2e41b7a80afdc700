"""Read PubMed XML; the samples follow NLM's "MEDLINE/PubMed XML Element Descriptions" and DTD."""

import gzip
from pathlib import Path

import pytest

from specter_graph.loaders.format_api import UnknownField
from specter_graph.loaders.formats.pubmed import read_pubmed
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue
from tests.loaders.results import papers, problems

SAMPLES = Path(__file__).parent / "samples"
WELL_FORMED = (SAMPLES / "pubmed.xml").read_bytes()
ARTICLE = """<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID>{0}<Article>
<ArticleTitle>T</ArticleTitle>{1}</Article></MedlineCitation>{2}</PubmedArticle></PubmedArticleSet>"""


def paper_of(path: Path, citation: str = "", article: str = "", data: str = "") -> Paper:
    path.write_text(ARTICLE.format(citation, article, data), "utf-8")
    [(_, paper)] = read_pubmed(path)
    assert isinstance(paper, Paper)
    return paper


def test_every_element_of_an_article_is_read():
    line, paper = next(read_pubmed(SAMPLES / "pubmed.xml"))
    assert line == 4
    assert paper == Paper(
        id="pmid:9000001",
        title="CO2 and Escherichia coli: a <trial> in \u03b1-cells.",
        abstract="BACKGROUND: Cells breathe.\n\nRESULTS: They take n=3 times more1.",
        year=2018,
        published="2018-12-05",
        language="en",
        source="pubmed",
        retracted=True,
        identifiers=(
            Identifier("pmid", "9000001"),
            Identifier("doi", "10.1000/jim.2018.1"),
            Identifier("pmcid", "PMC6000001"),
        ),
        authors=(
            Author(
                "orcid:0000-0002-1825-0097",
                "Ada B Lovelace Jr",
                identified=True,
                orcid="0000-0002-1825-0097",
                affiliations=(
                    Affiliation(
                        "pubmed:Department of Engines, London.", "Department of Engines, London."
                    ),
                    Affiliation("ror:02nr0ka47", "Institute of Numbers."),
                ),
            ),
            Author("pubmed:A Turing", "A Turing"),
            Author("pubmed:The Breath Study Group", "The Breath Study Group"),
        ),
        venue=Venue("pubmed:101000001", "Journal of imagined medicine"),
        fields=(
            Field("mesh", "D006801", "Humans"),
            Field("mesh", "D004926", "Escherichia coli"),
            Field("mesh-major", "D004926", "Escherichia coli"),
            Field("mesh-qualified", "D004926Q000378", "Escherichia coli/metabolism"),
            Field("mesh", "D002245", "Carbon Dioxide"),
            Field("mesh-major", "D002245", "Carbon Dioxide"),
            Field("mesh", "C000657245", "COVID-19"),
            Field("publication-type", "D016428", "Journal Article"),
            Field("publication-type", "D016441", "Retracted Publication"),
            Field("keyword", "respiration rate", "respiration rate"),
        ),
        references=("pmid:2200001", "doi:10.1000/two", "pmcid:PMC77", "pmid:2200002"),
    )


def test_a_vernacular_title_and_an_abstract_by_others_fill_gaps():
    paper = papers(list(read_pubmed(SAMPLES / "pubmed.xml")))[1]
    assert paper == Paper(
        id="pmid:9000002",
        title="Une lettre imaginée.",
        abstract="In English.",
        year=1998,
        published="1998-12",
        language="fr",
        source="pubmed",
        identifiers=(Identifier("pmid", "9000002"),),
        authors=(Author("pubmed:José Müller", "José Müller"),),
        venue=Venue("pubmed:Rev Imag", "Rev Imag"),
        fields=(Field("publication-type", "D016422", "Letter"),),
    )


def test_the_venue_of_a_chapter_is_its_book_and_a_book_is_a_paper():
    chapter, book = papers(list(read_pubmed(SAMPLES / "pubmed.xml")))[2:]
    assert chapter == Paper(
        id="pmid:9000003",
        title="A Chapter",
        abstract="What the chapter is about.",
        year=2004,
        published="2004-09-03",
        language="en",
        source="pubmed",
        identifiers=(Identifier("pmid", "9000003"),),
        authors=(Author("pubmed:Wren Writer", "Wren Writer"),),
        venue=Venue("pubmed:Imagined Reviews", "Imagined Reviews"),
        fields=(Field("publication-type", "D016454", "Review"),),
        references=("pmid:2200004",),
    )
    assert book == Paper(
        id="pmid:9000004",
        title="A Whole Book",
        year=2010,
        published="2010",
        language="en",
        source="pubmed",
        identifiers=(
            Identifier("pmid", "9000004"),
            Identifier("doi", "10.1000/book"),
            Identifier("isbn", "9780306406157"),
        ),
        authors=(Author("pubmed:Ed Editor", "Ed Editor"),),
    )


def test_deleted_records_are_reported():
    assert problems(list(read_pubmed(SAMPLES / "pubmed.xml"))) == [
        (151, "pmid:9000005", "PubMed has deleted this record", True),
        (151, "pmid:9000006", "PubMed has deleted this record", True),
    ]


def test_a_retraction_notice_marks_the_paper_as_retracted(tmp_path: Path):
    def with_note(kind: str) -> Paper:
        note = f'<CommentsCorrections RefType="{kind}"><PMID>2</PMID></CommentsCorrections>'
        notes = f"<CommentsCorrectionsList>{note}</CommentsCorrectionsList>"
        return paper_of(tmp_path / "a.xml", notes)

    assert with_note("RetractionIn").retracted is True
    assert with_note("RetractionOf").retracted is None


@pytest.mark.parametrize("kind", ["pmc", "pmcid"])
def test_an_id_of_pubmed_central_has_two_forms(tmp_path: Path, kind: str):
    ids = f'<ArticleIdList><ArticleId IdType="{kind}">PMC77</ArticleId></ArticleIdList>'
    data = f"{ids}<ReferenceList><Reference>{ids}</Reference></ReferenceList>"
    paper = paper_of(tmp_path / "a.xml", data=f"<PubmedData>{data}</PubmedData>")
    assert paper.identifiers == (Identifier("pmid", "1"), Identifier("pmcid", "PMC77"))
    assert paper.references == ("pmcid:PMC77",)


@pytest.mark.parametrize(
    ("date", "year", "published"),
    [
        ("<Year>2001</Year><Month>2</Month><Day>3</Day>", 2001, "2001-02-03"),
        ("<Year>2001</Year><Month>Sep</Month>", 2001, "2001-09"),
        ("<Year>2001</Year><Season>Summer</Season>", 2001, "2001"),
        ("<MedlineDate>Spring 1975-Summer 1976</MedlineDate>", 1975, "1975"),
        ("<MedlineDate>1998-1999</MedlineDate>", 1998, "1998"),
    ],
)
def test_dates_have_the_precision_of_the_file(tmp_path: Path, date: str, year: int, published: str):
    journal = f"<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue></Journal>"
    paper = paper_of(tmp_path / "a.xml", article=journal)
    assert (paper.year, paper.published) == (year, published)


def test_malformed_records_are_rejected_and_malformed_values_ignored():
    result = list(read_pubmed(SAMPLES / "pubmed.malformed.xml"))
    assert papers(result) == [
        Paper(
            id="pmid:6",
            title="Repaired",
            year=1999,
            published="1999",
            source="pubmed",
            identifiers=(Identifier("pmid", "6"),),
            authors=(Author("pubmed:Turing", "Turing"),),
        )
    ]
    assert problems(result) == [
        (
            3,
            None,
            "the XML is broken: Opening and ending tag mismatch: b line 1 and ArticleTitle",
            False,
        ),
        (4, None, "PMID is missing or not a number", False),
        (5, None, "PMID is missing or not a number", False),
        (6, "pmid:5", "title is missing", False),
        (7, "pmid:6", "left out: PubDate 199x has no year", True),
        (7, "pmid:6", "left out: doi doi:none is not valid", True),
        (7, "pmid:6", "left out: an author without a name", True),
        (7, "pmid:6", "left out: orcid 0000-nothing is not valid", True),
        (18, None, "PMID is missing or not a number", False),
        (19, "pmid:8", "title is missing", False),
        (20, None, "<PubmedArticle>: the document ends inside it", False),
    ]
    assert [(line, item.key) for line, item in result if isinstance(item, UnknownField)] == [
        (7, "Novelty")
    ]


def test_one_article_by_itself_and_compressed_files_are_read(tmp_path: Path):
    start = WELL_FORMED.index(b"<PubmedArticle>")
    end = WELL_FORMED.index(b"</PubmedArticle>") + len(b"</PubmedArticle>")
    (tmp_path / "one.xml.gz").write_bytes(gzip.compress(WELL_FORMED[start:end]))
    [(line, paper)] = read_pubmed(tmp_path / "one.xml.gz")
    assert (line, paper) == (1, next(read_pubmed(SAMPLES / "pubmed.xml"))[1])
