"""Read JATS; the samples follow the JATS Archiving Tag Library 1.3, as used by PLOS, eLife, PMC."""

import gzip
import io
import re
import tarfile
from pathlib import Path

import pytest

from specter_graph.loaders.format_api import UnknownField
from specter_graph.loaders.formats.jats import read_jats
from specter_graph.loaders.records import (
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Paper,
    Venue,
)
from tests.loaders.results import papers, problems

SAMPLES = Path(__file__).parent / "samples"
ARTICLE = (SAMPLES / "jats.xml").read_bytes()

ANTS = "Department of Ants, University of Nowhere, Nowhere"
"""Affiliation of the first authors of the sample."""


def paper_of(path: Path, meta: str = "", body: str = "", back: str = "") -> Paper:
    path.write_text(
        f"""<article><front><article-meta><article-id pub-id-type="doi">10.1000/this</article-id>
<title-group><article-title>T</article-title></title-group>{meta}</article-meta></front>
<body>{body}</body><back>{back}</back></article>""",
        "utf-8",
    )
    [(_, paper)] = read_jats(path)
    assert isinstance(paper, Paper)
    return paper


def test_every_element_of_an_article_is_read():
    doi = "doi:10.1371/journal.imag.0000001"
    [(line, paper)] = read_jats(SAMPLES / "jats.xml")
    assert line == 3
    assert paper == Paper(
        id=doi,
        title="How ants count to 103: A field study",
        abstract="Background: Ants walk. Ants talk.\n\nFindings: They count n=3 things.",
        year=2017,
        published="2017-12-07",
        language="en",
        source="jats",
        body=(
            "Introduction\n\n"
            "Ants are many [1]. Smith et al. counted them [1, 2]. Nobody else did.\n\n"
            "Counting is hard.2\u20134 See Fig. 1.\n\n"
            "An ant.\n\nDrawn from life.\n\nAnts by number.\n\nMethods\n\nWe looked.\n\nWe counted."
        ),
        identifiers=(
            Identifier("doi", "10.1371/journal.imag.0000001"),
            Identifier("doi", "10.1371/journal.imag.0000001.v2"),
        ),
        authors=(
            Author(
                "orcid:0000-0002-1825-0097",
                "Ada B. Lovelace Jr",
                identified=True,
                orcid="0000-0002-1825-0097",
                affiliations=(Affiliation(f"jats:{ANTS}", ANTS),),
            ),
            Author(
                "jats:Wei Li",
                "Wei Li",
                affiliations=(
                    Affiliation(f"jats:{ANTS}", ANTS),
                    Affiliation("ror:02nr0ka47", "Institute of Numbers"),
                ),
            ),
            Author("jats:The Ant Group", "The Ant Group"),
        ),
        venue=Venue("issn:1932-6203", "Imagined Science"),
        fields=(
            Field("jats-subject", "Research Article", "Research Article"),
            Field("jats-subject", "Biology", "Biology"),
            Field("jats-subject", "Genetics", "Genetics", ("Biology",)),
            Field("keyword", "ants", "ants"),
            Field("keyword", "Formica rufa", "Formica rufa"),
            Field("article-type", "research-article", "research-article"),
        ),
        references=(
            "doi:10.1000/ants.1",
            "doi:10.1000/bees.2",
            "doi:10.1000/wasps.4",
            "arxiv:1706.03762",
            "doi:10.1000/flies.5",
        ),
        citations=(
            Citation(
                doi,
                "doi:10.1000/ants.1",
                contexts=("Ants are many [1].", "Smith et al. counted them [1, 2]."),
            ),
            Citation(
                doi,
                "doi:10.1000/bees.2",
                contexts=("Smith et al. counted them [1, 2].", "Counting is hard.2\u20134"),
            ),
            Citation(doi, "doi:10.1000/wasps.4", contexts=("Counting is hard.2\u20134",)),
        ),
    )


def test_articles_of_pubmed_central_and_their_references_have_pubmed_ids():
    first, second = papers(list(read_jats(SAMPLES / "jats.pmc-articleset.xml")))
    both = "Machines imagine (Smith, 1999; Jones, 2001)."
    machines = (Affiliation("jats:Institute of Machines", "Institute of Machines"),)
    assert first == Paper(
        id="pmid:9000001",
        title="An article of PubMed Central",
        abstract="Short and plain.",
        year=2018,
        published="2018",
        language="en",
        source="jats",
        body=f"{both} Brown (2002) does not. They do.",
        retracted=True,
        identifiers=(
            Identifier("pmcid", "PMC6000001"),
            Identifier("pmid", "9000001"),
            Identifier("doi", "10.1000/jim.2018.1"),
        ),
        authors=(
            Author("jats:A Turing", "A Turing", affiliations=machines),
            Author("jats:Grace Hopper", "Grace Hopper", affiliations=machines),
        ),
        venue=Venue("jats:Journal of Imagination", "Journal of Imagination"),
        fields=(
            Field("keyword", "AI", "AI"),
            Field("keyword", "artificial imagination", "artificial imagination"),
            Field("article-type", "research-article", "research-article"),
        ),
        references=("pmid:2200001", "pmid:2200002", "doi:10.1000/three"),
        citations=(
            Citation("pmid:9000001", "pmid:2200001", contexts=(both,)),
            Citation("pmid:9000001", "pmid:2200002", contexts=(both,)),
            Citation("pmid:9000001", "doi:10.1000/three", contexts=("Brown (2002) does not.",)),
        ),
    )
    assert second == Paper(
        id="pmcid:PMC6000002",
        title="An editorial",
        source="jats",
        identifiers=(Identifier("pmcid", "PMC6000002"),),
        fields=(Field("article-type", "editorial", "editorial"),),
    )


