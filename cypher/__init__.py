"""Every query that specter-graph sends, one .cypher file each.

The header of a file describes the result, the parameters and the columns::

    // One sentence about the result.
    //
    // Further sentences, if necessary.
    //
    // purpose: explore, recommend, review, assess, match or maintain; in the library
    // parameters:
    //   $ids LIST<STRING>: ids of papers
    // returns:
    //   id STRING: the paper

A statement that takes a reproducible random sample says ``ORDER BY {{sample order of paper}}``:
the sample keys times a constant, modulo 2^31 - 1, then the ids. The sample keys themselves would
order the held-out papers, which have the smallest keys, before all others.

The files in `library/` are for users (`specter-graph query`); the others are for the program.
`statement` takes the name of a file, such as "library/missing_references", and returns a
`Statement`.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from textwrap import indent

from specter_graph.core.errors import GraphError

_ROOT = files("specter_graph.cypher")
_SAMPLE = re.compile(r"\{\{sample order of (\w+)\}\}")
_INCLUDE = re.compile(r"^( *)\{\{include (\S+)\}\}$", re.MULTILINE)
_SAMPLE_KEY = r"(\1.sample_key * 48271) % 2147483647, \1.id"
_NAME = re.compile(r"[a-z_]+/\w+")
_ENTRY = re.compile(r"^\$?(?P<name>\w+) (?P<type>[^:]+?)(?: = (?P<default>[^:]+))?: (?P<text>.+)$")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a statement; `default` is JSON text, None where a value must be given."""

    name: str
    type: str
    text: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a statement returns."""

    name: str
    type: str
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A named query and the facts in its header; `purpose` is "" outside the library."""

    name: str
    summary: str
    description: str
    purpose: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    text: str

    def filled(self, **parts: str) -> str:
        """Return the text with parts in place of its marks: `label="Paper"` for `{{label}}`."""
        text = self.text
        for mark, part in parts.items():
            text = text.replace(f"{{{{{mark}}}}}", part)
        return text


@cache
def statement(name: str) -> Statement:
    """Return the statement with this name, such as "loading/papers".

    Raises GraphError when there is no such file or its header is not in the form above.
    """
    path = _ROOT.joinpath(*f"{name}.cypher".split("/"))
    if ".." in name or not path.is_file():
        raise GraphError(f"there is no query named {name!r}", "run: specter-graph query list")
    return _parse(name, path.read_text(encoding="utf-8"))


def query_text(query: str) -> str:
    """Return the text of the statement with this name, or the query itself if it is Cypher."""
    return statement(query).text if _NAME.fullmatch(query) else query


def library() -> list[Statement]:
    """Return the library statements by name."""
    files_of = sorted(entry.name for entry in _ROOT.joinpath("library").iterdir())
    names = [name.removesuffix(".cypher") for name in files_of if name.endswith(".cypher")]
    return [statement(f"library/{name}") for name in names]


def _parse(name: str, text: str) -> Statement:
    lines = text.splitlines()
    length = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    header = [line.removeprefix("//").removeprefix(" ").rstrip() for line in lines[:length]]
    sections: dict[str, list[str]] = {"about": [], "parameters": [], "returns": []}
    section, purpose = "about", ""
    for line in header:
        if line in ("parameters:", "returns:"):
            section = line.removesuffix(":")
        elif line.startswith("purpose: "):
            purpose = line.removeprefix("purpose: ")
        elif section == "about" or not line.startswith("    "):
            sections[section].append(line)
        else:  # an entry continues on the next line
            sections[section][-1] += " " + line.strip()
    summary, *rest = sections["about"] or [""]
    if not summary:
        raise GraphError(f"the query file {name}.cypher has no header")
    parameters, columns = (
        [_read_entry(name, line) for line in sections[section] if line]
        for section in ("parameters", "returns")
    )
    body = _SAMPLE.sub(_SAMPLE_KEY, "\n".join(lines[length:]).strip())
    return Statement(
        name=name,
        summary=summary,
        description="\n".join(rest).strip(),
        purpose=purpose,
        parameters=tuple(Parameter(**entry) for entry in parameters),
        columns=tuple(Column(each["name"], each["type"], each["text"]) for each in columns),
        text=_INCLUDE.sub(_include_fragment, body) + "\n",
    )


def _include_fragment(match: re.Match[str]) -> str:
    """Return the text of a fragment, a statement that several others share, with indentation."""
    return indent(statement(match[2]).text.rstrip(), match[1])


def _read_entry(name: str, line: str) -> dict[str, str]:
    match = _ENTRY.match(line.strip())
    if match is None:
        raise GraphError(f"the header of {name}.cypher has an invalid line: {line.strip()!r}")
    return match.groupdict()
