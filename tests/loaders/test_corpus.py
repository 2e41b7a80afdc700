"""Read a corpus: its files as one stream of checked, prefixed and filtered items."""

import os
from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin

import httpx
import orjson
import pytest

from specter_graph.core.errors import InputError
from specter_graph.loaders import open_corpus
from specter_graph.loaders.corpus import NAMES
from specter_graph.loaders.format_api import RecordIssue
from specter_graph.loaders.records import (
    Affiliation,
    Author,
    Citation,
    EndOfFile,
    Field,
    Filtered,
    Item,
    Labels,
    Paper,
    Reading,
    Reject,
    UnknownKey,
    Venue,
)
from specter_graph.loaders.validation import MAX_NAME_LENGTH, add_prefix, validate

ROW = {"id": "a", "title": "A", "authors": ["X"], "venue": "J", "references": ["b"]}


def write(path: Path, *rows: object) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def papers(corpus: object) -> list[Paper]:
    return [item for item in corpus if isinstance(item, Paper)]  # type: ignore[attr-defined]


def test_a_corpus_is_all_its_files_and_reports_progress(tmp_path: Path):
    paths = [write(tmp_path / f"{n}.jsonl", ROW | {"id": n}) for n in "xyz"]
    corpus = open_corpus("jsonl", *paths)
    assert corpus.size == sum(path.stat().st_size for path in paths)
    for _ in range(2):
        stream = iter(corpus)
        assert next(stream).id == "x"  # type: ignore[union-attr]
        assert corpus.done == paths[0].stat().st_size
        assert [item.id for item in stream if isinstance(item, Paper)] == ["y", "z"]
        assert corpus.done == corpus.size


def test_completed_files_are_skipped(tmp_path: Path):
    paths = [write(tmp_path / f"{n}.jsonl", ROW | {"id": n}) for n in "xyz"]
    corpus = open_corpus("jsonl", *paths)
    ends = [item.key for item in corpus if isinstance(item, EndOfFile)]
    assert ends == [file.key for file in corpus.files]
    rest = corpus.read(skipped=ends[:2])
    assert [item.id for item in rest if isinstance(item, Paper)] == ["z"]
    assert corpus.done == corpus.size


def test_a_changed_file_is_another_file(tmp_path: Path):
    path = write(tmp_path / "x.jsonl", ROW)
    before = open_corpus("jsonl", path)
    assert open_corpus("jsonl", path).key == before.key
    assert open_corpus("jsonl", path, prefix="p").key != before.key
    write(path, ROW, ROW)
    assert open_corpus("jsonl", path).key != before.key


def test_general_rules_repair_or_reject_with_the_position(tmp_path: Path):
    path = write(
        tmp_path / "x.jsonl",
        ROW | {"references": ["b", "a", "b", "c"]},
        ROW | {"id": "z", "pages": 3},
        {"title": "no id"},
    )
    repeated, itself, corrected, other, unknown, rejected, end = open_corpus("jsonl", path)
    assert repeated == Reject(
        str(path), 1, "a", "left out: references given more than once: 1", repaired=True
    )
    assert itself == Reject(str(path), 1, "a", "left out: the paper cites itself", repaired=True)
    assert isinstance(corrected, Paper)
    assert corrected.references == ("b", "c")
    assert isinstance(other, Paper)
    assert unknown == UnknownKey(str(path), 2, "pages")
    assert rejected == Reject(str(path), 3, None, "id is missing", '{"title":"no id"}')
    assert isinstance(end, EndOfFile)


@pytest.mark.parametrize(
    ("written", "date", "issues"),
    [
        ("2020-07-05", "2020-07-05", 0),
        ("2020-07", "2020-07", 0),
        ("2020-07-05T10:00:00Z", "2020-07-05", 0),
        ("July 1970", None, 1),
        ("2020-13", None, 1),
    ],
)
def test_dates_can_be_compared_as_texts(written: str, date: str | None, issues: int):
    *left_out, valid = validate(Paper("a", "A", published=written))
    assert (valid.published, len(left_out)) == (date, issues)


@pytest.mark.parametrize(
    ("year", "valid"), [(999, None), (1000, 1000), (2100, 2100), (2101, None), (None, None)]
)
def test_a_year_outside_1000_to_2100_is_left_out(year: int | None, valid: int | None):
    *left_out, paper = validate(Paper("a", "A", year=year))
    assert (paper.year, len(left_out)) == (valid, year != valid)


