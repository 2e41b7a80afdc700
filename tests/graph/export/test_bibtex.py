"""Export BibTeX, and read it with bibtexparser and `load bibtex`."""

import json
from pathlib import Path

import bibtexparser
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.export import export_graph
from specter_graph.graph.export.references import (
    PROPERTIES,
    STYLES,
    Annotation,
    bibtex_entry,
    citation_key,
    latex,
    references,
    render,
)
from specter_graph.graph.export.source import StoredPaper
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders import open_corpus
from specter_graph.loaders.parsing.latex import printed_text
from specter_graph.loaders.records import Identifier, Paper
from tests.graph.export.rich_corpus import NASTY, load_rich_corpus

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="$"), min_size=1)


def read(text: str) -> list[tuple[str, str, dict[str, str]]]:
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    return [
        (each.entry_type, each.key, {field.key: field.value for field in each.fields})
        for each in library.entries
    ]


def stored(key: str, authors: list[str], **values: str) -> StoredPaper:
    missing = dict.fromkeys(PROPERTIES)
    names = [{"name": name} for name in authors]
    return StoredPaper(key, [], missing | values, names, [], [], [], [])


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("suffix", [".bib", ".ris", ".json"])
def test_a_merged_paper_has_the_key_of_its_record_from_bibtex(
    graph: Database, tmp_path: Path, suffix: str
):
    doi = (Identifier("doi", "10.1000/x"),)
    records = [("openalex:W1", "openalex"), ("smith2001", "bibtex"), ("ris:1", "ris")]
    load_papers(graph, [Paper(id, "T", source=s, identifiers=doi) for id, s in records])
    merge(graph)
    [paper] = graph.read("MATCH (paper:Paper) RETURN paper.id AS id")
    assert paper["id"] == "openalex:W1"
    export_graph(graph, tmp_path / f"mine{suffix}")
    assert "smith2001" in (tmp_path / f"mine{suffix}").read_text()
    assert "smith2001" in references(graph, ["openalex:W1"], suffix)


