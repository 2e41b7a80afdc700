"""Where triplets come from: the sources that `graph.triplets.mine` mines and recipes name."""

from typing import Annotated, Any, Literal, TypeAlias, get_args

import pydantic

Name: TypeAlias = Literal["citations", "co_view", "co_read", "co_citation", "coupling"]
"""The sources that need nothing but the graph."""


class _Source(pydantic.BaseModel):
    """What all sources have: how many triplets a query gives, how many are hard, and wherefrom."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    per_query: int = pydantic.Field(default=5, ge=1, description="triplets mined a query")
    hard: int = pydantic.Field(default=2, ge=0, description="hard ones among them")
    hard_from: str | None = pydantic.Field(
        default=None, description="a space whose nearest papers are hard negatives, or the source's"
    )
    hard_among: int = pydantic.Field(
        default=100, ge=1, description="how many of the nearest are looked at"
    )
    hard_margin: float = pydantic.Field(
        default=0.05, ge=0, description="by what share they are farther than the positive"
    )

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
    cited_by: bool = pydantic.Field(
        default=False, description="papers that cite the query are positives too"
    )
    exclude_cocited: bool = pydantic.Field(
        default=False,
        description="hard negatives are drawn evenly, without papers that are cited with the query",
    )


class Counted(_Source):
    """A positive shares much with the query: readers who viewed or keep both, citations.

    The positives are those that share most, hard negatives share least but something (SPECTER,
    section 6, "Comparison with Task Specific Fine-Tuning").
    """

    source: Literal["co_view", "co_read", "co_citation", "coupling"]
    weighted: bool = pydantic.Field(
        default=False, description="positives are drawn in proportion to what they share"
    )


class Neighbours(_Source):
    """A positive is near the query in a space made of citations (SciNCL: Ostendorff et al. 2022).

    Neighbours are counted from the nearest, which is number 1. The paper's hard negatives are at
    number 4,000 of 52.4 million papers; without a `hard_rank` it is 4,000 sqrt(n / 52.4 million)
    of n papers, but twice `farthest` at least.
    """

    source: Literal["neighbours"] = "neighbours"
    space: str = pydantic.Field(description="made by specter-graph graph fastrp, for example")
    nearest: int = pydantic.Field(default=20, ge=1, description="the nearest that is a positive")
    farthest: int = pydantic.Field(default=25, ge=1, description="the farthest that is a positive")
    hard_rank: int | None = pydantic.Field(
        default=None, ge=1, description="around it are the hard negatives, or by the corpus' size"
    )

    @pydantic.model_validator(mode="after")
    def _in_this_order(self) -> "Neighbours":
        if self.nearest > self.farthest:
            raise ValueError(f"nearest: {self.nearest} is behind farthest, {self.farthest}")
        if self.hard_rank is not None and self.hard_rank <= self.farthest:
            raise ValueError(f"hard_rank: {self.hard_rank} is no farther than the positives")
        return self


class Multitask(_Source):
    """Several sources at once: that of each triplet is drawn from a distribution.

    The default is that of the paper's query papers (SPECTER, section 6): 65, 14 and 83 thousand.
    """

    source: Literal["multitask"] = "multitask"
    distribution: dict[Name, Annotated[float, pydantic.Field(ge=0, allow_inf_nan=False)]] = (
        pydantic.Field(
            default={"co_view": 65, "co_read": 14, "co_citation": 83},
            description="how often each source is drawn, in any unit",
        )
    )

    @pydantic.field_validator("distribution")
    @classmethod
    def _something_is_drawn(cls, distribution: dict[str, float]) -> dict[str, float]:
        if not any(distribution.values()):
            raise ValueError("no source is ever drawn")
        return distribution


Source: TypeAlias = Annotated[
    Citations | Counted | Neighbours | Multitask, pydantic.Field(discriminator="source")
]

SHARED = tuple(_Source.model_fields)
"""The settings that all sources have."""


def defaults(source: object) -> dict[str, Any]:
    """The settings of a source that have a default; none where there is no such source."""
    for kind in (Citations, Counted, Neighbours, Multitask):
        if source in get_args(kind.model_fields["source"].annotation):
            fields = kind.model_fields.items()
            return {name: field.get_default() for name, field in fields if not field.is_required()}
    return {}


def named(name: Name, per_query: int, hard: int) -> Citations | Counted:
    """The source of a name, its other settings as they come."""
    if name == "citations":
        return Citations(per_query=per_query, hard=hard)
    return Counted(source=name, per_query=per_query, hard=hard)
