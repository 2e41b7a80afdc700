"""Run the notebook of the main workflow."""

import nbformat
from nbclient import NotebookClient

from tests.docs.pages import ROOT

OWN = "%env SPECTER_GRAPH_INSTANCE=notebook\n"
"""Line of the notebook that opens its own server; the tests replace it with the test server."""


def test_the_notebook_runs_from_the_first_cell_to_the_last(server, tmp_path):
    notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    [first] = [cell for cell in notebook.cells if OWN in cell.source]
    first.source = first.source.replace(OWN, "")
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = {cell.id: str(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"}
    assert "200 papers" in "".join(outputs.values())
    missing = next(cell for cell in notebook.cells if cell.source.startswith("mine = "))
    lines = missing.outputs[0].text.splitlines()
    assert len(lines) == 5
    assert not {"demo:0067", "demo:0159", "demo:0190"} & {line.split()[0] for line in lines}
