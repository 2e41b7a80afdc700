"""Test all formats: recognition, compression, damage."""

import gzip
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.corpus import NAMES, detect_format, find_format
from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.records import Citation, Field, Labels, Paper, Reading
from tests.loaders.results import JSON, count_records, papers, read

SAMPLES = sorted((Path(__file__).parent / "samples").iterdir())
FORMATS = [name for name in NAMES if name != "jsonl"]
RECORDS = {
    "acl.xml": (b"<paper ", 2),
    "arxiv.atom.xml": (b"<entry", 1),
    "arxiv.jsonl": (b'"id"', 2),
    "arxiv.oai.xml": (b"<record", 4),
    "jats.pmc-articleset.xml": (b"<article", 2),
    "jats.xml": (b"<article", 1),
    "pubmed.xml": (b"<PubmedArticle>", 4),
}
"""The beginning of the first record of a sample, and the number of its records."""
PIECES = {
    "bibtex": """@article{k,|title = {A}|\n|@string{a=|"|{|}|#|,|%|(|crossref={k}|author={A and B}
|year=|\\'e|$|@comment{|jan""",
    "ris": "TY  - JOUR|\n|ER  - |TI  - A|AU  - B, C|PY  - 1|ID  - x|DO  - 10.1",
    "csl": '{"id":"a","type":"book","title":"A"}|[|]|,|{|}|"|{"items":',
    "zotero": '{"key":"a","data":{"title":"A"}}|[|]|,|{|}|"|\\|\n',
    "csv": 'id,title,year\n|citing,cited\n|a|,|\n|"|;|\t|PAR1',
    "dblp": '#*A|#index1|#@B;C|#%2|#t|\n|#o|{"id":1,"title":"A"}|NumberInt(',
    "nbib": "PMID- 1|\n|TI  - A|FAU - B, C|AU  - B C|AUID- ORCID: |DP  - 2002 Sep|\n\n|MH  - a/b",
    "wos": "FN ISI|\nVR 1.0\n|PT J\n|TI A|\n|CR B, 1999, C, V1|AU B, C|   D|UT WOS:1|\nER\n|PT\tTI",
    "endnote": "%0 Book|\n|%T A|%A B, C|%D 19|%K a|<xml><records><record>|</record>|<titles>",
    "grobid": '<TEI>|</TEI>|<teiHeader>|GROBID|<biblStruct>|<title>A|</title>|<ref type="bibr"',
    "unarxive": '{"paper_id":"2212.00001","metadata":{"title":"A"}}|{|}|[|]|,|"ids":|\n',
    "readers": 'reader,paper,kind\n|{"user":1,"papers":[1,"a"]}|a|,|\n|view|"|{',
    "labels": """paper,label\n|id,name,parent\n|*NEWRECORD\n|MH = A\n|UI = D1\n|MN = A01\n|a|,|;
|Body;A01\n""",
}
"""Fragments of files of each format, separated by |."""
OBJECTS: dict[str, tuple[dict[str, object], list[str]]] = {
    "crossref": (
        {"DOI": "10.5555/a", "title": ["A"]},
        sorted(known_fields("crossref") - {"items", "message"}),
    ),
    "csl": (
        {"id": "a", "title": "A"},
        [
            "DOI",
            "ISBN",
            "PMID",
            "URL",
            "author",
            "id",
            "issued",
            "keyword",
            "note",
            "title",
            "type",
        ],
    ),
    "dblp": (
        {"id": 1, "title": "A"},
        ["_id", "authors", "fos", "id", "indexed_abstract", "references", "title", "venue", "year"],
    ),
    "openalex": ({"id": "https://openalex.org/W7", "title": "A"}, sorted(known_fields("openalex"))),
    "zotero": ({"key": "A", "data": {"title": "A"}}, ["data", "key", "meta"]),
}
"""An object of each format in JSON, and the keys whose values are varied."""


def format_of(sample: Path) -> str:
    return re.split("[._]", sample.name)[0]


def samples(name: str) -> list[Path]:
    return [path for path in SAMPLES if format_of(path) == name]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("head", [b"\n" * 26, b"\n" * 2**16, b" " * 2**16, b"1" + b"\n" * 2**16])