@pytest.mark.parametrize(
    ("institutions", "name"),
    [
        (
            '<institution content-type="dept">Ants</institution>,'
            "<institution>University, </institution>",
            "University",
        ),
        ("<institution>Ants</institution><institution>University</institution>", "University"),
        (
            "<institution>University.</institution>"
            '<institution content-type="Division">Ants</institution>',
            "University",
        ),
    ],
)
def test_an_institution_has_its_own_name_without_departments(
    tmp_path: Path, institutions: str, name: str
):
    ror = '<institution-id institution-id-type="ROR">https://ror.org/02nr0ka47</institution-id>'
    meta = f"""<contrib-group><contrib><name><surname>Turing</surname></name>
<aff><institution-wrap>{ror}{institutions}</institution-wrap></aff></contrib></contrib-group>"""
    [author] = paper_of(tmp_path / "a.xml", meta).authors
    assert author.affiliations == (Affiliation("ror:02nr0ka47", name),)


@pytest.mark.parametrize("kind", ["orcid", "ORCID", "Orcid"])
def test_an_orcid_is_read_with_any_spelling_of_its_type(tmp_path: Path, kind: str):
    meta = f"""<contrib-group><contrib><name><surname>Turing</surname></name>
<contrib-id contrib-id-type="{kind}">0000-0002-1825-0097</contrib-id></contrib></contrib-group>"""
    [author] = paper_of(tmp_path / "a.xml", meta).authors
    assert author.orcid == "0000-0002-1825-0097"


@pytest.mark.parametrize(
    ("reference", "doi"),
    [
        ('<ext-link xlink:href="https://x.org/doi/10.1000/a/abstract"/>', "10.1000/a"),
        ('<ext-link xlink:href="https://x.org/doi/10.1000/a/full?src=b#c"/>', "10.1000/a"),
        ('<ext-link xlink:href="https://x.org/doi/pdf/10.1000/a.pdf/epdf"/>', "10.1000/a.pdf"),
        ('<ext-link xlink:href="https://x.org/show?doi=10.1000%2Fa&amp;b=c"/>', "10.1000/a"),
        ("<uri>https://doi.org/10.1000/a%2805%2967889-1.</uri>", "10.1000/a(05)67889-1"),
        ("<uri>https://doi.org/10.1000/a%28b%29</uri>", "10.1000/a(b)"),
        ("See doi: https://doi.org/10.1000/A.", "10.1000/a"),
        ("See DOI:http://dx.doi.org/10.1000/a, or not", "10.1000/a"),
        ("See doi:10.1000/a (2001)", "10.1000/a"),
    ],
)
def test_the_doi_of_a_link_ends_where_the_doi_ends(tmp_path: Path, reference: str, doi: str):
    space = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    back = f'<ref-list {space}><ref id="r1"><citation>{reference}</citation></ref></ref-list>'
    assert paper_of(tmp_path / "a.xml", back=back).references == (f"doi:{doi}",)


REFERENCES = "".join(
    f'<ref id="r{n}"><citation><pub-id pub-id-type="doi">10.1000/{n}</pub-id></citation></ref>'
    for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("paragraph", "contexts"),
    [
        ("It is so [{1}]. But why?", {1: ["It is so [1]."]}),
        ("It is so.{1} But why?", {1: ["It is so.1"]}),
        ("It is so. [{1}] But why?", {1: ["It is so. [1]"]}),
        ("It is so.<sup>{1},{2}</sup> But why?", {1: ["It is so.1,2"], 2: ["It is so.1,2"]}),
        ("First. See {1}, e.g. {2}. Last.", {1: ["See 1, e.g. 2."], 2: ["See 1, e.g. 2."]}),
        (
            "We differ from [{1}]\u2013[{3}]. So.",
            {n: ["We differ from [1]\u2013[3]."] for n in (1, 2, 3)},
        ),
        ("A.<xref ref-type='bibr' rid='r1 r2'/>", {1: ["A."], 2: ["A."]}),
        ("B <xref ref-type='fig' rid='r1'>1</xref>.", {}),
        ("<list><list-item><p>One {1}.</p></list-item></list>", {1: ["One 1."]}),
    ],
)
def test_contexts_are_the_sentences_that_cite(
    tmp_path: Path, paragraph: str, contexts: dict[int, list[str]]
):
    cite = "<xref ref-type='bibr' rid='r{0}'>{0}</xref>"
    for number in range(1, 4):
        paragraph = paragraph.replace(f"{{{number}}}", cite.format(number))
    body = f"<p>{paragraph}</p>"
    paper = paper_of(tmp_path / "a.xml", body=body, back=f"<ref-list>{REFERENCES}</ref-list>")
    assert {c.cited: list(c.contexts) for c in paper.citations} == {
        f"doi:10.1000/{number}": sentences for number, sentences in contexts.items()
    }


