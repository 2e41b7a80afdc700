"""Which papers a search may find, and where each condition is met: in the index or after it."""

from collections.abc import Iterable
from dataclasses import dataclass

from specter_graph.cypher import statement
from specter_graph.errors import InputError


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on the papers found; None asks for nothing.

    `since` and `until` are years, both included; `language` is a code ("en"). `field` and `venue`
    are an id or a name, in any case. `without` are ids that are not wanted. With `held_out`, 0 too,
    a search is for training: it finds no paper with a smaller draw, see `holdout`. A paper whose
    year or language is unknown passes no condition on it.
    """

    since: int | None = None
    until: int | None = None
    language: str | None = None
    field: str | None = None
    venue: str | None = None
    without: tuple[str, ...] = ()
    held_out: int | None = None

    def __post_init__(self) -> None:
        """Raise InputError for years that no paper can meet."""
        if self.since is not None and self.until is not None and self.since > self.until:
            raise InputError(
                f"no year is both {self.since} or later and {self.until} or earlier",
                "the earlier year first",
            )

    @property
    def parameters(self) -> dict[str, object]:
        """The values of the conditions that are asked for, by parameter."""
        every = {
            "since": self.since,
            "until": self.until,
            "language": self.language,
            "field": self.field,
            "venue": self.venue,
            "without": list(self.without) or None,
            "held_out": self.held_out,
        }
        return {name: value for name, value in every.items() if value is not None}

    @property
    def conditions(self) -> str:
        """All of them in Cypher, on `near`."""
        return " AND ".join(self._lines()) or "true"

    def within(self, held: Iterable[str]) -> str:
        """Those in Cypher that an index can meet which holds these properties; "" for none."""
        starts = tuple(f"near.{name} " for name in held)
        return " AND ".join(line for line in self._lines() if line.startswith(starts))

    def _lines(self) -> list[str]:
        lines = statement("search/filters").text.strip().splitlines()
        return [line for line in lines if any(f"${name}" in line for name in self.parameters)]


NONE = Filters()


def spliced(text: str, filters: Filters) -> str:
    """Put all conditions into a statement at `{{filters}}`.

    And at `{{counted}}`, or `{{counted third}}` for the paper `third`, what counts citations:
    with `held_out`, those that training may see, else all.
    """
    every, in_training = statement("search/counted").text.strip().splitlines()
    counted = every if filters.held_out is None else in_training
    text = text.replace("{{counted third}}", counted.replace("near", "third"))
    return text.replace("{{filters}}", filters.conditions).replace("{{counted}}", counted)
