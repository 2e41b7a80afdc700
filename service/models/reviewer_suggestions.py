"""Suggested reviewers, as the API returns them."""

from typing import Annotated

from pydantic import BaseModel, Field, model_validator

from specter_graph.graph.reviewing import MAX_VENUE_NAME_LENGTH
from specter_graph.service.models.base import Model


class ReviewVenueCounts(Model):
    """A conference or journal issue, with its numbers of submissions, reviewers and reviews."""

    name: str
    year: int | None
    submissions: int
    anonymous: int
    reviewers: int
    bids: int
    conflicts: int
    assigned: int


class SuggestedPaper(Model):
    """A supporting paper of a reviewer; `archived` if only an archive has it."""

    id: str
    title: str
    similarity: float
    archived: bool = False


class PairConflict(Model):
    """A conflict of interest, without its evidence, which names authors."""

    kind: str
    certain: bool


class SuggestedReviewer(Model):
    """A reviewer with the affinity, the supporting papers and the conflicts."""

    reviewer: str
    name: str
    affinity: float
    papers: list[SuggestedPaper]
    conflicts: list[PairConflict] = Field(default_factory=list)
    assigned: bool = False


class ReviewerSuggestions(BaseModel):
    """The best reviewers of a submission, or of a text (`submission` is null)."""

    submission: str | None
    title: str | None
    reviewers: list[SuggestedReviewer]


class MatchRequest(BaseModel):
    """Either a text, or ids of submissions of the venue."""

    venue: Annotated[str, Field(max_length=MAX_VENUE_NAME_LENGTH, examples=["ICLR-2027"])]
    text: Annotated[str, Field(max_length=20_000, examples=["Jets of quarks and gluons"])] = ""
    submissions: Annotated[list[str], Field(max_length=50)] = []
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=50)] = 5

    @model_validator(mode="after")
    def _check_alternatives(self) -> "MatchRequest":
        if bool(self.text.strip()) == bool(self.submissions):
            raise ValueError("give either a text or submissions")
        return self
