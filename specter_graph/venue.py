"""Reviewer matching for one conference or journal issue: each method is one step."""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack, cast

import numpy as np
from pydantic import TypeAdapter

from specter_graph.core.errors import (
    GraphError,
    InputError,
    counted,
    extra,
    require_paths,
    require_texts,
)
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import PaperEncoder
from specter_graph.graph.maintenance.delete import delete_venue, remove_submissions
from specter_graph.graph.reviewing import assignments, venue_data, venue_import
from specter_graph.graph.reviewing.archive_papers import read_titles
from specter_graph.graph.reviewing.assignments import (
    AssignmentChange,
    find_paths,
    read_settings,
)
from specter_graph.graph.reviewing.conflict_detection import CONFLICT_YEARS, find_conflicts
from specter_graph.loaders.review_records import (
    REVIEWER,
    AssignedPair,
    Conflict,
    Reviewer,
    parse_person_id,
)
from specter_graph.loaders.validation import year_problem
from specter_graph.matching.affinity.recommend_reviewers import (
    SupportingPaper,
    read_supporting_papers,
    score_submissions,
)
from specter_graph.matching.affinity.scoring import (
    AffinityMatrix,
    ScoreSettings,
    VenueScores,
    score_venue,
)
from specter_graph.matching.assignment.pair_change import PairChange, evaluate_change
from specter_graph.matching.assignment.venue_assignment import (
    NO_RULES,
    AssignSettings,
    Pair,
    PairRules,
    TrackDemand,
    VenueProblem,
    VenueSettings,
    venue_problem,
)
from specter_graph.matching.assignment_report import build_report, write_report
from specter_graph.matching.io.score_files import OnSkip, ignore, read_scores
from specter_graph.matching.io.venue_files import VenueFiles, read_venue_files

_SETTINGS = TypeAdapter(VenueSettings)


@dataclass(frozen=True, slots=True)
class MatchExplanation:
    """The reasons for and against a reviewer of a submission.

    Attributes:
        affinity: Affinity of the pair.
        papers: Papers of the reviewer with the most evidence.
        paths: Citation paths and common topics; None if the venue does not have the pair.
        conflicts: Conflicts of interest of the pair.
        bid: The reviewer's bid, which the assignment adds to the affinity; None without one.
    """

    affinity: float
    papers: tuple[SupportingPaper, ...]
    paths: assignments.PairPaths | None
    conflicts: tuple[Conflict, ...]
    bid: float | None = None


@dataclass(frozen=True, slots=True)
class DemandCheck:
    """The demands of each track and of the venue, and the reasons why they cannot be met.

    Attributes:
        demands: The tracks by name, then the venue.
        error: The error with the reasons, None if an assignment exists.
    """

    demands: tuple[TrackDemand, ...]
    error: InputError | None = None


