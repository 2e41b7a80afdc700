"""Read XML as a stream: supported and refused documents, without silent loss of records."""

import gzip
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders import corpus_files
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue, UnknownField
from specter_graph.loaders.parsing import xml
from specter_graph.loaders.parsing.xml import Element, read_records, text_of
from specter_graph.loaders.records import Paper

SAMPLE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE set SYSTEM "records.dtd">
<set>
<rec id="1"><t>One <i>é</i></t></rec>
<rec id="2">
  <t><![CDATA[Two </rec> <rec>]]></t><!-- </rec> -->
</rec>
<!-- <rec id="0"><t>Not there</t></rec> -->
<rec id="3"><t/></rec><rec id="4"><t>Four</t></rec>
</set>
"""
TITLES = [(4, "One é"), (5, "Two </rec> <rec>"), (9, ""), (9, "Four")]


def convert(record: Element) -> Iterator[ParseResult]:
    if record.tag == "set":
        yield Paper(id="set", title=record.get("name", ""))
        return
    if "id" not in record.attrib:
        raise RecordError("id is missing")
    yield Paper(id=str(record.get("id")), title=text_of(record))


def read(path: Path, contents: bytes, **options: object) -> list[tuple[int, ParseResult]]:
    path.write_bytes(contents)
    return list(read_records(path, lambda size: None, convert, ["rec"], **options))  # type: ignore[arg-type]


def titles(result: list[tuple[int, ParseResult]]) -> list[tuple[int, str]]:
    return [(line, item.title) for line, item in result if isinstance(item, Paper)]


def reasons(result: list[tuple[int, ParseResult]]) -> list[str]:
    return [item.reason for _, item in result if isinstance(item, RecordIssue)]


def records(number: int, text: str = "text") -> bytes:
    one = "<rec id='{}'><t>{}</t></rec>\n"
    return f"<set>\n{''.join(one.format(n, text) for n in range(number))}</set>".encode()


def test_records_come_with_their_lines(tmp_path: Path):
    result = read(tmp_path / "a.xml", SAMPLE.encode())
    assert titles(result) == TITLES
    assert reasons(result) == []


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_the_ends_of_blocks_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
):
    monkeypatch.setattr(corpus_files, "_CHUNK", size)
    result = read(tmp_path / "a.xml", SAMPLE.encode())
    assert (titles(result), reasons(result)) == (TITLES, [])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "iso-8859-15"])
def test_encodings_are_detected_by_mark_or_declaration(tmp_path: Path, encoding: str):
    declared = encoding.removesuffix("-sig")
    text = SAMPLE.replace('encoding="utf-8"', f'encoding="{declared}"')
    assert titles(read(tmp_path / "a.xml", text.encode(encoding))) == TITLES


@pytest.mark.parametrize(
    ("declared", "written"), [("utf-16", "utf-8"), ("us-ascii", "utf-8"), ("utf8", "utf-8")]
)
def test_an_impossible_declaration_is_ignored(tmp_path: Path, declared: str, written: str):
    text = SAMPLE.replace('encoding="utf-8"', f'encoding="{declared}"')
    assert titles(read(tmp_path / "a.xml", text.encode(written))) == TITLES


def test_text_that_is_not_in_the_declared_encoding_rejects_its_record_only(tmp_path: Path):
    result = read(tmp_path / "a.xml", SAMPLE.encode("iso-8859-1"))
    assert titles(result) == TITLES[1:]
    assert reasons(result) == ["the XML is broken: Invalid bytes in character encoding"]


@pytest.mark.parametrize("name", ["zlib", "punycode", "no-such-encoding", "utf-7"])
def test_an_unknown_encoding_is_not_read(tmp_path: Path, name: str):
    text = SAMPLE.replace('encoding="utf-8"', f'encoding="{name}"')
    assert reasons(read(tmp_path / "a.xml", text.encode())) == [
        f"the encoding {name} is not supported; the rest of the file is not loaded"
    ]


def test_a_file_ends_where_its_encoding_is_invalid(tmp_path: Path):
    text = SAMPLE.replace('encoding="utf-8"', 'encoding="shift_jis"').replace("é", "e").encode()
    [reason] = reasons(read(tmp_path / "a.xml", text.replace(b"Four", b"Four\x81\xff")))
    assert reason.startswith("the text is not shift_jis: ")
    assert reason.endswith("; the rest of the file is not loaded")


def test_damaged_records_do_not_affect_others(tmp_path: Path):
    contents = b"""<set>
