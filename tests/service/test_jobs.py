"""Run jobs in the background: real processes of the program, which survive and can be stopped."""

import errno
import os
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import psutil
import pytest
from pydantic import TypeAdapter, ValidationError

from specter_graph.core.errors import InputError
from specter_graph.encoder.recipe import recipe_names
from specter_graph.graph.database import unavailable_error
from specter_graph.service import job_records
from specter_graph.service.auth import hash_key
from specter_graph.service.job_queue import JobQueue, end_group
from specter_graph.service.job_records import (
    Job,
    JobRequest,
    RecipeName,
    StageProgress,
    commands,
    last_progress,
)
from specter_graph.service.job_routes import _read_error
from tests.service.small_service import ask

REQUESTED = TypeAdapter(JobRequest)
MAP = {"kind": "map", "space": "specter"}
MISSING = {"kind": "embed", "model": "nowhere"}


@pytest.fixture
def work(small, surroundings, tmp_path):
    """Return a service that starts jobs, with its own folder."""
    jobs = JobQueue(tmp_path, None, surroundings)
    with ask(small, jobs=jobs, data_folder=tmp_path) as client:
        yield client


def wait_for(condition):
    for _ in range(600):
        if result := condition():
            return result
        time.sleep(0.1)
    raise AssertionError("one minute has passed")


def wait_for_state(client, id, *states):
    return wait_for(lambda: (job := client.get(f"/v1/jobs/{id}").json())["state"] in states and job)


def running(jobs: JobQueue, id: str) -> Job:
    return wait_for(lambda: (job := jobs.job(id)).process and job)


def test_jobs_run_one_after_the_other_and_survive_the_service(
    small, surroundings, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path.parent)  # the data folder may be relative to the current folder
    jobs = JobQueue(Path(tmp_path.name), None, surroundings)
    (tmp_path / "models" / "nowhere").mkdir()  # without a model
    with ask(small, jobs=jobs, data_folder=tmp_path) as client:
        answer = client.post("/v1/jobs", json=MAP)
        assert answer.status_code == 202
        first = answer.json()["id"]
        second = client.post("/v1/jobs", json=MISSING).json()["id"]
        pid, _ = running(jobs, first).process
        assert client.get(f"/v1/jobs/{second}").json()["state"] == "waiting"
        assert client.get("/v1/map").status_code == 404
        assert "Create the map" in client.get("/map").text
    assert not psutil.pid_exists(pid)
    left = job_records.read(tmp_path / "jobs")
    assert [(job.state, job.runs) for job in left] == [("running", 1), ("waiting", 0)]
    again = JobQueue(tmp_path, None, surroundings)
    with ask(small, jobs=again, data_folder=tmp_path) as client:
        assert wait_for_state(client, first, "done", "failed")["state"] == "done"
        assert client.get("/v1/map").json()["space"] == "specter"
        failed = wait_for_state(client, second, "done", "failed")
        assert failed["state"] == "failed"
        assert "models/nowhere" in failed["error"]
        assert "$ specter-graph embed --model=" in failed["log"]
        assert [job["id"] for job in client.get("/v1/jobs").json()] == [second, first]
    assert [again.job(id).runs for id in (first, second)] == [2, 1]


def test_other_users_cannot_read_the_files_of_a_job(small, surroundings, tmp_path):
    data = tmp_path / "specter-graph"
    before = os.umask(0o022)
    try:
        (data / "jobs").mkdir(parents=True)  # permissions of an older version
        with ask(small, jobs=JobQueue(data, None, surroundings), data_folder=data) as client:
            job = client.post("/v1/jobs", json=MAP).json()["id"]
            assert wait_for_state(client, job, "done", "failed")["state"] == "done"
    finally:
        os.umask(before)
    built = [path for path in (data, *data.rglob("*")) if path.name != ".lock"]
    assert {"job.json", "log.txt", "maps", "models"} <= {path.name for path in built}
    for path in built:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_module_in_the_folder_of_a_job_is_not_run(tmp_path):
    jobs = JobQueue(tmp_path, None)
    stranger = {"click.py": b"raise SystemExit('a module of a stranger')"}
    job = jobs.add(REQUESTED.validate_python(MISSING), stranger).id
    jobs.start()
    wait_for(lambda: not jobs.job(job).is_open)
    jobs.close()
    assert "stranger" not in (tmp_path / "jobs" / job / "log.txt").read_text()


