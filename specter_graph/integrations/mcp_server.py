"""An MCP server that offers the graph as tools to a language model.

All tools are read-only, return at most `MAX_ROWS` rows, and answer within `TIMEOUT` seconds.
`search`, `similar`, `missing_references` and `cypher` return about `MAX_TOKENS` tokens at most.
Errors are returned as tool errors with a hint.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from functools import partial, wraps
from importlib.metadata import version
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from specter_graph.core.errors import InputError, SpecterGraphError, extra
from specter_graph.core.vectors import shorten_vectors
from specter_graph.graph.queries.cypher import check_untrusted_text, run_untrusted
from specter_graph.graph.search.hits import SearchHit
from specter_graph.graph.search.search_filters import FilterOptions
from specter_graph.literature_graph import LiteratureGraph

with extra("mcp"):
    import anyio
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import ToolAnnotations

TIMEOUT = 60.0
"""Maximum seconds of a tool call."""
MAX_ROWS = 100
MAX_CITED = 1_000
MAX_TOKENS = 10_000
"""Maximum size of the rows of an answer; four characters of JSON count as a token."""

Rows: TypeAlias = list[dict[str, Any]]
PaperId = Annotated[str, Field(description="The id of a paper, as other tools return it.")]
Text = Annotated[str, Field(min_length=1, description="Free text, such as an abstract.")]
Query = Annotated[
    str,
    Field(
        min_length=1,
        description='A question, a title, an identifier or an author. Supports "phrases", -word,'
        " OR, author:NAME, year:1998-2001 and venue:NAME.",
    ),
]
Draft = Annotated[str, Field(description="The text of a draft, such as its title and abstract.")]
CitedIds = Annotated[
    Sequence[str], Field(max_length=MAX_CITED, description="Ids of papers that the draft cites.")
]
Year = Annotated[int, Field(description="The last year of papers to find.")]
Count = Annotated[int, Field(ge=1, le=MAX_ROWS, description="Maximum number of rows to return.")]
Offset = Annotated[int, Field(ge=0, le=1_000, description="Number of rows to skip.")]
Since = Annotated[int | None, Field(description="Only papers of this year or later.")]
Until = Annotated[int | None, Field(description="Only papers of this year or earlier.")]
Language = Annotated[str | None, Field(description="Only papers in this language: en.")]
FieldName = Annotated[str | None, Field(description="Only papers about this field: cs.LG.")]
VenueName = Annotated[str | None, Field(description="Only papers of this venue.")]
AuthorName = Annotated[str | None, Field(description="Only papers of this author.")]
TopicName = Annotated[str | None, Field(description="Only papers of this topic (id or name).")]
ListName = Annotated[str | None, Field(description="Only papers on this reading list.")]
Cypher = Annotated[
    str, Field(description="Cypher that only reads; see the tool `schema` for names.")
]
Space = Annotated[
    str | None, Field(description="The embedding space; by default specter, base or static.")
]

INSTRUCTIONS = """Papers, their citations and their embeddings. Find papers with `search`, then \
follow them by id. A score is from 0 to 1; that of `missing_references` is a probability. \
If an answer has `next_offset`, call the tool again with this `offset` for more. \
Where a hint names `specter-graph search` or `specter-graph spaces list`, call `search` or \
`schema`; other commands that begin with specter-graph are for the user. \
Embedding spaces: {spaces}."""


def build_server(graph: LiteratureGraph, *, timeout: float = TIMEOUT) -> MCPServer:
    """Return the server of a graph; `run("stdio")` serves until the client disconnects.

    `streamable_http_app()` is the server as an ASGI application, which needs protection by keys.

    Args:
        graph: The graph.
        timeout: Time limit of a tool call.
    """
    names = [record.name for record in graph.spaces.list()]
    tools = _Tools(graph, timeout)
    methods = (
        tools.search, tools.similar, tools.paper, tools.path, tools.missing_references, tools.match,
        tools.schema, tools.cypher,
    )  # fmt: skip
    return MCPServer(
        "specter-graph",
        version=version("specter-graph"),
        instructions=INSTRUCTIONS.format(spaces=", ".join(names) or "none yet"),
        log_level="WARNING",
        tools=[_strict_tool(_answering(method, timeout)) for method in methods],
    )


def _strict_tool(function: Callable[..., Awaitable[Any]]) -> Tool:
    """Return a read-only tool that refuses unknown arguments, which the library would ignore."""
    hints = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    tool = Tool.from_function(function, annotations=hints)
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters["additionalProperties"] = False
    return tool


class _Tools:
    """The tools; the language model reads the docstrings of the public methods."""

    def __init__(self, graph: LiteratureGraph, timeout: float) -> None:
        self._graph = graph
        self._timeout = timeout

    def search(
        self,
        text: Query,
        k: Count = 10,
        offset: Offset = 0,
        space: Space = None,
        since: Since = None,
        until: Until = None,
        language: Language = None,
        field: FieldName = None,
        venue: VenueName = None,
        author: AuthorName = None,
        topic: TopicName = None,
        list: ListName = None,
    ) -> dict[str, Any]:
        """Search papers by words, vectors and citations together; returns hits with reasons."""
        filters = FilterOptions(
            since=since, until=until, language=language, field=field, venue=venue, author=author,
            topic=topic, list=list,
        )  # fmt: skip
        results = self._graph.search(text, space=space, k=offset + k + 1, page=k, **filters)
        return _page(results, offset, k) | {
            "authors": [asdict(author) for author in results.authors],
            "did_you_mean": results.did_you_mean,
            "notes": [*results.notes],
        }

    def similar(
        self,
        id: PaperId,
        k: Count = 10,
        offset: Offset = 0,
        space: Space = None,
        since: Since = None,
        until: Until = None,
        language: Language = None,
        field: FieldName = None,
        venue: VenueName = None,
        author: AuthorName = None,
        topic: TopicName = None,
        list: ListName = None,
    ) -> dict[str, Any]:
        """Find the papers nearest to a paper."""
        filters = FilterOptions(
            since=since, until=until, language=language, field=field, venue=venue, author=author,
            topic=topic, list=list,
        )  # fmt: skip
        hits = self._graph.similar(id, space=space, k=offset + k + 1, **filters)
        return _page(hits, offset, k)

    def paper(self, id: PaperId) -> dict[str, Any]:
        """Read a paper: its text, its authors, and its most cited references and citations."""
        return asdict(self._graph.paper(id))

    def path(self, start: PaperId, end: PaperId, space: Space = None) -> dict[str, Rows]:
        """Find the most on-topic of the shortest citation paths between two papers."""
        return self._query("citation_path", {"from": start, "to": end, "space": space})

    def missing_references(
        self,
        text: Draft = "",
        id: PaperId | None = None,
        cites: CitedIds = (),
        until: Year | None = None,
        k: Count = 10,
        space: Space = None,
    ) -> dict[str, Any]:
        """Find references that a draft lacks, given its text, the papers it cites, or its id.

        `hits` are papers in the corpus; `outside` are often cited papers for which only the id is
        known.
        """
        results = self._graph.missing_references(
            text, id=id, cites=cites, until=until, k=k, space=space
        )
        hits = [_to_row(hit) for hit in results.hits]
        rows = hits + [_to_row(hit) for hit in results.outside]
        within = _within_budget(rows)
        return {
            "hits": within[: len(hits)],
            "outside": within[len(hits) :],
            "is_truncated": len(within) < len(rows),
        }

    def match(self, text: Text, k: Count = 10, space: Space = None) -> dict[str, Rows]:
        """Find authors who work on the subject of a text, for example possible reviewers."""
        return self._query("who_works_on", {"text": text, "k": k, "space": space})

    def schema(self) -> dict[str, Any]:
        """Return labels, properties and relationships of the graph, and its embedding spaces."""
        return {
            "schema": self._graph.database.read("integrations/schema"),
            "spaces": [record.name for record in self._graph.spaces.list()],
        }

    def cypher(
        self, text: Cypher, parameters: dict[str, Any] | None = None, k: Count = 100
    ) -> dict[str, Any]:
        """Run a Cypher query that only reads. Vectors are replaced by their length."""
        check_untrusted_text(text)
        limit = min(k, MAX_ROWS)
        result = run_untrusted(
            self._graph.database, text, parameters, timeout=self._timeout, limit=limit
        )
        rows = _within_budget([shorten_vectors(row) for row in result])
        if len(rows) == 1 and _tokens(rows[0]) > MAX_TOKENS:
            raise InputError(
                f"a row of the result has more than {MAX_TOKENS:,} tokens", "return less of it"
            )
        return {
            "rows": rows,
            "is_truncated": result.is_truncated or len(rows) < len(result),
            "warnings": result.warnings,
        }

    def _query(self, name: str, parameters: dict[str, object]) -> dict[str, Rows]:
        result = self._graph.query(name, parameters, limit_=MAX_ROWS, timeout_=self._timeout)
        return {"result": result.rows}


def _page(hits: Sequence[SearchHit], offset: int, k: int) -> dict[str, Any]:
    """Return up to k hits after an offset, and the offset of the next ones, if there are any."""
    rows = _within_budget([_to_row(hit) for hit in hits[offset : offset + k]])
    end = offset + len(rows)
    return {"hits": rows, "next_offset": end if end < len(hits) else None}


def _within_budget(rows: Rows) -> Rows:
    """Return the first rows that have at most MAX_TOKENS tokens together, at least one."""
    used = 0
    for number, row in enumerate(rows):
        used += _tokens(row)
        if used > MAX_TOKENS and number:
            return rows[:number]
    return rows


def _tokens(row: dict[str, Any]) -> int:
    """Estimate the number of tokens of a row in the text of an answer, which is indented JSON."""
    return len(json.dumps({"hits": [row]}, ensure_ascii=False, indent=2)) // 4


def _to_row(hit: SearchHit) -> dict[str, Any]:
    """Return a hit without its empty fields, which would cost tokens."""
    row = asdict(hit) | {"reasons": [reason.text for reason in hit.reasons]}
    return {key: value for key, value in row.items() if value not in (None, (), [], "")}


def _answering(tool: Callable[..., Any], timeout: float) -> Callable[..., Awaitable[Any]]:
    """Wrap a tool: run it in a thread with a time limit, and convert its errors."""

    @wraps(tool)
    async def answer(**arguments: Any) -> Any:  # noqa: ANN401
        try:
            with anyio.fail_after(timeout):
                return await anyio.to_thread.run_sync(
                    partial(tool, **arguments), abandon_on_cancel=True
                )
        except TimeoutError as error:
            raise ToolError(f"no answer within {timeout:g} seconds; try: reduce k") from error
        except SpecterGraphError as error:
            raise ToolError(error.one_line) from error

    return answer