<rec id="1"><t>One</t></rec>
<rec id="2"><t>Two</rec>
<rec><t>Three</t></rec>
<rec id="4"><t>Four</t>
<rec id="5"><t>Five</t></rec>
<t>Six</t></rec>
<rec id="7"><t>Seven &undeclared; thing</t></rec>
<rec id="8"><t>Eight</t></rec>
</set>"""
    result = read(tmp_path / "a.xml", contents)
    assert titles(result) == [
        (2, "One"), (6, "Five"), (8, "Seven &undeclared; thing"), (9, "Eight")
    ]  # fmt: skip
    assert [(line, item.reason) for line, item in result if isinstance(item, RecordIssue)] == [
        (3, "the XML is broken: Opening and ending tag mismatch: t line 1 and rec"),
        (4, "id is missing"),
        (5, "<rec>: its end tag is missing"),
        (7, "<rec>: its start tag is missing"),
        (8, "the unknown character &undeclared; was read as text"),
    ]
    assert [item.record for _, item in result if isinstance(item, RecordIssue)][1] == (
        "<rec><t>Three</t></rec>"
    )


def test_a_truncated_document_is_reported_once(tmp_path: Path):
    expected = records(3)
    inside = read(tmp_path / "a.xml", expected[: expected.rindex(b"</t>")])
    assert (len(titles(inside)), reasons(inside)) == (2, ["<rec>: the document ends inside it"])
    behind = read(tmp_path / "a.xml", expected.removesuffix(b"</set>"))
    assert (len(titles(behind)), reasons(behind)) == (3, ["the document ends inside <set>"])


@pytest.mark.parametrize("contents", [b"", b"<set></set>", b"no XML", b"\0" * 5_000, b"{}"])
def test_a_file_without_records_is_reported(tmp_path: Path, contents: bytes):
    assert reasons(read(tmp_path / "a.xml", contents)) == ["there is no <rec>"]


def test_a_truncated_gz_file_gives_its_complete_records_and_a_report(tmp_path: Path):
    contents = gzip.compress(records(4_000, "some text"))
    result = read(tmp_path / "a.xml.gz", contents[:-200])
    assert 2_000 < len(titles(result)) < 4_000
    assert reasons(result) == [
        "the gzip data is cut off: its end is missing; the rest of the file is not loaded"
    ]


def test_forbidden_characters_are_removed_and_reported(tmp_path: Path):
    contents = b'<set><rec id="1"><t>A\0B\x0bC&#0;D&#x1F;E&#10;F</t></rec></set>'
    result = read(tmp_path / "a.xml", contents)
    assert titles(result) == [(1, "ABCDE F")]
    assert [item for _, item in result if isinstance(item, RecordIssue)] == [
        RecordIssue("forbidden characters left out", repaired=True)
    ]


def test_named_entities_and_usual_prefixes_are_read(tmp_path: Path):
    text = b'<t xlink:href="x">&eacute;&LT;b&amp;&lt;<mml:mi>&szlig;</mml:mi></t>'
    result = read(tmp_path / "a.xml", b'<set><rec id="1">%b</rec></set>' % text)
    assert (titles(result), reasons(result)) == ([(1, "é<b&<ß")], [])


def test_an_empty_element_is_a_record(tmp_path: Path):
    result = read(tmp_path / "a.xml", b'<set>\n<rec id="1"/><rec\nid="2" />\n</set>')
    assert (titles(result), reasons(result)) == ([(2, ""), (2, "")], [])


def test_an_unclosed_start_tag_does_not_affect_other_records(tmp_path: Path):
    result = read(tmp_path / "a.xml", b'<set><rec id="1"<rec id="2"/><rec id="3"/></set>')
    assert [item.id for _, item in result if isinstance(item, Paper)] == ["2", "3"]
    assert reasons(result) == ["<rec>: its end tag is missing"]


def test_namespaces_of_enclosing_elements_apply_to_records(tmp_path: Path):
    contents = b"""<a:set xmlns:a="urn:a" xmlns='urn:b'>
<a:rec id="1"><a:t>One</a:t></a:rec><rec id="2"><a:t>Two</a:t></rec></a:set>"""
    result = read(tmp_path / "a.xml", contents)
    assert (titles(result), reasons(result)) == ([(2, "One"), (2, "Two")], [])


def test_start_tags_are_returned_with_their_attributes(tmp_path: Path):
    contents = b'<set name="A"><rec id="1"/></set>'
    result = read(tmp_path / "a.xml", contents, openings=["set"])
    assert [item.id for _, item in result if isinstance(item, Paper)] == ["set", "1"]
    assert titles(result)[0] == (1, "A")


def test_unknown_elements_are_reported_once_and_other_vocabularies_are_not(tmp_path: Path):
    contents = b"""<set xmlns:m="urn:m"><rec id="1"><t/><new/><m:math/></rec>