def test_a_cancelled_job_ends_its_process_and_a_queued_one_never_starts(
    small, surroundings, tmp_path
):
    jobs = JobQueue(tmp_path, None, surroundings)
    with ask(small, jobs=jobs, data_folder=tmp_path) as client:
        first, second = (client.post("/v1/jobs", json=MAP).json()["id"] for _ in range(2))
        pid, _ = running(jobs, first).process
        assert client.delete(f"/v1/jobs/{second}").json()["state"] == "cancelled"
        assert client.delete(f"/v1/jobs/{first}").json()["state"] == "cancelled"
        wait_for(lambda: jobs.job(first).process is None)
        assert not psutil.pid_exists(pid)
        assert jobs.job(second).runs == 0
        assert client.delete(f"/v1/jobs/{first}").json()["state"] == "cancelled"
    assert not list(tmp_path.glob("maps/*"))


def test_a_process_of_a_killed_service_is_stopped_before_its_job_restarts(tmp_path):
    orphan = subprocess.Popen(["sleep", "600"], start_new_session=True)
    folder = tmp_path / "jobs"
    folder.mkdir()
    started = psutil.Process(orphan.pid).create_time()
    job = Job(
        id="1", request=MAP, instance=None, state="running", created=datetime.now(UTC), runs=1
    )
    job_records.write(folder, job.model_copy(update={"process": (orphan.pid, started)}))
    other = subprocess.Popen(["sleep", "600"], start_new_session=True)
    reused = {"process": (other.pid, started - 100), "state": "done", "id": "2"}
    job_records.write(folder, job.model_copy(update=reused))
    jobs = JobQueue(tmp_path, None)
    with jobs._changed:  # the result of the job is not tested here
        jobs._closing = True
    jobs.start()
    jobs.close()
    assert not psutil.pid_exists(orphan.pid)
    assert other.poll() is None  # it has the id of a process that ended long ago
    other.kill()
    other.wait()
    assert [each.process for each in job_records.read(folder)] == [None, None]


def test_a_job_that_cannot_be_recorded_fails_and_later_ones_run(tmp_path):
    jobs = JobQueue(tmp_path, None)
    every = [jobs.add(REQUESTED.validate_python(MAP)).id for _ in range(2)]
    for each in every:
        record = tmp_path / "jobs" / each / "job.json"
        record.unlink()
        record.mkdir()  # a folder in place of the record prevents writing
    jobs.start()
    wait_for(lambda: not any(jobs.job(id).is_open for id in every))
    jobs.close()
    assert [(jobs.job(id).state, jobs.job(id).process) for id in every] == [("failed", None)] * 2
    assert all(jobs.job(id).ended for id in every)


def test_a_process_that_cannot_be_recorded_is_stopped(tmp_path, monkeypatch):
    begun = []

    def full(folder, job, write=job_records.write):
        if job.process:
            begun.append(job.process[0])
            raise OSError(28, "No space left on device")
        write(folder, job)

    monkeypatch.setattr(job_records, "write", full)
    jobs = JobQueue(tmp_path, None)
    job = jobs.add(REQUESTED.validate_python(MAP)).id
    jobs.start()
    wait_for(lambda: not jobs.job(job).is_open)
    jobs.close()
    assert len(begun) == 1
    assert not psutil.pid_exists(begun[0])
    assert [each.state for each in job_records.read(jobs.folder)] == ["failed"]


@pytest.mark.parametrize(
    "written", ["specter_graph.service.job_records.write_file", "pathlib.Path.write_bytes"]
)
def test_a_full_disk_is_no_error_of_the_caller(work, tmp_path, monkeypatch, written):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(written, full)
    lists = {"submissions": ("s.csv", "id,title\n1,Jets\n"), "reviewers": ("r.csv", "id\na\n")}
    answer = work.post("/v1/jobs/match", data={"venue": "V"}, files=lists)
    assert (answer.status_code, answer.json()["detail"]) == (507, "the disk of the service is full")
    assert str(tmp_path) not in answer.text
    assert work.get("/v1/jobs").json() == []


