"""Read plain tables of papers and citations."""

import csv
import io
import math
from functools import partial
from pathlib import Path
from time import process_time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats.csv import detect, read_csv
from specter_graph.loaders.formats.openalex import work_converter
from specter_graph.loaders.records import Author, Citation, Field, Identifier, Paper, Venue
from tests.loaders import results
from tests.loaders.results import count_records, papers

SAMPLES = Path(__file__).parent / "samples"
read = partial(results.read, "csv")
FIRST = Paper(
    id="p1",
    title="A table, of papers",
    abstract="It has\ntwo lines.",
    year=1999,
    published="1999-05",
    identifiers=(Identifier("doi", "10.1000/t.1"),),
    authors=(Author("Ann Author", "Ann Author"), Author("Bob Other", "Bob Other")),
    venue=Venue("Journal of Tables", "Journal of Tables"),
    fields=(Field("keyword", "tables", "tables"), Field("keyword", "rows", "rows")),
    references=("p2", "p3"),
)


def test_every_column_is_read():
    assert list(read_csv(SAMPLES / "csv.papers.csv")) == [
        (2, FIRST),
        (4, Paper(id="p2", title="Another", year=2000)),
    ]


def test_two_columns_are_citations():
    assert list(read_csv(SAMPLES / "csv.citations.tsv")) == [
        (2, Citation("p1", "p2")),
        (3, Citation("p2", "p3")),
    ]
    assert list(read_csv(SAMPLES / "csv.edges.csv")) == [(2, Citation("a", "b"))]


def test_problems_are_reported_and_the_rest_is_read():
    result = list(read_csv(SAMPLES / "csv.malformed.csv"))
    assert [(line, item.id) for line, item in result if isinstance(item, Paper)] == [
        (2, "p1"),
        (5, "p4"),
    ]
    assert [
        (line, i.id, i.reason, i.repaired) for line, i in result if isinstance(i, RecordIssue)
    ] == [
        (3, None, "id is empty", False),
        (4, "p3", "title is empty", False),
        (5, "p4", "left out: year 199x is not a year", True),
        (6, None, "the row has 4 columns, the header 3", False),
    ]


def test_a_citation_needs_both_ends_and_other_columns_are_reported():
    result = read("Citing,weight,Cited\na,1,b\n,2,b\na,3,\n")
    assert [(line, item) for line, item in result if not isinstance(item, RecordIssue)] == [
        (1, UnknownField("weight")),
        (2, Citation("a", "b")),
    ]
    problems = [(line, item.reason) for line, item in result if isinstance(item, RecordIssue)]
    assert problems == [(3, "citing is missing"), (4, "cited is missing")]


def test_a_table_without_papers_is_not_loaded():
    [(line, problem)] = read("a,b\n1,2\n")
    assert line == 1
    assert isinstance(problem, RecordIssue)
    assert problem.record == "a, b"
    assert not problem.repaired


@pytest.mark.parametrize("rows", [1, 2_500])
def test_parquet_has_the_same_columns_with_lists_or_without(tmp_path: Path, rows: int):
    table = pa.table(
        {
            "ID": ["p1"] * rows,
            "title": ["A table, of papers"] * rows,
            "abstract": ["It has\ntwo lines."] * rows,
            "year": [1999.0] * (rows - 1) + [math.nan],
            "published": ["1999-05"] * rows,
            "doi": ["10.1000/T.1"] * rows,
            "authors": [["Ann Author", "Bob Other"]] * rows,
            "venue": ["Journal of Tables"] * rows,
            "fields": ["tables;rows"] * rows,
            "references": [["p2", None, " p3"]] * rows,
            "body": pa.nulls(rows, pa.string()),
            "colour": ["red"] * rows,
        }
    )
    path, sizes = tmp_path / "papers.parquet", list[int]()
    pq.write_table(table, path, row_group_size=1_000)
    (_, ignored), *result = read_csv(path, sizes.append)
    assert ignored == UnknownField("colour")
    assert len(result) == rows
    assert all(item == FIRST for _, item in result[:-1])
    number, last = result[-1]
    assert isinstance(last, Paper)
    assert (number, last.year) == (rows, None)
    assert sum(sizes) == path.stat().st_size


def test_citations_may_be_in_parquet(tmp_path: Path):
    path = tmp_path / "citations.parquet"
    pq.write_table(pa.table({"source": [1, 2, None], "target": [2, 3, 4]}), path)
    result = list(read_csv(path))
    assert result[:2] == [(1, Citation("1", "2")), (2, Citation("2", "3"))]
    [(number, problem)] = result[2:]
    assert isinstance(problem, RecordIssue)
    assert (number, problem.reason) == (3, "source is missing")


def test_a_damaged_parquet_file_is_reported(tmp_path: Path):
    path = tmp_path / "papers.parquet"
    pq.write_table(pa.table({"id": ["a"], "title": ["A"]}), path)
    path.write_bytes(path.read_bytes()[:-20])
    [(_, problem)] = read_csv(path)
    assert isinstance(problem, RecordIssue)
    assert "the Parquet file cannot be read" in problem.reason


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)


