"""Defects that real files of providers have revealed, each with a minimal text."""

from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import EndOfFile, Paper, Reject


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def read(folder: Path, name: str, text: str, format: str = "auto") -> list[object]:
    corpus = open_corpus(format, write(folder, name, text))
    return [item for item in corpus if not isinstance(item, EndOfFile)]


def read_papers(folder: Path, name: str, text: str, format: str = "auto") -> list[Paper]:
    return [item for item in read(folder, name, text, format) if isinstance(item, Paper)]


def read_paper(folder: Path, name: str, text: str, format: str = "auto") -> Paper:
    [paper] = read_papers(folder, name, text, format)
    return paper


def names(paper: Paper) -> list[str]:
    return [author.name for author in paper.authors]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (r"Vinagre, Jo\~{a}o", "João Vinagre"),
        (r"Ib\'{a}\~{n}ez, Luis-Daniel", "Luis-Daniel Ibáñez"),
        (r"\v{C}ech, P\v{r}emysl", "Přemysl Čech"),
        (r"\O{}verg\r{a}rd, Kjell Ivar", "Kjell Ivar Øvergård"),
        (r"\"Unal, Basri", "Basri Ünal"),
        (r"Pe\~na-Sierra, R.", "R. Peña-Sierra"),
        (r"{H\c{\u{e}}dzelek}", "Hḝdzelek"),
        (r"T{\d{\^o}}n, X", "X Tộn"),
    ],
)
def test_bibtex_names_keep_their_letters(written, name, tmp_path):
    paper = read_paper(tmp_path, "a.bib", f"@article{{k, title={{T}}, author={{{written}}}}}")
    assert names(paper) == [name]


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (r"Analysis of <i>Blogs</i> &amp; W<sub>CA</sub>", "Analysis of Blogs & WCA"),
        (r"Harvard\&\#039;s Institute", "Harvard's Institute"),
        (r"\textit{A} & B", "A & B"),
        (r"radix-2\({}^{\mbox{k}}\), 5\({}^{\mbox{th}}\)", "radix-2k, 5th"),
        (r"\mbox{Mac}Donald, \texttt{grep}, \textsf{R}", "MacDonald, grep, R"),
        (r"\textup{up}, \textmd{medium}, \textcolor{red}{red}", "up, medium, red"),
        (
            r"\textalpha-synuclein, \foreignlanguage{german}{Haus}",
            "\N{GREEK SMALL LETTER ALPHA}-synuclein, Haus",
        ),
    ],
)
def test_bibtex_text_is_the_printed_text(written, title, tmp_path):
    assert read_paper(tmp_path, "a.bib", f"@article{{k, title={{{written}}}}}").title == title


def test_bibtex_entries_without_a_key_and_two_papers_with_one_key_are_all_loaded(tmp_path):
    text = """
@Article{,
  title = {No key}, doi = {10.1145/820127.820136}
}
@article{Johnson2017, title={Reflections on Authorship}}
@book{Johnson2017, title={Quite Another Book}}
@article{Johnson2017, title={Reflections on {Authorship}.}}
"""
    items = read(tmp_path, "a.bib", text)
    papers = [item for item in items if isinstance(item, Paper)]
    ids = [paper.id for paper in papers]
    assert ids[:2] == ["doi:10.1145/820127.820136", "Johnson2017"]
    assert ids[2].startswith("bibtex:")
    assert ids[3] == "Johnson2017"  # the same paper again
    [notice] = [item for item in items if isinstance(item, Reject)]
    assert "another paper has this key" in notice.reason


