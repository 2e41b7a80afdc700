"""arXiv: the metadata snapshot (JSON lines), responses of OAI-PMH and feeds of the API (XML).

The fields are those of arXiv's documentation of its snapshot, of its OAI-PMH formats (arXiv,
arXivRaw, arXivOld, oai_dc) and of its API (Atom); the map is in docs/formats/arxiv.md.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders.detect import head_of
from specter_graph.loaders.format_api import Count, Format, Found
from specter_graph.loaders.formats import arxiv_snapshot, arxiv_xml
from specter_graph.loaders.parsing.json_lines import read_objects
from specter_graph.loaders.parsing.xml_stream import read_records

_IN_RECORDS = re.compile(rb"<(?:\w+:)?(?:OAI-PMH|ListRecords|GetRecord|record)[\s>]")
_IN_ENTRIES = re.compile(rb"<(?:\w+:)?(?:feed|entry)[\s>]")
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(\{[^\n]*)")
_OF_ARXIV = re.compile(rb"http://arxiv\.org/OAI/|oai:arXiv\.org:")


def read_arxiv(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The papers of a file with their lines; for XML those where the records begin."""
    try:
        head = head_of(path)
    except OSError:
        head = b""  # reading it will say why
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return read_objects(path, count, arxiv_snapshot.convert, arxiv_snapshot.KEYS)
    if _IN_RECORDS.search(head):
        records: tuple[str, ...] = ("record",)
    else:
        records = ("entry",) if _IN_ENTRIES.search(head) else arxiv_xml.BARE
    return read_records(path, count, arxiv_xml.convert, records, known=arxiv_xml.NAMES)


def recognise(name: str, head: bytes) -> str | None:
    """What only arXiv has: parsed authors and versions in JSON, its names in XML."""
    if first := _FIRST_LINE.match(head):
        keys = (b'"authors_parsed"', b'"categories"', b'"abstract"')
        return "arXiv metadata, JSON" if all(key in first[1] for key in keys) else None
    if _IN_RECORDS.search(head) or b"<arXiv" in head:
        return "arXiv metadata, OAI-PMH" if _OF_ARXIV.search(head) else None
    if _IN_ENTRIES.search(head) and b"http://www.w3.org/2005/Atom" in head:
        return "arXiv API feed, Atom" if b"arxiv.org/" in head else None
    return None


FORMAT = Format("arxiv", "arXiv metadata (snapshot, OAI-PMH, API)", read_arxiv, recognise)
