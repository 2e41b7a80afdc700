"""An MCP server: the graph as tools for a language model, over stdin and stdout.

Every tool only reads, returns at most `MOST` papers and answers within `SECONDS`. What is wrong
with a question comes back as the tool's error, with what to do about it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial, wraps
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from specter_graph.cypher import statement
from specter_graph.errors import SpecterGraphError
from specter_graph.graph import ask
from specter_graph.integrations.extras import extra
from specter_graph.literature import LiteratureGraph

with extra("mcp"):
    import anyio
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

SECONDS = 60.0
MOST = 100

Rows: TypeAlias = list[dict[str, Any]]
PaperId = Annotated[str, Field(description="The id of a paper, as other tools return it.")]
Text = Annotated[str, Field(min_length=1, description="Free text: a question or an abstract.")]
Count = Annotated[int, Field(ge=1, le=MOST, description="How many rows to return at most.")]
Space = Annotated[str, Field(description="The embedding space whose nearness counts.")]

INSTRUCTIONS = """Papers, their citations and their embeddings. Find papers with `search`, then \
follow them by id. A score is 1 / (1 + squared distance). Embedding spaces: {spaces}."""


def build_server(graph: LiteratureGraph, *, seconds: float = SECONDS) -> MCPServer:
    """Make the server of a graph; `run("stdio")` serves it until the client hangs up."""
    names = [each.property for each in graph.spaces()]
    server: MCPServer = MCPServer(
        "specter-graph",
        instructions=INSTRUCTIONS.format(spaces=", ".join(names) or "none yet"),
        log_level="WARNING",
    )
    hints = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in _tools(graph, seconds):
        server.tool(annotations=hints)(_answering(tool, seconds))
    return server


def _tools(graph: LiteratureGraph, seconds: float) -> list[Callable[..., Any]]:
    """The tools; their docstrings are what a language model reads of them."""

    def query(name: str, parameters: dict[str, object], space: str) -> Rows:
        answer = ask.run_query(
            graph.database,
            name,
            parameters,
            space,
            embed=graph.embed_text,
            seconds=seconds,
            rows=MOST,
        )
        return answer.rows

    def search(text: Text, k: Count = 10, space: Space | None = None) -> Rows:
        """Find the papers nearest to a text."""
        return [asdict(hit) for hit in graph.search(text, space=space, k=k)]

    def similar(id: PaperId, k: Count = 10, space: Space = "specter") -> Rows:
        """Find the papers nearest to a paper."""
        return [asdict(hit) for hit in graph.similar(id, space=space, k=k)]

    def paper(id: PaperId) -> dict[str, Any]:
        """Read a paper: its text, its authors, and the most cited papers around it."""
        [current] = ask.current_ids(graph.database, [id])
        return graph.database.read(statement("doors/paper").text, id=current, k=20)[0]

    def path(start: PaperId, end: PaperId, space: Space = "specter") -> Rows:
        """Find the shortest citation paths between two papers that stay on topic best."""
        return query("citation_path", {"from": start, "to": end}, space)

    def missing_references(id: PaperId, k: Count = 10, space: Space = "specter") -> Rows:
        """Find papers near a paper that it does not cite, nor do those that it cites."""
        return query("missing_references", {"id": id, "k": k}, space)

    def match(text: Text, k: Count = 10, space: Space = "specter") -> Rows:
        """Find authors who work on what a text is about, such as reviewers for it."""
        return query("who_works_on", {"text": text, "k": k}, space)

    return [search, similar, paper, path, missing_references, match]


def _answering(tool: Callable[..., Any], seconds: float) -> Callable[..., Awaitable[Any]]:
    """Run a tool in a thread, for so long at most, and tell its errors."""

    @wraps(tool)
    async def answer(**arguments: Any) -> Any:  # noqa: ANN401
        try:
            with anyio.fail_after(seconds):
                return await anyio.to_thread.run_sync(
                    partial(tool, **arguments), abandon_on_cancel=True
                )
        except TimeoutError as error:
            raise ToolError(f"no answer within {seconds:g} seconds; try: a smaller k") from error
        except SpecterGraphError as error:
            raise ToolError(error.one_line) from error

    return answer
