"""Read the files of SPECTER and SciDocs with the format s2.

The samples are synthetic. They follow data/training of the SPECTER repository and the metadata of
SciDocs.
"""

import gzip
import json
import tracemalloc
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders.format_api import UnknownField
from specter_graph.loaders.formats import s2_scidocs
from specter_graph.loaders.parsing import json as json_reader
from specter_graph.loaders.records import Author, Citation, Identifier, Paper
from tests.loaders.results import count_records, s2_items, s2_reasons, s2_sample

SAMPLES = Path(__file__).with_name("samples")
A, B, C, D = (sha1(name.encode()).hexdigest() for name in "abcd")
SOURCE = "semantic scholar"

ODD: list[Any] = [None, True, 0, 5, -1, 10**18, 1.5, "", " ", "x", "2000", [], {}]
ODD += [[odd] for odd in ODD] + [{"count": odd} for odd in ODD]
KEY = st.text(max_size=3) | st.sampled_from(sorted(s2_scidocs.KEYS))


def test_papers_of_specter():
    assert s2_sample("s2_specter_metadata.json") == [
        (
            1,
            Paper(
                id=f"s2:{A}",
                title="Exact Reconstruction",
                abstract="This paper considers signals.",
                source=SOURCE,
                identifiers=(Identifier("s2", A),),
                elsewhere=("references",),
            ),
        ),
        (
            2,
            Paper(
                id=f"s2:{B}",
                title="The Part-Time Parliament",
                source=SOURCE,
                identifiers=(Identifier("s2", B),),
                elsewhere=("references",),
            ),
        ),
    ]


def test_pairs_of_specter_with_a_count_of_five_are_citations():
    assert s2_sample("s2_specter_data.json") == [
        (1, Citation(f"s2:{A}", f"s2:{C}")),
        (3, Citation(f"s2:{D}", f"s2:{A}")),
    ]


def test_papers_of_scidocs():
    assert s2_sample("s2_scidocs_metadata.json") == [
        (1, Citation(f"s2:{B}", f"s2:{A}")),
        (
            1,
            Paper(
                id=f"s2:{A}",
                title="Detectors",
                abstract="A.",
                year=1988,
                source=SOURCE,
                identifiers=(Identifier("s2", A),),
                authors=(
                    Author("s2:1741101", "1741101", identified=True),
                    Author("s2:C. Harris", "C. Harris"),
                ),
                references=(f"s2:{C}", f"s2:{D}"),
            ),
        ),
        (
            2,
            Paper(
                id=f"s2:{B}",
                title="Corners",
                source=SOURCE,
                identifiers=(Identifier("s2", B),),
            ),
        ),
    ]


def test_odd_members_of_scidocs_are_reported():
    papers = '{"a": {"title": "A"}, "b": {}, "c": 7, "d": {"title": "D", "x": 1}}'
    result = s2_items(papers)
    assert [item.id for item in result if isinstance(item, Paper)] == ["s2:a", "s2:d"]
    assert s2_reasons(result) == ["title is missing", "title is missing"]
    assert UnknownField("x") in result
    pairs = '{"a": {"b": {"count": 5}, "c": {"count": 3}, "d": 1}}'
    result = s2_items(pairs)
    assert Citation("s2:a", "s2:b") in result
    assert s2_reasons(result) == [
        "left out: the pair with c, whose count is neither 5 nor 1",
        "left out: the pair with d, whose count is neither 5 nor 1",
    ]


def test_members_before_the_damage_are_read():
    result = s2_items('{"a": {"title": "A"}, "b": {"title": "B"}, "c": {"title')
    assert [item.id for item in result if isinstance(item, Paper)] == ["s2:a", "s2:b"]
    [reason] = s2_reasons(result)
    assert reason.endswith("the rest is not loaded")


def test_invalid_bytes_are_replaced_within_their_member():
    contents = b'\xef\xbb\xbf{"a": {"title": "A\xff"}, "b": {"title": "B\\u0000"}}'
    result = s2_items(contents)
    assert [item.title for item in result if isinstance(item, Paper)] == ["A\ufffd", "B"]
    assert s2_reasons(result) == [
        "bytes that are not UTF-8 became U+FFFD",
        "NUL characters left out",
    ]


def test_a_member_that_is_too_long_ends_the_reading(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_reader, "MAX_LINE_BYTES", 100_000)
    endless = '{"a": {"title": "A"}, "b": {"title": "' + "x" * 1_000_000
    result = s2_items(gzip.compress(endless.encode()))
    assert [item.id for item in result if isinstance(item, Paper)] == ["s2:a"]
    assert len(s2_reasons(result)) == 1
    assert "it is too long" in s2_reasons(result)[0]


def test_a_member_that_is_nested_too_deep_ends_the_reading():
    deep = '{"a": {"title": "A ]{["}, "b": ' + "[" * 100_000 + "]" * 100_000 + "}"
    tracemalloc.start()
    result = s2_items(deep)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [item.id for item in result if isinstance(item, Paper)] == ["s2:a"]
    [reason] = s2_reasons(result)
    assert "recursion" in reason
    assert peak < 10 * 2**20


@given(st.dictionaries(KEY, st.dictionaries(KEY, st.sampled_from(ODD), max_size=4), max_size=4))
def test_any_members_are_papers_or_reasoned_rejects(members: dict[str, dict[str, Any]]):
    expected = {"first": {"title": "T"}, **members}
    result = s2_items(json.dumps(expected))
    assert count_records(result) == len(expected)
