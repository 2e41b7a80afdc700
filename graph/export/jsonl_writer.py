"""Export to JSON Lines in the format of `load jsonl`: one paper per line.

Loading the file recreates stubs from references. The format does not contain citations of stubs,
ids of authors and venues, schemes of fields, and contexts of citations. Requested vectors are in
`vectors`, by the names of their spaces.
"""

from pathlib import Path
from typing import Any

import orjson

from specter_graph.core.atomic_files import complete_file, compressed
from specter_graph.graph.export.source import Source, StoredPaper
from specter_graph.graph.loading.record_rows import IDENTIFIERS

_PROPERTIES = ["title", "abstract", "year", "published", "language", "url", "retracted", "body"]


def write_jsonl(source: Source, path: Path) -> None:
    """Write the papers with records; .gz and .zst files are compressed."""
    spaces, citations = [space.property for space in source.spaces], 0
    with complete_file(path) as unfinished, compressed(unfinished, path) as file:
        for paper in source.papers(*_PROPERTIES, *IDENTIFIERS.values(), *spaces):
            if not paper.stub:
                file.write(orjson.dumps(_record(paper, spaces), option=orjson.OPT_APPEND_NEWLINE))
                citations += len(paper.citations)
    source.wrote_no_stubs(citations)


def _record(paper: StoredPaper, spaces: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = {"id": paper.id}
    record.update((name, paper.values[name]) for name in _PROPERTIES)
    record["authors"] = [author["name"] for author in paper.authors]
    record["venue"] = paper.venues[0]["name"] if paper.venues else None
    record["fields"] = sorted({field["name"] or field["id"] for field in paper.fields})
    own = {(scheme, paper.values[name]) for scheme, name in IDENTIFIERS.items()}
    pairs = sorted(map(tuple, paper.identifiers), key=lambda pair: pair not in own)
    record["identifiers"] = [
        ":".join(pair) for pair in pairs
    ]  # those stored on the paper first: loading uses these
    record["references"] = [citation["cited"] for citation in paper.citations]
    record["vectors"] = {name: v for name in spaces if (v := paper.values[name]) is not None}
    return {key: value for key, value in record.items() if value not in (None, [], {})}
