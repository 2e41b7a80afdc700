"""Read exports of programs: nbib, Web of Science, EndNote, GROBID, unarXive, tables."""

import csv
import gzip
from pathlib import Path
from random import Random
from time import process_time

import pytest

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders import open_corpus
from specter_graph.loaders.formats.bibliography import wos_reference
from specter_graph.loaders.records import EndOfFile, Field, Paper, Reject, UnknownKey
from tests.real_data import REAL_DATA, needs_real_data

SAMPLES = Path(__file__).parent / "samples"


def read(name: str, *, full_text: bool = False) -> tuple[list[Paper], list[str]]:
    items = open_corpus("auto", SAMPLES / name, full_text=full_text)
    papers, notices = list[Paper](), list[str]()
    for item in items:
        if isinstance(item, Paper):
            papers.append(item)
        elif not isinstance(item, EndOfFile):
            assert isinstance(item, Reject | UnknownKey)
            notices.append(item.key if isinstance(item, UnknownKey) else item.reason)
    return papers, notices


def ids(paper: Paper) -> list[str]:
    return [f"{known.scheme}:{known.value}" for known in paper.identifiers]


def authors(paper: Paper) -> list[tuple[str, list[str]]]:
    return [(a.name, [place.name for place in a.affiliations]) for a in paper.authors]


def labels(paper: Paper, scheme: str) -> list[str]:
    return [field.name for field in paper.fields if field.scheme == scheme]


def test_all_fields_of_nbib_are_read():
    [paper, old], notices = read("nbib.nbib")
    assert notices == ["XYZ"]
    assert paper.id == "pmid:16403221"
    assert paper.title == "A high level interface to SCOP & ASTRAL implemented in Python."
    assert paper.abstract == (
        "BACKGROUND: Benchmarking involves data sets. RESULTS: We have modules."
    )
    assert (paper.year, paper.published, paper.language) == (2006, "2006-01-10", "en")
    assert paper.retracted
    assert ids(paper) == ["pmid:16403221", "doi:10.1186/1471-2105-7-10", "pmcid:PMC1373603"]
    assert authors(paper) == [
        ("James A Casbon", ["Institute of Cell Science, London, UK."]),
        ("Gavin E Crooks", []),
        ("The SCOP Group", []),
    ]
    assert paper.authors[0].orcid == "0000-0002-1825-0097"
    assert (paper.venue.id, paper.venue.name) == ("pubmed:100965194", "BMC bioinformatics")
    assert labels(paper, "mesh") == ["Database Management Systems", "Sequence Analysis, Protein"]
    assert labels(paper, "keyword") == ["python"]
    assert paper.elsewhere == ("references",)
    assert (authors(old), old.published) == ([("Light AB", [])], "2006-05")


