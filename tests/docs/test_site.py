"""Build the site without warnings; check that it is complete and loads nothing from other hosts."""

import importlib.util
import os
import re
import subprocess
import sys

import click
import pytest

import specter_graph
from specter_graph.cli import cli
from specter_graph.cypher import library
from specter_graph.loaders.corpus import NAMES
from tests.docs.pages import ROOT

pytest.importorskip("mkdocs")
spec = importlib.util.spec_from_file_location("references", ROOT / "docs" / "references.py")
references = importlib.util.module_from_spec(spec)
spec.loader.exec_module(references)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    ran = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return folder


def test_no_page_loads_anything_from_another_host(site):
    loads = re.compile(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//""")
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    assert [page.name for page in pages if loads.search(page.read_text())] == []


def test_the_python_page_documents_the_public_names(site):
    page = (site / "reference" / "python.html").read_text()
    for name in ["LiteratureGraph.similar", "Encoder.encode", "Client.search", "errors.InputError"]:
        assert f"{name}" in page
    headings = re.findall(r'<h[2-5] id="[^"]*?(\w+)"', page)
    assert {*specter_graph.__all__} - {"__version__", "loaders", *headings} == set()


def test_every_command_and_every_option_is_in_the_reference():
    page = references.commands()

    def missing(command, name):
        part = page.partition(f"# {name}\n")[2].partition("\n## ")[0]
        options = [each for each in command.params if isinstance(each, click.Option)]
        lacking = [each.opts[0] for each in options if f"`{each.opts[0]}" not in part]
        for sub, each in getattr(command, "commands", {}).items():
            lacking += missing(each, f"{name} {sub}")
        return lacking

    result = {name: missing(command, name) for name, command in cli.commands.items()}
    assert {name: options for name, options in result.items() if options} == {}


def test_every_route_and_every_model_of_the_api_is_in_the_reference():
    page, document = references.http(), references.openapi()
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"## {method.upper()} {path}\n" in page
    linked = set(re.findall(r"\]\(#(\w+)\)", page))
    assert linked <= set(re.findall(r"\{#(\w+)\}", page))
    assert len(linked) > 15


@pytest.mark.parametrize("query", library(), ids=lambda query: query.name)
def test_every_query_is_in_the_reference_with_its_header(query):
    page = references.cypher()
    part = page.partition(f"\n### {query.name.removeprefix('library/')}\n")[2].split("\n### ")[0]
    assert part.strip().startswith(query.summary)
    assert query.text.strip() in part
    for each in (*query.parameters, *query.columns):
        assert f"| `{each.name}` | `{each.type}` |" in part
        assert each.text.replace("|", "\\|") in part


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/index.md"])
def test_the_numbers_of_formats_and_queries_are_current(page):
    text = (ROOT / page).read_text()
    assert f"{len(NAMES)} formats" in text
    assert re.search(rf"\b{len(library())}( library)? queries|one of {len(library())}\b", text)