@settings(max_examples=50)
@given(st.lists(st.tuples(TEXT, TEXT, TEXT, TEXT), max_size=5))
def test_every_row_is_a_paper_or_a_reasoned_reject(rows: list[tuple[str, ...]]):
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([("id", "title", "year", "authors"), *rows])
    result = [item for _, item in read(text.getvalue())]
    assert count_records(result) == len(rows)


def test_booleans_and_identifiers_are_read_too():
    rows = ["p1,T,TRUE,arxiv:2004.07180; pmid:12", "p2,T,,", "p3,T,0,", "p4,T,perhaps,"]
    result = read("\n".join(["id,title,retracted,identifiers", *rows]))
    by_id = {paper.id: paper for paper in papers(result)}
    assert {key: paper.retracted for key, paper in by_id.items()} == {
        "p1": True,
        "p2": None,
        "p3": None,
    }
    assert [str(each.value) for each in by_id["p1"].identifiers] == ["2004.07180", "12"]
    [wrong] = [item for _, item in result if isinstance(item, RecordIssue)]
    assert wrong.reason == "retracted must be true or false, not text"


ZOTERO = (
    '"Key","Item Type","Publication Year","Author","Title","Publication Title","DOI",'
    '"Url","Abstract Note","Date","Extra","Manual Tags","Automatic Tags"',
    '"ABCD2345","journalArticle","2019","Ide, Ann; Orr, Bo","Salt &amp; sea","J Sea","10.1/S.1",'
    '"http://arxiv.org/abs/1907.00001","It is <i>salty</i>.","2019-07","Cited: 7\nPMID: 12",'
    '"salt; sea","Physics - Oceans"',
)
PUBMED = (
    "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,PMCID,DOI",
    '12,Salt &amp; sea,"Ide A, Orr B.",J Sea. 2019.,Ide A,J Sea,2019,PMC7,10.1/s.1',
)
IEEE = (
    '"Document Title",Authors,"Publication Title","Publication_Year","Abstract","DOI",'
    '"Author Keywords"',
    '"Salt &amp; sea","A. Ide; B. Orr","J Sea","2019","It is salty.","10.1/s.1","salt;sea"',
)
BY_HAND = (
    "Title;Authors;Publication Year;Journal",
    "Salt & sea;Ann Ide, Cy Ash, Bo Orr;2019;J Sea",
)
PERISH = (
    "Cites,Authors,Title,Year,Source,Publisher,ArticleURL,GSRank,DOI,Abstract",
    '7,"Ann Ide, Bo Orr",Salt &amp; sea,2019,J Sea,Sea Ltd,https://j.org/1,3,10.1/s.1,It is salty.',
)
COVIDENCE = (
    "Title,Authors,Abstract,Published Year,Published Month,Journal,DOI,Covidence #",
    'Salt &amp; sea,"Ide, A; Orr, B",It is &amp;lt; salty.,2019,Jul,J Sea,10.1/s.1,#12',
)
RAYYAN = (
    "key,title,year,journal,authors,language,abstract,doi,keywords",
    'rayyan-1,Salt & sea,2019,J Sea,"Ide, A. and Orr, B.",eng,It is salty.,10.1/s.1,salt;sea',
)

EMBASE = (
    "Title,Author Names,Source,Abstract,keywords,Open URL Link",
    'Salt &amp; sea,"Ide A.B., Orr B.",J Sea (2019) 5:4 (1234-40). Date of Publication: 1 Jul 2019,'
    'It is salty.,"salt (diagnosis, cure), sea",https://x.org/f?sid=E&id=doi:10.1%2Fs.1&title=S',
)
EBSCO = (
    "Article Title,Author,Journal Title,Publication Date,DOI,Keywords,Abstract,PLink",
    'Salt &amp; sea,"Ide, Ann; Orr, Bo",J Sea,20190701,10.1/s.1,salt; sea,Salty.,https://x.org/1',
)
SCHOLAR = (
    "Authors,Title,Publication,Volume,Number,Pages,Year,Publisher",
    '"Ide, Ann; Orr, Bo; ",Salt &amp; sea,J Sea,5,4,1-9,2019,Sea Ltd',
)


