"""Read the graph from the importer's files, comparable with `canonical`."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from specter_graph.graph.loading.bulk.importer import ImportFile, count_items, resolved, write_files
from specter_graph.graph.loading.bulk.parse import Task, write_tables
from specter_graph.graph.loading.summary import LoadSummary
from specter_graph.loaders.records import Item
from tests.graph.canonical import _text


def graph_of(files: Iterable[ImportFile], separator: str) -> dict[str, list[str]]:
    nodes: dict[int, dict[str, Any]] = {}
    relationships = []
    for file in files:
        for row in pq.read_table(file.path).to_pylist():
            properties = {
                name.removesuffix(":string[]"): value.split(separator) if ":" in name else value
                for name, value in row.items()
                if value is not None and not name.startswith(":") and not name.endswith("time")
            }
            if file.kind == "nodes":
                assert row[":ID"] not in nodes
                nodes[row[":ID"]] = {"labels": file.name.split(":"), "properties": properties}
            else:
                ends = row[":START_ID"], row[":END_ID"]
                relationships.append((file.name, ends, properties))
    assert sorted(nodes) == list(range(len(nodes)))
    return {
        "nodes": sorted(_text(node) for node in nodes.values() if node["labels"] != ["Load"]),
        "relationships": sorted(
            _text(
                {
                    "start": _key(nodes[start]),
                    "type": kind,
                    "properties": properties,
                    "labels": nodes[end]["labels"],
                    "end": _key(nodes[end]),
                }
            )
            for kind, (start, end), properties in relationships
        ),
    }


def _key(node: dict[str, Any]) -> Any:
    properties = dict(node["properties"])
    return properties.get("id", [properties.get("scheme"), properties.get("value")])


def in_files(
    items: list[Item], parts: int, drop_dangling: bool
) -> tuple[dict[str, list[str]], LoadSummary]:
    """Return the graph of the files for these items, read in a number of parts."""
    summary = LoadSummary()
    with TemporaryDirectory() as name:
        folder = Path(name)
        tasks = [Task(None, number, folder / f"part {number}") for number in range(parts)]
        for task in tasks:
            write_tables(items[task.number :: parts], task, lambda summary: None)
        with resolved(
            [task.folder for task in tasks],
            folder,
            load=1,
            times=(datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC)),
            drop_dangling=drop_dangling,
        ) as tables:
            count_items(tables, summary)
            return graph_of(*write_files(tables, folder)), summary
