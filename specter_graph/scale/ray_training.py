"""Fine-tuning by several processes of a Ray cluster: Ray Train starts the loop of `train`."""

import os
from pathlib import Path
from typing import Any

from specter_graph.core.errors import InputError, ModelError, extra
from specter_graph.core.parts import Workers
from specter_graph.encoder.model_record import ModelRecord, read_record
from specter_graph.encoder.recipe import FullSettings, Recipe
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.settings import Settings

_MAX_FAILURES = 3
"""Lost machines after which a training fails."""

_TIMEOUT = 86_400
"""Seconds that the other processes wait for the main one, which mines and validates alone."""


def train_on_ray(
    workers: Workers,
    path: Path | str,
    recipe: Recipe,
    *,
    instance: str | None = None,
    resume: bool = False,
    **arguments: Any,  # noqa: ANN401
) -> ModelRecord:
    """Fine-tune with one process for each GPU, or else for each machine.

    The processes run `LiteratureGraph.train`, as processes of torchrun do. If one is lost, all of
    them start again from the last checkpoint as soon as the cluster has places for them. Each opens
    the graph: NEO4J_URI and its login are read from the environment of the machine.

    Args:
        workers: The cluster, to which this process is connected, and its storage.
        path: The model directory to write, on a disk that all machines share.
        recipe: All settings, of mode full.
        instance: The local server to use, if the cluster is this machine alone.
        resume: Raise an error if the last training was interrupted and differs from this one.
        **arguments: Further arguments of `LiteratureGraph.train`.

    Raises:
        InputError: The recipe has another mode, which one process trains, `instance` is given with
            several machines, or none of them has a GPU or a CPU core for the training.
        ModelError: The training failed four times, by an error or the loss of a machine.
    """
    with extra("scale"):
        import ray
        from ray.train import FailureConfig, RunConfig, ScalingConfig, WorkerGroupError
        from ray.train.torch import TorchConfig, TorchTrainer

    if not isinstance(recipe.training, FullSettings):
        raise InputError(
            f"a model of mode {recipe.training.mode} is trained by one process",
            "train without Ray, or with the recipe full",
        )
    gpus = int(ray.cluster_resources().get("GPU", 0))
    nodes = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
    cores = [int(count) for count in nodes if count >= 1]  # the first machine may have no place
    if instance and len(nodes) > 1:
        raise InputError(
            f"the other machines cannot open the local instance {instance}",
            "set NEO4J_URI on all machines instead, and name no instance",
        )
    if not gpus and not cores:
        raise InputError(
            "no machine of the cluster offers a GPU or a CPU core", "ray start --head --num-cpus 1"
        )
    path = Path(path).absolute()
    for name, value in arguments.items():
        arguments[name] = value.absolute() if isinstance(value, Path) else value
    trainer = TorchTrainer(
        _train,
        train_loop_config={
            "instance": instance,
            "needs_uri": len(nodes) > 1,
            "output": str(path),
            "recipe": recipe.model_dump(mode="json"),
            "arguments": {**arguments, "resume": resume},
        },
        scaling_config=ScalingConfig(
            num_workers=gpus or len(cores),
            use_gpu=gpus > 0,
            resources_per_worker=None if gpus else {"CPU": min(cores)},
        ),
        torch_config=TorchConfig(timeout_s=_TIMEOUT),
        run_config=RunConfig(
            name=f"train-{path.name}",
            storage_path=workers.storage,
            failure_config=FailureConfig(max_failures=_MAX_FAILURES),
        ),
    )
    try:
        result = trainer.fit()
    except WorkerGroupError as error:
        reason = str(error).strip().splitlines()[-1]
        raise ModelError(
            f"the training failed: {reason}", "see the logs of Ray; the same command continues it"
        ) from error
    result.filesystem.delete_dir(result.path)
    return read_record(path)


def _train(config: dict[str, Any]) -> None:
    """Run in each process; the first run finds no checkpoint and starts from the beginning."""
    if config["needs_uri"] and not Settings().neo4j_uri:
        raise InputError(
            f"NEO4J_URI is not set on {os.uname().nodename}", "set it there before you start Ray"
        )
    with LiteratureGraph.open(instance=config["instance"]) as graph:
        graph.train(config["output"], Recipe(**config["recipe"]), **config["arguments"])
