"""Test the core package and its extras, which errors name when they are missing."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.encoder.recipe import read_recipe
from specter_graph.evaluation.protocols.scidocs_benchmark import evaluate_scidocs
from specter_graph.graph.database import Database
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.synthetic import synthetic_papers
from specter_graph.pipelines.train import train

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
INSTALLED = ("all", "dev", "docs")
"""Extras for development, and extras that only combine others."""

CORE_BRINGS = {"jinja2", "psutil", "requests", "tenacity", "threadpoolctl", "pandas"}
"""Packages of extras that are also dependencies of packages of the core."""

ENTERED_UNDER_EXTRA = {
    "loaders/formats": "formats",
    "loaders/parsing": "formats",
    "loaders/formats/web_sources.py": "formats",
    "service": "serve",
    "encoder/int8.py": "int8",
    "encoder/baselines/text_vectors.py": "baselines",
}
"""Modules that are themselves imported inside `with extra(...)`."""


def distribution(requirement: str) -> str:
    return re.split(r"[\[<>=;~! ]", requirement)[0].lower().replace("_", "-")


def optional_modules() -> dict[str, set[str]]:
    """Return the extras that install each module that the core does not install."""
    core = {distribution(each) for each in PROJECT["dependencies"]} | CORE_BRINGS
    modules: dict[str, set[str]] = {}
    for module, distributions in packages_distributions().items():
        names = {name.lower().replace("_", "-") for name in distributions}
        if names & core:
            continue  # Python 3.13 also names the extra neo4j-rust-ext for the module neo4j
        for name in names - {"specter-graph"}:
            extras = {
                extra
                for extra, requirements in EXTRAS.items()
                if extra not in INSTALLED and name in map(distribution, requirements)
            }
            if extras:
                modules.setdefault(module, set()).update(extras)
    return modules


MODULES = optional_modules()


def imports(tree: ast.AST, extra: str | None = None) -> Iterator[tuple[str, str | None, int]]:
    """Yield each imported top-level module, the extra that its `with` names, and the line."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name.split(".")[0], extra, node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0], extra, node.lineno
        elif isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        elif (
            isinstance(node, ast.With)
            and getattr(call := node.items[0].context_expr, "func", None)
            and getattr(call.func, "id", "") == "extra"
        ):
            yield from imports(node, call.args[0].value)
        else:
            yield from imports(node, extra)


def test_optional_packages_are_imported_under_their_extra():
    """A user without the extra gets the command that installs it instead of a traceback."""
    files = [
        path
        for folder in [
            "specter_graph",
            "loaders",
            "graph",
            "encoder",
            "evaluation",
            "matching",
            "service",
        ]
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(files) > 200
    wrong = []
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        inside = next(
            (e for folder, e in ENTERED_UNDER_EXTRA.items() if name.startswith(folder)), None
        )
        tree = ast.parse(path.read_text("utf-8"))
        checks_itself = re.search(r"find_spec\(|except ImportError", path.read_text("utf-8"))
        wrong += [
            f"{name}:{line}: {module} of {sorted(MODULES[module])}"
            for module, extra, line in imports(tree)
            if not checks_itself and module in MODULES and not MODULES[module] & {extra, inside}
        ]
    assert not wrong, "\n".join(wrong)


def test_the_core_has_no_more_than_20_packages():
    assert len(PROJECT["dependencies"]) <= 20


def test_all_names_every_extra_of_the_program():
    others = {"baselines", "graphrag", "langchain", "llamaindex", "mcp", "mteb", "notebook"}
    others |= {*INSTALLED, "openreview", "scale"}
    assert set(re.findall(r"\w+", EXTRAS["all"][0].partition("[")[2])) == set(EXTRAS) - others


WITHOUT_EXTRAS = f"""
import sys
from importlib.machinery import PathFinder

class Core(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] not in {sorted(MODULES)}:
            return PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Core
from specter_graph.cli import cli, main
"""


def run_without_extras(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS + code], capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "papers.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {"id": p.id, "title": p.title, "abstract": p.abstract, "references": p.references}
            )
            + "\n"
            for p in synthetic_papers(100)
        )
    )
    return file