def test_an_unreadable_record_does_not_affect_other_jobs(tmp_path, caplog):
    jobs = JobQueue(tmp_path, None)
    one, other = (jobs.add(REQUESTED.validate_python(MAP)).id for _ in range(2))
    (jobs.folder / one / "job.json").write_text("{}")
    assert [each.id for each in job_records.read(jobs.folder)] == [other]
    assert f"{one}/job.json is not a valid job record" in caplog.text
    jobs.close()


def test_lists_of_a_job_that_is_not_queued_are_deleted(tmp_path):
    jobs = JobQueue(tmp_path, None)
    with pytest.raises(OSError, match="No such file"):
        jobs.add(REQUESTED.validate_python(MAP), {"bids.csv": b"", "no/such/bids.csv": b""})
    assert [each.name for each in jobs.folder.iterdir()] == [".lock"]
    jobs.close()


def test_the_reason_of_a_failure_is_that_of_the_last_command_without_folders(tmp_path):
    before = "\n$ specter-graph embed\nerror: of before\n"
    own = tmp_path / "jobs" / "1"
    error = f"error: {own}/bids.csv, {tmp_path}/models/m\n  hint\n"
    assert _read_error(f"{before}\n$ specter-graph match\n{error}", own) == (
        "./bids.csv, ./models/m hint"
    )
    gone = unavailable_error()
    error = f"error: {gone.message}\n  try: {gone.hint}\n"
    assert _read_error(f"{before}\n$ specter-graph train\ntrain: 1/9\n{error}", own) == (
        "the database does not answer; try: wait a few seconds, and repeat it; embed, train and"
        " load continue where they stopped"
    )
    killed = _read_error(f"{before}\n$ specter-graph train\ntrain: 1/9\n", own)
    assert killed == "the command ended without a message; it may have been killed or out of memory"


IGNORE_SIGTERM = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"


@pytest.mark.parametrize(
    "first", [f"{IGNORE_SIGTERM};", ""], ids=["ignores SIGTERM", "ends before its child"]
)
def test_all_processes_of_a_group_are_killed_whether_or_not_its_leader_ends(first):
    leader = (
        f"import signal, subprocess; {first}"
        f"child = subprocess.Popen(['sleep', '600'], preexec_fn=lambda: {IGNORE_SIGTERM});"
        "print(child.pid, flush=True); child.wait()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", leader], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    child = int(process.stdout.readline())
    end_group(process.pid, seconds=0.3)
    process.wait(5)
    wait_for(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie")


def test_only_one_service_runs_the_jobs_of_a_folder(tmp_path):
    first = JobQueue(tmp_path, None)
    with pytest.raises(InputError, match="another service runs the jobs"):
        JobQueue(tmp_path, None)
    first.close()
    JobQueue(tmp_path, None).close()


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "shell", "command": "id"},
        {"kind": "map", "space": "--help"},
        {"kind": "map", "space": "x; id"},
        {"kind": "map", "space": "specter", "output": "/etc/passwd"},
        {"kind": "embed", "model": "../../secret"},
        {"kind": "embed", "model": "/etc"},
        {"kind": "embed", "model": "-m"},
        {"kind": "train", "model": ".."},
        {"kind": "train", "model": "a", "recipe": "/tmp/own.yaml"},
        {"kind": "train", "model": "a", "epochs": 10**9},
        {"kind": "report", "split": "train"},
        {"kind": "match", "venue": "--help"},
        {"kind": "match", "venue": "a/../b"},
        {"kind": "match", "venue": "a\nb"},
        {"kind": "match", "venue": "\b"},
        {"kind": "match", "venue": "a\u200bb"},
    ],
)
def test_unknown_kinds_and_parameters_of_jobs_are_refused(body, work):
    with pytest.raises(ValidationError):
        REQUESTED.validate_python(body)
    assert work.post("/v1/jobs", json=body).status_code == 422
    assert work.post("/jobs", data=body).status_code == 400
    assert work.get("/v1/jobs").json() == []


