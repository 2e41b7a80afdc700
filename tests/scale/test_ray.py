"""Ray on two machines of one core, one of which is lost: the results are those of one process."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from click.testing import CliRunner
from ray.cluster_utils import Cluster
from transformers import AutoConfig, AutoModel

from specter_graph.cli import cli
from specter_graph.core.errors import InputError, ModelError, ServerError
from specter_graph.encoder import device
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.recipe import read_recipe
from specter_graph.graph.contents import corpus_fingerprint
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.spaces import get_space, read_vectors
from specter_graph.graph.loading.bulk.load import number_tasks
from specter_graph.graph.loading.bulk.parse import read_tasks, read_tasks_by
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.server import Instance
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders import open_corpus
from specter_graph.loaders.synthetic import synthetic_papers
from specter_graph.pipelines import embed_parts, sgc
from specter_graph.pipelines.embed_parts import embed_in_parts
from specter_graph.pipelines.sgc import smooth
from specter_graph.scale import RayWorkers, ray_training, ray_workers
from specter_graph.scale.ray_training import train_on_ray
from specter_graph.settings import Settings
from tests.environment import server_environment
from tests.graph.canonical import canonical

PAPERS = 3_000
PARTS = 6
"""Parts of 500 papers."""
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
ON_A_BUSY_MACHINE = {
    "health_check_timeout_ms": 100_000,
    "health_check_period_ms": 500,
    "worker_niceness": 0,
}
"""A busy machine would be taken for a lost one, and Ray would then end this process silently.
Processes that were killed refuse the checks; five of them are a loss. Ray's niceness of 15 would
let the workers wait for all other tests."""


def on_a_busy_machine(start):
    """Return the result of `start`, in which Ray waits for 30 seconds; that can be too short."""
    for _ in range(3):
        with suppress(Exception):
            return start()
    return start()


def add_machine(cluster):
    if not cluster.worker_nodes:
        cluster.add_node(**NODE)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, local_instance):
    """A cluster of one machine, to which this process is connected."""
    with server_environment(local_instance):
        head = {**NODE, "include_dashboard": False, "_system_config": ON_A_BUSY_MACHINE}
        cluster = on_a_busy_machine(lambda: Cluster(True, head_node_args=head))
        with RayWorkers(cluster.address, tmp_path_factory.mktemp("unused")):
            yield cluster
        cluster.shutdown()


@pytest.fixture
def workers(cluster, tmp_path):
    """Workers on two machines; a machine that a test has lost is replaced."""
    on_a_busy_machine(lambda: add_machine(cluster))
    while ray.cluster_resources()["CPU"] != 2:  # a lost machine counts for a while
        time.sleep(0.2)
    with RayWorkers(cluster.address, tmp_path / "parts") as workers:
        yield workers


@pytest.fixture
def losing(cluster, workers, monkeypatch, tmp_path):
    """Workers that lose the second machine while it has its second task.

    Both wait for each other before they begin. A task takes a second, but the second task of the
    second machine only ends with it.
    """
    lost, count_loss = [], ray_workers._count_loss
    opened = tmp_path / "opened"
    opened.mkdir()

    class Located:
        uses_gpu = False

        def __init__(self, work, lost):
            self.work, self.lost = work, lost

        def open(self):
            done = []
            run, node = self.work.open(), ray.get_runtime_context().get_node_id()
            (opened / node).touch()
            while len(list(opened.iterdir())) < 2:
                time.sleep(0.1)

            def slowly(task):
                time.sleep(300 if done and node in self.lost else 1)
                done.append(task)
                return run(task), node

            return slowly

    class Losing:
        count, storage = workers.count, workers.storage

        def map(self, work, tasks):
            second = {node.node_id for node in cluster.worker_nodes}
            for result, node_id in workers.map(Located(work, second), tasks):
                for node in [n for n in cluster.worker_nodes if n.node_id == node_id]:
                    cluster.remove_node(node, allow_graceful=False)
                yield result

    def note(losses, activity):
        lost.extend([activity] if activity.startswith("computed ") else [])
        return count_loss(losses, activity)

    monkeypatch.setattr(ray_workers, "_count_loss", note)
    yield Losing()
    assert len(lost) == 1, "no task lost its machine"
    assert not cluster.worker_nodes


@pytest.fixture(scope="module")
def papers(fresh_graph):
    load_papers(fresh_graph, synthetic_papers(PAPERS))
    return fresh_graph


def test_embedding_survives_an_interruption_and_the_loss_of_a_machine(
    papers, workers, losing, tiny_bert
):
    encoder = Encoder.load(str(tiny_bert), precision="float32")
    embed(papers, encoder, "local")

    class Interrupted:
        count, storage = workers.count, workers.storage

        def map(self, work, tasks):
            yield next(workers.map(work, tasks[:1]))  # by one worker: each imports PyTorch
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_in_parts(papers, encoder, "remote", Interrupted())
    [folder] = Path(workers.storage).iterdir()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [part["rows"] for part in manifest["parts"]] == [500] * (PARTS + 1)
    assert manifest["identity"]["model"] == encoder.digest
    done = []

    def progress(stage, *counts):
        done.append(counts) if stage == "embed, parts" else None

    summary = embed_in_parts(papers, encoder, "remote", losing, progress=progress)
    assert done == [(number, PARTS) for number in range(2, PARTS + 1)]
    assert (summary.embedded, summary.unchanged) == (PAPERS, 0)
    (ids, local), (same, remote) = (read_vectors(papers, space) for space in ("local", "remote"))
    assert ids == same
    assert local.tobytes() == remote.tobytes()
    assert get_space(papers, "remote").precision == "float32"
    assert embed(papers, encoder, "remote").unchanged == PAPERS
    assert not list(Path(losing.storage).iterdir())


def test_smoothing_survives_the_loss_of_a_machine(papers, losing, tiny_bert, monkeypatch):
    monkeypatch.setattr(sgc, "_COLUMNS", 4)
    embed(papers, Encoder.load(str(tiny_bert), precision="float32"), "local")
    smooth(papers, "local", "sgc_local", steps=2, holdout=0.1)
    smooth(papers, "local", "sgc_remote", steps=2, holdout=0.1, workers=losing)
    (_, local), (_, remote) = (read_vectors(papers, f"sgc_{each}") for each in ("local", "remote"))
    assert len(local) == PAPERS
    assert local.tobytes() == remote.tobytes()


def test_parsing_survives_the_loss_of_a_machine(losing, tmp_path):
    source = tmp_path / "papers"
    source.mkdir()
    files = [(source / f"{number}.jsonl").open("w") for number in range(8)]
    for number, paper in enumerate(synthetic_papers(PAPERS)):
        record = {"id": paper.id, "title": paper.title, "abstract": paper.abstract}
        files[number % 8].write(json.dumps(record | {"references": paper.references}) + "\n")
    for file in files:
        file.close()
    corpus, read = open_corpus("jsonl", source), {}

    read_by = partial(read_tasks_by, losing, f"{losing.storage}/load")
    for name, run in {"local": partial(read_tasks, mark="mark"), "remote": read_by}.items():
        tasks = number_tasks(corpus.shards(2), tmp_path / name)
        run(corpus, tasks, lambda *_: None)
        files = [(task.folder / "papers.parquet").read_bytes() for task in tasks]
        read[name] = [(data, task.done) for data, task in zip(files, tasks, strict=True)]
    assert read["local"] == read["remote"]
    assert sum(done.records for _, done in read["local"]) == PAPERS


def test_commands_name_the_cluster(papers, cluster, tiny_bert, tmp_path):
    """The cluster has one machine here: the last test has lost the other."""
    storage = str(tmp_path / "parts")

    def run(*arguments):
        return CliRunner().invoke(cli, arguments)

    options = ("--ray", cluster.address, "--storage", storage)
    embedded = run("embed", "--model", str(tiny_bert), "--space", "cli", *options)
    assert embedded.exit_code == 0, embedded.output
    smoothed = run("sgc", "--space", "cli", "--output-space", "sgc_cli", *options)
    assert smoothed.exit_code == 0, smoothed.output
    assert "--storage needs --ray" in run("sgc", "--storage", storage).output
    assert "--ray needs --bulk" in run("load", "jsonl", __file__, *options).output
    assert len(read_vectors(papers, "sgc_cli")[0]) == PAPERS


def test_a_bulk_load_gives_the_graph_of_one_process(cluster, workers, tmp_path, monkeypatch):
    """It is interrupted after the first file; the same command then reads the others."""
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path / "data"))
    source = tmp_path / "papers"
    source.mkdir()
    lines = [[] for _ in range(4)]
    for number, paper in enumerate(synthetic_papers(600)):
        record = {"id": paper.id, "title": paper.title, "abstract": paper.abstract}
        record |= {"references": paper.references, "authors": [a.name for a in paper.authors]}
        lines[number % 4].append(json.dumps(record))
        lines[number * 7 % 4] += [lines[number % 4][0]] if number % 50 == 0 else []
    for number, records in enumerate(lines):
        bad = ["no JSON", '{"id": "no title"}', "{}"][:number]
        (source / f"{number}.jsonl").write_text("\n".join([*records, *bad]))
    entries = (f"@article{{b{n}, title={{Title {n}}}}}" for n in range(50))
    (source / "b.bib").write_text("\n".join([*entries, "@article{no_title, year={2001}}"]))

    def delete(name):
        Instance(name, tmp_path / "data", Settings().specter_graph_cache).delete()

    def load(name, *options):
        rejects = tmp_path / f"{name}.rejects.jsonl"
        files = ("load", "auto", str(source), "--rejects", str(rejects), "--bulk")
        on = ("--instance", name, "--format", "json")
        run = CliRunner().invoke(cli, [*files, *on, *options])
        if run.exit_code:
            return run
        with LiteratureGraph.open(instance=name) as graph:
            content = canonical(graph.database), corpus_fingerprint(graph.database)
        delete(name)
        summary = json.loads(run.stdout) | {"seconds": 0, "rejects": ""}
        return *content, sorted(rejects.read_text().splitlines()), summary

    def interrupted(*arguments):
        yield next(map_tasks(*arguments))
        raise KeyboardInterrupt

    remote = ("--ray", cluster.address, "--storage", workers.storage)
    try:
        local = load("local")
        assert local[-1]["rejected"] == len(local[2]) == 7
        map_tasks = workers.map
        with monkeypatch.context() as patch:
            patch.setattr(RayWorkers, "map", lambda _, *tasks: interrupted(*tasks))
            assert load("remote", *remote).exit_code == 1
        resumed = load("remote", *remote)
        assert resumed[-1].pop("parts_done_before") > local[-1].pop("parts_done_before") == 0
        assert resumed == local
        assert not [*Path(workers.storage).iterdir()]
    finally:
        delete("local")
        delete("remote")


def test_errors_say_what_to_do(papers, workers, tiny_bert):
    with pytest.raises(InputError, match="read and write") as error:
        RayWorkers("10.0.0.1:6379")
    assert "as storage" in str(error.value.hint)
    work = embed_parts.EncodeTexts(workers.storage, "another digest", {"name": str(tiny_bert)})
    with pytest.raises(ModelError, match="is not that of this machine"):
        list(workers.map(work, [1]))
    with pytest.raises(InputError, match="cannot load this model"):
        embed_in_parts(papers, object(), "x", workers)


def test_a_task_that_ends_its_workers_is_given_up(workers):
    class Fatal:
        uses_gpu = False

        def open(self):
            return lambda task: os._exit(1)

    with pytest.raises(ServerError, match="3 workers were lost while they computed 1"):
        list(workers.map(Fatal(), [1]))


def test_workers_that_end_while_they_open_their_work_are_given_up(workers):
    class Fatal:
        uses_gpu = False

        def open(self):
            os._exit(1)

    with pytest.raises(ServerError, match="3 workers were lost while they prepared"):
        list(workers.map(Fatal(), [1]))


@pytest.mark.timeout(1200)  # on a busy machine, the workers start twice
@pytest.mark.usefixtures("float32")
def test_training_survives_the_loss_of_a_machine(
    papers, cluster, workers, tiny_bert, tmp_path, monkeypatch
):
    """The losses are those of one process, without dropout, which is drawn in each process."""
    train = ray_training._train

    def train_in_float32(config):
        device._has = lambda *features: False
        train(config)

    monkeypatch.setattr(ray_training, "_train", train_in_float32)
    base = tmp_path / "base"
    still = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    config = AutoConfig.from_pretrained(tiny_bert, **still)
    AutoModel.from_pretrained(tiny_bert, config=config).save_pretrained(base)
    Encoder.base(str(tiny_bert)).model.tokenizer.save_pretrained(base)
    graph = LiteratureGraph(papers.driver)
    files = {}
    for split in ("train", "validation"):  # few, because both processes compute on two cores
        files[split] = tmp_path / f"{split}.parquet"
        pq.write_table(
            pa.table(next(iter(graph.triplets(split=split))).slice(0, 150)), files[split]
        )
    triplets = {"triplets": files["train"], "validation": files["validation"]}
    settings = {"base.name": str(base), "epochs": 6, "batch": 32, "micro_batch": 4}
    recipe = read_recipe("full").changed(settings)

    with ThreadPoolExecutor() as pool:
        often = recipe.changed({"checkpoint_minutes": 1e-6})
        trained = pool.submit(train_on_ray, workers, tmp_path / "ray", often, **triplets)
        while not [*tmp_path.glob(".ray.training/*/checkpoint-*/trainer_state.json")]:
            assert not trained.done(), trained.result()
            time.sleep(0.05)
        cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)
        assert not trained.done(), "the training ended before the machine was lost"
        on_a_busy_machine(lambda: add_machine(cluster))
        trained.result()
    graph.train(tmp_path / "one", recipe, **triplets)
    one, two = (
        np.genfromtxt(tmp_path / name / "training.csv", delimiter=",", names=True)
        for name in ("one", "ray")
    )
    assert len(one) > 4
    assert not [*Path(workers.storage).iterdir()]
    for column in one.dtype.names:
        np.testing.assert_allclose(two[column], one[column], rtol=1e-3, err_msg=column)


def test_a_head_is_not_trained_by_ray(workers, tmp_path):
    with pytest.raises(InputError, match="trained by one process"):
        train_on_ray(workers, tmp_path / "model", read_recipe("head"))


def test_a_cluster_does_not_train_on_a_local_instance(workers, tmp_path):
    with pytest.raises(InputError, match="cannot open the local instance x"):
        train_on_ray(workers, tmp_path / "model", read_recipe("full"), instance="x")