def test_a_long_sentence_is_shortened_around_the_citation(tmp_path: Path):
    cite = "<xref ref-type='bibr' rid='r1'>[1]</xref>"
    body = f"<p>{'so ' * 1_000}{cite}{' and' * 1_000}</p>"
    paper = paper_of(tmp_path / "a.xml", body=body, back=f"<ref-list>{REFERENCES}</ref-list>")
    [context] = paper.citations[0].contexts
    assert len(context) <= 1_000
    assert "so so [1] and and" in context


def test_a_paper_does_not_cite_itself_in_details(tmp_path: Path):
    back = '<ref-list><ref id="r1"><pub-id pub-id-type="doi">10.1000/THIS</pub-id></ref></ref-list>'
    body = "<p>See <xref ref-type='bibr' rid='r1'>1</xref>.</p>"
    paper = paper_of(tmp_path / "a.xml", body=body, back=back)
    assert (paper.references, paper.citations) == (("doi:10.1000/this",), ())


def test_malformed_articles_are_rejected_and_malformed_values_ignored():
    result = list(read_jats(SAMPLES / "jats.malformed.xml"))
    assert papers(result) == [
        Paper(
            id="jats:X3",
            title="Repaired",
            source="jats",
            body="See 1 and 2 and 3.",
            authors=(Author("jats:Turing", "Turing"),),
        )
    ]
    nothing = "no article-id is a DOI, a PubMed id or a publisher's id"
    assert problems(result) == [
        (3, None, nothing, False),
        (4, "doi:10.1000/2", "title is missing", False),
        (5, "jats:X3", "left out: doi no doi is not valid", True),
        (5, "jats:X3", "left out: pmid none is not valid", True),
        (5, "jats:X3", "left out: pub-date 199x has no year", True),
        (5, "jats:X3", "left out: an author without a name", True),
        (5, "jats:X3", "left out: orcid none is not valid", True),
        (
            18,
            None,
            "the XML is broken: Opening and ending tag mismatch: article-meta line 1 and front",
            False,
        ),
    ]
    assert [item.key for _, item in result if isinstance(item, UnknownField)] == ["novelty"]


def test_packages_of_pubmed_central_are_read_without_unpacking(tmp_path: Path):
    path = tmp_path / "oa_comm_xml.PMC000xxxxxx.baseline.tar.gz"
    with tarfile.open(path, "w:gz") as package:
        for number in range(3):
            information = tarfile.TarInfo(f"PMC000xxxxxx/PMC{number}.xml")
            information.size = len(ARTICLE)
            package.addfile(information, io.BytesIO(ARTICLE))
    result = list(read_jats(path))
    assert [item for _, item in result] == [next(read_jats(SAMPLES / "jats.xml"))[1]] * 3


def test_articles_with_a_namespace_and_in_other_documents_are_read(tmp_path: Path):
    """PubMed Central's OAI-PMH service has this layout."""
    start = ARTICLE.index(b"<article ")
    article = ARTICLE[start:].replace(
        b"<article ", b'<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/" ', 1
    )
    path = tmp_path / "oai.xml.gz"
    path.write_bytes(gzip.compress(b"<OAI-PMH><record>%b</record></OAI-PMH>" % article))
    [(_, paper)] = read_jats(path)
    assert paper == next(read_jats(SAMPLES / "jats.xml"))[1]


def test_a_formula_in_a_document_of_tex_is_between_dollar_signs(tmp_path: Path):
    tex = rb"\documentclass{minimal}\begin{document}$$\beta$$\end{document}"
    formula = b"<inline-formula><tex-math>%b</tex-math></inline-formula>" % tex
    path = tmp_path / "formula.xml"
    title = b"<article-title>%b Pictoris</article-title>" % formula
    before, _, after = re.split(b"(<article-title>.*?</article-title>)", ARTICLE, maxsplit=1)
    path.write_bytes(before + title + after)
    [(_, paper)] = read_jats(path)
    assert paper.title == r"$\beta$ Pictoris: A field study"