def test_the_error_for_the_name_of_a_venue_says_what_to_do(work):
    answer = work.post("/v1/jobs", json={"kind": "match", "venue": "a\u200bb"})
    assert (
        "cannot be the name of a venue; try: use at most 200 printable" in answer.json()["detail"]
    )


def test_each_job_runs_commands_of_the_program_and_continues_after_a_restart(tmp_path):
    def commands_of(body, again=False):
        return commands(
            REQUESTED.validate_python(body), tmp_path, tmp_path / "models", resume=again
        )

    assert commands_of(MAP) == [["spaces", "map", "--space=specter"]]
    assert commands_of({"kind": "embed"}) == [["embed"]]
    model = f"{tmp_path}/models/mine"
    embed = {"kind": "embed", "model": "mine", "space": ""}
    assert commands_of(embed) == [["embed", f"--model={model}"]]
    train = {"kind": "train", "model": "mine", "recipe": "head", "epochs": "2"}
    begun = ["train", f"--output={model}", "--recipe=head", "--epochs=2", "--seed=0",
             "--holdout=0.1"]  # fmt: skip
    assert commands_of(train) == [begun]
    assert commands_of(train, again=True) == [[*begun, "--resume"]]
    report = {"kind": "report", "spaces": ["a", "b"], "compare_to": "a"}
    shown = ["report", "--space=a", "--space=b", "--split=test", "--compare-to=a"]
    assert commands_of(report) == [shown]
    match = {"kind": "match", "venue": "V"}
    assert [step[1] for step in commands_of(match)] == ["score", "assign", "report"]
    (tmp_path / "reviewers.csv").touch()
    (tmp_path / "archives").mkdir()
    lists = [f"--archives={tmp_path}/archives", f"--reviewers={tmp_path}/reviewers.csv"]
    assert commands_of(match)[0] == ["match", "load", "V", *lists]
    assert "--replace" not in commands_of(match)[2]
    assert "--replace" in commands_of(match | {"replace": True})[2]
    (tmp_path / "assignment.csv").touch()  # the assignment is stored
    again = commands_of(match, again=True)
    assert [step[1] for step in again] == ["load", "score", "report"]


def test_every_command_of_every_job_is_one_that_the_program_knows(tmp_path):
    from tests.cli.parsing import parse

    (tmp_path / "submissions.csv").touch()
    every = [
        MAP,
        {"kind": "embed", "space": "a", "model": "m"},
        {"kind": "train", "model": "m", "recipe": "full", "epochs": 1},
        {"kind": "report", "spaces": ["a"], "compare_to": "a"},
        {"kind": "match", "venue": "V", "fair": True, "replace": True},
    ]
    for body in every:
        for arguments in commands(REQUESTED.validate_python(body), tmp_path, tmp_path, resume=True):
            parse(arguments)


def test_progress_is_the_last_report_of_the_running_command():
    assert last_progress("") is None
    log = "$ specter-graph embed\nembed: 0/10\nembed: 7/10\n"
    assert last_progress(log) == StageProgress("embed", 7, 10)
    assert last_progress(f"{log}index: 3\nnot: a count\n") == StageProgress("index", 3, None)
    assert last_progress(f"{log}\n$ specter-graph spaces map\n") is None


def test_the_tail_of_a_log_has_complete_lines(tmp_path):
    job = Job(id="1", request=MAP, instance=None, created=datetime.now(UTC))
    (tmp_path / "1").mkdir()
    assert job_records.log_end(tmp_path, job) == ""
    (tmp_path / "1" / "log.txt").write_text("".join(f"line {n}\n" for n in range(2_000)))
    tail = job_records.log_end(tmp_path, job)
    assert tail.startswith("line ")
    assert tail.endswith("line 1999\n")
    assert len(tail) <= job_records.MAX_LOG_BYTES


