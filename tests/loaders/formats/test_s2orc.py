"""Read S2ORC and the Open Research Corpus.

The samples are synthetic. They follow the example record on the Open Research Corpus's page, the
schemas in the README of S2ORC (release 2020-07-05), the sample record of its release of 2019, and
doc2json/s2orc.py of s2orc-doc2json.
"""

import json
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue, UnknownField
from specter_graph.loaders.formats.s2orc import KEYS, convert, read_s2orc
from specter_graph.loaders.parsing.plain_text import Sentences
from specter_graph.loaders.records import (
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Paper,
    Venue,
)
from tests.loaders.results import count_records

SAMPLES = Path(__file__).with_name("samples")
A, B, C, D = (sha1(name.encode()).hexdigest() for name in "abcd")
BODY = (
    "Introduction\n\nDogs are happier cats [13, 15]. See Fig. 3 for a diagram by Smith et al."
    " (2012).\n\nEyes differ [13].\n\nMethods\n\nWe looked."
)
DOGS = ("Dogs are happier cats [13, 15].", "Eyes differ [13].")
DIAGRAM = ("See Fig. 3 for a diagram by Smith et al. (2012).",)

ODD: list[Any] = [None, True, 0, -1, 10**18, 1.5, "", " ", "x", "2000", "9" * 30, [], {}]
ODD += [[odd] for odd in ODD] + [{"name": odd, "text": odd, "last": odd} for odd in ODD]
ODD += [[odd, "x"] for odd in ODD] + [{"B": odd} for odd in ODD]
JSON = st.sampled_from(ODD)
SPANS = st.lists(
    st.fixed_dictionaries(
        {"ref_id": st.sampled_from(["B", "C"]) | JSON, "start": JSON, "end": JSON}
    ),
    max_size=2,
)
PARAGRAPHS = st.lists(
    st.fixed_dictionaries({"text": st.text(max_size=9) | JSON, "cite_spans": SPANS | JSON}),
    max_size=2,
)
LINKS = st.fixed_dictionaries({"B": st.fixed_dictionaries({"link": st.text(max_size=3) | JSON})})
PARSE = st.fixed_dictionaries({}, optional={"body_text": PARAGRAPHS, "bib_entries": LINKS | JSON})


def read(name: str) -> list[tuple[int, ParseResult]]:
    return list(read_s2orc(SAMPLES / name))


def test_a_record_of_the_open_research_corpus():
    assert read("s2orc_orc.jsonl") == [
        (1, Citation(f"s2:{B}", f"s2:{A}")),
        (
            1,
            Paper(
                id=f"s2:{A}",
                title="Couplets from a Grammar of Rhymes",
                abstract="We write couplets with a grammar.",
                year=2016,
                url=f"https://semanticscholar.org/paper/{A}",
                source="semantic scholar",
                identifiers=(
                    Identifier("s2", A),
                    Identifier("doi", "10.1093/llc/fqu052"),
                    Identifier("pmid", "25531098"),
                    Identifier("mag", "2103841220"),
                ),
                authors=(
                    Author("s2:1741101", "Li Wei", identified=True),
                    Author("s2:B. Baker", "B. Baker"),
                ),
                venue=Venue("s2:DSH", "DSH"),
                fields=(
                    Field("mag", "Computer Science", "Computer Science"),
                    Field("mag", "Art", "Art"),
                    Field(
                        "s2-entity", "Natural language generation", "Natural language generation"
                    ),
                    Field("s2-entity", "Web application", "Web application"),
                ),
                references=(f"s2:{C}", f"s2:{D}"),
            ),
        ),
        (
            2,
            Paper(
                id=f"s2:{B}",
                title="On Couplets",
                url=f"http://semanticscholar.org/paper/{B}",
                source="semantic scholar",
                identifiers=(Identifier("s2", B), Identifier("doi", "10.1000/verse.2")),
                venue=Venue("s2:Verse", "Verse"),
                fields=(Field("keyword", "Couplet", "Couplet"),),
                references=(f"s2:{A}",),
            ),
        ),
    ]