def test_the_core_loads_trains_embeds_and_searches_without_any_extra(
    server: Database, corpus: Path, tmp_path: Path
):
    commands = [
        ["load", "jsonl", str(corpus)],
        ["triplets", "-o", str(tmp_path / "triplets.parquet")],
        ["train", "-o", str(tmp_path / "model"), "--recipe", "head"],
        ["embed", "--model", str(tmp_path / "model"), "--space", "specter"],
        ["sgc", "--space", "specter", "--output-space", "sgc"],
        ["query", "list"],
        ["search", "flow"],
    ]
    done = run_without_extras(
        f"for command in {commands!r}:\n"
        "    print(*command, flush=True)\n"
        "    cli(command, standalone_mode=False)\n"
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_every_public_name_can_be_imported_without_any_extra():
    done = run_without_extras(
        "from specter_graph import *\nimport pydoc, specter_graph\npydoc.render_doc(specter_graph)"
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda graph: graph.evaluate.held_out(),
        lambda graph: graph.evaluate.compare("a", "b"),
        lambda graph: graph.evaluate.tasks(),
        lambda graph: graph.evaluate.arxiv(),
        lambda graph: graph.evaluate.scidocs("folder"),
        lambda graph: graph.evaluate.baseline("bm25"),
        lambda graph: graph.evaluate.report(),
        lambda graph: evaluate_scidocs("folder", {}),
    ],
)
def test_an_evaluation_needs_its_extra_before_it_reads_the_graph(
    graph: Database, monkeypatch: pytest.MonkeyPatch, evaluate: Callable[[LiteratureGraph], object]
):
    monkeypatch.setitem(sys.modules, "pytrec_eval", None)
    with pytest.raises(InputError, match="pytrec_eval is not installed") as raised:
        evaluate(LiteratureGraph(graph.driver))  # of an empty graph, which has nothing to score
    assert raised.value.hint == 'pip install "specter-graph[eval]"'


def test_a_venue_needs_its_extra_before_it_reads_the_graph(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "ortools", None)
    with pytest.raises(InputError, match="ortools is not installed"):
        LiteratureGraph(graph.driver).venue("V")


def test_lora_needs_its_extra_before_triplets_are_mined(
    graph: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "peft", None)
    recipe = read_recipe("full").changed({"lora": {}})
    with pytest.raises(InputError, match="peft is not installed") as raised:
        train(graph, tmp_path / "model", recipe)  # of an empty graph, which has no triplets
    assert raised.value.hint == 'pip install "specter-graph[lora]"'


NEEDED_EXTRAS = {
    "load pubmed papers.jsonl": "formats",
    "load bibtex papers.jsonl": "formats",
    "load jsonl papers.jsonl --bulk": "bulk",
    "serve": "serve",
    "keys list": "serve",
    "match assign VENUE -o pairs.csv": "match",
    "match pull VENUE -o files": "openreview",
    "load jsonl papers.jsonl --bulk --ray local": "scale",
}


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the exit status and the error of each command; one process runs all of them."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "papers.jsonl").write_text('{"id": "a", "title": "On corals"}')
    done = run_without_extras(
        f"import os\nos.chdir({str(folder)!r})\n"
        f"for command in {[*NEEDED_EXTRAS]!r}:\n"
        "    sys.argv[1:] = command.split()\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as end:\n"
        "        print(f'status {end.code} of {command}\\0', file=sys.stderr)\n"
    )
    assert done.returncode == 0, done.stderr
    return dict(zip(NEEDED_EXTRAS, done.stderr.split("\0"), strict=False))


@pytest.mark.parametrize(("command", "extra"), NEEDED_EXTRAS.items())
def test_a_missing_extra_names_the_command_that_installs_it(
    command: str, extra: str, errors: dict[str, str]
):
    assert f"status 1 of {command}" in errors[command]
    assert f'pip install "specter-graph[{extra}]"' in errors[command]
    assert "Traceback" not in errors[command]