def test_web_of_science():
    [paper, cited], notices = read("wos.txt")
    assert notices == ["left out: cited references without a DOI or a page: 1"]
    assert paper.id == "wos:000238573100001"
    assert paper.title == "Optical spectroscopy of photorefractive Sn2P2S6 crystals"
    assert (paper.year, paper.published, paper.language) == (2006, "2006-06", "en")
    assert authors(paper) == [
        ("Yuri P. Gnatenko", ["NAS Ukraine"]),
        ("Petro M. Bukivskij", ["NAS Ukraine", "Lviv Natl Univ"]),
    ]
    assert labels(paper, "keyword") == ["photorefraction", "light"]
    assert labels(paper, "keywords-plus") == ["ELECTRIC-FIELD"]
    assert labels(paper, "wos-category") == ["Physics, Condensed Matter"]
    reference = "wosref:BERCHA DM, 1997, FIZ TVERD TELA, V39, P1219"
    assert paper.references == (reference, "doi:10.1006/jmbi.1996.0123")
    assert ids(cited) == [reference]
    [row], _ = read("wos.tab.txt")
    assert row.references == (reference, "doi:10.1000/old")
    assert authors(row) == [("Anna Light", ["Univ Hall"]), ("Bo Sound", ["Univ Hall", "Univ Echo"])]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_workbook_of_web_of_science_that_was_saved_as_csv(tmp_path, delimiter):
    values = {
        "Publication Type": "J", "Authors": "Light, A; Sound, B", "Times Cited, WoS Core": "7",
        "Author Full Names": "Light, Anna; Sound, Bo", "Article Title": "Slow light",
        "Source Title": "JOURNAL OF WAVES", "Author Keywords": "light; sound", "Abstract": "A.",
        "Addresses": "[Light, Anna; Sound, Bo] Univ Hall, Dept X; [Sound, Bo] Univ Echo, Y",
        "Cited References": "Old A, 1990, SEA, V3, P4; New B, 2001, SEA, V9, P1, DOI 10.1000/new",
        "Journal Abbreviation": "J WAVES", "Publication Date": "MAR 15", "Publication Year": "2011",
        "Volume": "5", "Start Page": "17", "DOI": "10.1000/waves.7", "Pubmed Id": "212",
        "UT (Unique WOS ID)": "WOS:000000000000007",
    }  # fmt: skip
    with (tmp_path / "a.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([values.keys(), values.values()])
    notice, paper, _ = open_corpus("auto", tmp_path / "a.csv")
    assert isinstance(notice, UnknownKey)
    assert (paper.id, paper.published, paper.abstract) == ("wos:000000000000007", "2011-03", "A.")
    assert paper.references == ("wosref:OLD A, 1990, SEA, V3, P4", "doi:10.1000/new")
    assert authors(paper) == [
        ("Anna Light", ["Univ Hall"]),
        ("Bo Sound", ["Univ Hall", "Univ Echo"]),
    ]
    assert ids(paper)[1:] == ["pmid:212", "wosref:LIGHT A, 2011, J WAVES, V5, P17"]
    assert labels(paper, "keyword") == ["light", "sound"]


def test_many_addresses_of_web_of_science_take_linear_time(tmp_path):
    addresses = "[Light, A; Sound, B] Univ Hall; " + "Univ Echo; " * 100_000
    (tmp_path / "a.txt").write_text(f"PT\tAU\tTI\tC1\nJ\tLight, A\tT\t{addresses}\n")
    started = process_time()
    [paper, _] = open_corpus("wos", tmp_path / "a.txt")
    assert process_time() - started < 10
    assert authors(paper) == [("A Light", ["Univ Hall", "Univ Echo"])]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Yang F., 1996, J MOL BIOL, V256, P762", "wosref:YANG F, 1996, J MOL BIOL, V256, P762"),
        ("HLINKA J, 2002, PHYS REV B, V65", None),
        (
            "Abbott BP, 2016, PHYS REV LETT, V116, ARTN 061102",
            "wosref:ABBOTT BP, 2016, PHYS REV LETT, V116, P061102",
        ),
        ("BERCHA DM, 1997, NATURE, P12", "wosref:BERCHA DM, 1997, NATURE, P12"),
        ("A B, 2002, C, V65, DOI [10.1000/a, 10.1000/b]", "doi:10.1000/a"),
        ("YE X, 2003, THESIS NE U BOSTON", None),
        ("*WHO, 1999, WHO REP", None),
    ],
)
def test_cited_references_of_web_of_science(written, key):
    assert wos_reference(written) == key


def test_a_record_with_an_article_number_matches_its_references(tmp_path):
    lines = ["PT J", "AU Abbott, BP", "TI Waves", "PY 2016", "J9 PHYS REV LETT", "VL 116"]
    text = "\n".join(["FN ISI", "VR 1.0", *lines, "AR 061102", "ER", "", *lines, "ER", "EF", ""])
    (tmp_path / "a.txt").write_text(text)
    numbered, unnumbered = (
        item for item in open_corpus("wos", tmp_path / "a.txt") if isinstance(item, Paper)
    )
    assert ids(numbered) == ["wosref:ABBOTT BP, 2016, PHYS REV LETT, V116, P061102"]
    assert ids(unnumbered) == []


def test_merge_matches_cited_references_of_web_of_science(graph: Database):
    load_papers(graph, open_corpus("wos", SAMPLES / "wos.txt", SAMPLES / "wos.tab.txt"))
    merge(graph)
    rows = graph.read(
        "MATCH (p:Paper)-[:CITES]->(:Paper {title: 'Vibrations'}) RETURN p.id AS id ORDER BY id"
    )
    assert [row["id"] for row in rows] == ["wos:000000000000001", "wos:000238573100001"]


