"""Test the arXiv protocol, the geometry and the report on the spaces of a real graph."""

import json
import random
import re
import shutil
from dataclasses import replace
from html import escape

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.baselines.registry import missing_baselines, rank_baseline
from specter_graph.cli.evaluate import arxiv, geometry
from specter_graph.core.errors import GraphError, InputError, LeakError
from specter_graph.evaluation.protocols.geometry import describe_spaces
from specter_graph.evaluation.protocols.held_out import rankings, score
from specter_graph.evaluation.protocols.space_evaluation import chosen_spaces, held_out_data
from specter_graph.evaluation.report.page import ReportSettings
from specter_graph.evaluation.report.table import held_out_table
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    read_vectors,
    record_space,
    write_vectors,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Field, Paper
from tests.environment import server_environment

IDS = [f"p{i}" for i in range(120)]


@pytest.fixture(scope="module")
def loaded(fresh_graph):
    """Load papers of two groups that cite within groups, a space that knows them, and another."""
    rng = random.Random(3)
    papers = [
        Paper(
            p,
            p,
            references=tuple(rng.sample(IDS[i % 2 :: 2], 8)),
            fields=(Field("keyword", f"k{i % 2}", "k"),),
        )
        for i, p in enumerate(IDS)
    ]
    load_papers(fresh_graph, papers)
    generator = np.random.default_rng(0)
    knowing = 9 * np.eye(4)[[i % 2 for i in range(120)]] + generator.normal(size=(120, 4))
    for name, vectors in (("knowing", knowing), ("noise", generator.normal(size=(120, 4)))):
        write_vectors(fresh_graph, name, IDS, vectors.astype(np.float32))
        record_space(fresh_graph, EmbeddingSpace(name, "base", 4, "m", "m", "d", sees_edges=False))
    return fresh_graph


@pytest.fixture
def run_command(loaded, local_instance):
    with server_environment(local_instance):
        yield lambda command, *arguments: CliRunner().invoke(command, arguments)


def test_a_space_that_knows_beats_chance_by_every_distance(run_command):
    rows = json.loads(run_command(arxiv, "--format", "json", "-k", "20").stdout)
    assert (rows[0]["space"], rows[0]["distance"]) == ("(random)", "-")
    assert len(rows) == 1 + 2 * 3
    random_row = rows[0]
    for row in rows:
        if row["space"] == "knowing":
            assert row["accuracy"] > random_row["accuracy"] + 0.1
            assert row["recall@20"] > random_row["recall@20"]
            assert row["mvdd"] > 0
    text = run_command(arxiv, "--format", "markdown").stdout
    assert "| knowing | - | cosine |" in text


def test_known_classes_are_separated(run_command):
    results = json.loads(run_command(geometry, "--format", "json").stdout)
    assert results["knowing"]["homogeneity"] > results["noise"]["homogeneity"] + 0.3
    assert results["knowing"]["alignment"] < results["noise"]["alignment"]
    assert results["knowing"]["papers"] == 120
    assert results["knowing"]["separability"] > 0.9
    assert results["noise"]["separability"] < 0.8


def test_a_space_that_has_seen_all_citations_has_a_structure_without_alignment(loaded):
    ids, vectors = read_vectors(loaded, "knowing")
    write_vectors(loaded, "seen", ids, vectors)
    record_space(loaded, EmbeddingSpace("seen", "head", 4, "m", "m", "d"))
    try:
        results = describe_spaces(loaded, ["knowing", "seen"])
    finally:
        loaded.write("MATCH (s:EmbeddingSpace {property: 'seen'}) DELETE s")
    assert results["knowing"].alignment is not None
    assert results["seen"] == replace(results["knowing"], alignment=None)


def test_a_scheme_without_papers_is_refused(loaded):
    with pytest.raises(GraphError, match="no paper has a label of 'mag'"):
        describe_spaces(loaded, label_scheme="mag")


def test_a_space_that_has_seen_hidden_citations_is_refused(run_command, loaded):
    write_vectors(loaded, "tainted", IDS, np.ones((len(IDS), 2), np.float32))
    record_space(loaded, EmbeddingSpace("tainted", "head", 2, "m", "m", "d"))
    try:
        result = run_command(arxiv, "--space", "tainted")
        assert isinstance(result.exception, LeakError)
    finally:
        loaded.write("MATCH (s:EmbeddingSpace {property: 'tainted'}) DELETE s")


@pytest.fixture(scope="module")
def written(loaded, tmp_path_factory):
    """Return the folder of a report; one title contains HTML."""
    loaded.write("MATCH (p:Paper {id: 'p7'}) SET p.title = '<script>alert(1)</script>'")
    folder = tmp_path_factory.mktemp("report") / "new"
    paths = LiteratureGraph(loaded.driver, loaded.name).evaluate.report(
        folder, ReportSettings(compare_to="noise")
    )
    assert paths == [folder / "report.html", folder / "report.md"]
    return folder


