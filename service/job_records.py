"""Requests for jobs, the commands of each, and the records of jobs in the data folder.

`jobs/ID/job.json` is the record of a job, written atomically, and `jobs/ID/log.txt` is the output
of its commands. The folder also contains the uploaded lists and the files that the job creates.
"""

import logging
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import InputError
from specter_graph.graph.reviewing.venue_data import checked_name
from specter_graph.graph.split import HOLDOUT

EmptyAsNone = BeforeValidator(lambda value: None if value == "" else value)
"""Reads an empty form field, which browsers send too, as None."""

LIST_NAMES = ("submissions", "reviewers", "bids", "conflicts")
"""Kinds of lists that can be uploaded for a matching."""
UPLOADS = (*LIST_NAMES, "archives")
"""The lists, and the folder of archives."""
OUTPUT_FILES = ("scores.csv", "assignment.csv", "matching.html")
"""Files that a matching creates."""
MAX_SCORED_REVIEWERS = 100
"""Reviewers per submission in scores.csv; the scores of all pairs would take gigabytes."""

LOG = "log.txt"
MAX_LOG_BYTES = 4_000
"""Maximum bytes of a log that are shown."""

_log = logging.getLogger(__name__)
_RECORD = "job.json"
_PROGRESS_LINE = re.compile(r"^([^:\n]{1,80}): (\d+)(?:/(\d+))?$", re.MULTILINE)

Space = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$", description="A space.")]
ModelName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$",
        description="A folder of `models` in the data folder, which `train` writes.",
    ),
]


def _check_venue(name: str) -> str:
    try:
        return checked_name(name)
    except InputError as error:
        raise ValueError(error.one_line) from error