@pytest.mark.parametrize("name", ["endnote.enw", "endnote.xml"])
def test_all_fields_of_endnote_are_read(name):
    [paper, *_], notices = read(name)
    assert notices == ([] if name.endswith("enw") else ["title is missing"])
    assert (paper.id, paper.title) == ("doi:10.1000/waves.7", "Slow light")
    assert paper.abstract.startswith("We let light go slowly")
    assert (paper.year, paper.published, paper.language) == (2011, "2011-05", "en")
    assert ids(paper) == ["doi:10.1000/waves.7", "pmid:2122232", "pmcid:PMC99"]
    assert authors(paper) == [("Anna B. Light", []), ("Bo van Sound", [])]
    assert paper.venue.name == "Journal of Waves"
    assert labels(paper, "keyword") == ["light", "sound"]
    assert paper.url == "https://www.example.org/7"


def test_a_blank_line_in_an_abstract_does_not_end_a_record_of_endnote(tmp_path):
    text = "%0 Journal Article\n%T A\n%X First.\n\nSecond.\n%R 10.1000/x\n\n%0 Book\n%T B\n"
    (tmp_path / "a.enw").write_text(text)
    first, second, _ = open_corpus("endnote", tmp_path / "a.enw")
    assert (first.id, first.abstract, second.title) == ("doi:10.1000/x", "First. Second.", "B")


def test_endnote_may_begin_with_a_title_and_have_several_authors_on_a_line(tmp_path):
    text = "%T Über Salz\n%0 Journal Article\n%A 张三;李四\n%A Ide, Ann\n%K *Meer\n*Salz\n%D 2020\n"
    (tmp_path / "a").write_text(text)
    paper, _ = open_corpus("auto", tmp_path / "a")
    assert (paper.title, paper.year) == ("Über Salz", 2020)
    assert [name for name, _ in authors(paper)] == ["张三", "李四", "Ann Ide"]
    assert labels(paper, "keyword") == ["Meer", "Salz"]


@pytest.mark.parametrize(
    ("form", "record"),
    [
        ("nbib", "PMID- {0}\nTI  - A\nAB  - {1}\n\n"),
        ("endnote", "%0 Book\n%T A\n%X {1}\n\n"),
        ("dblp", "#*A\n#index{0}\n#!{1}\n\n"),
    ],
)
def test_a_record_that_damage_cuts_off_is_rejected(form, record, tmp_path):
    words = Random(0).randbytes(50_000).hex()
    contents = record.format(1, "Short.") + record.format(2, words)
    (tmp_path / "a.gz").write_bytes(gzip.compress(contents.encode())[:-1_000])
    paper, damage, cut_off, _ = open_corpus(form, tmp_path / "a.gz")
    assert paper.abstract == "Short."
    assert damage.reason.endswith("the rest of the file is not loaded")
    assert cut_off.reason == "the record is cut off"


def test_grobid_with_text_and_contexts():
    [paper], notices = read("grobid.xml", full_text=True)
    assert notices == []
    assert (paper.id, paper.title) == ("doi:10.1000/waves.7", "Slow light")
    assert authors(paper) == [("Anna B Light", ["University of Hall"]), ("Sound", [])]
    assert (paper.published, paper.language, paper.venue.name) == (
        *("2011-05-09", "en"),
        "Journal of Waves",
    )
    assert labels(paper, "keyword") == ["light", "glass"]
    assert paper.references == ("doi:10.1000/stopped", "arxiv:2004.07180")
    [citation] = paper.citations
    assert (citation.cited, citation.contexts) == ("doi:10.1000/stopped", ("It was stopped [1].",))
    assert paper.body.startswith("Introduction\n\nLight is fast.")
    assert "A wave" not in paper.body


