"""Long work in the background: each job is commands of `specter-graph`, which resume after a kill.

What may be asked for (`kinds`) becomes commands; a record of each job lies in the data folder
(`records`); one at a time they are run as processes of their own (`running`).
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
