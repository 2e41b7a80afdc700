"""Read OpenAlex works; the samples follow OpenAlex's docs (Work, Authorship, Location objects)."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders.format_api import RecordError, RecordIssue, UnknownField
from specter_graph.loaders.formats.openalex import read_openalex, work_converter
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, Venue
from tests.loaders.results import papers, read

SAMPLES = Path(__file__).parent / "samples"
WORKS = SAMPLES / "openalex.jsonl"
INVENTED = Affiliation("ror:02nr0ka47", "Institute of Invented Studies")


def work(**more: object) -> dict[str, Any]:
    return {"id": "https://openalex.org/W7", "title": "A title"} | more


def paper_of(**more: object) -> Paper:
    *_, paper = work_converter()(work(**more))
    assert isinstance(paper, Paper)
    return paper


def test_every_field_is_read():
    *labels, paper = [item for line, item in read_openalex(WORKS) if line == 1]
    assert labels == [
        Field("openalex-topic", "domains/2", "Social Sciences"),
        Field("openalex-topic", "fields/18", "Decision Sciences", ("domains/2",)),
        Field(
            "openalex-topic",
            "subfields/1804",
            "Statistics, Probability and Uncertainty",
            ("fields/18",),
        ),
        Field("openalex-topic", "domains/3", "Physical Sciences"),
        Field("openalex-topic", "fields/17", "Computer Science", ("domains/3",)),
        Field("openalex-topic", "subfields/1702", "Artificial Intelligence", ("fields/17",)),
    ]
    assert paper == Paper(
        id="openalex:W4316000001",
        title="How far do citation graphs carry?",
        abstract=(
            "Citation graphs tell readers which papers belong together. We train an encoder of"
            " scientific papers on the citation graph of a small field and ask how far it carries."
            " With 40,000 triplets of a paper, a paper that it cites and a paper that only its"
            " references cite, the encoder finds 61 % of the held-out citations among the first"
            " twenty papers, against 43 % for the words alone. Most of the gain comes from hard"
            " negatives. We release the graph, the triplets and the code."
        ),
        year=2023,
        published="2023-01-17",
        language="en",
        url="https://doi.org/10.5555/specter.2023.17",
        source="openalex",
        retracted=True,
        identifiers=(
            Identifier("openalex", "W4316000001"),
            Identifier("doi", "10.5555/specter.2023.17"),
            Identifier("pmid", "29456894"),
            Identifier("pmcid", "PMC5815332"),
            Identifier("mag", "2741809807"),
            Identifier("arxiv", "2301.04567"),
        ),
        authors=(
            Author(
                "openalex:A5023888391",
                "Ada Example",
                True,
                "0000-0002-1825-0097",
                (INVENTED, Affiliation("openalex:I1002", "Library of Nowhere")),
            ),
            Author("openalex:A5023888392", "Bo Sample", True, None, (INVENTED,)),
            Author("openalex:C. Nobody", "C. Nobody"),
        ),
        venue=Venue("openalex:S4210165790", "Journal of Invented Bibliometrics"),
        fields=(
            Field(
                "openalex-topic",
                "T10102",
                "Scientometrics and Bibliometrics Research",
                ("subfields/1804",),
            ),
            Field("openalex-topic", "T10028", "Topic Modeling", ("subfields/1702",)),
            Field(
                "openalex-topic",
                "T10181",
                "Natural Language Processing Techniques",
                ("subfields/1702",),
            ),
            Field("openalex-concept", "C41008148", "Computer science"),
            Field("openalex-concept", "C2778805511", "Citation"),
            Field("mesh", "D017712", "Peer Review, Research"),
            Field("keyword", "Citation graph", "Citation graph"),
            Field("keyword", "Embedding", "Embedding"),
            Field("sdg", "4", "Quality Education"),
        ),
        references=("openalex:W1767272795", "openalex:W2088676066", "openalex:W2753353163"),
    )


def test_the_format_of_older_snapshots_is_read_too():
    result = [item for line, item in read_openalex(WORKS) if line == 2]
    assert result == [
        Field("openalex-topic", "fields/33", "Social Sciences", ("domains/2",)),
        Field(
            "openalex-topic", "subfields/3309", "Library and Information Sciences", ("fields/33",)
        ),
        Paper(
            id="openalex:W2100000002",
            title="On the shelving of books",
            year=1931,
            published="1931-01-01",
            source="openalex",
            identifiers=(Identifier("openalex", "W2100000002"), Identifier("mag", "2100000002")),
            authors=(Author("orcid:0000-0001-5109-3700", "D. Worm", True, "0000-0001-5109-3700"),),
            venue=Venue("openalex:V137773608", "Annals of Shelving"),
            fields=(
                Field("openalex-topic", "T12419", "Library Shelving", ("subfields/3309",)),
                Field("keyword", "shelving", "shelving"),
            ),
        ),
    ]


def test_unusable_values_are_reported():
    result = list(read_openalex(SAMPLES / "openalex.malformed.jsonl"))
    rejected = [
        (line, p.id, p.reason) for line, p in result if isinstance(p, RecordIssue) if p.record
    ]
    assert rejected[:3] == [
        (1, "openalex:W1", "title is missing"),
        (2, None, "id is missing"),
        (3, None, "id https://openalex.org/A5023888391 is not the id of an OpenAlex work"),
    ]
    assert [line for line, _, _ in rejected] == [1, 2, 3, 5, 6]
    assert [item for line, item in result if line == 4] == [
        *(
            RecordIssue(f"left out: {reason}", "openalex:W2", repaired=True)
            for reason in [
                "a topic without an id or a name",
                "words of the abstract whose positions are not numbers",
                'publication_year must be an integer, not "199x"',
                "language must be text, not a number",
                "doi none is not a DOI",
                "authorships must hold objects, not text",
                "an author without a name",
                "a openalex-concept label without an id or a name",
                "referenced_works must hold texts, not a number",
                "references that are not OpenAlex works: 1",
            ]
        ),
        Paper(
            id="openalex:W2",
            title="What can be left out",
            abstract="Two words",
            source="openalex",
            identifiers=(Identifier("openalex", "W2"),),
            venue=Venue("openalex:Annals of Shelving", "Annals of Shelving"),
            references=("openalex:W3", "openalex:W4"),
        ),
        UnknownField("stray"),
    ]


def test_the_labels_above_topics_are_read_once_per_file():
    line = WORKS.read_bytes().split(b"\n")[0]
    result = read("openalex", line + b"\n" + line)
    assert sum(isinstance(item, Field) for number, item in result if number == 1) > 0
    assert sum(isinstance(item, Field) for number, item in result if number == 2) == 0
    first, second = papers(result)
    assert first == second


def test_a_label_with_another_parent_is_not_read_from_the_cache():
    topic = {"id": "https://openalex.org/T1", "display_name": "Topic"}
    convert = work_converter()
    for subfield in ("1", "2"):
        *_, paper = convert(work(topics=[{**topic, "subfield": {"id": subfield}}]))
        assert isinstance(paper, Paper)
        assert paper.fields[0].broader == (f"subfields/{subfield}",)


@pytest.mark.parametrize(
    ("index", "abstract"),
    [
        ({"a": [0, 2], "b": [1]}, "a b a"),
        ({"a": [7], "b": [3]}, "b a"),
        ({"a": [0], "b": [0]}, "a b"),
        ({"a": [10**15]}, "a"),
        ({}, None),
        ({"": [0]}, None),
        (None, None),
    ],
)
def test_an_abstract_is_restored_from_its_inverted_index(index: object, abstract: str | None):
    assert paper_of(abstract_inverted_index=index).abstract == abstract


@given(st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1), min_size=1))
def test_any_abstract_is_restored_from_its_inverted_index(words: list[str]):
    index: dict[str, list[int]] = {}
    for position, word in enumerate(words):
        index.setdefault(word, []).append(position)
    assert paper_of(abstract_inverted_index=index).abstract == " ".join(words)


def test_a_repeated_author_counts_once():
    who = {"author": {"id": "https://openalex.org/A1", "display_name": "A"}, "institutions": None}
    assert paper_of(authorships=[who, who]).authors == (Author("openalex:A1", "A", True),)


def test_a_list_of_authors_truncated_by_the_api_is_reported():
    problem, _ = work_converter()(work(is_authors_truncated=True))
    assert problem.reason == "left out: authors after those that the API gives"


def test_a_record_without_an_id_is_rejected():
    with pytest.raises(RecordError, match="id is missing"):
        list(work_converter()({"title": "A"}))


def test_placeholder_ids_are_no_authors():
    """OpenAlex gives one id to all unknown authors, and another to all deleted ones."""
    nobody = {"id": "https://openalex.org/A9999999999", "display_name": "Ye"}
    deleted = {"id": "https://openalex.org/A5317838346", "display_name": "Deleted Author"}
    written = [
        {"author": nobody, "raw_author_name": "A. Ng"},
        {"author": nobody, "raw_author_name": "B. Wu"},
        {"author": deleted},
    ]
    assert paper_of(authorships=written).authors == (
        Author("openalex:A. Ng", "A. Ng", False),
        Author("openalex:B. Wu", "B. Wu", False),
        Author("openalex:Deleted Author", "Deleted Author", False),
    )


def test_an_abstract_has_no_tags_and_entities():
    words = ["&lt;p&gt;Land", "moves", "&amp;", "<i>E.", "coli</i>", "grows", "if", "a<b.</p>"]
    index = {word: [place] for place, word in enumerate(words)}
    expected = "Land moves & E. coli grows if a<b."
    assert paper_of(abstract_inverted_index=index).abstract == expected
    gapped = {word: [2 * place] for word, [place] in index.items()}
    assert paper_of(abstract_inverted_index=gapped).abstract == expected