def test_an_id_of_the_maximum_length_is_valid():
    longest, other = "x" * MAX_NAME_LENGTH, "y" * MAX_NAME_LENGTH
    for item in (Paper(longest, "A", references=(other,)), Citation(longest, other)):
        assert [*validate(item)] == [item]


def test_values_too_long_for_a_key_are_ignored_everywhere():
    long = "x" * 1_001
    good = Field("mesh", "D1", "Ants", ("D2",))
    affiliation = Affiliation("ror:02nr0ka47", "Institute")
    paper = Paper(
        "a",
        "A",
        authors=(Author("X", "X", affiliations=(Affiliation(f"jats:{long}", "I"), affiliation)),),
        fields=(replace(good, broader=(long, "D2")), replace(good, scheme=long)),
    )
    *problems, corrected = validate(paper)
    assert corrected == Paper(
        "a", "A", authors=(Author("X", "X", affiliations=(affiliation,)),), fields=(good,)
    )
    nameless = "without a name, or with a name longer than 1,000 characters"
    assert problems == [
        RecordIssue(f"left out: {what} {nameless}", "a", repaired=True)
        for what in ("affiliations", "broader fields", "fields")
    ]
    bad = (replace(good, id=long), replace(good, name=long), replace(good, scheme=long))
    assert list(validate(Labels("a", (good, *bad)))) == [
        RecordIssue(f"left out: labels {nameless}", "a", repaired=True),
        Labels("a", (good,)),
    ]
    assert list(validate(Labels("a", bad))) == [RecordIssue(f"labels {nameless}", "a")]


def test_a_label_of_a_vocabulary_has_a_valid_name_and_scheme():
    long = "x" * 1_001
    good = Field("mesh", "D1", "Ants", ("D2",))
    problem, corrected = validate(replace(good, broader=(long, "D2")))
    assert isinstance(problem, RecordIssue)
    assert problem.repaired
    assert corrected == good
    assert list(validate(replace(good, name=long))) == [
        RecordIssue("name is longer than 1,000 characters")
    ]
    assert list(validate(replace(good, scheme=long))) == [
        RecordIssue("scheme is longer than 1,000 characters")
    ]
    assert list(validate(replace(good, scheme=""))) == [RecordIssue("scheme is missing")]


def test_a_prefix_is_added_to_all_ids(tmp_path: Path):
    path = write(tmp_path / "x.jsonl", ROW)
    [paper] = papers(open_corpus("jsonl", path, prefix="mine"))
    assert paper.id == "mine:a"
    assert paper.references == ("mine:b",)
    assert [(author.id, author.name) for author in paper.authors] == [("mine:X", "X")]
    assert paper.venue is not None
    assert paper.venue.id == "mine:J"
    with pytest.raises(InputError, match="is not a name"):
        open_corpus("jsonl", path, prefix="my corpus")


def test_bodies_are_read_on_request(tmp_path: Path):
    path = write(tmp_path / "x.jsonl", ROW | {"body": "All."})
    [without] = papers(open_corpus("jsonl", path))
    [paper] = papers(open_corpus("jsonl", path, full_text=True))
    assert paper == replace(without, body="All.")


def test_ignored_values_are_reported(tmp_path: Path):
    path = write(tmp_path / "x.jsonl", ROW, ROW | {"id": "b"})
    items: list[Item] = list(open_corpus("jsonl", path, keep=lambda p: p.id == "b"))  # type: ignore[arg-type]
    assert items[0] == Filtered("a")
    assert [paper.id for paper in papers(items)] == ["b"]


@pytest.mark.parametrize("deep", [1, 1_000])
@pytest.mark.parametrize(
    ("form", "record"),
    [
        ("jsonl", '{"id": "a", "title": "A", "year": DEEP}'),
        ("csl", '{"id": "a", "title": "A", "type": DEEP, "URL": DEEP}'),
        ("zotero", '{"key": "a", "data": {"title": "A", "itemType": DEEP}}'),
        ("zotero", '{"key": "a", "data": {"title": "A", "creators": [{"creatorType": DEEP}]}}'),
        ("crossref", '{"DOI": DEEP, "title": ["A"]}'),
        ("crossref", '{"DOI": "10.5555/a", "title": ["A"], "issued": {"date-parts": [[DEEP]]}}'),
        ("openalex", '{"id": DEEP, "title": "A"}'),
        ("openalex", '{"id": "W1", "title": "A", "publication_year": DEEP}'),
        (
            "openalex",
            '{"id": "W1", "title": "A",'
            ' "topics": [{"id": "T1", "display_name": "T", "field": {"id": DEEP}}]}',
        ),
        ("dblp", '{"id": 1, "title": "A", "year": DEEP}'),
        (
            "s2",
            '{"paperId": "a", "title": "A",'
            ' "authors": [{"name": "B", "externalIds": {"ORCID": DEEP}}]}',
        ),
    ],
)
def test_a_list_in_place_of_a_value_rejects_only_its_record(
    tmp_path: Path, form: str, record: str, deep: int
):
    path = tmp_path / "records.json"
    path.write_text(record.replace("DEEP", "[" * deep + "]" * deep))
    result = list(open_corpus(form, path))
    rejected = [item for item in result if isinstance(item, Reject) and not item.repaired]
    assert len(papers(result)) + len(rejected) == 1


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("contents", [b"", b" \n\n", b"\x00\x01\xfe garbage\n7 { < @ [ \xff\n"])
def test_a_file_without_records_is_always_reported(tmp_path: Path, form: str, contents: bytes):
    path = tmp_path / "file"
    path.write_bytes(contents)
    result = list(open_corpus(form, path))
    assert papers(result) == []
    assert [each for each in result if isinstance(each, Reject) and not each.repaired]


