"""CSV, as neo4j-admin imports it: the imported database is the graph."""

import csv
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from specter_graph.graph.database import Database, connect
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.export import export_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.schema import apply_schema
from specter_graph.graph.server import Instance, config
from specter_graph.loaders.records import Identifier, Paper
from tests.graph.canonical import canonical
from tests.graph.export.rich_corpus import NASTY, load_rich_corpus, write_places


@pytest.fixture
def empty_instance(local_instance: Instance, tmp_path: Path) -> Iterator[Instance]:
    """An instance of its own that has never been started."""
    instance = Instance("imported", tmp_path / "data", local_instance.cache_dir, idle_minutes=2)
    try:
        yield instance
    finally:
        instance.remove()


def import_into(instance: Instance, folder: Path) -> None:
    """Run `neo4j-admin database import full neo4j @import.args` within the folder."""
    with instance.sole_use() as sole:
        memory = config.memory_for_machine()
        config.write_configuration(sole.home, sole.jars, config.Ports(0, 0), memory)
        config.set_first_password(sole.home, config.password_of(sole.home))
        arguments = ("database", "import", "full", "neo4j", "@import.args")
        run = subprocess.run(
            config.admin_command(sole.jars, sole.jvm, *arguments),
            cwd=folder,
            env=config.admin_environment(sole.home),
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr


def test_the_imported_database_is_the_graph(
    graph: Database, tmp_path: Path, empty_instance: Instance
):
    doi = (Identifier("doi", "10.1/same"),)
    load_rich_corpus(graph)
    load_papers(graph, [Paper(each, "T", identifiers=doi, references=("a",)) for each in "yz"])
    merge(graph)
    graph.write("MATCH (r:MergeRules) DELETE r")
    write_places(graph)
    export_graph(graph, tmp_path / "csv", "csv", spaces=["specter"])
    import_into(empty_instance, tmp_path / "csv")
    with (
        empty_instance.lease() as endpoint,
        connect(endpoint.uri, endpoint.username, endpoint.password) as imported,
    ):
        apply_schema(imported)
        assert canonical(imported) == canonical(graph)
        for mine, its in zip(
            read_vectors(graph, "specter"), read_vectors(imported, "specter"), strict=True
        ):
            assert list(map(list, mine)) == list(map(list, its))


def test_every_file_has_a_header_and_relationships_name_nodes_that_are_there(
    graph: Database, tmp_path: Path
):
    load_rich_corpus(graph)
    export_graph(graph, tmp_path / "csv", "csv", field="Disease")
    arguments = (tmp_path / "csv" / "import.args").read_text().splitlines()
    named = [line.split("=") for line in arguments if line.startswith(("--nodes", "--rel"))]
    assert sorted(file.removeprefix("./") for _, _, file in named) == sorted(
        path.name for path in (tmp_path / "csv").glob("*.csv")
    )
    ids: dict[str, set[str]] = {}
    for kind, label, file in named:
        with (tmp_path / "csv" / file).open(encoding="utf-8", newline="") as lines:
            header, *rows = csv.reader(lines)
        if kind == "--nodes":
            assert header[0].endswith(f":ID({label})")
            assert len({row[0] for row in rows}) == len(rows)
            ids[label] = {row[0] for row in rows}
        else:
            for column in (0, 1):
                assert header[column].startswith((":START_ID(", ":END_ID(")[column])
                label = header[column].partition("(")[2].rstrip(")")
                assert ids[label].issuperset(row[column] for row in rows)
    with (tmp_path / "csv" / "papers.csv").open(encoding="utf-8", newline="") as lines:
        first = next(csv.DictReader(lines))
    assert first["title:string"] == NASTY
