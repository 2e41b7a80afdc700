"""Check that the pages on the data model and on the settings are complete."""

import re

import pytest

from specter_graph.graph.loading.record_rows import IDENTIFIERS, TEXTS
from specter_graph.settings import Settings
from tests.docs.pages import ROOT

GRAPH = (ROOT / "docs/graph-model.md").read_text()
CYPHER = "\n".join(
    re.sub(r"//.*", "", path.read_text())
    for path in sorted((ROOT / "cypher").rglob("*.cypher"))
    if not path.name.startswith("V")  # migrations also contain the names that they remove
)
LABELS = {
    label
    for labels in re.findall(r"\(\w*:([A-Z][\w|&!:]*)", CYPHER)
    for label in re.findall(r"\w+", labels)
}
TYPES = {
    name for names in re.findall(r"\[\w*:([A-Z_|]+)", CYPHER) for name in re.findall(r"\w+", names)
}


def test_names_in_the_statements_exist():
    assert {"Paper", "Reviewer", "LoadedFile"} <= LABELS
    assert {"CITES", "DESCRIBES", "REVIEWS_FOR"} <= TYPES


@pytest.mark.parametrize("name", sorted(LABELS | TYPES))
def test_a_label_or_type_is_on_the_page(name):
    assert re.search(rf"[`:]{name}[`\]]", GRAPH)


@pytest.mark.parametrize("name", [*TEXTS, *IDENTIFIERS.values(), "year", "retracted"])
def test_a_property_of_papers_is_on_the_page(name):
    assert f"`{name}`" in GRAPH


def test_the_statement_of_the_page_is_cypher(graph):
    [block] = re.findall(r"```cypher\n(.*?)```", GRAPH, re.DOTALL)
    assert graph.read(f"EXPLAIN {block}") == []


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_a_setting_is_on_the_page(name):
    assert f"`{name.upper()}`" in (ROOT / "docs/settings.md").read_text()