def test_the_metadata_of_s2orc():
    assert read("s2orc_metadata.jsonl") == [
        (1, Citation("s2:11922467", "s2:77490025")),
        (1, Citation("s2:32995889", "s2:77490025")),
        (
            1,
            Paper(
                id="s2:77490025",
                title="Muscles of the Eye in Strabismus",
                abstract="OBJECTIVE: To look.\nRESULTS: We saw.",
                year=1975,
                url="https://api.semanticscholar.org/CorpusID:77490025",
                source="semantic scholar",
                identifiers=(
                    Identifier("s2corpus", "77490025"),
                    Identifier("doi", "10.1673/031.001.0701"),
                    Identifier("arxiv", "hep-ph/9901001"),
                    Identifier("pmid", "15455067"),
                    Identifier("pmcid", "PMC355891"),
                    Identifier("mag", "2426173123"),
                    Identifier("acl", "P18-1001"),
                ),
                authors=(
                    Author("s2:Nina P. Q. Zhukova Jr.", "Nina P. Q. Zhukova Jr."),
                    Author("s2:Ma", "Ma"),
                ),
                venue=Venue("s2:Journal of Eyes", "Journal of Eyes"),
                fields=(Field("mag", "Medicine", "Medicine"),),
                references=("s2:18980380",),
            ),
        ),
        (
            2,
            Paper(
                id="s2:77490084",
                title="A Paper of Which Little Is Known",
                source="semantic scholar",
                identifiers=(Identifier("s2corpus", "77490084"),),
            ),
        ),
    ]


def test_separate_full_text_gives_the_citing_sentences():
    assert read("s2orc_pdf_parses.jsonl") == [
        (1, Citation("s2:77490025", "s2:18980380", contexts=DIAGRAM)),
        (1, Citation("s2:77490025", "s2:19000000", contexts=DOGS)),
    ]


def test_a_record_of_2019_is_a_paper_with_its_full_text():
    assert read("s2orc_2019.json") == [
        (
            1,
            Paper(
                id="s2:10042064",
                title="Unions and Foreign Investment",
                abstract="We study unions.",
                year=2000,
                source="semantic scholar",
                body=BODY,
                identifiers=(
                    Identifier("s2corpus", "10042064"),
                    Identifier("doi", "10.1111/1468-0297.00522"),
                ),
                authors=(
                    Author(
                        "s2:Dermot Leahy",
                        "Dermot Leahy",
                        affiliations=(
                            Affiliation("s2:University of Dundee", "University of Dundee"),
                        ),
                    ),
                ),
                venue=Venue("s2:The Economic Journal", "The Economic Journal"),
                references=("s2:15772371",),
                citations=(Citation("s2:10042064", "s2:15772371", contexts=DOGS),),
            ),
        )
    ]


def test_the_output_of_doc2json_for_a_pdf_is_a_paper_with_its_full_text():
    [(line, paper)] = read("s2orc_doc2json.json")
    assert line == 1
    assert paper == Paper(
        id="s2:N18-3011",
        title="The Literature Graph, Again",
        abstract="We look at eyes.",
        year=2018,
        source="semantic scholar",
        body=BODY,
        authors=(Author("s2:Waleed Ammar", "Waleed Ammar"),),
        references=("s2:18980380", "s2:19000000"),
        citations=(
            Citation("s2:N18-3011", "s2:18980380", contexts=DIAGRAM),
            Citation("s2:N18-3011", "s2:19000000", contexts=DOGS),
        ),
    )


def test_links_of_the_bibliography_are_references_too():
    record = {"paper_id": "1", "title": "T", "outbound_citations": ["2", "3"]}
    bibliography = {"BIBREF0": {"link": "3"}, "BIBREF1": {"link": "4"}, "BIBREF2": {"link": None}}
    [paper] = convert({**record, "pdf_parse": {"bib_entries": bibliography}})
    assert isinstance(paper, Paper)
    assert paper.references == ("s2:2", "s2:3", "s2:4")