@pytest.mark.parametrize(
    ("name", "first", "second", "source"),
    [
        ("bib", "@article{S1, title={One}}", "@book{S1, title={Two}, doi={10.1000/2}}", "doi"),
        (
            "ris",
            "TY  - JOUR\nID  - S1\nTI  - One\nER  - ",
            "TY  - BOOK\nID  - S1\nTI  - Two\nER  - ",
            "ris",
        ),
        (
            "json",
            '[{"id": "S1", "type": "book", "title": "One"}]',
            '[{"id": "S1", "type": "book", "title": "Two"}]',
            "csl",
        ),
    ],
)  # fmt: skip
def test_two_papers_with_one_key_in_two_files_stay_two_papers(
    name, first, second, source, tmp_path
):
    write(tmp_path, f"a.{name}", first)
    write(tmp_path, f"b.{name}", second)
    write(tmp_path, f"c.{name}", second)
    corpus = open_corpus("auto", tmp_path)
    papers = [item for item in corpus if isinstance(item, Paper)]
    assert [paper.title for paper in papers] == ["One", "Two", "Two"]
    assert papers[0].id == "S1"
    assert papers[1].id == papers[2].id
    assert papers[1].id.startswith(f"{source}:")
    skipped = {corpus.files[0].key}  # as in the continuation of an interrupted load
    rest = [item.id for item in corpus.read(skipped) if isinstance(item, Paper)]
    assert rest == [papers[1].id] * 2
    shards = (corpus.read_shard(shard, lambda size: None) for shard in corpus.shards(3))
    assert [item for items in shards for item in items if isinstance(item, Paper)] == papers


def test_one_paper_with_two_spellings_of_its_title_is_one_paper(tmp_path):
    write(tmp_path, "a.bib", "@article{S1, title={One}, doi={10.1000/1}}")
    write(tmp_path, "b.bib", "@article{S1, title={One: a Subtitle}, doi={10.1000/1}}")
    ids = [item.id for item in open_corpus("auto", tmp_path) if isinstance(item, Paper)]
    assert ids == ["S1", "S1"]


def test_titles_of_semantic_scholar_have_no_line_breaks_and_tags(tmp_path):
    title = r"A\nlong\u00a0title of <inline-formula>x</inline-formula>"
    text = f'{{"paperId": "{"a" * 40}", "title": "{title}"}}'
    assert read_paper(tmp_path, "a.json", text).title == "A long title of x"


def test_characters_of_windows_1252_are_restored(tmp_path):
    text = (
        "@article{k, title={The \x93\x9cuvre\x94}, author={\x8akerlavaj, Miha}, abstract={a\x92s}}"
    )
    paper = read_paper(tmp_path, "a.bib", text)
    assert (paper.title, paper.abstract) == ("The “œuvre”", "a\u2019s")
    assert names(paper) == ["Miha Škerlavaj"]


def test_repeated_annotations_of_s2orc_count_once(tmp_path):
    spans = {
        "title": (0, 7), "author": (8, 15), "authorfirstname": (8, 11), "authorlastname": (12, 15),
        "abstract": (16, 29),
    }  # fmt: skip
    twice = ", ".join(
        rf'"{kind}": "[{{\"start\": {a}, \"end\": {b}}}, {{\"start\": {a}, \"end\": {b}}}]"'
        for kind, (a, b) in spans.items()
    )
    content = rf'{{"text": "A Title\nAnn Lee\nThe abstract.", "annotations": {{{twice}}}}}'
    line = f'{{"corpusid": 1, "externalids": {{}}, "content": {content}}}\n'
    paper = read_paper(tmp_path, "a.jsonl", line)
    assert (paper.abstract, names(paper)) == ("The abstract.", ["Ann Lee"])


WORK = '{"id": "https://openalex.org/W1", "title": "T"}'


@pytest.mark.parametrize(
    "text",
    [
        f'{{"meta": {{"count": 1, "page": null}}, "results": [{WORK}], "group_by": []}}',
        f"[{WORK},\n{WORK.replace('W1', 'W2')}]",
        WORK.replace("{", "{\n ").replace(", ", ",\n "),
        WORK.replace("{", '{"open_access": {"is_oa": true}, "authorships": [], '),
    ],
    ids=["page", "array", "pretty", "another order"],
)
def test_openalex_works_in_every_layout_of_its_api(text, tmp_path):
    items = read(tmp_path, "a.json", text)
    assert next(item.id for item in items if isinstance(item, Paper)) == "openalex:W1"
    assert not [item for item in items if isinstance(item, Reject)]


def article(abstract: str) -> str:
    return (
        '<article><front><article-meta><article-id pub-id-type="doi">10.1117/12.2</article-id>'
        "<title-group><article-title>T</article-title></title-group>"
        f"<abstract>{abstract}</abstract></article-meta></front></article>"
    )


