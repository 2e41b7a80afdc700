"""Run every command of the documentation, page after page, on a small corpus.

test_tutorial.py also compares the output, for the tutorial and the guide to custom queries. The
files have the names that the pages use (page_files.py). Some options are added, for example a tiny
base. `--instance` is omitted, because one server serves all commands.
"""

import glob
import re
import shutil
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.encoder.device import fast_precisions
from tests.docs.page_files import papers, write_page_files
from tests.docs.pages import DOCS, written_commands
from tests.encoder.small_corpus import write_bert

ELSEWHERE = {"tutorial.md", "custom-queries.md"}
BASE = "tiny"
BYTES = "int8"
"""Precision that not every CPU has; the tests replace it."""
NOT_RUN = {
    "serve --port": "does not end; tests/service/test_serve.py",
    "serve --allow-jobs": "does not end; tests/service/test_jobs.py",
    "serve --allow-cypher": "does not end; tests/service/test_access.py",
    "serve --log-use": "does not end; tests/service/test_usage_recorder.py",
    "spaces load": "needs vectors of all papers; tests/pipelines/test_load_vectors.py",
    "mcp": "waits for a client; tests/integrations",
    "server up": "starts a server of its own; tests/cli/test_server.py",
    "demo": "2,000 papers or more; tests/test_literature.py",
    "--ray": "needs a cluster; tests/scale/test_ray.py",
    "--bulk": "needs a server of its own; tests/graph",
    "server backup": "needs a server of its own; tests/graph/server/test_backup.py",
    "server restore": "needs a server of its own; tests/graph/server/test_backup.py",
    "load openalex --filter": "asks OpenAlex; tests/loaders/test_openalex_live.py",
    "load openalex --seed-paper": "asks OpenAlex; tests/loaders/test_openalex_live.py",
    "enrich --mailto": "asks services; tests/pipelines/test_enrich.py",
    "enrich --citing": "asks services; tests/pipelines/test_enrich.py",
    "match fetch": "asks services; tests/matching/io/test_publications.py",
    "match load reviewers.csv": "needs fetched archives; tests/matching/io/test_publications.py",
    "match pull": "asks OpenReview; tests/matching/io/test_openreview_api.py",
    "match push": "asks OpenReview; tests/matching/io/test_openreview_api.py",
    "match load iclr/archives": "needs pulled files; tests/matching/io/test_openreview_api.py",
    "match load submission.csv": "needs files of EasyChair; tests/matching/io/test_easychair.py",
    "--easychair": "needs files of EasyChair; tests/matching/io/test_easychair.py",
    "match load Papers.xls": "needs files of CMT; tests/matching/io/test_cmt.py",
    "--cmt": "needs files of CMT; tests/matching/io/test_cmt.py",
    "load s2 data/paper_metadata_view_cite_read.json": "tests/evaluation/test_scidocs.py",
    "evaluate split --scidocs": "needs the papers of SciDocs; tests/evaluation/test_scidocs.py",
    "evaluate scidocs --format markdown": "the same",
    "baseline run scibert": "fetches weights from the hub",
    "--rerank": "the same; tests/graph/search/test_reranking.py",
    "allenai/specter2_base+allenai/specter2+allenai/specter2_adhoc_query": "the same",
    "baseline run bert-small": "the same",
    "static": "distills MiniLM; tests/encoder/test_static_model.py",
    "train --recipe arxiv": "the same; tests/graph/triplets/sources/test_cited_by.py",
    "embed arxiv_cls": "needs this model",
    "evaluate arxiv --holdout": "needs this model; tests/cli/test_baselines.py",
    "baseline run infersent": "needs published weights; tests/cli/test_baselines.py",
    "baseline run --tune": "takes 30 validation papers; tests/cli/test_baselines.py",
}
SMALL = {
    "train": ["--base {base}", "--epochs 1"],
    "train --recipe full": ["--triplets-per-query 2"],
    "train --recipe specter": ["--triplets-per-query 2"],
    "train --recipe reranker": ["--set layers=2"],
    "embed": ["--model {base}"],
    "evaluate tasks": ["--space base"],
    "topics find": ["--min-size 2"],
    "spaces check": ["--queries 5"],
}
"""Options that are added to commands without these options."""
FIRST = [
    "load jsonl papers.jsonl.gz",
    "load auto downloads/",
    "load openalex works/",
    "load crossref crossref.jsonl.gz",
    "load readers readers.jsonl",
    "feedback export-clicks use.jsonl -o clicks.jsonl",
    "match load ICLR-2027 --submissions submissions.json --archives archives/ --year 2027",
    "match load HEP-2003 --submissions submissions.json --archives archives/",
    "train -o tuned --recipe full",
    "train -o model",
    *(f"embed --model model --space specter{seed}" for seed in ("", "_0", "_1", "_2")),
    *(f"sgc --space specter{seed} --output-space sgc_specter{seed}" for seed in ("", "_1", "_2")),
    "sgc",
]
WORKSPACE = [page for page in DOCS if page.name not in ELSEWHERE]
LAST = ("deduplication.md", "hardware.md", "maintenance.md", "triplets.md")
"""Pages that train without a hold-out or change papers; they run after pages that evaluate."""
PAGES = sorted(WORKSPACE, key=lambda page: (page.parent.name == "formats", page.name in LAST))


