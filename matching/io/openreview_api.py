"""Pull a venue from OpenReview into files, and push affinities or an assignment to it, by API 2.

The client is openreview-py (https://github.com/openreview/openreview-py). The documentation is at
https://docs.openreview.net/how-to-guides: "How to Get all Notes", "How to get edges for Conflicts,
Assignments, Custom Max Papers, and more", "How to Upload Edges in Bulk" and "How to upload
assignments with Python".

`pull` writes the files that `match load` reads. The content of the venue's group names them:

| file             | source                                                                       |
|------------------|------------------------------------------------------------------------------|
| submissions.json | notes whose `venueid` is `submission_venue_id`: the papers under review      |
| archives/        | public publications of the members of `reviewers_id`, from both APIs         |
| bids.csv         | edges of `reviewers_id`/-/`bid_name`                                         |
| conflicts.csv    | edges of `reviewers_conflict_id`                                             |
| quotas.csv       | edges of `reviewers_custom_max_papers_id`                                    |

`push` posts edges of `reviewers_affinity_score_id`, or proposed assignments: edges of
`reviewers_proposed_assignment_id` with a label, which the chairs see, change and deploy in
OpenReview. The readers and writers of an edge are those that its invitation prescribes.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from sys import stderr
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

import orjson
import requests

from specter_graph.core.atomic_files import complete_file, write_file
from specter_graph.core.errors import InputError, counted, extra, summarize_names
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.loaders.parsing.delimited import escape_formula

Kind: TypeAlias = Literal["assignment", "affinity"]

_INVITATIONS = {
    "assignment": "reviewers_proposed_assignment_id",
    "affinity": "reviewers_affinity_score_id",
}
_EDGES_PER_POST = 10_000
_TIMEOUT = 120.0
"""Seconds to wait for a response."""
_NUMBER, _HEAD, _TAIL = "${{2/head}/number}", "${2/head}", "${2/tail}"
"""Placeholders in the readers and writers that an invitation prescribes."""


@dataclass(frozen=True, slots=True)
class PullSummary:
    """Numbers of what was pulled; None for lists that the venue does not have.

    `without_profile` are members of the reviewers' group without a profile, who are left out.
    """

    submissions: int
    reviewers: int
    papers: int
    bids: int | None
    conflicts: int | None
    quotas: int | None
    without_profile: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PushPlan:
    """Edges to be posted.

    Attributes:
        invitation: Invitation of the edges.
        label: Label of the edges, None for affinities.
        edges: The edges, as OpenReview stores them.
        present: Number of edges that OpenReview has already for the invitation and the label.
    """

    invitation: str
    label: str | None
    edges: list[dict[str, Any]]
    present: int


class OpenReviewVenue:
    """A venue of OpenReview, for its program chairs.

    Args:
        venue: Id of the venue, such as ICLR.cc/2027/Conference.
        username: E-mail address of the account.
        password: Password of the account.
        url: The root URL of API 2.
        first_url: The root URL of API 1, which has earlier publications.

    Raises:
        InputError: OpenReview does not answer or rejects the account, or has no such venue.
    """

    def __init__(
        self, venue: str, username: str | None, password: str | None, *, url: str, first_url: str
    ) -> None:
        with extra("openreview"):
            import openreview
        if not (username and password):
            raise InputError(
                "OpenReview needs an account",
                "set OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD in the environment",
            )
        self.venue = venue
        with _answers(openreview):
            self._client = openreview.api.OpenReviewClient(
                baseurl=url.rstrip("/"), username=username, password=password
            )
            _limit_time(self._client)
            self._first = openreview.Client(baseurl=first_url.rstrip("/"), token=self._client.token)
            _limit_time(self._first)
            content = self._client.get_group(venue).content or {}
        self._openreview = openreview
        self._content = {name: field.get("value") for name, field in content.items()}

    def pull(self, folder: Path, progress: Progress = silent) -> PullSummary:
        """Write the files of the venue into a folder.

        An archive that the folder has already is kept: after an interruption, a run continues with
        the next reviewer.
        """
        (folder / "archives").mkdir(parents=True, exist_ok=True)
        with _answers(self._openreview):
            notes = self._submissions()
            profiles, without = self._profiles()
            papers = 0
            for number, profile in enumerate(profiles, 1):
                path = folder / "archives" / f"{quote(profile, safe='~')}.jsonl"
                if not path.exists():
                    papers += self._write_archive(path, profile)
                progress("reviewers", number, len(profiles))
            bids, conflicts, quotas = (
                self._edges(f"{self._require('reviewers_id')}/-/{self._content.get('bid_name')}")
                if self._content.get("bid_name")
                else None,
                self._edges(self._content.get("reviewers_conflict_id")),
                self._edges(self._content.get("reviewers_custom_max_papers_id")),
            )
        submissions = {note.id: {"id": note.id, "content": note.content} for note in notes}
        content = orjson.dumps(submissions, option=orjson.OPT_INDENT_2)
        write_file(folder / "submissions.json", content)
        people = {*profiles}
        return PullSummary(
            len(submissions),
            len(profiles),
            papers,
            _write_list(
                folder / "bids.csv",
                ("reviewer", "submission", "value"),
                bids,
                lambda edge: (edge["tail"], edge["head"], edge.get("label")),
                lambda edge: edge["head"] in submissions,
            ),
            _write_list(
                folder / "conflicts.csv",
                ("reviewer", "submission", "reason"),
                conflicts,
                lambda edge: (edge["tail"], edge["head"], edge.get("label") or "Conflict"),
                lambda edge: edge["head"] in submissions and edge["tail"] in people,
            ),
            _write_list(
                folder / "quotas.csv",
                ("reviewer", "maximum"),
                quotas,
                lambda edge: (edge["tail"], int(edge.get("weight") or 0)),
                lambda edge: edge["tail"] in people,
            ),
            tuple(without),
        )

    def plan(
        self, pairs: Iterable[tuple[str, str, float]], kind: Kind, label: str | None = None
    ) -> PushPlan:
        """Return the edges for pairs of a submission and a reviewer with their weights.

        Nothing is posted.

        Args:
            pairs: Ids of a submission and of a reviewer, and the affinity.
            kind: Proposed assignments, or affinities.
            label: Label of proposed assignments.

        Raises:
            InputError: OpenReview does not have a submission under review or a reviewer, or the
                venue has no invitation for such edges.
        """
        with _answers(self._openreview):
            invitation = self._client.get_invitation(self._require(_INVITATIONS[kind]))
            numbers = {note.id: note.number for note in self._submissions()}
            profiles = {*self._profiles()[0]}
            present = self._count(invitation.id, label)
        chairs = f"{self.venue}/{self._content.get('program_chairs_name') or 'Program_Chairs'}"
        signatures = [self._content.get("program_chairs_id") or chairs]
        edges: list[dict[str, Any]] = []
        unknown: list[str] = []
        for submission, reviewer, weight in pairs:
            if submission not in numbers or reviewer not in profiles:
                unknown.append(submission if submission not in numbers else reviewer)
                continue
            fill = partial(
                _fill_patterns, head=submission, tail=reviewer, number=str(numbers[submission])
            )
            edges.append(
                {
                    "invitation": invitation.id,
                    "head": submission,
                    "tail": reviewer,
                    "weight": round(weight, 4)
                    if kind == "assignment"
                    else max(0, round(weight, 4)),
                    "readers": fill(invitation.edit.get("readers")),
                    "nonreaders": fill(invitation.edit.get("nonreaders")),
                    "writers": fill(invitation.edit.get("writers")),
                    "signatures": signatures,
                }
                | ({"label": label} if label else {})
            )
        if unknown:
            names = summarize_names([*dict.fromkeys(unknown)])
            raise InputError(
                f"{self.venue} has no submission under review or no reviewer {names}",
                "pull the venue again, load it, and assign again",
            )
        return PushPlan(invitation.id, label, edges, present)

    def push(self, plan: PushPlan, progress: Progress = silent) -> None:
        """Post the edges of a plan, in place of those that OpenReview has.

        Raises:
            InputError: OpenReview does not have all edges afterwards.
        """
        make = self._openreview.api.Edge.from_json
        posted = 0
        with _answers(self._openreview):
            if plan.present:
                self._client.delete_edges(plan.invitation, label=plan.label)
            for batch in batches(plan.edges, _EDGES_PER_POST):
                self._client.post_edges([make(edge) for edge in batch])
                posted += len(batch)
                progress("edges", posted, len(plan.edges))
            count = self._count(plan.invitation, plan.label)
        if count != len(plan.edges):
            raise InputError(
                f"OpenReview has {count:,} of {counted(len(plan.edges), 'edge')}",
                "push again (in a command, with --replace)",
            )

    def _require(self, name: str) -> str:
        value = self._content.get(name)
        if not value:
            raise InputError(
                f"the venue {self.venue} has no {name}",
                "set up paper matching for the reviewers in OpenReview first",
            )
        return str(value)

    def _count(self, invitation: str, label: str | None) -> int:
        count: int = self._client.get_edges_count(
            invitation=invitation, label=label, domain=self.venue
        )
        return count

    def _submissions(self) -> list[Any]:
        content = {"venueid": self._require("submission_venue_id")}
        notes: list[Any] = self._client.get_all_notes(content=content)
        return notes

    def _profiles(self) -> tuple[list[str], list[str]]:
        """Return the ids of the reviewers' profiles, and the members without a profile."""
        members = self._client.get_group(self._require("reviewers_id")).members
        profiles = self._openreview.tools.get_profiles(self._client, members)
        ids = [profile.id for profile in profiles]
        return [key for key in ids if key.startswith("~")], [
            key for key in ids if not key.startswith("~")
        ]

    def _write_archive(self, path: Path, profile: str) -> int:
        lines: dict[str, bytes] = {}
        for client in (self._client, self._first):
            for note in client.get_all_notes(content={"authorids": profile}):
                if "everyone" in (note.readers or ()):
                    line = {"id": note.id, "content": note.content}
                    times = {"pdate": getattr(note, "pdate", None), "cdate": note.cdate}
                    line |= {name: time for name, time in times.items() if time}
                    lines.setdefault(note.id, orjson.dumps(line) + b"\n")
        write_file(path, b"".join(lines.values()))
        return len(lines)

    def _edges(self, invitation: str | None) -> list[dict[str, Any]] | None:
        if not invitation:
            return None
        groups = self._client.get_grouped_edges(invitation=invitation, groupby="tail")
        return [edge | group["id"] for group in groups for edge in group["values"]]


