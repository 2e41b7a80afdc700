"""Generate the pages under reference/ of the site when mkdocs builds it.

`on_files` is a hook of mkdocs (see mkdocs.yml). Each function without an underscore makes one page:
the commands from click, the HTTP API from its OpenAPI document, the library from the headers of its
.cypher files. mkdocstrings writes the Python API from the docstrings.
"""

import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from pydoc import locate
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import specter_graph

ROOT = Path(__file__).parents[1]
PURPOSES = ["explore", "recommend", "review", "assess", "maintain", "match"]
PUBLIC = {
    "The graph": ["specter_graph.literature_graph.LiteratureGraph"],
    "graph.spaces": ["specter_graph.groups.spaces.Spaces"],
    "graph.evaluate": ["specter_graph.groups.evaluations.Evaluations"],
    "graph.algorithms": ["specter_graph.groups.algorithms.Algorithms"],
    "graph.maintenance": ["specter_graph.groups.maintenance.Maintenance"],
    "graph.lists": ["specter_graph.groups.lists.Lists"],
    "graph.screening": ["specter_graph.groups.screening.Screening"],
    "graph.watches": ["specter_graph.groups.watches.Watches"],
    "The encoder": ["specter_graph.encoder.encoder.Encoder"],
    "Corpora": ["specter_graph.loaders.corpus", "specter_graph.loaders.records"],
    "Files of vectors": ["specter_graph.pipelines.embed_parts.embed_files"],
    "Searching": [
        "specter_graph.graph.search.search_filters.FilterOptions",
        "specter_graph.graph.queries.cypher.run_cypher",
    ],
    "Reviewers": ["specter_graph.venue.ReviewVenue"],
    "A client of the service": ["specter_graph.service.client.Client"],
    "Several machines": ["specter_graph.scale.ray_workers.RayWorkers"],
    "Other libraries": [
        "specter_graph.integrations.graphrag",
        "specter_graph.integrations.langchain",
        "specter_graph.integrations.llama_index",
        "specter_graph.integrations.notebook",
        "specter_graph.integrations.graph_data_science",
    ],
    "Errors": ["specter_graph.core.errors"],
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to the site."""
    pages = {
        "reference/commands.md": commands(),
        "reference/http.md": http(),
        "reference/openapi.json": json.dumps(openapi(), indent=1),
        "reference/cypher.md": cypher(),
        "reference/python.md": python(),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(),
        "contributing.md": (ROOT / "CONTRIBUTING.md").read_text(),
    }
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def commands() -> str:
    """Return the page of all commands with their help and options."""
    from specter_graph.cli import cli

    reported = "\n\n".join(
        _command(command, name, 2) for name, command in sorted(cli.commands.items())
    )
    return f"# Commands\n\nThe output of `specter-graph COMMAND --help`.\n\n{reported}\n"


def _command(command: click.Command, name: str, level: int) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    records = [each.get_help_record(context) for each in command.get_params(context)]
    parts = [f"{'#' * level} {name}", f"`specter-graph {usage}`", *_help(command)]
    if options := [each for each in records if each and "--help" not in each[0]]:
        parts.append(
            _table(["option", ""], ([f"`{name}`", _plain(text)] for name, text in options))
        )
    if isinstance(command, click.Group):
        parts += [
            _command(sub, f"{name} {each}", level + 1)
            for each, sub in sorted(command.commands.items())
        ]
    return "\n\n".join(parts)


def _help(command: click.Command) -> Iterator[str]:
    """Yield the paragraphs of the help; examples, which click does not wrap, as code."""
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        if part.startswith("\b\n"):
            example = part.removeprefix("\b\n").replace("Example:", "        ", 1)
            yield textwrap.indent(textwrap.dedent(example).strip("\n"), "    ")
        else:
            yield _plain(part)


def openapi() -> dict[str, Any]:
    """Return the document that the service has under /v1/openapi.json, without a graph."""
    from specter_graph.literature_graph import LiteratureGraph
    from specter_graph.service.app import build_routes
    from specter_graph.service.job_queue import JobQueue
    from specter_graph.service.service_settings import ServiceSettings

    unopened = LiteratureGraph.__new__(LiteratureGraph)
    return build_routes(
        unopened, ServiceSettings(allow_cypher=True), JobQueue.__new__(JobQueue)
    ).openapi()


def http() -> str:
    """Return the page of all routes of the HTTP API with their requests and responses."""
    document = openapi()
    parts = [
        "# HTTP API",
        "The contents of `/v1/openapi.json` of a running service ([the file](openapi.json))."
        " Limits, keys and errors: [the service](../service.md).",
    ]
    for path, methods in document["paths"].items():
        for method, reported in methods.items():
            parts += _route(f"{method.upper()} {path}", reported)
    parts.append("## Schemas")
    for name, schema in document["components"]["schemas"].items():
        parts += [f"### {_model(name)} {{#{_model(name)}}}", _plain(schema.get("description", ""))]
        needed = schema.get("required", [])
        parts.append(
            _table(
                ["field", "type", ""],
                (
                    [f"`{key}`", _type(each), _text(each, needed=key in needed)]
                    for key, each in schema.get("properties", {}).items()
                ),
            )
        )
    return "\n\n".join(part for part in parts if part) + "\n"


def _route(name: str, reported: dict[str, Any]) -> Iterator[str]:
    yield f"## {name}"
    yield _plain(reported["description"])
    if given := reported.get("parameters"):
        yield _table(
            ["parameter", "type", ""],
            (
                [
                    f"`{each['name']}`",
                    _type(each["schema"]),
                    _text(each["schema"] | each, needed=each["required"]),
                ]
                for each in given
            ),
        )
    if body := reported.get("requestBody"):
        yield "Request body: " + ", ".join(_contents(body["content"])) + "."
    well = next(each for code, each in reported["responses"].items() if code.startswith("2"))
    if answered := list(_contents(well.get("content", {}))):
        yield "Response: " + ", ".join(answered) + "."


def _contents(contents: dict[str, Any]) -> Iterator[str]:
    for kind, each in contents.items():
        yield f"`{kind}`" + (f" {_type(each['schema'])}" if each.get("schema") else "")


def _model(name: str) -> str:
    """Return the name of a schema; FastAPI names that of a form after its route."""
    return name.rpartition("/")[2].removeprefix("Body_").partition("_v1_")[0]


def _type(schema: dict[str, Any]) -> str:
    """Describe a schema briefly; for a model, return a link to it."""
    if "$ref" in schema:
        name = _model(schema["$ref"])
        return f"[{name}](#{name})"
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _text(schema: dict[str, Any], *, needed: bool) -> str:
    printed = [_plain(schema.get("description", "")), "Required." if needed else ""]
    if schema.get("default") is not None:
        printed.append(f"Default `{json.dumps(schema['default'])}`.")
    if schema.get("examples"):
        printed.append(f"Such as `{json.dumps(schema['examples'][0])}`.")
    return " ".join(part for part in printed if part)


def cypher() -> str:
    """Return the page of the library: purpose, parameters, columns and text of each query."""
    from specter_graph.cypher import library

    parts = [
        "# Cypher library",
        "The queries of `specter-graph query run NAME`, by purpose, with their text. Worked"
        " examples are in [queries](../queries.md).",
    ]
    for purpose in PURPOSES:
        parts.append(f"## {purpose.title()}")
        for query in (each for each in library() if each.purpose == purpose):
            name = query.name.removeprefix("library/")
            parts += [f"### {name}", query.summary, query.description]
            parts.append(f"[An example](../queries.md#{name}).")
            parts.append(
                _table(
                    ["parameter", "type", "default", ""],
                    (
                        [f"`{each.name}`", f"`{each.type}`", _code(each.default), each.text]
                        for each in query.parameters
                    ),
                )
            )
            parts.append(
                _table(
                    ["column", "type", ""],
                    ([f"`{each.name}`", f"`{each.type}`", each.text] for each in query.columns),
                )
            )
            parts.append(f"```cypher\n{query.text.strip()}\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


def python() -> str:
    """Return the page of all public names, which mkdocstrings fills in."""
    parts = ["# Python API"]
    listed = {each for names in PUBLIC.values() for each in names}
    for title, names in PUBLIC.items():
        parts.append(f"## {title}")
        for name in names:
            functions = _functions(name)
            hidden = "".join(f", '!^{each}$'" for each in functions)
            options = f"heading_level: 3, filters: ['!^_'{hidden}]"
            parts.append(f"::: {name}\n    options: {{{options}}}")
            parts += (_bound(each, function) for each, function in functions.items())
    parts.append("## Settings, results and other names\n\nImport them from `specter_graph`.")
    for name in specter_graph.__all__:
        value = getattr(specter_graph, name)
        module = getattr(value, "__module__", "")
        if not listed & {module, f"{module}.{name}"} and not name.startswith("_"):
            parts.append(f"::: specter_graph.{name}\n    options: {{heading_level: 3}}")
    return "\n\n".join(parts) + "\n"


def _bound(name: str, function: Callable[..., Any]) -> str:
    """Return the documentation of a function as a method; its first argument is the database."""
    signature = inspect.signature(function)
    signature = signature.replace(parameters=[*signature.parameters.values()][1:])
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", f"{name}{signature}")
    path = f"{function.__module__}.{function.__name__}"
    options = "show_root_heading: false, show_signature: false, show_root_toc_entry: false"
    return f"### `{name}`\n\n```python\n{text}\n```\n\n::: {path}\n    options: {{{options}}}"


def _functions(name: str) -> dict[str, Callable[..., Any]]:
    """Return the methods of a group that are functions elsewhere."""
    from specter_graph.groups import Method

    module, _, attribute = name.rpartition(".")
    members = vars(locate(name)) if attribute[0].isupper() and locate(module) else {}
    return {each: method.function for each, method in members.items() if isinstance(method, Method)}


def _plain(text: str) -> str:
    """Escape tags and links."""
    return escape(text, quote=False).replace("[", "&#91;")


def _code(text: str | None) -> str:
    return f"`{text}`" if text else ""


def _table(head: list[str], rows: Iterable[Iterable[str]]) -> str:
    body = [" | ".join(_cell(cell) for cell in row) for row in rows]
    if not body:
        return ""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *body]
    return "\n".join(f"| {line} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