@pytest.mark.parametrize(
    ("written", "abstract"),
    [
        ("\nSingle photon diodes.\n", "Single photon diodes."),
        ("\nThe CO<sub>2</sub> and H<sub>2</sub> laser.\n", "The CO2 and H2 laser."),
        ("<title>Abstract</title>Diodes.", "Diodes."),
        ("<sec><title>Abstract</title><p>Diodes.</p></sec>", "Diodes."),
        ("<p>density &rgr; and &OHgr; &fdg;</p>", "density \N{GREEK SMALL LETTER RHO} and Ω &fdg;"),
    ],
)
def test_jats_abstracts_without_paragraphs_and_with_characters_of_iso(written, abstract, tmp_path):
    assert read_paper(tmp_path, "a.xml", article(written)).abstract == abstract


def test_a_group_of_authors_is_named_without_its_address(tmp_path):
    group = (
        "<contrib-group><contrib contrib-type='author'><collab><institution>The ALICE"
        "</institution><address><email>a@cern.ch</email></address></collab></contrib>"
        "</contrib-group><abstract>"
    )
    text = article("<p>A</p>").replace("<abstract>", group)
    assert names(read_paper(tmp_path, "a.xml", text)) == ["The ALICE"]


def test_a_namespace_with_a_line_break_rejects_no_article(tmp_path):
    text = article("<p>A</p>").replace(
        "<article>", '<article xmlns:xsi="http://www.w3.org/2001/XML\nSchema-instance">'
    )
    assert read_paper(tmp_path, "a.xml", text).abstract == "A"


def test_arxiv_has_no_author_without_a_letter_and_all_dois(tmp_path):
    text = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><header>
