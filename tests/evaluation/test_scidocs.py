"""Test SciDocs from its files: the metrics, their averages, and errors of files."""

import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli.evaluate import scidocs
from specter_graph.core.errors import InputError, LeakError
from specter_graph.evaluation.protocols import scidocs_benchmark
from specter_graph.evaluation.protocols.classification import DISEASES, disease_classes
from specter_graph.evaluation.protocols.scidocs_benchmark import (
    evaluate_scidocs,
    evaluate_scidocs_spaces,
    read_split,
)
from specter_graph.evaluation.report.table import task_table
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, record_space
from specter_graph.graph.embeddings.spaces import write_vectors as write_space_vectors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import HOLDOUT, held_out_among
from specter_graph.groups.evaluations import Evaluations
from specter_graph.loaders.records import Paper
from tests.evaluation.scidocs_files import write_csv, write_qrel, write_scidocs, write_vectors

TASKS = ("mag", "mesh", "coview", "coread", "cite", "cocite", "recomm")


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scidocs")
    return folder, write_scidocs(folder)


def test_twelve_figures_their_groups_and_their_average(published):
    folder, vectors = published
    options = [f"--{name}={path}" for name, path in vectors.items()]
    result = CliRunner().invoke(scidocs, [str(folder), *options, "--format", "json"])
    assert result.exit_code == 0, result.output
    results = json.loads(result.stdout)
    assert tuple(results["tasks"]) == TASKS
    figures = {task: list(results["tasks"][task]["metrics"].values()) for task in TASKS}
    everything = [value for values in figures.values() for value in values]
    assert len(everything) == 12
    assert results["averages"] == pytest.approx(
        {
            "classification": np.mean([figures["mag"], figures["mesh"]]),
            "usage": np.mean([figures["coview"], figures["coread"]]),
            "citation": np.mean([figures["cite"], figures["cocite"]]),
            "recommendation": np.mean(figures["recomm"]),
            "average": np.mean(everything),
        }
    )
    for task, value in {
        "mag": 0.5,
        "cite": 0.4,
        "recomm": 0.5,
    }.items():  # the vectors are a little better than chance
        assert figures[task][0] > value
    for outcome in results["tasks"].values():
        assert outcome["scored"] == outcome["total"]
        assert outcome["missing"] == 0


def test_validation_files_are_other_files(published):
    folder, vectors = published
    test, validation = (
        evaluate_scidocs(folder, vectors, split=split) for split in ("test", "validation")
    )
    for task in TASKS:
        assert test[task].items != validation[task].items


@pytest.mark.parametrize("wrong", [{"split": "val"}, {"split": "train"}, {"tune_on": "val"}])
def test_an_unknown_split_is_refused(published, wrong):
    folder, vectors = published
    with pytest.raises(InputError, match=r"unknown (split|tune_on) '"):
        evaluate_scidocs(folder, vectors, **wrong)


def test_tasks_without_vectors_are_skipped_and_the_table_names_the_scored_tasks(published):
    folder, vectors = published
    outcomes = evaluate_scidocs(folder, {"recomm": vectors["recomm"]})
    assert tuple(outcomes) == ("recomm",)
    text = task_table({"mine": outcomes}).markdown()
    assert "| recomm nDCG |" in text
    assert "\nrecomm: 20 of 20 scored, 600 of 600 papers with a vector" in text
    with pytest.raises(InputError, match="no vectors to score"):
        evaluate_scidocs(folder, {})


def test_numeric_ids_remain_text(tmp_path):
    write_csv(tmp_path / "train.csv", ["pid", "class_label"], [("00123", "0"), ("1e5", "1")])
    assert scidocs_benchmark.read_classes(tmp_path / "train.csv") == [("00123", "0"), ("1e5", "1")]


def test_empty_vectors_are_missing(tmp_path):
    path = write_vectors(tmp_path / "v.jsonl", {"a": np.ones(2), "b": np.ones(0)})
    results = scidocs_benchmark.read_vector_file(path)
    assert "a" in results
    assert "b" not in results


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.qrel", "q 0 d 1\nq d 1\n", "line 2: not a judgment"),
        ("a.qrel", "q 0 d --1\n", "line 1: not a judgment"),
        ("a.qrel", "q 0 d 1000000\n", "line 1: not a judgment"),
        ("a.qrel", "q 0 d 1\nq 0 d 0\n", "line 2: an earlier line has another relevance of 'd'"),
        ("a.qrel", "", "has no judgments"),
        ("a.csv", "pid,class\np,1,2\n", "line 2: 3 columns"),
        ("a.csv", "pid,class\rp,1\r", "line 1: new-line character"),
        ("papers.json", '{"p": {"title": "T"}, "q": null}', "the record of 'q' cannot be read"),
        ("v.jsonl", '{"paper_id": "a", "embedding": 0.5}\n', "line 1: not a paper"),
        ("v.jsonl", '{"paper_id": "a", "embedding": [[1, 2]]}\n', "line 1: not a paper"),
        ("v.jsonl", '{"paper_id": "a", "embedding": [1, null]}\n', "not have only finite"),
        (
            "clicks.csv",
            'pid,clicked,all\nq,c,"a,b"\n',
            "line 2: .* 'c' was not shown",
        ),
        ("v.jsonl", '{"paper_id": "a", "embedding": [1]}\n{"id": 1}\n', "line 2: not a paper"),
        (
            "v.jsonl",
            '{"paper_id": "a", "embedding": [1]}\n{"paper_id": "b", "embedding": [1, 2]}\n',
            "line 2: the vector of 'b' does not have 1 finite components",
        ),
        ("scores.json", '{"scores": []}', "is not a list of numbers"),
    ],
)
def test_damaged_files_are_refused_with_the_line(tmp_path, name, text, message):
    readers = {
        "a.qrel": scidocs_benchmark.read_qrel,
        "a.csv": scidocs_benchmark.read_classes,
        "clicks.csv": scidocs_benchmark.read_clicks,
        "v.jsonl": scidocs_benchmark.read_vector_file,
        "papers.json": scidocs_benchmark.read_paper_facts,
        "scores.json": scidocs_benchmark.read_propensities,
    }
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        readers[name](tmp_path / name)


