import json

import pytest
from click.testing import CliRunner

from specter_graph.cli.training import triplets
from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import CitationTriplets
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.triplets.triplet_files import read_triplets
from specter_graph.loaders.records import Paper

PAPERS = [
    Paper(f"p{n}", "title", references=tuple(f"p{n - back}" for back in range(1, 4) if n >= back))
    for n in range(50)
]


@pytest.fixture(autouse=True)
def loaded(graph: Database, server):
    load_papers(graph, PAPERS)


def run(*arguments: str):
    return CliRunner().invoke(triplets, arguments, catch_exceptions=False)


def test_the_file_agrees_with_the_report(tmp_path):
    path = tmp_path / "t.jsonl.gz"
    result = run("-o", str(path), "--seed", "3", "--format", "json")
    report = json.loads(result.stdout)
    rows = [row for batch in read_triplets(path) for row in batch.to_pylist()]
    assert report["file"] == str(path)
    assert report["seed"] == 3
    assert report["triplets"] == len(rows) == 5 * report["queries"]
    assert report["hard"] == sum(row["hard"] for row in rows)
    assert {"queries", "triplets", "hard", "fallbacks", "skipped"} <= {*report}


def test_mining_uses_the_settings_of_the_recipe(tmp_path):
    path = str(tmp_path / "t.parquet")
    by_recipe = json.loads(run("-o", path, "--recipe", "head", "--format", "json").stdout)
    assert by_recipe["mined"] == CitationTriplets(per_query=20, hard=0).model_dump()
    assert (by_recipe["hard"], by_recipe["fallbacks"]) == (0, 0)
    changed = json.loads(run("-o", path, "--set", "triplets.hard=1", "--format", "json").stdout)
    assert changed["mined"]["hard"] == 1
    assert changed["hard"] + changed["fallbacks"] > 0


def test_counts_are_printed_without_json(tmp_path):
    result = run("-o", str(tmp_path / "t.parquet"))
    assert result.exit_code == 0
    assert "queries 41 triplets 205" in " ".join(result.stdout.split())


def test_an_unknown_suffix_is_refused_before_anything_is_mined(tmp_path):
    with pytest.raises(InputError, match="has no known suffix"):
        run("-o", str(tmp_path / "t.csv"))


def test_triplets_of_specter_data_are_written_and_counted(tmp_path):
    data = tmp_path / "data.json"
    data.write_text('{"q": {"c": {"count": 5}, "n": {"count": 1}}, "r": {"c": {"count": 5}}}')
    (tmp_path / "train.txt").write_text("q\nunknown\n")
    path = tmp_path / "t.jsonl"
    own = ("--specter-data", str(data), "--query-ids", str(tmp_path / "train.txt"))
    report = json.loads(run("-o", str(path), *own, "--format", "json").stdout)
    rows = [row for batch in read_triplets(path) for row in batch.to_pylist()]
    assert report == {
        "file": str(path),
        "queries": 1,
        "triplets": 5,
        "hard": 1,
        "skipped": 0,
        "missing": 1,
    }
    assert [(row["positive"], row["negative"]) for row in rows if row["hard"]] == [("s2:c", "s2:n")]
    refused = run("-o", str(path), "--query-ids", str(data))
    assert refused.exit_code == 2
