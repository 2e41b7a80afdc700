"""Semantic Scholar: the Datasets API, the Graph API, and the files of SPECTER and SciDocs.

Which of them an object is, its keys tell. See docs/formats/semantic-scholar.md for the field maps.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from specter_graph.loaders.format_api import Count, Format, Found, Problem, RecordError
from specter_graph.loaders.formats import s2_datasets, s2_full_text, s2_graph_api, scidocs
from specter_graph.loaders.formats.semantic_scholar import head, read_json
from specter_graph.loaders.parsing.json_lines import first_object

KEYS = s2_datasets.KEYS | s2_full_text.KEYS | s2_graph_api.KEYS


def read_s2(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """What a file tells with its lines (SciDocs: members), and what in it cannot be used."""
    if scidocs.begins(head(path)):
        yield from scidocs.read_scidocs(path, count)
        return
    line, unidentified = 0, 0

    def convert(record: dict[str, Any]) -> Iterator[Found]:
        nonlocal unidentified
        if "citingcorpusid" in record and record.get("citedcorpusid") is None:
            unidentified += 1
            return iter(())
        return _convert(record)

    for line, found in read_json(path, count, convert, KEYS):
        yield line, found
    if unidentified:
        reason = f"left out: {unidentified:,} citations of papers that have no corpus id"
        yield line + 1, Problem(reason, repaired=True)


def _convert(record: dict[str, Any]) -> Iterator[Found]:
    """What a JSON object tells; raises RecordError when that is nothing."""
    if "citingcorpusid" in record:
        return s2_datasets.citation(record)
    if "paperId" in record or record.keys() & {"citedPaper", "citingPaper"}:
        return s2_graph_api.paper(record)
    if "corpusid" in record:
        if record.keys() & {"content", "body"}:
            return s2_full_text.paper(record)
        if "title" in record:
            return s2_datasets.paper(record)
        if "abstract" in record:
            return s2_datasets.abstract(record)
    for key in s2_graph_api.PAGES:
        if isinstance(entries := record.get(key), list):
            return s2_graph_api.page(entries)
    raise RecordError("this is no paper, abstract or citation of Semantic Scholar")


def recognise(name: str, head: bytes) -> str | None:
    """What the keys of the first object tell."""
    if file := scidocs.begins(head):
        return f"{file} of SPECTER and SciDocs"
    keys = first_object(head).keys()
    if {"citingcorpusid", "citedcorpusid"} <= keys:
        return "Semantic Scholar Datasets API, citations"
    if "corpusid" in keys and (kind := _dataset(keys)):
        return f"Semantic Scholar Datasets API, {kind}"
    if "paperId" in keys or (keys & set(s2_graph_api.PAGES) and b'"paperId"' in head):
        return "Semantic Scholar Graph API, papers"
    return None


def _dataset(keys: Collection[str]) -> str | None:
    marks = {"content": "s2orc", "body": "s2orc_v2", "title": "papers", "abstract": "abstracts"}
    return next((kind for mark, kind in marks.items() if mark in keys), None)


FORMAT = Format("s2", "Semantic Scholar (Datasets, Graph API, SciDocs)", read_s2, recognise)