def test_white_space_is_examined_in_linear_time(name: str, head: bytes):
    started = time.process_time()
    assert find_format(name).detect("file", head) is None
    assert time.process_time() - started < 5


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_each_sample_is_recognized_as_its_own_format_only(path: Path):
    form, seen = detect_format(path)
    assert form.name == format_of(path)
    assert seen
    for head in (path.read_bytes(), path.read_bytes()[:4_000]):
        recognized = [name for name in NAMES if find_format(name).detect(path.name, head)]
        assert recognized == [form.name]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_compressed_file_is_read_and_its_size_counted(path: Path, tmp_path: Path):
    packed = tmp_path / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    form, sizes = find_format(format_of(path)), list[int]()
    result = list(form.read(packed, sizes.append))
    plain = list(form.read(path, lambda size: None))
    if form.name != "labels":  # the name of a file of labels may be the scheme
        assert result == plain
    assert [line for line, _ in result] == [line for line, _ in plain]
    assert sum(sizes) == packed.stat().st_size


@pytest.mark.parametrize("name", FORMATS)
def test_a_truncated_or_missing_file_is_reported(name: str, tmp_path: Path):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(samples(name)[0].read_bytes())[:-9])
    result = find_format(name).read(path, lambda size: None)
    reasons = [item.reason for _, item in result if isinstance(item, RecordIssue)]
    assert any(reason.endswith("the rest of the file is not loaded") for reason in reasons)
    [(_, missing)] = find_format(name).read(tmp_path / "nothing", lambda size: None)
    assert isinstance(missing, RecordIssue)
    assert "No such file or directory" in missing.reason


@pytest.mark.parametrize("name", PIECES)
@settings(max_examples=50)
@given(data=st.data())
def test_no_input_raises_an_error(name: str, data: st.DataObject):
    pieces = st.sampled_from(PIECES[name].encode().split(b"|")) | st.binary(max_size=5)
    contents = b"".join(data.draw(st.lists(pieces, max_size=30)))
    kinds = Paper | Citation | Labels | Field | Reading | RecordIssue | UnknownField
    assert all(line >= 1 and isinstance(result, kinds) for line, result in read(name, contents))


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=50)
@given(data=st.data())
def test_a_sample_with_one_damage_raises_nothing(name: str, data: st.DataObject):
    contents = data.draw(st.sampled_from([path.read_bytes() for path in samples(name)]))
    at = data.draw(st.integers(0, len(contents)))
    removed = data.draw(st.integers(0, 20))
    put = data.draw(st.binary(max_size=5))
    result = read(name, contents[:at] + put + contents[at + removed :])
    assert all(line >= 1 for line, _ in result)


@pytest.mark.parametrize(
    "path", [path for path in SAMPLES if path.name in RECORDS], ids=lambda path: path.name
)
@settings(max_examples=50)
@given(data=st.data())
def test_every_record_lost_by_a_damage_is_reported(path: Path, data: st.DataObject):
    contents, (beginning, number) = path.read_bytes(), RECORDS[path.name]
    at = data.draw(st.integers(contents.index(beginning), len(contents) - 1))
    removed, put = data.draw(st.integers(0, 1)), data.draw(st.binary(max_size=3))
    if path.suffix == ".jsonl" and contents[at] == ord("\n"):
        removed = 0  # two lines would become one
    result = read(format_of(path), contents[:at] + put + contents[at + removed :])
    papers = sum(isinstance(item, Paper) for _, item in result)
    rejected = sum(isinstance(item, RecordIssue) and not item.repaired for _, item in result)
    assert papers + rejected >= number


@pytest.mark.parametrize("name", OBJECTS)
@settings(max_examples=50)
@given(data=st.data())
def test_every_object_is_a_paper_or_a_reasoned_reject(name: str, data: st.DataObject):
    needed, keys = OBJECTS[name]
    changes = data.draw(st.lists(st.dictionaries(st.sampled_from(keys), JSON), max_size=4))
    indent = data.draw(st.sampled_from([None, 1]))
    result = read(name, json.dumps([needed | change for change in changes], indent=indent))
    assert count_records([item for _, item in result]) == len(changes)


@pytest.mark.parametrize("name", OBJECTS)
def test_a_value_of_another_type_is_the_only_one_ignored(name: str):
    needed, keys = OBJECTS[name]
    values: list[object] = [[], 7, "x", {"id": []}, [{"id": {}}], [[]], True]
    objects = [needed | {key: each} for key in keys if key not in needed for each in values]
    assert len(papers(read(name, json.dumps(objects)))) == len(objects)