VenueName = Annotated[str, Field(examples=["ICLR-2027"]), AfterValidator(_check_venue)]
RecipeName = Literal["head", "full", "contrastive", "specter", "arxiv", "reranker"]
Holdout = Annotated[
    float, Field(ge=0, lt=0.5, description="Share held out for test, and again for validation.")
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbedJob(_Request):
    """Embed new and changed papers, by default with the model of the space."""

    kind: Literal["embed"]
    space: Annotated[Space | None, EmptyAsNone] = None
    model: Annotated[ModelName | None, EmptyAsNone] = None


class TrainJob(_Request):
    """Train a model on triplets mined from the graph."""

    kind: Literal["train"]
    model: ModelName
    recipe: RecipeName = "head"
    epochs: Annotated[Annotated[int, Field(ge=1, le=100)] | None, EmptyAsNone] = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0
    holdout: Holdout = HOLDOUT


class MapJob(_Request):
    """Project the papers of a space onto a plane."""

    kind: Literal["map"]
    space: Space


class ReportJob(_Request):
    """Evaluate spaces, by default all, on held-out papers, and write the report."""

    kind: Literal["report"]
    spaces: Annotated[list[Space], Field(max_length=20)] = []
    split: Literal["test", "validation"] = "test"
    compare_to: Annotated[Space | None, EmptyAsNone] = None


class WatchJob(_Request):
    """Report the new papers of all watches."""

    kind: Literal["watch"]


class MatchJob(_Request):
    """Score and assign the reviewers of a venue in the graph, or of uploaded lists."""

    kind: Literal["match"]
    venue: VenueName
    per_submission: Annotated[int, Field(ge=1, le=20)] = 3
    max_load: Annotated[int, Field(ge=0, le=1_000)] = 6
    fair: bool = False
    replace: Annotated[
        bool, Field(description="Overwrite the assignment of the venue in the graph.")
    ] = False


JobRequest: TypeAlias = Annotated[
    EmbedJob | TrainJob | MapJob | ReportJob | WatchJob | MatchJob, Field(discriminator="kind")
]


class Job(BaseModel):
    """The record of a job.

    Attributes:
        request: The request.
        instance: The local server that it works on.
        runs: Number of starts.
        process: Id and start time of its process, which identify a process that outlives the
            service.
    """

    id: str
    request: JobRequest
    instance: str | None
    state: Literal["waiting", "running", "done", "failed", "cancelled"] = "waiting"
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    runs: int = 0
    process: tuple[int, float] | None = None

    @property
    def is_open(self) -> bool:
        """True if the job is waiting or running."""
        return self.state in ("waiting", "running")

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the files that the job creates for download."""
        return OUTPUT_FILES if isinstance(self.request, MatchJob) else ()


@dataclass(frozen=True, slots=True)
class StageProgress:
    """The last stage in a log; `total` is None if unknown."""

    stage: str
    done: int
    total: int | None


def commands(request: JobRequest, folder: Path, models: Path, *, resume: bool) -> list[list[str]]:
    """Return the arguments of each `specter-graph` command of a job, in the order of execution.

    Args:
        request: The request; its values are validated, and no other options can be given.
        folder: Folder of the job.
        models: Folder of trained models.
        resume: The commands were interrupted before; resume them.
    """
    match request:
        case EmbedJob():
            model = str(models / request.model) if request.model else None
            return [["embed", *_options(space=request.space, model=model)]]
        case TrainJob():
            settings = request.model_dump(exclude={"kind", "model"})
            options = _options(output=str(models / request.model), **settings)
            return [["train", *options, *(["--resume"] if resume else [])]]
        case MapJob():
            return [["spaces", "map", *_options(space=request.space)]]
        case ReportJob():
            spaces = [f"--space={space}" for space in request.spaces]
            options = _options(**request.model_dump(exclude={"kind", "spaces"}))
            return [["report", *spaces, *options]]
        case WatchJob():
            return [["watch", "run"]]
        case MatchJob():
            return _match_commands(request, folder, resume=resume)


def _match_commands(request: MatchJob, folder: Path, *, resume: bool) -> list[list[str]]:
    lists = [f"--{path.stem}={path}" for path in sorted(folder.iterdir()) if path.stem in UPLOADS]
    venue = request.venue
    scores, assignment, page = (str(folder / name) for name in OUTPUT_FILES)
    limits = _options(per_submission=request.per_submission, max_load=request.max_load)
    flags = ["--method=fair"] * request.fair + ["--replace"] * request.replace
    steps = [
        ["score", venue, *_options(output=scores, max_reviewers=MAX_SCORED_REVIEWERS)],
        ["assign", venue, *_options(output=assignment), *limits, *flags],
        ["report", venue, *_options(output=page)],
    ]
    if resume and Path(assignment).exists():  # `assign` does not overwrite its own assignment
        del steps[1]
    if lists:
        steps.insert(0, ["load", venue, *lists])
    return [["match", *step] for step in steps]


def _options(**values: str | float | None) -> list[str]:
    """Return options with values; `=` prevents that a value is read as an option."""
    return [
        f"--{name.replace('_', '-')}={value}" for name, value in values.items() if value is not None
    ]


def write(folder: Path, job: Job) -> None:
    """Write a record in `folder`, which contains all jobs."""
    own = folder / job.id
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_file(own / _RECORD, job.model_dump_json(indent=1), 0o600)


def read(folder: Path) -> list[Job]:
    """Read all records, the oldest first.

    A record that cannot be read is skipped and logged. A folder without a record belongs to a job
    that was never queued.
    """
    jobs = []
    for file in folder.glob(f"*/{_RECORD}"):
        try:
            jobs.append(Job.model_validate_json(file.read_bytes()))
        except (OSError, ValidationError) as error:
            _log.warning("%s is not a valid job record, remove its folder: %s", file, error)
    return sorted(jobs, key=lambda job: job.id)


def log_end(folder: Path, job: Job) -> str:
    """Return the end of the output of a job's commands, in complete lines."""
    try:
        with (folder / job.id / LOG).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - MAX_LOG_BYTES))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return text if size <= MAX_LOG_BYTES else text.partition("\n")[2]


def last_progress(log: str) -> StageProgress | None:
    """Return the last stage of the last command in a log."""
    stages = _PROGRESS_LINE.findall(last_output(log))
    if not stages:
        return None
    stage, done, total = stages[-1]
    return StageProgress(stage, int(done), int(total) if total else None)


def last_output(log: str) -> str:
    """Return the output of the last command in a log."""
    return log.rpartition("\n$ ")[2]
