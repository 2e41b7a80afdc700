"""Read Semantic Scholar: the Datasets API and the Graph API.

The samples are synthetic. They follow the sample files of the Datasets API (papers, abstracts,
citations, s2orc) and their README.txt, and the schemas of the Academic Graph API (FullPaper,
BasePaper, Citation).
"""

import json
import re
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders.format_api import RecordIssue
from specter_graph.loaders.formats import s2, s2_scidocs, s2orc
from specter_graph.loaders.parsing.json import first_object
from specter_graph.loaders.records import (
    Abstract,
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Paper,
    Venue,
)
from tests.loaders.results import s2_items, s2_reasons, s2_sample

SAMPLES = Path(__file__).with_name("samples")
DOCS = Path(__file__).parents[3] / "docs/formats/semantic-scholar.md"
A, B, C, D = (sha1(name.encode()).hexdigest() for name in "abcd")
SOURCE = "semantic scholar"
SEPARATE = ("abstract", "references")
SEA = Venue("s2:1e33b3be-b2ab-46e9-96e8-d4eb4bad6e44", "Annual Meeting of the Sea")
COMPUTING = Field("mag", "Computer Science", "Computer Science")

GRAPH_PAPER = Paper(
    id=f"s2:{A}",
    title="The Graph of the Deep Sea",
    abstract="We draw a graph.",
    year=2020,
    published="2020-07-01",
    url=f"https://www.semanticscholar.org/paper/{A}",
    source=SOURCE,
    identifiers=(
        Identifier("s2", A),
        Identifier("s2corpus", "215416146"),
        Identifier("mag", "3015453090"),
        Identifier("dblp", "conf/acl/LoWNKW20"),
        Identifier("acl", "2020.acl-main.447"),
        Identifier("doi", "10.18653/v1/2020.acl-main.447"),
    ),
    authors=(
        Author(
            "s2:1741101",
            "Oren Etzioni",
            identified=True,
            orcid="0000-0002-1825-0097",
            affiliations=(Affiliation("ror:05w520734", "Allen Institute for AI"),),
        ),
        Author("s2:N. O. Body", "N. O. Body", affiliations=(Affiliation("s2:Nowhere", "Nowhere"),)),
    ),
    venue=SEA,
    fields=(COMPUTING, Field("s2", "Linguistics", "Linguistics")),
    references=(f"s2:{C}", f"s2:{D}"),
    citations=(
        Citation(
            f"s2:{A}",
            f"s2:{D}",
            intents=("background",),
            influential=True,
            contexts=("As shown (C, 2019).",),
        ),
    ),
)
BARE_PAPER = Paper(
    id=f"s2:{B}",
    title="On Couplets",
    source=SOURCE,
    identifiers=(Identifier("s2", B),),
    elsewhere=SEPARATE,
)

ODD: list[Any] = [None, True, 0, -1, 10**18, 1.5, "", " ", "x", "2000", "9" * 30, [], {}]
ODD += [[odd] for odd in ODD] + [{"name": odd, "text": odd, "DOI": odd} for odd in ODD]
ODD += [[{"paperId": odd, "name": odd, "category": odd, "authorId": odd}] for odd in ODD[:13]]
ODD += ['[{"start": 0, "end": 3}]', "[1]", {"text": "abc", "annotations": {"title": "[null"}}]
ODD += [
    {"text": "abc", "annotations": dict.fromkeys(("bibref", "bib_entry", "title"), n)}
    for n in (
        '[{"start": 0, "end": 3, "attributes": {"matched_paper_id": 1}}]',
        [{"start": -1}],
        [[]],
    )
]
JSON = st.sampled_from(ODD)


def test_papers_of_the_datasets_api():
    assert s2_sample("s2_papers.jsonl") == [
        (
            1,
            Paper(
                id="s2:108228682",
                title="S2ORC of the Deep Sea",
                year=2020,
                published="2020-07-01",
                url=f"https://www.semanticscholar.org/paper/{A}",
                source=SOURCE,
                identifiers=(
                    Identifier("s2", A),
                    Identifier("acl", "2020.acl-main.447"),
                    Identifier("dblp", "conf/acl/LoWNKW20"),
                    Identifier("arxiv", "1911.02782"),
                    Identifier("mag", "3015453090"),
                    Identifier("s2corpus", "108228682"),
                    Identifier("pmid", "36793855"),
                    Identifier("doi", "10.18653/v1/2020.acl-main.447"),
                    Identifier("pmcid", "PMC9925312"),
                ),
                authors=(
                    Author("s2:93500598", "Raid Thanoon", identified=True),
                    Author("s2:K. Lo", "K. Lo"),
                ),
                venue=SEA,
                fields=(
                    COMPUTING,
                    Field("s2", "Computer Science", "Computer Science"),
                    Field("s2", "Linguistics", "Linguistics"),
                ),
                elsewhere=SEPARATE,
            ),
        ),
        (
            2,
            Paper(
                id="s2:198185421",
                title="Ramp Meters",
                url=f"https://www.semanticscholar.org/paper/{B}",
                source=SOURCE,
                identifiers=(Identifier("s2", B), Identifier("s2corpus", "198185421")),
                elsewhere=SEPARATE,
            ),
        ),
    ]


