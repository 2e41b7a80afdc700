"""Triplets: the settings of their sources, which recipes name, and the lines that are hashed."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

import pydantic

if TYPE_CHECKING:
    import pyarrow as pa

Name: TypeAlias = Literal["citations", "co_view", "co_read", "co_citation", "coupling"]
"""The sources that need only the graph."""

_Frequency = Annotated[float, pydantic.Field(ge=0, allow_inf_nan=False)]


class _Source(pydantic.BaseModel):
    """The settings common to all sources.

    Attributes:
        per_query: Triplets per query paper.
        hard: How many of them use a hard negative.
        hard_from: Space whose nearest papers are hard negatives; default: those of the source.
        hard_among: Number of nearest papers from which they are chosen.
        hard_margin: Minimum relative difference of their distance and that of the positive.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    per_query: int = pydantic.Field(default=5, ge=1)
    hard: int = pydantic.Field(default=2, ge=0)
    hard_from: str | None = None
    hard_among: int = pydantic.Field(default=100, ge=1)
    hard_margin: float = pydantic.Field(default=0.05, ge=0)

    @pydantic.model_validator(mode="after")
    def _hard_fits_per_query(self) -> "_Source":
        if self.hard > self.per_query:
            raise ValueError(f"hard: {self.hard} is greater than per_query, {self.per_query}")
        return self


class CitationTriplets(_Source):
    """Settings of triplets whose positive is cited by the query (SPECTER, sections 2.3 and 2.4).

    Attributes:
        per_query: Triplets per query paper; 0: one per positive.
        cited_by: Use papers that cite the query as positives too.
        exclude_cocited: Draw hard negatives uniformly, excluding papers co-cited with the query.
    """

    source: Literal["citations"] = "citations"
    per_query: int = pydantic.Field(default=5, ge=0)
    cited_by: bool = False
    exclude_cocited: bool = False

    @pydantic.model_validator(mode="after")
    def _one_per_positive_has_easy_negatives(self) -> "CitationTriplets":
        if self.hard_from and not self.per_query:
            raise ValueError("per_query: 0 cannot be used with hard_from")
        return self


class CooccurrenceTriplets(_Source):
    """Settings of triplets whose positive shares many readers or citations with the query.

    Positives are the papers with the largest shared counts. Hard negatives are those with the
    smallest ones above zero (SPECTER, section 6, "Comparison with Task Specific Fine-Tuning"). With
    `weighted`, positives are drawn with probability proportional to the shared count.
    """

    source: Literal["co_view", "co_read", "co_citation", "coupling"]
    weighted: bool = False


class NeighborTriplets(_Source):
    """Settings of triplets whose positive is near the query in a citation embedding (SciNCL).

    Ranks of neighbors start at 1. SciNCL (Ostendorff et al. 2022) takes hard negatives at rank
    4,000 of 52.4 million papers. Without a `hard_rank`, it is 4,000 sqrt(n / 52.4 million) for n
    papers, but at least twice `farthest`.

    Attributes:
        space: Space made by `specter-graph algorithms fastrp`, for example.
        nearest: Lowest rank of a positive.
        farthest: Highest rank of a positive.
        hard_rank: Rank around which hard negatives are taken.
    """

    source: Literal["neighbors"] = "neighbors"
    space: str
    nearest: int = pydantic.Field(default=20, ge=1)
    farthest: int = pydantic.Field(default=25, ge=1)
    hard_rank: int | None = pydantic.Field(default=None, ge=1)

    @pydantic.model_validator(mode="after")
    def _ranks_are_ordered(self) -> "NeighborTriplets":
        if self.nearest > self.farthest:
            raise ValueError(f"nearest: {self.nearest} is greater than farthest, {self.farthest}")
        if self.hard_rank is not None and self.hard_rank <= self.farthest:
            raise ValueError(
                f"hard_rank: {self.hard_rank} is not greater than farthest, {self.farthest}"
            )
        return self


class MultitaskTriplets(_Source):
    """Settings of triplets from several sources: the source of each is drawn from a distribution.

    `distribution` are the relative frequencies of the sources. The default follows the numbers of
    query papers in SPECTER, section 6: 65, 14 and 83 thousand.
    """

    source: Literal["multitask"] = "multitask"
    distribution: dict[Name, _Frequency] = {"co_view": 65, "co_read": 14, "co_citation": 83}

    @pydantic.field_validator("distribution")
    @classmethod
    def _frequencies_are_not_all_zero(cls, distribution: dict[str, float]) -> dict[str, float]:
        if not any(distribution.values()):
            raise ValueError("distribution: all frequencies are 0")
        return distribution


Source: TypeAlias = Annotated[
    CitationTriplets | CooccurrenceTriplets | NeighborTriplets | MultitaskTriplets,
    pydantic.Field(discriminator="source"),
]


def validation_source(source: Source) -> Source:
    """Return the source of the triplets that select a model trained on `source`.

    Models of readings, co-citations, couplings and their mixtures are selected by their own signal,
    others by citations, with five triplets per query, two of them hard. One triplet per positive
    stays one triplet per positive.
    """
    if isinstance(source, CooccurrenceTriplets | MultitaskTriplets):
        return source.model_copy(update={"per_query": 5, "hard": 2, "hard_from": None})
    if isinstance(source, CitationTriplets) and not source.per_query:
        return source
    return CitationTriplets()


SHARED = tuple(_Source.model_fields)
"""The names of the settings common to all sources."""


def defaults(source: object) -> dict[str, Any]:
    """Return the default settings of a source; {} for an unknown source."""
    for kind in (CitationTriplets, CooccurrenceTriplets, NeighborTriplets, MultitaskTriplets):
        if source in get_args(kind.model_fields["source"].annotation):
            fields = kind.model_fields.items()
            return {name: field.get_default() for name, field in fields if not field.is_required()}
    return {}


def source_named(name: Name, per_query: int, hard: int) -> CitationTriplets | CooccurrenceTriplets:
    """Return the source of this name with default values for its other settings."""
    if name == "citations":
        return CitationTriplets(per_query=per_query, hard=hard)
    return CooccurrenceTriplets(source=name, per_query=per_query, hard=hard)


def triplet_lines(batch: "pa.RecordBatch") -> "pa.Buffer":
    """Return the lines `query TAB positive TAB negative TAB 0|1 NEWLINE` of a batch of triplets.

    A model directory stores the SHA-256 over the lines of the triplets that it was trained on.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    papers = (batch.column(name) for name in ("query", "positive", "negative"))
    ends = pc.if_else(batch.column("hard"), "1\n", "0\n")
    lines = pc.binary_join_element_wise(*papers, ends, "\t")
    return pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "")[0].as_buffer()