@pytest.mark.parametrize(
    "rows", [ZOTERO, PUBMED, IEEE, PERISH, COVIDENCE, RAYYAN, EMBASE, EBSCO, SCHOLAR]
)
def test_tables_of_reference_managers_and_search_pages(tmp_path: Path, rows: tuple[str, str]):
    path = tmp_path / "export.csv"
    path.write_text("\n".join(rows).replace("10.1/", "10.1000/").replace("10.1%", "10.1000%"))
    assert detect(path.name, path.read_bytes()) == "papers, one a row"
    [paper] = papers(list(read_csv(path)))
    assert (paper.title, paper.year) == ("Salt & sea", 2019)
    names = [author.name.split()[-1] for author in paper.authors]
    assert names in (["Ide", "Orr"], ["A", "B"], ["A.B.", "B."])
    assert paper.venue == Venue("J Sea", "J Sea")
    assert Identifier("doi", "10.1000/s.1") in paper.identifiers or rows == SCHOLAR
    assert paper.abstract or rows in (PUBMED, SCHOLAR)
    assert paper.fields or rows in (PUBMED, PERISH, COVIDENCE, SCHOLAR)
    if rows == ZOTERO:
        assert (paper.id, paper.published) == ("ABCD2345", "2019-07")
        assert paper.abstract == "It is salty."
        known = {Identifier("arxiv", "1907.00001"), Identifier("pmid", "12")}
        assert known < {*paper.identifiers}
        assert [label.name for label in paper.fields] == ["salt", "sea", "Physics - Oceans"]
    if rows == PUBMED:
        assert {Identifier("pmid", "12"), Identifier("pmcid", "PMC7")} < {*paper.identifiers}
    if rows == EMBASE:
        assert paper.published == "2019-07"
        assert [label.name for label in paper.fields] == ["salt (diagnosis, cure)", "sea"]
    if rows == EBSCO:
        assert (paper.published, paper.url) == ("2019-07-01", "https://x.org/1")
    if rows == RAYYAN:
        assert paper.language == "en"


def test_a_list_by_hand_is_detected():
    [(_, paper)] = read("\n".join(BY_HAND))
    assert detect("list.csv", BY_HAND[0].encode()) == "papers, one a row"
    assert isinstance(paper, Paper)
    assert (paper.title, paper.year) == ("Salt & sea", 2019)
    assert [author.name for author in paper.authors] == ["Ann Ide", "Cy Ash", "Bo Orr"]


def test_without_a_doi_the_number_of_pubmed_is_the_id():
    result = read("PMID,Title,Publication Date\n12,Salt,2019 Jul\n")
    assert result == [
        (
            2,
            Paper(
                "pmid:12",
                "Salt",
                year=2019,
                published="2019-07",
                identifiers=(Identifier("pmid", "12"),),
            ),
        )
    ]


def test_the_csv_of_openalex_has_citations_and_the_ids_of_the_format_openalex():
    names = ("id", "display_name", "publication_year", "doi", "authorships.author.display_name")
    url = "https://openalex.org/"
    values = (f"{url}W7", "Salt", "2019", "https://doi.org/10.1000/s.1", "Ann Ide|Bo Orr")
    [(_, paper)] = read(
        f"{','.join(names)},referenced_works\n{','.join(values)},{url}W5|{url}W6\n",
    )
    assert isinstance(paper, Paper)
    assert (paper.id, paper.year) == ("openalex:W7", 2019)
    assert paper.references == ("openalex:W5", "openalex:W6")
    [work] = work_converter()({"id": f"{url}W7", "title": "Salt"})
    assert isinstance(work, Paper)
    assert work.id == paper.id
    assert [author.name for author in paper.authors] == ["Ann Ide", "Bo Orr"]


def test_a_table_of_paperpile():
    [paper] = papers(
        read(
            "Authors,Title,Journal,Full journal,Publication year,URLs,arXiv ID\n"
            '"Ide A, Orr B",Salt,J Sea,Journal of the Sea,2019,http://x.org/1;http://x.org/2,'
            "arXiv:1907.00001v2\n"
        )
    )
    assert (paper.id, paper.url) == ("arxiv:1907.00001", "http://x.org/1")
    assert paper.venue == Venue("Journal of the Sea", "Journal of the Sea")


def test_a_full_width_semicolon_separates_authors():
    [paper] = papers(read("id,title,authors\na,A,张伟\N{FULLWIDTH SEMICOLON}李娜\n"))
    assert [author.name for author in paper.authors] == ["张伟", "李娜"]


def test_labels_with_commas_are_split_in_linear_time():
    started = process_time()
    [paper] = papers(read(f'id,title,keywords\na,A,"{"(," * 200_000}b, c"\n'))
    assert paper.fields[-1].name == "c"
    assert process_time() - started < 20


@pytest.mark.parametrize(
    ("column", "written", "names"),
    [
        ("First Author", "Ide A, Orr BC; Sea Trial Group.", ["Ide A", "Orr BC", "Sea Trial Group"]),
        ("GSRank", "A Ide, BC Orr...", ["A Ide", "BC Orr"]),
        ("GSRank", "A Ide, BC Orr, …", ["A Ide", "BC Orr"]),
    ],
)
def test_authors_of_pubmed_and_publish_or_perish(column: str, written: str, names: list[str]):
    [paper] = papers(read(f'id,Title,Authors,{column}\na,A,"{written}",1\n'))
    assert [author.name for author in paper.authors] == names