def test_abstracts_of_the_datasets_api():
    assert s2_sample("s2_abstracts.jsonl") == [(1, Abstract("s2:108228682", "The sea is deep."))]


def test_citations_of_the_datasets_api_have_intents_as_one_list_or_one_per_context():
    assert s2_sample("s2_citations.jsonl") == [
        (1, Citation("s2:20187272", "s2:85219962", influential=False)),
        (
            3,
            Citation(
                "s2:137637233",
                "s2:137269084",
                intents=("methodology",),
                influential=True,
                contexts=("Praised for its creep [55].", "The composition was given [55]."),
            ),
        ),
        (
            4,
            Citation(
                "s2:250249834",
                "s2:52006602",
                intents=("methodology", "result"),
                influential=False,
                contexts=("We compare [3].",),
            ),
        ),
        (5, RecordIssue("left out: 1 citation of papers that have no corpus id", repaired=True)),
    ]


def test_full_text_of_the_datasets_api():
    body = json.loads((SAMPLES / "s2_full_text.jsonl").read_text())["content"]["text"].strip()
    assert s2_sample("s2_full_text.jsonl") == [
        (
            1,
            Paper(
                id="s2:256868338",
                title="Solidarity and Stability",
                abstract="Agents form coalitions.",
                source=SOURCE,
                body=body,
                identifiers=(
                    Identifier("arxiv", "2302.07618"),
                    Identifier("s2corpus", "256868338"),
                ),
                authors=(
                    Author("s2:Jorge Alcalde", "Jorge Alcalde"),
                    Author("s2:Elena I Inarra", "Elena I Inarra"),
                ),
                references=("s2:85219962",),
                citations=(
                    Citation(
                        "s2:256868338",
                        "s2:85219962",
                        contexts=("Solidarity is old (Thomson, 2021).",),
                    ),
                ),
            ),
        )
    ]


def test_full_text_of_the_second_kind():
    assert s2_sample("s2_full_text_v2.jsonl") == [
        (
            1,
            Paper(
                id="s2:12345",
                title="Example Trial",
                source=SOURCE,
                body="Introduction\nMelatonin helped [1]. Sleep improved.",
                identifiers=(Identifier("doi", "10.1000/trial"), Identifier("s2corpus", "12345")),
                authors=(Author("s2:17", "A. Uthor", identified=True),),
                references=("s2:777",),
                citations=(
                    Citation(
                        "s2:12345", "s2:777", contexts=("Introduction\nMelatonin helped [1].",)
                    ),
                ),
            ),
        )
    ]


def test_papers_of_the_graph_api_in_lines():
    assert s2_sample("s2_graph_papers.jsonl") == [
        (1, Citation(f"s2:{B}", f"s2:{A}")),
        (1, GRAPH_PAPER),
        (2, BARE_PAPER),
    ]


@pytest.mark.parametrize("name", ["s2_graph_batch.json", "s2_graph_page.jsonl"])
def test_a_response_of_the_graph_api_has_the_same_papers(name: str):
    papers = [item for _, item in s2_sample(name) if isinstance(item, Paper)]
    assert papers == [GRAPH_PAPER, BARE_PAPER]


def test_a_paper_unknown_to_the_api_is_a_reject():
    assert s2_reasons([item for _, item in s2_sample("s2_graph_batch.json")]) == [
        "this is not a JSON object"
    ]


def test_reading_a_page_continues_after_an_invalid_paper():
    page = {"data": [None, {"paperId": "1"}, {"paperId": "2", "title": "T"}]}
    result = s2_items(json.dumps(page))
    assert s2_reasons(result) == ["an entry of the page must be an object", "title is missing"]
    assert [item.id for item in result if isinstance(item, Paper)] == ["s2:2"]


def test_fields_that_were_not_requested_are_marked_as_elsewhere():
    record = {"paperId": "1", "title": "T", "abstract": None}
    [paper] = s2_items(json.dumps(record))
    assert isinstance(paper, Paper)
    assert paper.elsewhere == ("references",)


def test_a_paper_has_the_id_of_references_to_it():
    citing = {"paperId": A, "title": "T", "references": [{"paperId": B, "corpusId": 7}]}
    cited = {"paperId": B, "corpusId": 7, "externalIds": {"CorpusId": 7}, "title": "U"}
    one, other = s2_items(f"{json.dumps(citing)}\n{json.dumps(cited)}\n")
    assert isinstance(one, Paper)
    assert isinstance(other, Paper)
    assert one.references == (other.id,)
    assert Identifier("s2corpus", "7") in other.identifiers


