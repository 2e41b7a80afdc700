"""Background jobs: each job is a list of `specter-graph` commands that can be resumed.

`job_types` converts requests to commands, `records` stores a record of each job in the data folder,
and `run` runs one job at a time in separate processes.
"""

from specter_graph.service.jobs.job_types import (
    INPUTS,
    AnyAsked,
    Match,
    Recipe,
    VenueName,
    commands,
    outputs,
)
from specter_graph.service.jobs.records import Job, Progress, told
from specter_graph.service.jobs.run import Jobs

__all__ = [
    "INPUTS",
    "AnyAsked",
    "Job",
    "Jobs",
    "Match",
    "Progress",
    "Recipe",
    "VenueName",
    "commands",
    "outputs",
    "told",
]