def test_unarxive_with_text_and_contexts():
    [paper], notices = read("unarxive.jsonl", full_text=True)
    assert notices == []
    assert (paper.id, paper.title, paper.year) == ("arxiv:2212.00001", "Slow light", 2022)
    assert authors(paper) == [("Anna Light", []), ("Bo Sound", [])]
    assert paper.references == ("doi:10.1000/stopped", "arxiv:hep-ph/9901001", "openalex:W3")
    assert [citation.cited for citation in paper.citations] == list(paper.references[:2])
    assert paper.body.startswith("Introduction\n\nLight is fast.")
    assert paper.elsewhere == ()


@pytest.mark.parametrize(
    ("name", "id", "references", "field"),
    [
        (
            "csv.scopus.csv",
            "scopus:2-s2.0-85000000001",
            ("doi:10.1000/stopped",),
            Field("scopus-index", "Optics", "Optics"),
        ),
        (
            "csv.lens.csv",
            "lens:001-002-003-004-005",
            ("lens:001-002-003-004-006", "lens:001-002-003-004-00X"),
            Field("mag", "Optics", "Optics"),
        ),
        (
            "csv.dimensions.csv",
            "dimensions:pub.1000000001",
            ("dimensions:pub.1000000002", "dimensions:pub.1000000003"),
            Field("anzsrc", "51 Physical Sciences", "51 Physical Sciences"),
        ),
    ],
)
def test_tables_of_providers(name, id, references, field):
    [paper, *others], notices = read(name)
    assert notices == []
    assert (paper.id, paper.title, paper.abstract) == (id, "Slow light", "We let light go.")
    assert paper.year == 2011
    assert [name for name, _ in authors(paper)] == ["Anna B. Light", "Bo Sound"]
    assert {"doi:10.1000/waves.7", "pmid:2122232"} <= set(ids(paper))
    assert paper.venue.name == "Journal of Waves"
    assert paper.references == references
    assert field in paper.fields
    for other in others:  # Scopus without author ids
        assert (authors(other), other.abstract) == ([("C. Hall", [])], None)


def test_an_address_in_a_table_of_lens_is_an_identifier(tmp_path):
    url = "https://arxiv.org/abs/2111.09920"
    text = f"Lens ID,Title,Author/s,External URL\n001-002-003-004-005,T,Bo Orr,{url}\n"
    (tmp_path / "a.csv").write_text(text)
    [paper, _] = open_corpus("auto", tmp_path / "a.csv")
    assert (ids(paper), paper.url) == (["arxiv:2111.09920"], url)


def test_spaces_in_a_name_of_scopus_take_linear_time(tmp_path):
    file, author = tmp_path / "a.csv", f"Light, A.{' ' * 200_000}B. (7)"
    file.write_text(f'EID,Title,Source title,Authors\n1,T,J,"{author}; {author[:-4]}"\n')
    started = process_time()
    [paper, _] = open_corpus("csv", file)
    assert process_time() - started < 2
    assert [each.id for each in paper.authors] == ["scopus:7", "scopus:A. B. Light"]


def test_lists_in_tables_of_asreview(tmp_path):
    file = tmp_path / "a.csv"
    row = """7,T,"['Marx, Karl', 'Lindgren, Astrid']","['Pippi', 'Piraten']"\n"""
    file.write_text(f"record_id,title,first_authors,keywords\n{row}")
    [paper, _] = open_corpus("auto", file)
    assert authors(paper) == [("Karl Marx", []), ("Astrid Lindgren", [])]
    assert labels(paper, "keyword") == ["Pippi", "Piraten"]
    file.write_text("""id,title,fields,references\n1,T,"['Optics, Quantum']","['a, b']"\n""")
    [paper, _] = open_corpus("auto", file)
    assert labels(paper, "keyword") == ["Optics, Quantum"]
    assert paper.references == ("a, b",)


@needs_real_data
def test_real_files_of_pubmed_and_web_of_science():
    corpus = open_corpus("auto", REAL_DATA / "real/nbib_medline", REAL_DATA / "real/ris/RISparser")
    papers = [item for item in corpus if isinstance(item, Paper)]
    assert sum(paper.id.startswith("pmid:") for paper in papers) == 13
    assert sum(len(paper.references) for paper in papers if paper.source == "wos") == 166