def test_a_reading_list(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    export_graph(graph, tmp_path / "list.bib")
    entries = read((tmp_path / "list.bib").read_text())
    assert [(kind, key) for kind, key, _ in entries] == [
        ("article", "a"),
        ("misc", "b"),
        ("misc", "c"),
        ("article", citation_key("d e/f")),
    ]
    fields = entries[0][2]
    assert printed_text(fields.pop("title")) == one_line(NASTY)
    assert printed_text(fields.pop("abstract")) == one_line(f"First. Then: {NASTY}")
    assert fields == {
        "author": 'Zoë "Z" Ångström and {Smith and Sons}',
        "journal": r"J. of A \& B",
        "year": "1999",
        "month": "jul",
        "doi": "10.1234/x_y",
        "eprint": "hep-ph/9901001",
        "archiveprefix": "arXiv",
        "pmid": "17",
        "url": "https://example.org/a?b=1&c=%7Bd%7D",
        "keywords": "k, Disease",
        "note": "Retracted",
    }


def test_load_bibtex_reads_the_export(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    export_graph(graph, tmp_path / "list.bib")
    a, *_, c, _ = [
        each for each in open_corpus("bibtex", tmp_path / "list.bib") if isinstance(each, Paper)
    ]
    assert (a.title, a.abstract) == (one_line(NASTY), one_line(f"First. Then: {NASTY}"))
    assert [author.name for author in a.authors] == ['Zoë "Z" Ångström', "Smith and Sons"]
    assert (a.year, a.venue.name, c.title) == (
        1999,
        "J. of A & B",
        "On c: $x_i^2$ costs $5 and $6",
    )
    assert {("doi", "10.1234/x_y"), ("arxiv", "hep-ph/9901001"), ("pmid", "17")} <= {
        (each.scheme, each.value) for each in a.identifiers
    }


def test_load_ris_reads_a_ris_export_back(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    export_graph(graph, tmp_path / "list.ris")
    records = open_corpus("ris", tmp_path / "list.ris")
    papers = [each for each in records if isinstance(each, Paper)]
    a = papers[0]
    assert (a.title, a.abstract) == (one_line(NASTY), one_line(f"First. Then: {NASTY}"))
    assert [author.name for author in a.authors] == ['Zoë "Z" Ångström', "Smith and Sons"]
    assert (a.year, a.venue.name, len(papers)) == (1999, "J. of A & B", 4)


def entry(paper: StoredPaper) -> str:
    return bibtex_entry(paper, citation_key(paper.id))


@given(title=TEXTS, name=TEXTS, key=TEXTS)
@example(title="0", name="\\", key="0")
def test_any_text_gives_a_complete_entry(title: str, name: str, key: str):
    [(kind, result, fields)] = read(entry(stored(key, [name, title], title=title, url=name)))
    assert (kind, result) == ("misc", citation_key(key))
    assert list(fields) == ["title", "author", "url"]


@pytest.mark.parametrize(
    "text",
    [
        "100% of R&D_1 #2 {x} ~ ^ \\alpha",
        "a -- b --- c",
        "``quoted'' and ''quoted``",
        "$x_i^{2}$ and $\\alpha$ cost $5 or $6",
        "{ unbalanced } } {",
    ],
)
def test_loading_restores_the_text(text: str):
    assert printed_text(latex(text)) == text


@pytest.mark.parametrize(
    "formula",
    [
        *(r"$\input{/etc/passwd}$", r"$\immediate\write18{id}$", "$^^5cinput{/etc/passwd}$"),
        *(r"$\openin3=x \read3 to \y$", r"$\csname input\endcsname{x}$", r"$\catcode64=11$"),
        *(r"$\gdef\alpha{x}$", r"$\let\a\b$", r"$\directlua{os.exit()}$", r"$\special{x}$"),
        *(r"$\InputIfFileExists{x}{}{}$", r"$\begin{filecontents}{x}$", r"$\newwrite\f$"),
    ],
)
def test_a_formula_that_reads_writes_or_defines_is_printed_not_run(formula: str):
    assert printed_text(latex(formula)) == formula
    assert latex(formula).startswith(r"\$")
    assert "^^" not in latex(formula)


def test_formulas_are_unchanged_if_their_braces_match():
    assert latex("A_1 $x_{1}$ for $5 and $6") == r"A\_1 $x_{1}$ for \$5 and \$6"
    assert (
        latex(r"$\left(\theta\rightarrow\inf\readable$")
        == r"$\left(\theta\rightarrow\inf\readable$"
    )
    assert latex("$x_{1$") == r"\$x\_\textbraceleft{}1\$"


def test_two_ids_never_share_a_key():
    assert citation_key("hep-ph/9901001") == "hep-ph/9901001"
    assert len({citation_key(each) for each in ("a b", "a_b", "a,b", "a{b", "a\\b")}) == 5


def test_names_that_bibtex_would_split_are_in_braces():
    names = ["Bern, Z.", "A, B, C, D", "X AND Y", "Anderson"]
    assert "author = {Bern, Z. and {A, B, C, D} and {X AND Y} and Anderson}" in entry(
        stored("a", names, title="T")
    )


def test_corporate_authors_are_in_one_part_in_all_formats():
    names = ["World Health Organization", "Smith and Sons", "Jan van Dyck"]
    papers = [stored("a b", names, title="T")]
    [(_, key, fields)] = read("".join(render(papers, ".bib")))
    assert key == citation_key("a b")
    assert fields["author"] == "{World Health Organization} and {Smith and Sons} and Jan van Dyck"
    [item] = json.loads("".join(render(papers, ".json")))
    assert item["author"] == [
        *({"literal": name} for name in names[:2]),
        {"family": "van Dyck", "given": "Jan"},
    ]
    ris = "".join(render(papers, ".ris")).splitlines()
    assert [line[6:] for line in ris if line.startswith("AU")] == [*names[:2], "van Dyck, Jan"]


def test_a_chinese_name_is_written_as_it_is_stored():
    ris = "".join(render([stored("a", ["张 伟", "李娜"], title="T")], ".ris")).splitlines()
    assert [line[6:] for line in ris if line.startswith("AU")] == ["张 伟", "李娜"]


def test_a_name_that_begins_with_the_family_name_is_not_inverted():
    papers = [stored("a", ["Bern, Z.", "R. S. Van Dyck, Jr."], title="T")]
    ris = "".join(render(papers, ".ris")).splitlines()
    assert [line[6:] for line in ris if line.startswith("AU")] == [
        "Bern, Z.",
        "Dyck, R. S. Van, Jr.",
    ]
    [item] = json.loads("".join(render(papers, ".json")))
    assert item["author"][0] == {"family": "Bern", "given": "Z."}


def test_a_citation_key_is_the_same_in_all_formats():
    key = {"a": Annotation("Light 2011")}
    papers = [stored("a", [], title="T")]
    texts = ["".join(render(papers, suffix, key)) for suffix in STYLES]
    assert all(citation_key("Light 2011") in text for text in texts)


def test_the_suffix_of_a_name_is_not_its_family_name():
    names = ["Martin Luther King, Jr.", "William van der Berg III"]
    names += ["Smith and Sons Jr.", "Ada King"]
    [(_, _, fields)] = read(entry(stored("a", names, title="T")))
    assert fields["author"] == (
        "King, Jr., Martin Luther and van der Berg, III, William"
        " and {Smith and Sons Jr.} and Ada King"
    )