def test_byte_order_marks_blank_lines_and_negative_relevances_do_not_change_the_judgments(tmp_path):
    judgments, classes = tmp_path / "a.qrel", tmp_path / "a.csv"
    judgments.write_bytes(b"\xef\xbb\xbfq 0 d 1\r\n\r\nq\t0\te/1\t-2\r\nq 0 d 1\r\n")
    assert scidocs_benchmark.read_qrel(judgments) == {"q": {"d": 1, "e/1": 0}}
    classes.write_bytes(b"\xef\xbb\xbfpid,class\r\np,1\r\n\r\n")
    assert scidocs_benchmark.read_classes(classes) == [("p", "1")]


@pytest.mark.parametrize("damage", ["cut off", "no deflate"])
def test_packed_vectors_that_are_damaged_are_refused_by_name(published, tmp_path, damage):
    packed = gzip.compress(published[1]["cls"].read_bytes())
    path = tmp_path / "cls.jsonl.gz"
    path.write_bytes(packed[:-9] if damage == "cut off" else packed[:10] + b"\xff" + packed[11:])
    result = CliRunner().invoke(scidocs, [str(published[0]), f"--cls={path}"])
    assert isinstance(result.exception, InputError)
    assert f"{path} cannot be read: " in result.exception.message


def test_a_missing_file_is_refused_by_name(tmp_path):
    vectors = {"user-citation": write_vectors(tmp_path / "v.jsonl", {"a": np.ones(2)})}
    with pytest.raises(InputError, match=r"coview/test.qrel cannot be read") as caught:
        evaluate_scidocs(tmp_path, vectors)
    assert "download the files of SciDocs" in caught.value.hint
    with pytest.raises(InputError, match=r"mine.jsonl cannot be read") as caught:
        scidocs_benchmark.read_vector_file(tmp_path / "mine.jsonl")
    assert "embed-files" in caught.value.hint


def test_missing_papers_are_counted_beside_the_figures(tmp_path):
    for task in ("coview", "coread", "cite", "cocite"):
        write_qrel(tmp_path / task / "test.qrel", {"q": {"a": 1, "b": 0}, "r": {"a": 1, "b": 0}})
    vectors = {"user-citation": write_vectors(tmp_path / "v.jsonl", {p: np.ones(2) for p in "qab"})}
    text = task_table({"mine": evaluate_scidocs(tmp_path, vectors)}).markdown()
    assert "\ncite: 1 of 2 scored, 3 of 4 papers with a vector; 1 query without a vector" in text


def test_descriptors_go_up_to_the_nearest_class():
    broader = {
        "hepatitis C": ["D006525"],
        "D006525": ["hepatitis"],
        "hepatitis": ["D004066"],  # a disease of the digestive system
        "chronic hepatitis": ["hepatitis"],
        "chronic hepatitis B": ["D006525", "chronic hepatitis"],
        "colonic neoplasms": ["D009369", "colonic diseases"],
        "colonic diseases": ["D004066"],
        "algorithms": ["mathematics"],
    }
    assert len(DISEASES) == 11
    assert disease_classes(["hepatitis C", "algorithms"], broader) == {"hepatitis"}
    assert disease_classes(["chronic hepatitis B"], broader) == {"hepatitis"}
    both = disease_classes(["chronic hepatitis B", "colonic diseases"], broader)
    assert both == {"hepatitis", "digestive diseases"}
    assert disease_classes(["colonic neoplasms"], broader) == {"neoplasms", "digestive diseases"}
    assert disease_classes(["algorithms"], broader) == frozenset()


def test_spaces_of_a_graph_are_scored_as_files_are_if_they_have_not_seen_the_test_papers(
    published, graph, tmp_path
):
    folder, given = published
    vectors = {}
    for path in given.values():
        vectors |= {row["paper_id"]: row["embedding"] for row in map(json.loads, path.open())}
    path = write_vectors(tmp_path / "all.jsonl", vectors)
    load_papers(graph, [Paper(f"s2:{paper}", paper) for paper in vectors])
    ids, array = [f"s2:{paper}" for paper in vectors], np.array([*vectors.values()], np.float32)
    record = EmbeddingSpace("mine", "head", array.shape[1], "m", "m", "d", holdout=HOLDOUT)
    write_space_vectors(graph, "mine", ids, array)
    record_space(graph, record)
    with pytest.raises(InputError, match=r"recomm/test.csv cannot be read"):
        evaluate_scidocs_spaces(graph, folder / "cite")
    with pytest.raises(LeakError, match="citations of the test papers of SciDocs"):
        evaluate_scidocs_spaces(graph, folder)

    stored = Evaluations(graph).set_scidocs_split(folder)
    assert stored.rule == "as SciDocs"
    test, validation = read_split(folder)
    assert (stored.test, stored.validation) == (len(test & {*ids}), len(validation & {*ids}))
    assert set(held_out_among(graph, ids, HOLDOUT)) == (test | validation) & {*ids}
    record_space(graph, record)
    results = evaluate_scidocs_spaces(graph, folder)["mine"]
    expected = evaluate_scidocs(folder, dict.fromkeys(given, path))
    for task in TASKS:
        for metric, value in expected[task].metrics.items():
            assert results[task].metrics[metric].value() == pytest.approx(value.value(), abs=1e-3)
