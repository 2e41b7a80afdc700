"""Workers on a Ray cluster: they run the functions that the local commands run.

A worker is a Ray actor with one GPU, or with one CPU core. It gets its next task when it has
completed one. If its machine or its process is lost, another worker gets the task, and a new worker
is requested, which starts when the cluster has a place for it.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self, TypeVar

from specter_graph.core.atomic_files import data_folder
from specter_graph.core.errors import InputError, ServerError, extra
from specter_graph.core.parts import Work
from specter_graph.settings import Settings

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
_T = TypeVar("_T")
_R = TypeVar("_R")

LOCAL = "local"
"""The address that starts Ray on this machine."""

_MAX_LOSSES = 3
"""Workers that may be lost with the same task, or in succession before their first. Either may
need more memory than they have."""

_OBJECT_STORE_BYTES = 100 * 2**20
"""Memory for arguments and results of a local Ray; data are exchanged through files."""


class RayWorkers:
    """Workers on a Ray cluster; use them in a `with` block.

        with RayWorkers("10.0.0.1:6379", "s3://bucket/parts") as workers:
            graph.embed(Encoder.load("model"), workers=workers)

    Attributes:
        storage: URI of the folder for parts.
    """

    def __init__(self, address: str, storage: Path | str | None = None) -> None:
        """Connect to a cluster.

        Args:
            address: The address of a cluster (HOST:PORT, or "auto" on a machine of the cluster), or
                "local" for a cluster of this machine alone.
            storage: A folder that all machines read and write: a path on a shared disk, or a URI
                such as s3://bucket/folder. For "local", the default is a folder of the data folder.

        Raises:
            InputError: The storage is not given, or Ray is not installed.
            ServerError: The cluster cannot be reached.
        """
        if storage is None and address != LOCAL:
            raise InputError(
                "the machines of a cluster need a folder that all of them read and write",
                "name a shared folder as storage, such as /shared/parts or s3://bucket/parts",
            )
        if storage is None:
            storage = data_folder(Settings().specter_graph_data, "parts")
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if address == LOCAL:
            options |= {"include_dashboard": False, "object_store_memory": _OBJECT_STORE_BYTES}
        with extra("scale"):
            import ray
        self._ray: Any = ray
        self._owned = not ray.is_initialized()
        if self._owned:
            try:
                ray.init(address, **options)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise ServerError(
                    f"there is no Ray cluster at {address}: {error}",
                    "start one with `ray start --head`, or use the address local",
                ) from error
        self.storage = str(storage)
        resources = ray.cluster_resources()
        self._cores = max(1, int(resources.get("CPU", 1)))
        self._gpus = int(resources.get("GPU", 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._owned:
            self._ray.shutdown()

    def count(self, *, uses_gpu: bool) -> int:
        """Return the number of tasks that run at the same time.

        Args:
            uses_gpu: The tasks run on GPUs, if the cluster has any, and not on CPU cores.
        """
        return self._gpus if uses_gpu and self._gpus else self._cores

    def map(self, work: Work[_T, _R], tasks: Sequence[_T]) -> Iterator[_R]:
        """Yield the results of tasks in the order of completion.

        Raises:
            InputError: A machine has another version of specter-graph.
            ServerError: Several workers were lost with the same task, or before their first.
            SpecterGraphError: The work raised it.
        """
        ray, errors = self._ray, self._ray.exceptions
        on_gpu = work.uses_gpu and self._gpus > 0
        resources = {"num_cpus": 0, "num_gpus": 1} if on_gpu else {"num_cpus": 1}
        worker = ray.remote(_Worker).options(scheduling_strategy="SPREAD", **resources)
        shared = ray.put(work)
        waiting = deque((task, 0) for task in tasks)
        # Each actor is waited for by one result: None when it is ready, or the result of a task.
        # The number is that of its predecessors that were lost before they were ready.
        running: dict[Any, tuple[Any, tuple[_T, int] | None, int]] = {}

        def start(lost: int = 0) -> None:
            actor = worker.remote()
            running[actor.open.remote(shared, version("specter-graph"))] = (actor, None, lost)

        for _ in range(min(self.count(uses_gpu=work.uses_gpu), len(tasks))):
            start()
        try:
            while waiting or any(task for _, task, _ in running.values()):
                [done], _ = ray.wait([*running])
                actor, task, lost = running.pop(done)
                try:
                    result = ray.get(done)
                except (errors.RayActorError, errors.OutOfMemoryError):
                    if task:
                        losses = _count_loss(task[1], f"computed {task[0]}")
                        waiting.append((task[0], losses))
                        start()
                    elif waiting:
                        start(_count_loss(lost, "prepared their work"))
                    continue
                except errors.RayTaskError as error:
                    raise error.cause from None
                if waiting:
                    following = waiting.popleft()
                    running[actor.run.remote(following[0])] = (actor, following, 0)
                if task:
                    yield result
        finally:
            for actor, _, _ in running.values():
                ray.kill(actor)


def _count_loss(losses: int, activity: str) -> int:
    """Return the number of losses with one more, which is refused if it is the last allowed."""
    if losses + 1 >= _MAX_LOSSES:
        raise ServerError(
            f"{_MAX_LOSSES} workers were lost while they {activity}",
            "see the logs of Ray; the machines may have too little memory",
        )
    return losses + 1


class _Worker:
    """A worker process."""

    _run: Callable[[Any], Any]

    def open(self, work: Work[Any, Any], program: str) -> None:
        """Prepare the work; raises InputError if this machine has another version."""
        if program != (own := version("specter-graph")):
            raise InputError(
                f"the machine {os.uname().nodename} has specter-graph {own}, not {program}",
                f"install it there: pip install specter-graph=={program}",
            )
        self._run = work.open()

    def run(self, task: object) -> object:
        """Run a task."""
        return self._run(task)
