"""What stands in the documentation: commands with what they print, and Python."""

import re
import shlex
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n|\n(?= {4}))+")


def fenced(text: str, language: str) -> list[str]:
    """Blocks between fences."""
    return [block for kind, block in _FENCED.findall(text) if kind == language]


def python(text: str) -> list[str]:
    """Fenced blocks of Python, and indented ones that begin with an import."""
    indented = map(textwrap.dedent, _INDENTED.findall(_FENCED.sub("", text)))
    starts = ("from ", "import ")
    return [*fenced(text, "python"), *(block for block in indented if block.startswith(starts))]


def with_output(text: str) -> list[tuple[list[str], str]]:
    """The words of each indented command, and the fenced output below it, if any."""
    result = re.findall(r"^    specter-graph (.+)\n(?:\n```\n((?:.*\n)*?)```)?", text, re.MULTILINE)
    return [(shlex.split(line, comments=True), output) for line, output in result]


def written_commands(text: str) -> list[list[str]]:
    """The words of each command on a line of its own; comments, pipes and dots left out."""
    lines = re.findall(r"^ +(?:Example: +)?specter-graph (\S.*)$", text, re.MULTILINE)
    words = [shlex.split(line, comments=True) for line in lines]
    return [each for each in words if each and "..." not in each and "|" not in each]