def test_a_reading_key_shows_jobs_without_their_log_and_starts_none(small, surroundings, tmp_path):
    jobs = JobQueue(tmp_path, None, surroundings)
    keys = {hash_key("reads"): "read", hash_key("writes"): "write"}
    reads, writes = ({"Authorization": f"Bearer {key}"} for key in ("reads", "writes"))
    with ask(small, jobs=jobs, data_folder=tmp_path, read_keys=lambda: keys) as client:
        assert client.post("/v1/jobs", json=MAP, headers=reads).status_code == 403
        built = client.post("/v1/jobs", json=MAP, headers=writes)
        assert built.status_code == 202
        address = f"/v1/jobs/{built.json()['id']}"
        running(jobs, built.json()["id"])
        assert client.get(address, headers=reads).json()["log"] is None
        assert "specter-graph spaces map" in client.get(address, headers=writes).json()["log"]
        assert client.delete(address, headers=reads).status_code == 403
        assert "Cancel" not in client.get("/status", headers=reads).text
        assert "Cancel" in client.get("/status", headers=writes).text
        assert client.delete(address, headers=writes).json()["state"] == "cancelled"


def test_a_service_without_allow_jobs_has_no_jobs(client):
    for refused in (client.get("/v1/jobs"), client.post("/v1/jobs", json=MAP)):
        assert refused.status_code == 404
        assert refused.json()["detail"] == "this service runs without --allow-jobs"
        assert refused.json()["hint"] == (
            "start the service with: specter-graph serve --allow-jobs"
        )
    damaged = {"Content-Type": "multipart/form-data"}  # without a boundary
    refused = client.post("/match/text", content=b"x", headers=damaged)
    assert refused.status_code == 400
    assert "--allow-jobs" not in refused.text
    cypher = client.post("/v1/cypher", json={})
    assert cypher.json()["hint"].endswith("specter-graph serve --allow-cypher")
    assert "--allow" not in client.get("/v1/nothing").json()["hint"]
    for page in ("/jobs", "/jobs/1/cancel", "/match", "/lists", "/lists/add"):
        refused = client.post(page, data=MAP)
        assert refused.status_code in (404, 405)
        assert "specter-graph serve --allow-jobs" in refused.text
    assert "Start a job" not in client.get("/status").text


def test_a_full_queue_asks_to_repeat_the_request_later(small, tmp_path):
    jobs = JobQueue(tmp_path, None, os.environ)
    for _ in range(20):
        jobs.add(REQUESTED.validate_python(MAP))
    client = ask(small, jobs, data_folder=tmp_path)  # not entered, so no job runs
    for address, sent in (("/v1/jobs", {"json": MAP}), ("/jobs", {"data": MAP})):
        answer = client.post(address, **sent)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
        assert "20 jobs are already waiting" in answer.text
    jobs.close()


def test_too_many_jobs_are_refused_and_old_ones_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr("specter_graph.service.job_queue.MAX_ENDED", 2)
    jobs = JobQueue(tmp_path, None, os.environ)  # the queue is not started, so no job runs
    every = [jobs.add(REQUESTED.validate_python(MAP)) for _ in range(20)]
    with pytest.raises(InputError, match="20 jobs are already waiting"):
        jobs.add(REQUESTED.validate_python(MAP))
    for each in every[:5]:
        jobs.cancel(each.id)
    jobs.add(REQUESTED.validate_python(MAP))
    left = [each.id for each in job_records.read(tmp_path / "jobs")]
    assert left[:2] == [each.id for each in every[3:5]]
    assert len(left) == 2 + 15 + 1
    jobs.close()


def test_the_progress_of_commands_is_parsed(capsys):
    from specter_graph.cli.output import _LogLines

    notify = _LogLines(0.0)
    notify("embed", 3, 10)
    notify("embed", 4, 10)
    assert last_progress(capsys.readouterr().err) == StageProgress("embed", 4, 10)


def test_every_recipe_can_be_requested(work):
    assert sorted(get_args(RecipeName)) == sorted(recipe_names())
    page = work.get("/status").text
    assert [name for name in recipe_names() if f"<option>{name}</option>" not in page] == []
