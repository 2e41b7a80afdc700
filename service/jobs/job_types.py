"""What jobs there are, and the commands that each becomes: values are checked, nothing is free."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from specter_graph.graph.reviewing import MAX_VENUE_NAME_LENGTH
from specter_graph.graph.split import HOLDOUT

EMPTY = BeforeValidator(lambda value: None if value == "" else value)
"""Reads an empty form field, which browsers send too, as None."""

INPUTS = ("submissions", "reviewers", "bids", "conflicts")
"""Lists that a matching may bring along, each a file of that name in the job's folder."""
SCORED = 100
"""Reviewers of each submission in the file of scores: of all pairs it would have gigabytes."""

Space = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$", description="A space.")]
OwnModel = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$",
        description="A folder of `models` in the data folder, which `train` writes.",
    ),
]
VenueName = Annotated[
    str,
    Field(
        pattern=r"^[^\s/\-]([^/\x00-\x1f]*[^\s/\x00-\x1f])?$",
        max_length=MAX_VENUE_NAME_LENGTH,
        examples=["ICLR-2027"],
    ),
]
Recipe = Literal["head", "full", "contrastive", "specter"]
Share = Annotated[float, Field(ge=0, lt=0.5, description="Held out for test, and again so much.")]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Embed(_Asked):
    """Embed the papers that are new or changed; by default with the model of the space."""

    kind: Literal["embed"]
    space: Annotated[Space | None, EMPTY] = None
    model: Annotated[OwnModel | None, EMPTY] = None


class Train(_Asked):
    """Train a model on triplets mined from the graph."""

    kind: Literal["train"]
    model: OwnModel
    recipe: Annotated[
        Recipe | None,
        EMPTY,
        Field(description="By default full with a GPU, head without."),
    ] = None
    epochs: Annotated[Annotated[int, Field(ge=1, le=100)] | None, EMPTY] = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0
    holdout: Share = HOLDOUT


class Map(_Asked):
    """Place the papers of a space in a plane."""

    kind: Literal["map"]
    space: Space


class Report(_Asked):
    """Score spaces on held-out papers, and write the page about them; by default of all spaces."""

    kind: Literal["report"]
    spaces: Annotated[list[Space], Field(max_length=20)] = []
    split: Literal["test", "validation"] = "test"
    against: Annotated[Space | None, EMPTY] = None


class Match(_Asked):
    """Score and assign the reviewers of a venue, whose lists are in the graph or come along."""

    kind: Literal["match"]
    venue: VenueName
    per_submission: Annotated[int, Field(ge=1, le=20)] = 3
    max_load: Annotated[int, Field(ge=0, le=1_000)] = 6
    fair: bool = False
    replace: Annotated[
        bool, Field(description="Overwrite the assignment that the graph has of the venue.")
    ] = False


AnyAsked: TypeAlias = Annotated[Embed | Train | Map | Report | Match, Field(discriminator="kind")]


def commands(asked: AnyAsked, folder: Path, models: Path, *, again: bool) -> list[list[str]]:
    """The arguments of `specter-graph`, one list for each command, to be run in this order.

    `folder` is the job's own, `models` where trained models are. `again` says that these commands
    were begun before and stopped: what can be gone on with is.
    """
    match asked:
        case Embed():
            model = str(models / asked.model) if asked.model else None
            return [["embed", *_given(space=asked.space, model=model)]]
        case Train():
            given = _given(
                output=str(models / asked.model),
                recipe=asked.recipe,
                epochs=asked.epochs,
                seed=asked.seed,
                holdout=asked.holdout,
            )
            return [["train", *given, *(["--resume"] if again else [])]]
        case Map():
            return [["spaces", "map", *_given(space=asked.space)]]
        case Report():
            spaces = [f"--space={each}" for each in asked.spaces]
            return [["report", *spaces, *_given(split=asked.split, compare_to=asked.against)]]
        case Match():
            return _matching(asked, folder)


def _matching(asked: Match, folder: Path) -> list[list[str]]:
    lists = [f"--{path.stem}={path}" for path in sorted(folder.iterdir()) if path.stem in INPUTS]
    terms = _given(per_submission=asked.per_submission, max_load=asked.max_load)
    steps = [
        ["load", asked.venue, *lists],
        ["affinity", asked.venue, *_given(output=str(folder / "scores.csv"), max_reviewers=SCORED)],
        ["assign", asked.venue, f"--output={folder / 'assignment.csv'}", *terms]
        + (["--method=fair"] if asked.fair else [])
        + (["--replace"] if asked.replace else []),
        ["report", asked.venue, f"--output={folder / 'matching.html'}"],
    ]
    return [["match", *step] for step in (steps if lists else steps[1:])]


def outputs(asked: AnyAsked) -> tuple[str, ...]:
    """The files that a job leaves in its folder for whoever asks."""
    return ("scores.csv", "assignment.csv", "matching.html") if isinstance(asked, Match) else ()


def _given(**values: str | float | None) -> list[str]:
    """Options with values, those that are there; `=` keeps a value from being read as an option."""
    return [
        f"--{name.replace('_', '-')}={value}" for name, value in values.items() if value is not None
    ]