def not_run(words: list[str]) -> str | None:
    """Return the words by which a command is in NOT_RUN, or None."""
    return next((key for key in NOT_RUN if set(key.split()) <= set(words)), None)


ALL = [words for page in PAGES for words in written_commands(page.read_text())]
WRITTEN = list(dict.fromkeys(tuple(words) for words in ALL if not_run(words) is None))


@pytest.fixture(scope="module")
def workspace(server, tmp_path_factory) -> Path:
    """Return a folder with the files of the pages; the graph has their papers."""
    folder = tmp_path_factory.mktemp("desk")
    server.chdir(folder)
    server.setenv("COLUMNS", "100")
    corpus = papers(100)
    write_page_files(folder, corpus)
    texts = " ".join(f"{each.title} {each.abstract}" for each in corpus).lower()
    write_bert(folder / BASE, 260, 512, sorted({*re.findall("[a-z]{2,}", texts)}))
    for name in ("bert-base-uncased", "scincl", "e5-small-v2"):
        (folder / name).symlink_to(folder / BASE)
    for line in FIRST:
        run(line.split())
    (folder / "mine.yaml").write_text(run(["train", "--recipe", "head", "--print-recipe"]))
    return folder


def run(words: list[str]) -> str:
    """Return the output of a command; file name patterns are expanded as by a shell."""
    if "--instance" in words:
        at = words.index("--instance")
        words = words[:at] + words[at + 2 :]
    if words[:2] == ["export", "model"]:
        shutil.rmtree(words[-1], ignore_errors=True)
    if "--precision" in words and BYTES not in fast_precisions(torch.device("cpu")):
        words = ["float32" if word == BYTES else word for word in words]
    words = [name for word in words for name in (sorted(glob.glob(word)) or [word])]
    for command, options in SMALL.items():
        if set(command.split()) <= set(words):
            added = [each.format(base=BASE).split() for each in options]
            given = {*words, "--triplets-per-query"} if "--triplets" in words else {*words}
            words += [word for each in added if each[0] not in given for word in each]
    ran = CliRunner().invoke(cli, words, input="y\n", catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return ran.output


@pytest.mark.parametrize("words", WRITTEN, ids=" ".join)
def test_a_command_of_a_page_runs(words, workspace):
    is_silent = words[:2] == ("watch", "run") and "--format" not in words  # no new papers
    assert bool(run(list(words))) != is_silent


def test_every_command_that_is_not_run_is_in_the_documentation():
    assert {not_run(words) for words in ALL} - {None} == set(NOT_RUN)