<rec id="2"><new/><newer/></rec></set>"""
    result = read(tmp_path / "a.xml", contents, known=["rec", "t"])
    assert [(line, item.key) for line, item in result if isinstance(item, UnknownField)] == [
        (1, "new"),
        (2, "newer"),
    ]


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
ATTACKS = {
    "billion laughs": (f'<!DOCTYPE set [<!ENTITY l0 "lol">{LAUGHS}]>', "&l9;", "&l9; was read"),
    "quadratic blow-up": (
        f'<!DOCTYPE set [<!ENTITY a "{"a" * 100_000}">]>',
        "&a;" * 100_000,
        "'a' not defined",
    ),
    "external file": (
        '<!DOCTYPE set [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        "&x;",
        "'x' not defined",
    ),
    "external address": (
        '<!DOCTYPE set [<!ENTITY x SYSTEM "http://127.0.0.1:9/secret">]>',
        "&x;",
        "'x' not defined",
    ),
    "external subset": (
        '<!DOCTYPE set SYSTEM "http://127.0.0.1:9/a.dtd" [<!ENTITY % p SYSTEM "file:///x"> %p;]>',
        "&x;",
        "'x' not defined",
    ),
    "deep nesting": ("", "<b>" * 100_000 + "</b>" * 100_000, "Excessive depth"),
    "a text of 11 MB": ("", "a" * 11_000_000, "Text node too long"),
    "an attribute of 11 MB": ("", f'<b c="{"a" * 11_000_000}"/>', "limit exceeded"),
    "a document type inside": ("", '<!DOCTYPE t [<!ENTITY x "y">]>&x;', "the XML is broken"),
    "xinclude": (
        "",
        '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/hostname"/>',
        None,
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_rejects_only_its_record_and_quickly(tmp_path: Path, attack: str):
    document_type, text, reason = ATTACKS[attack]
    contents = f"""<?xml version="1.0"?>{document_type}<set>
<rec id="1"><t>One</t></rec><rec id="2"><t>{text}</t></rec><rec id="3"><t>Three</t></rec></set>"""
    path = tmp_path / "a.xml"
    path.write_bytes(contents.encode())
    start = process_time()
    result = list(read_records(path, lambda size: None, convert, ["rec"]))
    assert process_time() - start < 5
    middle = [text] if "was read" in (reason or "") else [] if reason else [""]
    assert [title for _, title in titles(result)] == ["One", *middle, "Three"]
    assert reason is None or reason in reasons(result)[0]


def test_an_element_of_50_mb_is_skipped_without_being_stored(tmp_path: Path):
    path = tmp_path / "a.xml.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(
            b'<set><rec id="1"/><rec id="2">%b</rec>\n<rec id="3"/></set>' % (b"a" * 50_000_000)
        )
    tracemalloc.start()
    result = list(read_records(path, lambda size: None, convert, ["rec"]))
    largest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert titles(result) == [(1, ""), (2, "")]
    [skipped] = [item for _, item in result if isinstance(item, RecordIssue)]
    assert skipped == RecordIssue("<rec>: it is longer than 16 MiB")
    assert largest < 100 * 2**20  # 64 KB of gzip can expand to 64 MB


@pytest.mark.parametrize(
    "flood", [b"a", b"<b>", b"<![CDATA[", b"<!--", b"<!---->", b"<", b'"', b"&a;", b" xmlns:a="]
)
def test_many_markup_characters_take_linear_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flood: bytes
):
    monkeypatch.setattr(xml, "MAX_RECORD_BYTES", 2**18)
    flooded = flood * (2**19 // len(flood))
    contents = b'<set>%b<rec id="1"/><rec id="2">%b</rec>\n<rec id="3"/></set>' % (flooded, flooded)
    start = process_time()
    result = read(tmp_path / "a.xml", contents)
    assert process_time() - start < 5
    assert [item.id for _, item in result if isinstance(item, Paper)] == ["1", "3"]


def test_memory_is_constant(tmp_path: Path):
    path = tmp_path / "a.xml"
    path.write_bytes(records(600, "some text " * 600))
    tracemalloc.start()
    assert sum(1 for _ in read_records(path, lambda size: None, convert, ["rec"])) == 600
    largest = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert largest < 2**20


START = SAMPLE.index("<rec")
EDITS = st.lists(
    st.tuples(
        st.integers(START, len(SAMPLE.encode()) - 1),
        st.integers(0, 5),
        st.binary(max_size=3) | st.sampled_from([b"<rec", b"</rec>", b"<", b">", b"&", b"&x;"]),
    ),
    min_size=1,
    max_size=5,
)


def damaged(contents: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for position, deleted, inserted in edits:
        contents = contents[:position] + inserted + contents[position + deleted :]
    return contents


@given(edits=EDITS)
def test_damage_loses_no_record_silently(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, bytes]]
):
    """Damage removes or inserts bytes; a loss of both tags between two records joins them."""
    position, deleted, inserted = edits[0]
    contents = damaged(SAMPLE.encode(), [(position, deleted % 2, inserted)])
    result = read(tmp_path_factory.getbasetemp() / "damaged.xml", contents)
    rejected = [item for _, item in result if isinstance(item, RecordIssue) and not item.repaired]
    assert len(titles(result)) + len(rejected) >= 4


@given(edits=EDITS, contents=st.sampled_from([SAMPLE.encode(), SAMPLE.encode("utf-16")]))
def test_no_damage_raises_an_error(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, bytes]], contents: bytes
):
    result = read(tmp_path_factory.getbasetemp() / "damaged.xml", damaged(contents, edits))
    assert all(isinstance(item, Paper | RecordIssue | UnknownField) for _, item in result)
    assert all(reasons(result))


@given(contents=st.binary(max_size=200))
def test_any_bytes_are_papers_or_reasoned_problems(
    tmp_path_factory: pytest.TempPathFactory, contents: bytes
):
    result = read(tmp_path_factory.getbasetemp() / "damaged.xml", contents)
    assert result
    assert all(reasons(result))