def test_rejects_have_reasons():
    result = s2_sample("s2_malformed.jsonl")
    rejected = [
        (n, p.id, p.reason) for n, p in result if isinstance(p, RecordIssue) and not p.repaired
    ]
    assert [entry[:2] for entry in rejected] == [
        (1, None),
        (2, None),
        (3, "s2:5"),
        (5, "s2:1"),
        (7, "s2:1"),
        (8, None),
        (9, None),
        (10, None),
        (11, None),
    ]
    assert [reason for _, _, reason in rejected][:5] == [
        "corpusid is missing",
        "corpusid 'x1' is not a corpus id",
        "title is empty",
        "citedcorpusid 2.5 is not a corpus id",
        "abstract is missing",
    ]
    assert rejected[6][2] == "this is not a paper, abstract or citation of Semantic Scholar"
    assert rejected[7][2].startswith("an answer to /references or /citations does not contain")
    repaired = {(n, p.reason) for n, p in result if isinstance(p, RecordIssue) and p.repaired}
    assert repaired == {
        *(
            (4, f"left out: {reason}")
            for reason in (
                "url must be text, not a number",
                "journal must be an object, not text",
                "year '199x' is not a year",
                "'none' is not a valid DOI identifier",
                "a list is not a valid MAG identifier",
                "authors must hold objects, not text",
                "an author without a name",
                "venue must be text, not a list",
                "s2fieldsofstudy must hold objects, not a number",
                "category must be text, not a number",
            )
        ),
        (6, "left out: isinfluential must be true or false"),
        (6, "left out: an intent that is not text"),
        (6, "left out: contexts must hold texts, not a number"),
    }
    assert [item for _, item in result if not isinstance(item, RecordIssue)] == [
        Paper(
            id="s2:6",
            title="Half of It",
            source=SOURCE,
            identifiers=(Identifier("s2corpus", "6"),),
            authors=(Author("s2:9", "Y", identified=True),),
            elsewhere=SEPARATE,
        ),
        Citation("s2:1", "s2:2", intents=("a", "b"), contexts=("c",)),
    ]


def test_a_paper_among_its_own_citations_is_ignored():
    record = {"paperId": "1", "title": "T", "citations": [{"paperId": "1"}, {"paperId": "2"}]}
    result = s2_items(json.dumps(record))
    assert Citation("s2:2", "s2:1") in result
    assert s2_reasons(result) == ["left out: the paper is among those that cite it"]


@pytest.mark.parametrize("keys", [s2.KEYS, s2_scidocs.KEYS, s2orc.KEYS])
def test_the_docs_describe_every_key(keys: set[str]):
    documented = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", DOCS.read_text()))))
    assert documented >= keys


def test_the_recognized_layout_is_reported():
    def seen(name: str) -> str | None:
        return s2.detect(name, (SAMPLES / name).read_bytes())

    assert seen("s2_citations.jsonl") == "Semantic Scholar Datasets API, citations"
    assert seen("s2_full_text_v2.jsonl") == "Semantic Scholar Datasets API, s2orc_v2"
    assert seen("s2_graph_page.jsonl") == "Semantic Scholar Graph API, papers"
    assert seen("s2_specter_data.json") == "data.json of SPECTER and SciDocs"


def test_the_keys_of_the_first_object_are_read_even_if_it_is_truncated():
    assert first_object(b' [{"a": {"x": [1]}, "b": [{"c": 1}], "d": "q\\"", "e') == {*"abd"}
    assert first_object(b'{"a": 1} {"b": 2}') == {"a"}
    assert first_object(b'"a": 1') == set()


MARKS = st.sampled_from(
    [
        {"corpusid": 1, "title": "T"},
        {"corpusid": 1, "title": "T", "content": {"text": "abc"}},
        {"corpusid": 1, "title": "T", "body": {"text": "abc"}},
        {"paperId": "p", "title": "T"},
    ]
)


ODD_RECORDS = st.dictionaries(
    st.sampled_from(sorted(s2.KEYS - {"citingcorpusid"})), JSON, max_size=8
)


@given(st.lists(st.tuples(MARKS, ODD_RECORDS), max_size=3))
def test_any_record_is_a_paper_or_a_reasoned_reject(
    records: list[tuple[dict[str, Any], dict[str, Any]]],
):
    lines = [{**odd, **mark} for mark, odd in records]
    result = s2_items("\n".join(map(json.dumps, lines)))
    papers = sum(isinstance(item, Paper) for item in result)
    rejected = sum(isinstance(item, RecordIssue) and not item.repaired for item in result)
    assert papers + rejected == len(records)


@given(st.dictionaries(st.sampled_from(sorted(s2.KEYS)), JSON, min_size=1, max_size=8))
def test_any_object_gives_an_item(record: dict[str, Any]):
    result = s2_items(json.dumps(record))
    assert result or any(isinstance(record.get(key), list) for key in ("data", "recommendedPapers"))


def test_nul_characters_are_removed_at_any_depth():
    deep = "[" * 900 + '"\\u0000"' + "]" * 900
    result = s2_items(f'{{"paperId": "1", "title": "a\\u0000\\\\u0000", "tldr": {deep}}}')
    assert [item.title for item in result if isinstance(item, Paper)] == ["a\\u0000"]
    assert s2_reasons(result) == ["NUL characters left out"]