<identifier>oai:arXiv.org:1601.03238</identifier></header><metadata>
<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>1601.03238</id><title>T</title>
<authors><author><keyname>BICEP2 Collaboration</keyname></author><author><keyname>:</keyname>
</author></authors><doi>10.1103/PhysRevD.93.016005, 10.1103/PhysRevD.98.079901</doi>
<journal-ref>PoS(CD15) (2015) 045</journal-ref></arXiv></metadata></record></ListRecords></OAI-PMH>
"""
    paper = read_paper(tmp_path, "a.xml", text)
    assert names(paper) == ["BICEP2 Collaboration"]
    dois = [known.value for known in paper.identifiers if known.scheme == "doi"]
    assert dois == ["10.1103/physrevd.93.016005", "10.1103/physrevd.98.079901"]
    assert paper.venue.name == "PoS"


def test_crossref_from_doi_org_keeps_its_references(tmp_path):
    text = (
        '{"DOI": "10.1126/science.1", "type": "journal-article", "title": "Water",'
        ' "indexed": {"date-parts": [[2026, 6, 3]]},'
        ' "reference": [{"key": "1", "DOI": "10.1067/mhn.2001.115906."}]}'
    )
    paper = read_paper(tmp_path, "a.json", text)
    assert paper.source == "crossref"
    assert paper.references == ("doi:10.1067/mhn.2001.115906",)  # without the final period


def test_crossref_titles_have_no_tags(tmp_path):
    title = r"ANEMIA&lt;subtitle&gt;With <emph type=\"ital\">ACTH</emph>&lt;/subtitle&gt;"
    text = f'{{"DOI": "10.1001/a", "title": ["{title}"]}}'
    assert read_paper(tmp_path, "a.json", text, "crossref").title == "ANEMIA With ACTH"


@pytest.mark.parametrize(("collection", "year"), [("C00", 2000), ("W97", 1997), ("2020.a", 2020)])
def test_acl_papers_have_the_year_of_their_id(collection, year, tmp_path):
    text = (
        f'<collection id="{collection}"><volume id="1"><meta><booktitle>B</booktitle></meta>'
        '<paper id="1"><title>T</title><doi>http://hdl.handle.net/1</doi></paper></volume>'
        "</collection>"
    )
    [paper] = read(tmp_path, "a.xml", text)
    assert paper.year == year


def test_files_of_a_folder_in_no_format_are_skipped_and_named(tmp_path):
    folder = tmp_path / "downloads"
    folder.mkdir()
    readme = write(folder, "README.md", "# Read me\n")
    write(folder, "z.bib", "@article{k, title={T}}")
    corpus = open_corpus("auto", folder)
    assert [item.id for item in corpus if isinstance(item, Paper)] == ["k"]
    assert corpus.skipped == [f"the format of {readme} was not detected"]
    pdf = write(folder, "paper.pdf", "%PDF-1.4\n")
    [_, reason] = open_corpus("auto", folder).skipped
    assert f"{pdf} was not detected: this is a PDF file: load" in reason
    with pytest.raises(InputError, match="was not detected"):
        open_corpus("auto", readme, folder)
    (folder / "z.bib").unlink()
    with pytest.raises(InputError, match="was not detected"):
        open_corpus("auto", folder)


@pytest.mark.parametrize(
    "text",
    [
        '{"1": {"paper_id": 1, "title": "T", "authors": [], "references": [2]}}',
        '{"authors": [], "titles": [{"title": "T"}], "publication_info": [{"page_start": "1"}]}',
        '<OAI-PMH><record><header><identifier>oai:arXiv.org:1</identifier></header><metadata>'
        '<record xmlns="http://www.loc.gov/MARC21/slim"/></metadata></record></OAI-PMH>',
    ],
    ids=["S2AND", "INSPIRE", "MARC"],
)  # fmt: skip
def test_similar_formats_are_distinguished(text, tmp_path):
    with pytest.raises(InputError, match="was not detected"):
        read(tmp_path, "a.json", text)


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("record_id,title,abstract,included\n7,T,A,1\n", "7"),
        ("key,title,first_authors,publication_year,issn\nk,T,Ann Lee; Bo,1999,\n", "k"),
        ("title;abstract;doi;other\nT;A;10.1000/x;\n", "doi:10.1000/x"),
    ],
)
def test_tables_of_reference_managers_have_ids(text, id, tmp_path):
    paper = read_paper(tmp_path, "a.csv", text)
    assert (paper.id, paper.title) == (id, "T")
    if "first_authors" in text:
        assert (names(paper), paper.year) == (["Ann Lee", "Bo"], 1999)


def test_a_table_without_ids_gets_the_same_ids_again(tmp_path):
    papers = read_papers(tmp_path, "a.csv", "title,abstract\nT,A\nU,\nT,A\n")
    assert papers[0].id == papers[2].id != papers[1].id


def test_details_of_openalex_and_s2orc(tmp_path):
    author = '{"author": {"id": null, "display_name": "NULL AUTHOR_ID"}}'
    work = WORK.replace("}", f', "authorships": [{author}]}}')
    assert read_paper(tmp_path, "a.json", work).authors == ()
    line = '{"paper_id": "9", "title": "T", "mag_id": "1,2", "outbound_citations": []}'
    known = read_paper(tmp_path, "b.jsonl", line).identifiers
    assert [each.value for each in known if each.scheme == "mag"] == ["1", "2"]


@pytest.mark.parametrize(
    ("url", "doi"),
    [
        (
            "https://www.frontiersin.org/articles/10.3389/fnins.2013.00123/full",
            "10.3389/fnins.2013.00123",
        ),
        ("https://onlinelibrary.wiley.com/doi/full/10.1111/abc.123", "10.1111/abc.123"),
        ("https://link.springer.com/content/pdf/10.1007%2Fs111-020-4.pdf", "10.1007/s111-020-4"),
        ("https://link.springer.com/article/10.1007/s111-020-4#Sec1", "10.1007/s111-020-4"),
        ("https://journals.plos.org/plosone/article?id=10.1371/pone.02&type=x", "10.1371/pone.02"),
        ("http://onlinelibrary.wiley.com/store/10.1111/j.14.x/asset/b.pdf?v=1", "10.1111/j.14.x"),
        ("https://link.springer.com/book/10.1007/978-3-319-1", None),  # the book of a chapter
    ],
)
def test_a_url_of_a_publisher_has_the_doi(url, doi, tmp_path):
    paper = read_paper(tmp_path, "a.ris", f"TY  - JOUR\nTI  - T\nUR  - {url}\nER  - \n")
    assert [known.value for known in paper.identifiers] == ([doi] if doi else [])


def test_a_doi_with_a_space_after_a_mark_is_joined(tmp_path):
    text = "TY  - JOUR\nTI  - T\nDO  - 10.1016/j. clsr.2014.03.007\nER  - \n"
    assert read_paper(tmp_path, "a.ris", text).id == "doi:10.1016/j.clsr.2014.03.007"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_is_detected_in_the_encoding_of_its_program(tmp_path: Path, encoding: str, end: str):
    lines = ["% Ein Kommentar", "@article{a,", "  title = {Ein Würfel},", "}", ""]
    path = tmp_path / "library.bib"
    path.write_bytes(end.join(lines).encode(encoding))
    [paper, _] = open_corpus("auto", path)
    assert isinstance(paper, Paper)
    assert paper.title == "Ein Würfel"


def test_records_of_endnote_may_begin_with_their_titles(tmp_path: Path):
    text = (
        "%T Salt\n%0 Journal Article\n%A Ide, Ann\n%D 2019\n%X First.\n\nSecond.\n\n\n"
        "%T Sea\n%0 Journal Article\n%A Orr, Bo\n%D 2020\n\n%T Index\n%D 2021\n"
    )
    papers = read_papers(tmp_path, "export.enw", text)
    assert [(paper.title, paper.year, names(paper)) for paper in papers] == [
        ("Salt", 2019, ["Ann Ide"]),
        ("Sea", 2020, ["Bo Orr"]),
        ("Index", 2021, []),
    ]
    assert papers[0].abstract == "First. Second."


def test_an_early_access_paper_of_web_of_science_has_a_year(tmp_path: Path):
    text = "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nAU Ide, A\nTI Salt\nEA OCT 2022\n"
    paper = read_paper(tmp_path, "savedrecs.txt", f"{text}UT WOS:000000000000001\nER\n\nEF\n")
    assert (paper.year, paper.published) == (2022, "2022-10")


def test_the_bibtex_of_scopus_and_web_of_science_has_citations(tmp_path: Path):
    text = """
        @ARTICLE{Ide2019, author={Ide, A.}, title={Salt}, year={2019}, source={Scopus},
        author_keywords={salt;  sea},
        references={Orr, B., Sea (2010) J. Sea, 4. , https://doi.org/10.1000/s\\_1; Ash, C.,
        Air (2011) J. Air, 5; (2012) Land, DOI: 10.1000/L.2},}
        @article{ WOS:000000000000001, Author = {Ide, Ann}, Title = {Salt and\n   sea},
        Cited-References = {Ash C. D., 2011, J AIR, V5, P12. Elm E, 2012,
           J ELM, V6, P7.
           Orr B, 2010, J SEA, V4, P1, DOI 10.1000/S\\_1.},
        }
    """
    papers = read_papers(tmp_path, "a.bib", text.replace("\\\\", "\\"))
    assert [paper.references for paper in papers] == [
        ("doi:10.1000/s_1", "doi:10.1000/l.2"),
        (
            "wosref:ASH C D, 2011, J AIR, V5, P12",
            "wosref:ELM E, 2012, J ELM, V6, P7",
            "doi:10.1000/s_1",
        ),
    ]
    assert [field.id for field in papers[0].fields] == ["salt", "sea"]


def test_the_ris_of_scopus_has_citations(tmp_path: Path):
    text = (
        "TY  - JOUR\nTI  - Salt\nN1  - Export Date: 15 October 2020\n"
        "N1  - References: Ash, C., (2011) J. Air, 5;\n"
        "Orr, B., (2010) J. Sea, 4. , https://doi.org/10.1000/s1;\nDB  - Scopus\nER  - \n"
    )
    paper = read_paper(tmp_path, "scopus.ris", text)
    assert (paper.references, paper.identifiers) == (("doi:10.1000/s1",), ())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Ann Ide, Bo Orr, Cy Ash et al.", ["Ann Ide", "Bo Orr", "Cy Ash"]),
        ("A. Ide, B. Orr and C. D. Ash", ["A. Ide", "B. Orr", "C. D. Ash"]),
        ("Ide, A., Orr, B. C.", ["A. Ide", "B. C. Orr"]),
        ("Ide AB, van Orr C", ["Ide AB", "van Orr C"]),
        ("Ide, A. \\& Orr, B.", ["A. Ide", "B. Orr"]),
        ("Ann Ide; Bo Orr", ["Ann Ide", "Bo Orr"]),
        ("Ide, Ann and others", ["Ann Ide"]),
        ("Ide, Ann and et al.", ["Ann Ide"]),
        ("Ide Orr, Ann Bo", ["Ann Bo Ide Orr"]),
        ("van der Ide, Jr., Ann Bo", ["Ann Bo van der Ide Jr."]),
        ("{Salt, Sea & Sons, Inc. of X}", ["Salt, Sea & Sons, Inc. of X"]),
        ("Salt & Sons", ["Salt & Sons"]),
    ],
)
def test_names_in_bibtex_without_and(tmp_path: Path, written: str, expected: list[str]):
    text = f"@article{{a, title = {{The \\LaTeX{{}} way}}, author = {{{written}}}}}"
    paper = read_paper(tmp_path, "a.bib", text)
    assert names(paper) == expected
    assert paper.title == "The LaTeX way"


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel or Word file: save its table as CSV"),
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "an Excel or Word file"),
        (b"%PDF-1.4\n", "a PDF file"),
        (b"PK\x03\x04...", "a zip file: unpack"),
        (b"<!DOCTYPE html>\n<html>", "a web page"),
        (
            b'<rdf:RDF\n xmlns:z="http://www.zotero.org/namespaces/export#">\n',
            "Zotero RDF: export the library as BibTeX",
        ),
        (
            b'{\n  "config": {\n    "id": "36a3b0b5",\n    "label": "BetterBibTeX JSON",\n',
            "Better BibTeX JSON: export the library as Better BibTeX",
        ),
    ],
)
def test_a_file_of_another_kind_says_what_to_do(tmp_path: Path, start: bytes, kind: str):
    (tmp_path / "export").write_bytes(start)
    with pytest.raises(InputError, match=f"was not detected: this is {kind}"):
        open_corpus("auto", tmp_path / "export")


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_named_as_empty(tmp_path: Path, content: bytes):
    (tmp_path / "mine.bib").write_bytes(content)
    with pytest.raises(InputError, match=r"mine.bib was not detected: the file is empty"):
        open_corpus("auto", tmp_path / "mine.bib")


def test_several_authors_in_a_line_of_ris(tmp_path: Path):
    text = "TY  - JOUR\nTI  - Salt\nAU  - Ide A.B., Orr C.\nAU  - Ash, Di, Jr.\nER  - \n"
    assert names(read_paper(tmp_path, "a.ris", text)) == ["Ide A.B.", "Orr C.", "Di Ash Jr."]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.enw", "%0 Journal Article\n%T A\n%A Ide, Ann\n%R none\n", "doi none is not a DOI"),
        ("a.bib", "@article{, title={A}, year={In press}}", "year In press is not a year"),
    ],
)
def test_a_value_left_out_names_its_paper(tmp_path: Path, name: str, text: str, reason: str):
    issue, paper = read(tmp_path, name, text)
    assert isinstance(issue, Reject)
    assert isinstance(paper, Paper)
    assert (issue.reason, issue.id) == (f"left out: {reason}", paper.id)


def test_lines_of_keywords_of_endnote_are_split_at_semicolons(tmp_path: Path):
    text = "%0 Journal Article\n%T A\n%A Ide, Ann\n%K Salt; Sea\n%K Diabetes Mellitus, Type 2\n"
    paper = read_paper(tmp_path, "a.enw", text)
    assert [field.name for field in paper.fields] == ["Salt", "Sea", "Diabetes Mellitus, Type 2"]


def test_paragraphs_of_a_bibtex_abstract_remain_without_its_heading(tmp_path: Path):
    text = "@article{k, title={A}, abstract={<title>Abstract</title><p>One.</p><p>Two.</p>}}"
    assert read_paper(tmp_path, "a.bib", text).abstract == "One.\n\nTwo."
