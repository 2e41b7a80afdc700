"""The lines that run the benchmarks, in the docs and in the scripts: names and options are right.

Benchmarks take minutes to hours, so that they are not run here.
"""

import importlib
import re
import shlex

import pytest

from tests.docs.pages import DOCS, ROOT

BENCH = ROOT / "bench"
SCRIPTS = sorted(BENCH.glob("*.py"))
LINE = re.compile(r"python bench/(\w+)\.py((?:[^`\n;|)&]|\n {8})*)")


def lines(text: str) -> list[tuple[str, str]]:
    """Name and options of each; what is in brackets may be left out, and is."""
    cut = [(name, re.sub(r"\[.*?\]|#.*|\\\n", "", words)) for name, words in LINE.findall(text)]
    return [(name, " ".join(words.split())) for name, words in cut]


WRITTEN = sorted({line for path in [*DOCS, *SCRIPTS] for line in lines(path.read_text())})


@pytest.mark.parametrize(("name", "words"), WRITTEN)
def test_a_line_names_a_script_and_options_that_it_has(name, words, monkeypatch, tmp_path):
    assert BENCH / f"{name}.py" in SCRIPTS
    if words:  # else it is named in passing
        monkeypatch.syspath_prepend(BENCH)
        monkeypatch.chdir(tmp_path)
        for corpus in re.findall(r"\S+\.gz", words):
            (tmp_path / corpus).touch()
        importlib.import_module(name).main.make_context(name, shlex.split(words))


def test_every_script_that_is_a_command_says_how_to_run_it():
    commands = {path.stem for path in SCRIPTS if "def main(" in path.read_text()}
    assert commands - {name for name, _ in WRITTEN} == set()