def test_a_folder_that_cannot_be_written_is_an_error_before_spaces_are_scored(loaded, tmp_path):
    (tmp_path / "file").write_text("")
    stages = []
    with pytest.raises(InputError, match="file cannot be created or written: File exists"):
        LiteratureGraph(loaded.driver, loaded.name).evaluate.report(
            tmp_path / "file", progress=lambda *stage: stages.append(stage)
        )
    assert stages == []


def test_a_report_has_the_figures_of_evaluate(loaded, written):
    results = LiteratureGraph(loaded.driver, loaded.name).evaluate.held_out(compare_to="noise")
    *table, _, caption = held_out_table(results).markdown().splitlines()
    text = (written / "report.md").read_text()
    plain = text.replace("**", "")  # a ranker may have the best value of a column
    assert plain.startswith("\n".join(table).replace("**", ""))
    assert caption in text
    page = (written / "report.html").read_text()
    shown = results.spaces["knowing"]["cite"]["map"]
    assert f"{100 * shown.value:.1f} ▲<small>{100 * shown.low:.1f}" in page
    assert escape(caption) in page
    assert "worse than noise" in caption
    assert "Map of knowing" in page
    assert page.count("<circle") == 120
    assert "Where knowing fails" in page
    assert "http" not in page
    assert "<script" not in page


def test_rankers_have_rows_and_unavailable_baselines_are_open(loaded, written):
    text, page = (written / name for name in ("report.md", "report.html"))
    ranked = rank_baseline(loaded, "cocitation").scores["cite"]["map"]
    [row] = [line for line in text.read_text().splitlines() if line.startswith("| cocitation")]
    cells = [cell.strip() for cell in row.split("|")][2:-1]
    assert cells[0].strip("*").startswith(f"{100 * ranked.value:.1f} ")
    assert cells[2:4] == ["-", "-"]  # it knows which papers cite the query
    reason = "open: needs the weights allenai/scibert_scivocab_uncased"
    assert f"- `scibert`: {reason}\n" in text.read_text()
    assert f'<th scope="row">scibert</th><td colspan="8">{reason}</td>' in page.read_text()


def test_seeds_are_one_row_the_mean_of_each_query(loaded):
    results = LiteratureGraph(loaded.driver, loaded.name).evaluate.held_out(
        ["knowing,noise", "knowing", "noise"], compare_to="noise"
    )
    both, one, other = (
        results.spaces[name]["cite"]["map"].value
        for name in ("knowing,noise (2 seeds)", "knowing", "noise")
    )
    assert both == pytest.approx((one + other) / 2)
    assert set(results.differences) == {"knowing,noise (2 seeds)", "knowing"}


def test_the_worst_query_is_the_one_with_the_lowest_average_precision(loaded, written):
    data = held_out_data(loaded, chosen_spaces(loaded, ["knowing"]), "test")
    relevant = {"cite": rankings(data, 0)["cite"]}
    scores = score("knowing", read_vectors(loaded, "knowing"), data, relevant)["cite"]["map"]
    page = (written / "report.html").read_text()
    precisions = [float(each) for each in re.findall(r"average precision ([\d.]+)", page)]
    assert precisions == [round(100 * each, 1) for each in sorted(scores.tolist())[:10]]


def test_a_report_is_complete_in_an_offline_browser(written):
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    messages = []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 800})
        page.context.set_offline(True)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto((written / "report.html").as_uri())
        page.get_by_role("heading", name="Map of knowing").scroll_into_view_if_needed()
        picture = page.locator(".map").screenshot()
        rows = page.locator("table").first.locator("tbody tr").count()
        wide = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.close()
    assert (messages, wide) == ([], True)
    assert rows == 1 + 2 + 3 + len(missing_baselines([]))
    assert len(picture) > 5_000  # an empty square of this size has a tenth of the bytes


def test_the_service_shows_the_report_without_any_right(loaded, written, tmp_path):
    from tests.service.small_service import ask

    graph = LiteratureGraph(loaded.driver, loaded.name)
    with ask(graph, data_folder=tmp_path) as client:
        assert client.get("/report/latest").status_code == 404
        assert "There is no report yet" in client.get("/report").text
        shutil.copytree(written, graph.evaluate.report_folder(tmp_path), dirs_exist_ok=True)
        assert 'href="/report/latest"' in client.get("/report").text
        shown = client.get("/report/latest")
        assert shown.text == (written / "report.html").read_text()
        policy = shown.headers["content-security-policy"]
        assert policy.endswith("sandbox")
        assert "script-src" not in policy
        assert "default-src 'none'" in policy