def _fill_patterns(
    patterns: Sequence[str] | None, *, head: str, tail: str, number: str
) -> list[str] | None:
    if not isinstance(patterns, list):
        return None
    return [
        pattern.replace(_NUMBER, number).replace(_HEAD, head).replace(_TAIL, tail)
        for pattern in patterns
    ]


def _write_list(
    path: Path,
    columns: Sequence[str],
    edges: list[dict[str, Any]] | None,
    row: Callable[[dict[str, Any]], tuple[Any, ...]],
    is_wanted: Callable[[dict[str, Any]], bool],
) -> int | None:
    """Write a list of the edges that are wanted; return their number, None without a list."""
    if edges is None:
        return None
    rows = [row(edge) for edge in edges if is_wanted(edge)]
    with complete_file(path) as unfinished, unfinished.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(columns)
        lines.writerows([escape_formula(str(cell)) for cell in cells] for cells in rows)
    return len(rows)


def _limit_time(client: Any) -> None:  # noqa: ANN401
    """Give the requests of a client a timeout; openreview-py sets none."""
    client.session.request = partial(client.session.request, timeout=_TIMEOUT)


@contextmanager
def _answers(openreview: Any) -> Iterator[None]:  # noqa: ANN401
    """Turn errors of openreview-py into InputError, and keep what it prints off stdout."""
    try:
        with redirect_stdout(stderr):
            yield
    except openreview.OpenReviewException as error:
        details = error.args[0] if error.args else ""
        reason = details.get("message") if isinstance(details, dict) else details
        raise InputError(f"OpenReview answers: {reason}") from error
    except requests.RequestException as error:
        raise InputError(
            f"OpenReview cannot be reached ({type(error).__name__})",
            "run the same command again later to continue",
        ) from error
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"the response of OpenReview has an unknown structure ({error})"
        ) from error
