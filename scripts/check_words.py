"""Reject private vocabulary, ambiguous class names and docstrings that begin with a clause.

    python scripts/check_words.py

Checks what git lists: names that our packages, tests and benchmarks define, the docstrings and
messages of the packages, the documentation and the Cypher headers. Exits with 1 after it has
printed each finding with its place.
American spelling is checked by codespell.
"""

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGES = {
    "specter_graph", "loaders", "graph", "encoder", "evaluation", "matching", "service", "cypher",
}  # fmt: skip

NAMES = {
    "told", "tell", "tells", "telling", "tellings", "apart", "aside", "here", "there", "such",
    "way", "few", "most", "least", "whole", "said", "kept", "asked", "made", "room", "rooms",
    "door", "doors", "found", "judged", "turns", "strays", "unnamed", "outweighing", "landed",
    "land", "speaking", "trail", "desk",
}  # fmt: skip
"""Words that say nothing of what a name stands for."""

ALLOWED = {
    "most_cited",
}

NAMES_ONLY = {"tests", "bench", "scripts"}
"""Folders whose prose is not checked: texts in tests are also data."""

PROSE = re.compile(
    r"\b(?:told|tells?|telling|apart|mend(?:s|ed|ing)?|but for|go(?:es)? on|is no [a-z]|so many"
    r"|is that of|comes? to|of its own|rooms?|doors?|nobody|whoever|stands?|puts? aside)\b"
)
"""Phrases that readers stumble over; CONTRIBUTING.md has the rules behind them."""

CLAUSE = re.compile(r"(?:What|How|Whether|Of|Where|Which|Who|That|From|For|With)\b")

Finding = tuple[str, int, str]


def words(name: str) -> set[str]:
    """Split an identifier, in snake case or camel case, into its words."""
    return set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_").split("_"))


def defined_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node of a syntax tree defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.alias) and node.asname:
        yield node.asname


def check_names(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Check the name of a module and the names that it defines."""
    if words(Path(path).stem) & NAMES:
        yield path, 1, f"the module's name has a listed word: {Path(path).stem}"
    for node in ast.walk(tree):
        for name in defined_names(node):
            if words(name) & NAMES and name not in ALLOWED:
                yield path, getattr(node, "lineno", 1), f"the name {name} has a listed word"


def check_module(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Check the names, the docstrings and the texts of a module."""
    yield from check_names(path, tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node) or ""
            if CLAUSE.match(docstring):
                yield path, line, f"the docstring of {node.name} begins with a clause"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for match in PROSE.finditer(node.value):
                yield path, line + node.value[: match.start()].count("\n"), f"“{match[0]}”"


def check_text(path: str, text: str) -> Iterator[Finding]:
    """Check the lines of a page or of a Cypher file, without output that a page shows."""
    is_output = False
    for number, line in enumerate(text.splitlines(), 1):
        is_output ^= line.startswith("```")
        if is_output or (line.startswith("    ") and path.endswith(".md")):
            continue
        for match in PROSE.finditer(line):
            yield path, number, f"“{match[0]}”"


def findings(root: Path) -> Iterator[Finding]:
    """Check all files that git lists, and that no two public classes have the same name."""
    # Migrations keep the names of their time.
    command = [
        "git",
        "ls-files",
        "*.py",
        "*.md",
        "*.cypher",
        "*.ipynb",
        ":!cypher/schema/V*",
        ":!CHANGELOG.md",
    ]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    classes: dict[str, list[str]] = defaultdict(list)
    for path in listed.split():
        text = (root / path).read_text("utf-8")
        if path.endswith(".ipynb"):
            for cell in json.loads(text)["cells"]:
                yield from check_text(path, "".join(cell["source"]))
        elif not path.endswith(".py"):
            yield from check_text(path, text)
        elif path.split("/")[0] in PACKAGES | {"docs"}:
            tree = ast.parse(text)
            yield from check_module(path, tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    classes[node.name].append(path)
        elif path.split("/")[0] in NAMES_ONLY:
            yield from check_names(path, ast.parse(text))
    for name, paths in classes.items():
        if len(paths) > 1:
            yield paths[1], 1, f"the class name {name} is also used in {paths[0]}"


def main() -> int:
    """Print the findings; return the exit status."""
    status = 0
    for path, line, message in findings(Path(__file__).parents[1]):
        print(f"{path}:{line}: {message}")  # noqa: T201
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
