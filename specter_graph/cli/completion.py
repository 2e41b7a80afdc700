"""What Tab offers in the Cypher prompt: the graph's own names, the library's, and keywords."""

import re
from collections.abc import Iterable, Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from specter_graph.cypher import library, statement
from specter_graph.graph.database import Database

COMMANDS = (":embed", ":exit", ":help", ":param", ":run")
_KEYWORDS = (
    "ALL SHORTEST|AND|AS|ASC|BY|CALL|CASE|COLLECT|CONTAINS|COUNT|CREATE|DELETE|DESC|DETACH DELETE|"
    "DISTINCT|ELSE|END|ENDS WITH|EXISTS|EXPLAIN|FOREACH|IN|IS NOT NULL|IS NULL|LIMIT|MATCH|MERGE|"
    "NOT|NULL|ON CREATE|ON MATCH|OPTIONAL MATCH|OR|ORDER BY|PROFILE|REMOVE|RETURN|SEARCH|SET|"
    "SHOW INDEXES|SKIP|STARTS WITH|THEN|UNION|UNWIND|WHEN|WHERE|WITH|YIELD"
)
KEYWORDS = _KEYWORDS.split("|")
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_COMMAND = re.compile(r"\s*(:\w*)$")
_RUN = re.compile(r"\s*:run\s+(\w*)$")
_LABEL = re.compile(r"[:|&!]\s*`?(\w*)$")
_PROPERTY = re.compile(r"[\w)\]]\.`?(\w*)$")
_WORD = re.compile(r"(\w+)$")


class Names:
    """The labels, relationship types and properties that the graph has now."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.refresh()

    def refresh(self) -> None:
        """Ask for them anew."""
        row = self._database.read(statement("integrations/names").text)[0]
        self.labels = sorted(row["labels"])
        self.types = sorted(row["types"])
        self.properties = sorted(row["properties"])


class CypherCompleter(Completer):
    """Completes by what stands before the cursor: `:` asks for a label or type, `.` for a property.

    In square brackets a colon asks for a type, elsewhere for a label.
    """

    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """Yield what may stand at the cursor."""
        before = document.text_before_cursor
        if match := _RUN.match(before):
            yield from _fitting(match[1], (q.name.removeprefix("library/") for q in library()))
        elif match := _COMMAND.match(before):
            yield from _fitting(match[1], COMMANDS)
        elif match := _LABEL.search(before):
            in_brackets = before.rfind("[") > before.rfind("]")
            names = self._names.types if in_brackets else self._names.labels
            yield from _fitting(match[1], map(_quoted, names))
        elif match := _PROPERTY.search(before):
            yield from _fitting(match[1], map(_quoted, self._names.properties))
        elif match := _WORD.search(before):
            yield from _fitting(match[1], KEYWORDS)


def _fitting(typed: str, names: Iterable[str]) -> Iterator[Completion]:
    """Complete to the names that begin as typed, whatever the case."""
    for name in names:
        if name.strip("`").lower().startswith(typed.lower()):
            yield Completion(name, start_position=-len(typed))


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else f"`{name.replace('`', '``')}`"