def test_rejects_have_reasons():
    result = read("s2orc_malformed.jsonl")
    rejected = [(n, p.reason) for n, p in result if isinstance(p, RecordIssue) and not p.repaired]
    assert rejected[:-1] == [
        (1, "title is empty"),
        (2, "id is missing"),
        (3, "title is missing"),
        (4, "title is missing"),
    ]
    assert rejected[-1][0] == 7
    repaired = {(n, p.id, p.reason) for n, p in result if isinstance(p, RecordIssue) and p.repaired}
    assert repaired == {
        *(
            (5, f"s2:{B}", f"left out: {reason}")
            for reason in (
                "inCitations must hold texts, not a number",
                "the paper is among those that cite it",
                "outCitations must be a list of texts, not text",
                "an author without a name",
                "ids must hold texts, not a number",
                "year True is not a year",
                "'nothing' is not a valid DOI identifier",
            )
        ),
        *(
            (6, "s2:9", f"left out: {reason}")
            for reason in (
                "an author without a name",
                "middle must be a list of texts, not text",
                "year 'n.d.' is not a year",
                "body_text must hold objects, not text",
                "paragraphs of body_text without a text: 1",
                "a citation with a position outside its paragraph",
                "the bibliography's entry C has no usable link",
                "the bibliography's entry D has no usable link",
            )
        ),
    }
    assert [p for _, p in result if isinstance(p, Paper)] == [
        Paper(
            id=f"s2:{B}",
            title="Half of It",
            source="semantic scholar",
            identifiers=(Identifier("s2", B),),
            authors=(Author("s2:N", "N"),),
        ),
        Paper(
            id="s2:9",
            title="Half of the Text",
            source="semantic scholar",
            body="Cited [1].",
            identifiers=(Identifier("s2corpus", "9"),),
            references=("s2:8",),
            citations=(Citation("s2:9", "s2:8", contexts=("Cited [1].",)),),
        ),
    ]


def test_only_unknown_keys_are_reported(tmp_path: Path):
    known = dict.fromkeys(KEYS)
    path = tmp_path / "papers.jsonl"
    path.write_text(json.dumps({**known, "paper_id": "1", "title": "T", "colour": 1}))
    assert [item for _, item in read_s2orc(path) if not isinstance(item, Paper)] == [
        UnknownField("colour")
    ]


@given(st.dictionaries(st.sampled_from(sorted(KEYS - {"paper_id"})), JSON, max_size=8))
def test_any_record_by_sha_is_a_paper_or_a_reasoned_reject(record: dict[str, Any]):
    assert count_records(converted({"id": "i", "title": "T", **record})) == 1


@given(
    st.dictionaries(st.sampled_from(sorted(KEYS - {"metadata"})), JSON, max_size=8),
    st.fixed_dictionaries(
        {},
        optional={"pdf_parse": PARSE, "body_text": PARAGRAPHS, "abstract": PARAGRAPHS | JSON},
    ),
)
def test_any_record_by_number_is_a_paper_or_a_reasoned_reject(
    record: dict[str, Any], parse: dict[str, Any]
):
    result = converted({"paper_id": "1", "title": "T", **record, **parse})
    assert count_records(result) == 1
    for paper in result:
        if isinstance(paper, Paper):
            assert {citation.cited for citation in paper.citations} <= set(paper.references)


def converted(record: dict[str, Any]) -> list[ParseResult]:
    try:
        return list(convert(record))
    except RecordError as error:
        return [RecordIssue(str(error), error.id)]


@pytest.mark.parametrize(
    ("text", "marker", "sentence"),
    [
        ("One [1]. Two [2]! Three [3]?", "[2]", "Two [2]!"),
        ("See Smith et al. Their work (cf. Fig. 2) is [1]. End.", "[1]", None),
        ("J. K. Rowling wrote [1]. It sold.", "[1]", "J. K. Rowling wrote [1]."),
        ("Title\n\nNo stop here [1]\n\nNext", "[1]", "No stop here [1]"),
        ("it was 3.5 m [1]. then more", "[1]", "it was 3.5 m [1]. then more"),
        ("It is so. [1] Next.", "[1]", "It is so. [1] Next."),
    ],
)
def test_the_sentence_around_a_marker(text: str, marker: str, sentence: str | None):
    start = text.index(marker)
    expected = sentence or text.removesuffix(" End.")
    assert Sentences(text).around(start, start + len(marker)) == expected