@pytest.mark.parametrize(
    "key", [".", "..", "../a", "a/..", "a/./b", "10.1000/../x", ".a", "a/.b", "a...", "a/b.."]
)
def test_an_id_that_is_invalid_in_an_address_is_refused(key: str):
    reachable = httpx.URL(f"http://h/v1/papers/{key}").path == f"/v1/papers/{key}"
    reachable &= urljoin(f"http://h/v1/papers/{key}", "").endswith(f"/v1/papers/{key}")
    items = [Paper(key, "A"), Paper("b", "B", references=("c", key)), Citation("c", key)]
    paper, citing, citation = (list(validate(item)) for item in items)
    if reachable:
        assert (paper, citing, citation) == tuple([item] for item in items)
        return
    [problem] = paper
    assert isinstance(problem, RecordIssue)
    assert problem.reason == f"id {key} has a segment . or .., which no URL can contain"
    assert citing[-1] == Paper("b", "B", references=("c",))
    assert isinstance(citation[0], RecordIssue)


def test_a_prefix_is_added_to_all_ids_but_those_of_labels():
    ants = Field("mesh", "D1", "Ants", ("D2",))
    paper = Paper(
        "a",
        "A",
        authors=(Author("x", "X", affiliations=(Affiliation("i", "I"),)),),
        venue=Venue("v", "V"),
        fields=(ants,),
        references=("b",),
        citations=(Citation("a", "b", ("method",)),),
    )
    assert add_prefix(paper, "my") == Paper(
        "my:a",
        "A",
        authors=(Author("my:x", "X", affiliations=(Affiliation("my:i", "I"),)),),
        venue=Venue("my:v", "V"),
        fields=(ants,),
        references=("my:b",),
        citations=(Citation("my:a", "my:b", ("method",)),),
    )
    assert add_prefix(Reading("r", "a", "SAVED"), "my") == Reading("my:r", "my:a", "SAVED")
    assert add_prefix(Labels("a", (ants,)), "my") == Labels("my:a", (ants,))
    assert add_prefix(ants, "my") == ants


def test_a_file_whose_name_is_not_text_can_be_reported(tmp_path: Path):
    path = tmp_path / os.fsdecode(b"\xff.jsonl")
    _, unknown, rejected, _ = open_corpus("jsonl", write(path, ROW | {"pages": 3}, {"id": "b"}))
    named = str(tmp_path / "\N{REPLACEMENT CHARACTER}.jsonl")
    assert isinstance(unknown, UnknownKey)
    assert isinstance(rejected, Reject)
    assert (unknown.file, rejected.file) == (named, named)


def test_the_output_file_is_not_read(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "title": "A"}')
    (tmp_path / "bad.jsonl").write_text("{}")
    corpus = open_corpus("jsonl", tmp_path)
    corpus.refuse_outputs(None, tmp_path / "other.jsonl")
    with pytest.raises(InputError, match=r"bad.jsonl is both an input file"):
        corpus.refuse_outputs(tmp_path / "." / "bad.jsonl")


@pytest.mark.parametrize("path", [["a.jsonl"], None, b"a.jsonl", 3])
def test_a_list_of_paths_or_another_value_is_not_a_path(path: object):
    for arguments in (("jsonl", path), (path,)):
        with pytest.raises(InputError, match=f"a {type(path).__name__} is not a path") as caught:
            open_corpus(*arguments)  # type: ignore[arg-type]
        assert caught.value.hint == "open_corpus(FORMAT, *PATHS)"
