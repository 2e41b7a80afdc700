"""Where triplets come from: the sources that `graph.triplets` mines and recipes name."""

from typing import Literal, TypeAlias

import pydantic


class _Source(pydantic.BaseModel):
    """What all sources have: how many triplets a query gives, and how many of them are hard."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    per_query: int = pydantic.Field(default=5, ge=1, description="triplets mined a query")
    hard: int = pydantic.Field(default=2, ge=0, description="hard ones among them")

    @pydantic.model_validator(mode="after")
    def _hard_ones_among_them(self) -> "_Source":
        if self.hard > self.per_query:
            raise ValueError(
                f"hard: {self.hard} of {self.per_query} triplets a query cannot be hard"
            )
        return self


class Citations(_Source):
    """A positive is cited by the query (SPECTER, sections 2.3 and 2.4)."""

    source: Literal["citations"] = "citations"


Source: TypeAlias = Citations