class ReviewVenue:
    """A conference or journal issue in the graph, with its submissions and reviewers.

    venue = graph.venue("ICLR-2027")
    venue.load(submissions="submissions.json", archives="archives")
    venue.assign(AssignSettings(per_submission=3, max_load=6))
    venue.report("report.html")
    """

    def __init__(
        self, database: Database, name: str, open_encoder: Callable[[str], PaperEncoder]
    ) -> None:
        """Use a review venue of a graph.

        Args:
            database: The graph.
            name: The name of the venue.
            open_encoder: Opens the model of a space.

        Raises:
            InputError: OR-Tools, which assigns reviewers, is not installed, or the name is not a
                text.
        """
        with extra("match"):
            import ortools  # noqa: F401
        require_texts(name=name)
        self.name = name
        self._db = database
        self._open_encoder = open_encoder

    def __repr__(self) -> str:
        return f"<ReviewVenue {self.name!r} of {self._db.place}>"

    def load(
        self, *, year: int | None = None, **files: Unpack[VenueFiles]
    ) -> venue_import.ImportSummary:
        """Load submissions, reviewers and other files of the venue into the graph.

        docs/matching.md describes the formats. All files are read before anything is written.
        Loading the same files again changes nothing.

        Args:
            year: Year of the venue, for conflicts.
            **files: Paths of `submissions`, `reviewers`, `archives`, `bids`, `conflicts`, `quotas`,
                `affiliations`, `relations` and `institutions`; see `VenueFiles`.

        Returns:
            Numbers of imported records, and the ids that the graph does not know.

        Raises:
            InputError: A file or the year cannot be used, neither is given, or a keyword is not in
                `VenueFiles`.
            GraphError: A reviewer without an archive or an e-mail address is not an author of the
                graph, or the venue is new and the files have neither submissions nor reviewers.
        """
        if unknown := files.keys() - VenueFiles.__annotations__.keys():
            raise InputError(
                f"a venue has no file named {', '.join(sorted(unknown))}",
                f"the files are {', '.join(VenueFiles.__annotations__)}",
            )
        if problem := year_problem("the year", year):
            raise InputError(problem, "give the year of the venue, such as 2027")
        named = {name: path for name, path in files.items() if path is not None}
        require_paths("write a table, such as DataFrame.to_csv(FILE, index=False)", **named)
        given = {name: Path(cast("Path | str", path)) for name, path in named.items() if path}
        if not given and year is None:
            raise InputError(
                "no file was given", f"give one or more of {', '.join(VenueFiles.__annotations__)}"
            )
        stored: list[Reviewer] = []
        is_known = any(venue.name == self.name for venue in venue_data.list_venues(self._db))
        if not (is_known or any(map(given.get, ("submissions", "reviewers", "archives")))):
            venue_data.require_venue(self._db, self.name)
        if is_known and any(map(given.get, ("reviewers", "archives", "quotas"))):
            stored = [member.reviewer for member in self.reviewers()]
        records, ignored = read_venue_files(self._db, given, stored)
        records.year = year
        summary = venue_import.import_venue(self._db, self.name, records)
        summary.withdrawn = remove_submissions(self._db, self.name, records.withdrawn)
        summary.ignored = tuple(ignored)
        return summary

    def delete(self) -> None:
        """Delete the venue from the graph; papers of the literature stay."""
        delete_venue(self._db, self.name)

    def score(
        self, settings: ScoreSettings | None = None, *, progress: Progress = silent
    ) -> VenueScores:
        """Score every reviewer for every submission, and store a summary of the affinities.

        The library query `uncovered_submissions` and the page of the venue read the summary.

        Args:
            settings: Settings of the affinities.
            progress: Called with running counts.

        Returns:
            The affinities, and the papers that support them.

        Raises:
            GraphError: The graph has no such venue or space.
        """
        scores = self._score(settings, progress)
        self._store_summary(scores, scores.spaces)
        return scores

    def conflicts(self, conflict_years: int = CONFLICT_YEARS) -> Iterator[Conflict]:
        """Yield the conflicts of interest: at most one of each kind for a pair.

        Args:
            conflict_years: Years before the year of the venue, or else this year, in which common
                papers and affiliations are a conflict.

        Raises:
            GraphError: The graph has no such venue.
        """
        return find_conflicts(self._db, self.name, conflict_years=conflict_years)

    def explain(
        self,
        submission: str,
        reviewer: str,
        settings: ScoreSettings | None = None,
        *,
        conflict_years: int = CONFLICT_YEARS,
        progress: Progress = silent,
    ) -> MatchExplanation:
        """Explain why a reviewer fits a submission.

        Args:
            submission: Id of the submission.
            reviewer: Id or e-mail address of the reviewer.
            settings: Settings of the affinities.
            conflict_years: Years for which common papers and affiliations are a conflict.
            progress: Called with running counts.

        Raises:
            GraphError: The venue does not have the reviewer or the submission.
        """
        [reviewer] = self._find_reviewer_ids([reviewer])
        submissions = venue_data.read_submissions(self._db, self.name)
        for kind, id, known in (
            ("submission", submission, submissions),
            ("reviewer", reviewer, self.reviewers()),
        ):
            if id not in (record.id for record in known):
                raise GraphError(
                    f"the venue {self.name!r} has no {kind} {id!r}",
                    "use the ids of the venue's lists",
                )
        scores = self._score(settings, progress)
        row, column = scores.rows[submission], scores.columns[reviewer]
        papers = read_supporting_papers(self._db, scores, [(row, column)])
        conflicts = find_conflicts(
            self._db, self.name, conflict_years=conflict_years, submissions=[submission]
        )
        return MatchExplanation(
            float(scores.affinity[row, column]),
            papers[row, column],
            next(find_paths(self._db, self.name, [(reviewer, submission)]), None),
            tuple(conflict for conflict in conflicts if conflict.reviewer == reviewer),
            venue_data.bid_values(self._db, self.name).get((reviewer, submission)),
        )

    def reviewers(self) -> list[venue_data.VenueReviewer]:
        """Return the reviewers of the venue."""
        return venue_data.read_reviewers(self._db, self.name)

    def assigned(self, name: str = REVIEWER) -> list[AssignedPair]:
        """Return the stored assignment with this name.

        Raises:
            GraphError: The venue has no assignment with this name.
        """
        pairs = assignments.read_assigned(self._db, self.name, name)
        if not pairs and not self.changes(name):
            self._require_assignment(name)
        return pairs

    def assignments(self) -> dict[str, int]:
        """Return the numbers of reviews of the stored assignments, by name."""
        return assignments.list_assignments(self._db, self.name)

    def delete_assignment(self, name: str) -> None:
        """Delete a stored assignment with its settings.

        Raises:
            GraphError: The venue has no assignment with this name.
        """
        self._require_assignment(name)
        assignments.write_assigned(self._db, self.name, [], name)

    def check(
        self, settings: VenueSettings | AssignSettings | None = None, *, rules: PairRules = NO_RULES
    ) -> DemandCheck:
        """Check demands before affinities are computed; nothing is stored.

        Args:
            settings: All settings, or the demands only; `min_affinity` is not checked.
            rules: Pairs that must, or must not, be assigned.

        Returns:
            The demands of each track, and the error of `assign`, if there is one.
        """
        used = _complete_settings(settings)
        demands = replace(used.assignment, min_affinity=None, bid_weight=1.0)
        submissions = venue_data.read_submissions(self._db, self.name)
        reviewers = venue_data.read_reviewers(self._db, self.name, demands.role)
        affinity = np.zeros((len(submissions), len(reviewers)), np.float32)
        matrix = AffinityMatrix(submissions, reviewers, affinity)
        problem = self._build_problem(
            replace(used, assignment=demands), matrix, self._resolve_rules(rules, matrix.rows)
        )
        try:
            problem.assign()
        except InputError as error:
            return DemandCheck(tuple(problem.track_demands()), error)
        return DemandCheck(tuple(problem.track_demands()))

    def assign(
        self,
        settings: VenueSettings | AssignSettings | None = None,
        *,
        name: str | None = None,
        scores: Path | str | None = None,
        rules: PairRules = NO_RULES,
        replace: bool = False,
        dry_run: bool = False,
        on_skip: OnSkip = ignore,
        progress: Progress = silent,
    ) -> list[AssignedPair]:
        """Assign people of a role to submissions, and store the assignment and its settings.

        Args:
            settings: All settings, or the demands only.
            name: Name of the assignment, by default the role.
            scores: A file of affinities, which are used instead of computed ones.
            rules: Pairs that must, or must not, be assigned.
            replace: Replace the stored assignment with this name.
            dry_run: Store nothing.
            on_skip: Called with each id in `scores` that the venue does not have, such as that of a
                withdrawn submission, and the number of its scores, which are skipped.
            progress: Called with running counts.

        Returns:
            The assigned pairs.

        Raises:
            InputError: No assignment meets all demands (the message has the reasons in numbers), or
                the graph has an assignment with this name and `replace` is false.
            OutdatedError: Another call has stored an assignment with this name in the meantime.
        """
        used = _complete_settings(settings)
        name = name or used.assignment.role
        if not (replace or dry_run) and (present := self.assignments().get(name)):
            raise InputError(
                f"the graph has an assignment {name!r} of {self.name!r} already, with"
                f" {counted(present, 'review')}",
                "set replace, give another name, or update it:"
                f" specter-graph match reassign {self.name}",
            )
        matrix = self._read_or_score(used, scores, on_skip, progress)
        pairs = self._build_problem(used, matrix, self._resolve_rules(rules, matrix.rows)).assign()
        if dry_run:
            return pairs
        known: list[AssignedPair] | None = None if replace else []
        return self._store_assignment(pairs, used, matrix, scores, name, known)

    def reassign(
        self,
        *,
        name: str = REVIEWER,
        scores: Path | str | None = None,
        rules: PairRules = NO_RULES,
        only_add: bool = False,
        dry_run: bool = False,
        on_skip: OnSkip = ignore,
        progress: Progress = silent,
    ) -> list[AssignedPair]:
        """Assign again with as few changes as possible, by the settings of the last assignment.

        Locked pairs stay, except the pairs of removed reviewers, who get the maximum load 0.

        Args:
            name: Name of the assignment.
            scores: A file of affinities, required if `assign` had one.
            rules: Further locked pairs, forbidden pairs, and reviewers to remove.
            only_add: Keep all assigned pairs except the pairs of removed reviewers, and only add
                missing reviews, as for emergency reviews.
            dry_run: Store nothing.
            on_skip: Called with each id in `scores` that the venue does not have, such as that of a
                withdrawn submission, and the number of its scores, which are skipped.
            progress: Called with running counts.

        Returns:
            The assigned pairs.

        Raises:
            GraphError: The venue has no assignment with this name.
            InputError: No assignment meets all demands, or `scores` is missing.
            OutdatedError: Another call has changed the assignment in the meantime.
        """
        self._require_assignment(name)
        used = self.settings(name)
        if used.scores_file and not scores:
            raise InputError(
                f"the assignment {name!r} of {self.name!r} has the affinities of a file,"
                f" {used.scores_file}",
                "give the file again as scores, with all submissions and reviewers",
            )
        matrix = self._read_or_score(used, scores, on_skip, progress)
        rules = self._resolve_rules(rules, matrix.rows)
        present = self.assigned(name)
        remaining = [pair for pair in present if pair.reviewer not in rules.removed_reviewers]
        locked = {*rules.locked, *((p.reviewer, p.submission) for p in remaining if p.locked)}
        fixed = {(pair.reviewer, pair.submission) for pair in remaining} if only_add else set()
        problem = self._build_problem(used, matrix, replace(rules, locked=locked | fixed))
        pairs = [
            replace(pair, locked=(pair.reviewer, pair.submission) in locked)
            for pair in problem.reassign(present)
        ]
        if dry_run:
            return pairs
        venue_data.retire_reviewers(self._db, self.name, rules.removed_reviewers)
        return self._store_assignment(pairs, used, matrix, scores, name, present)

    def evaluate_change(
        self,
        submission: str,
        *,
        removed: str | None = None,
        added: str | None = None,
        name: str = REVIEWER,
    ) -> PairChange:
        """Return the cost of replacing a reviewer of a submission; nothing is written.

        Args:
            submission: Id of the submission.
            removed: Id or e-mail address of the reviewer to remove, None to only add one.
            added: Id or e-mail address of the reviewer to add, None to only remove one.
            name: Name of the assignment.

        Raises:
            GraphError: The venue has no assignment with this name, or no reviewer `added`.
            InputError: `removed` is not assigned, or `added` is already assigned.
        """
        assigned, used = self.assigned(name), self.settings(name)
        removed, added = (
            None if reviewer is None else self._find_reviewer_ids([reviewer])[0]
            for reviewer in (removed, added)
        )
        role = used.assignment.role
        return evaluate_change(
            self._db,
            self.name,
            assigned,
            used,
            score_submissions(self._db, self.name, [submission], used.scoring, role),
            removed=removed,
            added=added,
            others=self._read_earlier_people(used.assignment),
        )

    def change(
        self,
        submission: str,
        *,
        removed: str | None = None,
        added: str | None = None,
        name: str = REVIEWER,
    ) -> PairChange:
        """Replace, add or remove a reviewer of a submission.

        The added pair is locked, so that `reassign` keeps it.

        Args:
            submission: Id of the submission.
            removed: The reviewer to remove, by id or e-mail address.
            added: The reviewer to add, by id or e-mail address.
            name: Name of the assignment.

        Returns:
            The affinities that are lost and gained, and the demands that the change violates.

        Raises:
            InputError: The change is impossible, for example because of a certain conflict.
        """
        change = self.evaluate_change(submission, removed=removed, added=added, name=name)
        if not change.is_possible:
            reasons = "; ".join(
                violation.text for violation in change.violations if violation.forbidden
            )
            raise InputError(f"the change is impossible: {reasons}", "choose another reviewer")
        pair = (change.removed, submission)
        gone = next((p for p in self.assigned(name) if (p.reviewer, p.submission) == pair), None)
        locked = None
        if change.added is not None:
            locked = AssignedPair(change.added, submission, change.gained, locked=True)
        assignments.change_assigned(self._db, self.name, submission, gone, locked, name)
        return change

    def changes(self, name: str = REVIEWER) -> list[AssignmentChange]:
        """Return the changes of an assignment since it was made, the oldest first."""
        return assignments.read_changes(self._db, self.name, name)

    def undo(self, name: str = REVIEWER, known: int | None = None) -> AssignmentChange:
        """Undo the last change of an assignment, if it is the last one of the `known` changes.

        Raises:
            GraphError: The assignment has no change.
            OutdatedError: The number of changes is not `known`.
        """
        return assignments.undo_change(self._db, self.name, name, known)

    def settings(self, name: str = REVIEWER) -> VenueSettings:
        """Return the settings of the assignment with this name, or the default ones."""
        stored = read_settings(self._db, self.name, name)
        return _SETTINGS.validate_json(stored) if stored else VenueSettings()

    def report(
        self,
        path: Path | str,
        *,
        name: str = REVIEWER,
        show_conflict_evidence: bool = False,
        progress: Progress = silent,
    ) -> None:
        """Write a web page about a stored assignment, with the reasons of each pair.

        Args:
            path: The HTML file to write.
            name: Name of the assignment.
            show_conflict_evidence: Include the evidence of conflicts, which reveals authors.
            progress: Called with running counts.

        Raises:
            GraphError: The venue has no assignment with this name.
        """
        require_paths('venue.report("report.html")', path=path)
        self._require_assignment(name)
        used = self.settings(name)
        scores = self._score(used.scoring, progress, used.assignment.role)
        problem = venue_problem(scores, used.assignment, self.conflicts(used.conflict_years))
        pairs = self.assigned(name)
        wanted = [(pair.reviewer, pair.submission) for pair in pairs]
        paths = {
            (path.reviewer, path.submission): path
            for path in find_paths(self._db, self.name, wanted)
        }
        titles = read_titles(
            self._db, [*scores.papers, *(id_ for path in paths.values() for id_ in path.papers)]
        )
        page = build_report(self.name, problem, pairs, scores, paths, titles)
        write_report(page, path, evidence=show_conflict_evidence)

    def _score(
        self, settings: ScoreSettings | None, progress: Progress, role: str | None = None
    ) -> VenueScores:
        """Score the people of a role, by default of all roles."""
        used = settings or ScoreSettings()
        return score_venue(self._db, self.name, used, self._open_encoder, progress, role)

    def _store_summary(self, scores: AffinityMatrix, spaces: Sequence[str] = ()) -> None:
        """Store a summary of the affinities of the people with the role of a reviewer."""
        columns = [person.reviewer.role == REVIEWER for person in scores.reviewers]
        affinity = scores.affinity[:, columns]
        if affinity.size:
            keys = [*scores.rows]
            assignments.write_score_summary(self._db, self.name, keys, affinity, spaces)

    def _read_or_score(
        self, settings: VenueSettings, file: Path | str | None, on_skip: OnSkip, progress: Progress
    ) -> AffinityMatrix:
        """Return the affinities of the people of a role; reviewers' are summarized in the graph."""
        role = settings.assignment.role
        if not file:
            scores = self._score(settings.scoring, progress, role)
            if role == REVIEWER:
                self._store_summary(scores, scores.spaces)
            return scores
        submissions = venue_data.read_submissions(self._db, self.name)
        everyone = self.reviewers()
        affinity = read_scores(
            Path(file),
            [record.id for record in submissions],
            [record.id for record in everyone],
            [record.reviewer.email for record in everyone],
            on_skip,
        )
        if role == REVIEWER:
            self._store_summary(AffinityMatrix(submissions, everyone, affinity))
        columns = [at for at, person in enumerate(everyone) if person.reviewer.role == role]
        return AffinityMatrix(submissions, [everyone[at] for at in columns], affinity[:, columns])

    def _build_problem(
        self, settings: VenueSettings, matrix: AffinityMatrix, rules: PairRules
    ) -> VenueProblem:
        with_bids = settings.assignment.bid_weight > 1
        return venue_problem(
            matrix,
            settings.assignment,
            self.conflicts(settings.conflict_years),
            rules,
            bids=venue_data.read_bids(self._db, self.name) if with_bids else (),
            others=self._read_earlier_people(settings.assignment),
        )

    def _find_reviewer_ids(self, names: Iterable[str]) -> list[str]:
        """Return the ids of reviewers who are named by id or e-mail address; others stay."""
        names = [*names]
        if not names:
            return []
        emails = {person.id: (person.reviewer.email or "").lower() for person in self.reviewers()}
        by_email = {email: id for id, email in emails.items() if email}
        written = map(parse_person_id, names)
        return [id if id in emails else by_email.get(id.lower(), id) for id in written]

    def _resolve_rules(self, rules: PairRules, papers: Container[str]) -> PairRules:
        """Return the rules with the ids of the venue, `papers` those of its submissions."""

        def with_ids(pairs: Collection[Pair]) -> list[Pair]:
            people = self._find_reviewer_ids(person for person, _ in pairs)
            keys = (venue_data.find_submission(paper, papers) or paper for _, paper in pairs)
            return [*zip(people, keys, strict=True)]

        removed = self._find_reviewer_ids(rules.removed_reviewers)
        return PairRules(with_ids(rules.locked), with_ids(rules.forbidden), removed)

    def _read_earlier_people(
        self, settings: AssignSettings
    ) -> list[tuple[venue_data.VenueReviewer, str]]:
        """Return the people of the earlier assignment with their submissions, who count too."""
        if settings.after is None:
            return []
        self._require_assignment(settings.after)
        people = {person.id: person for person in self.reviewers()}
        return [(people[pair.reviewer], pair.submission) for pair in self.assigned(settings.after)]

    def _require_assignment(self, name: str) -> None:
        if name not in (existing := self.assignments()):
            venue_data.require_venue(self._db, self.name)
            names = ", ".join(existing) or "none"
            raise GraphError(
                f"{self.name!r} has no assignment {name!r}; its assignments are: {names}",
                f"make it: specter-graph match assign {self.name} --name {name!r}",
            )

    def _store_assignment(
        self,
        pairs: list[AssignedPair],
        settings: VenueSettings,
        matrix: AffinityMatrix,
        scores: Path | str | None,
        name: str,
        present: Sequence[AssignedPair] | None,
    ) -> list[AssignedPair]:
        scoring = settings.scoring
        if isinstance(matrix, VenueScores):  # `reassign` uses the same spaces
            scoring = replace(scoring, spaces=matrix.spaces)
        file = Path(scores).name if scores else None
        used = replace(settings, scoring=scoring, scores_file=file)
        stored = _SETTINGS.dump_json(used).decode()
        assignments.write_assigned(self._db, self.name, pairs, name, stored, present)
        return pairs


def _complete_settings(settings: VenueSettings | AssignSettings | None) -> VenueSettings:
    if isinstance(settings, VenueSettings):
        return settings
    return VenueSettings(settings or AssignSettings())
