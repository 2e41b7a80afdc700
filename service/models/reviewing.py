"""Reviewers for submissions."""

from typing import Annotated

from pydantic import BaseModel, Field, model_validator

from specter_graph.graph.reviewing import LONGEST_NAME
from specter_graph.service.models.base import Model


class ReviewVenue(Model):
    """A conference or journal issue, and what it has."""

    name: str
    year: int | None
    submissions: int
    anonymous: int
    reviewers: int
    bids: int
    conflicts: int
    assigned: int


class Speaking(Model):
    """A paper of a reviewer that speaks for a submission; `archived` is in no literature."""

    id: str
    title: str
    similarity: float
    archived: bool = False


class PairConflict(Model):
    """A conflict of interest; its evidence, which names authors, is not told here."""

    kind: str
    certain: bool


class Suggested(Model):
    """A reviewer, with the papers behind the affinity, and what speaks against the pair."""

    reviewer: str
    name: str
    affinity: float
    papers: list[Speaking]
    conflicts: list[PairConflict] = Field(default_factory=list)
    assigned: bool = False


class Suggestions(BaseModel):
    """The best reviewers of a submission, or of a text, whose `submission` is null."""

    submission: str | None
    title: str | None
    reviewers: list[Suggested]


class MatchAsked(BaseModel):
    """A text, or submissions of the venue by their ids: one of the two."""

    venue: Annotated[str, Field(max_length=LONGEST_NAME, examples=["ICLR-2027"])]
    text: Annotated[str, Field(max_length=20_000, examples=["Jets of quarks and gluons"])] = ""
    submissions: Annotated[list[str], Field(max_length=50)] = []
    space: Annotated[str | None, Field(max_length=100)] = None
    k: Annotated[int, Field(ge=1, le=50)] = 5

    @model_validator(mode="after")
    def _one_of_two(self) -> "MatchAsked":
        if bool(self.text.strip()) == bool(self.submissions):
            raise ValueError("give either a text or submissions")
        return self
