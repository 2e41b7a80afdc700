"""Reviewer matching for one conference or journal issue: each method is one step."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import PaperEncoder
from specter_graph.graph.reviewing import (
    assignment_changes,
    assignments,
    venue_data,
    venue_import,
    venue_removal,
)
from specter_graph.graph.reviewing.archive_papers import read_titles
from specter_graph.graph.reviewing.assignments import find_paths, read_settings, write_settings
from specter_graph.graph.reviewing.conflict_detection import CONFLICT_YEARS, find_conflicts
from specter_graph.graph.reviewing.resolve_people import archive_owners, find_authors
from specter_graph.loaders.review_records import REVIEWER, Assigned, Conflict, Reviewer, Submission
from specter_graph.matching.affinity.recommend_reviewers import SupportingPaper, score_submissions
from specter_graph.matching.affinity.scoring import ScoreSettings, VenueScores, score_venue
from specter_graph.matching.assignment.pair_change import PairChange, evaluate_change
from specter_graph.matching.assignment.venue_assignment import (
    AssignSettings,
    Pair,
    TrackDemand,
    VenueProblem,
    venue_problem,
)
from specter_graph.matching.assignment_report import build_report, write_report
from specter_graph.matching.io.lists import (
    new_author,
    read_bids,
    read_conflicts,
    read_quotas,
    read_reviewers,
    with_quotas,
    with_stored_ids,
)
from specter_graph.matching.io.openreview import read_archives
from specter_graph.matching.io.profiles import (
    read_institutions,
    read_memberships,
    read_relations,
)
from specter_graph.matching.io.score_files import read_scores
from specter_graph.matching.io.submissions import read_submission_conflicts, read_submissions


@dataclass(frozen=True, slots=True)
class MatchExplanation:
    """The reasons for and against a reviewer of a submission.

    Attributes:
        affinity: Affinity of the pair.
        papers: Papers of the reviewer with the most evidence.
        paths: Citation paths and common topics; None if the venue does not have the pair.
        conflicts: Conflicts of interest of the pair.
    """

    affinity: float
    papers: tuple[SupportingPaper, ...]
    paths: assignments.PairPaths | None
    conflicts: tuple[Conflict, ...]

    @property
    def connections(self) -> dict[str, list[str]]:
        """The nonempty kinds of paths, with headings."""
        if self.paths is None:
            return {}
        headings = {
            "papers of the reviewer that the submission cites": [*self.paths.cited],
            "papers that both cite": [shared for shared, _ in self.paths.shared],
            "papers between": [f"{middle} -> {end}" for middle, end in self.paths.two_hops],
            "topics in common": [*self.paths.topics],
        }
        return {heading: entries for heading, entries in headings.items() if entries}


@dataclass(frozen=True, slots=True)
class DemandCheck:
    """The demands of each track and of the venue, and the reasons why they cannot be met.

    Attributes:
        demands: The tracks by name, then the venue.
        error: The error with the reasons, None if an assignment exists.
    """

    demands: tuple[TrackDemand, ...]
    error: InputError | None = None


@dataclass(frozen=True, slots=True)
class VenueSettings:
    """Settings of a scoring and an assignment; the venue stores the settings of the last ones.

    `scores_file` is the name of the file of affinities, None for computed ones.
    """

    assignment: AssignSettings = field(default_factory=AssignSettings)
    scoring: ScoreSettings = field(default_factory=ScoreSettings)
    conflict_years: int = CONFLICT_YEARS
    scores_file: str | None = None


_SETTINGS = TypeAdapter(VenueSettings)


class ReviewVenue:
    """A conference or journal issue in the graph, with its submissions and reviewers.

    venue = graph.venue("ICLR-2027")
    venue.load(submissions=Path("submissions.json"), archives=Path("archives"))
    venue.assign(AssignSettings(per_submission=3, max_load=6))
    venue.report(Path("report.html"))
    """

    def __init__(
        self, database: Database, name: str, open_encoder: Callable[[str], PaperEncoder]
    ) -> None:
        """Use a review venue of a graph.

        Args:
            database: The graph.
            name: The name of the venue.
            open_encoder: Opens the model of a space.
        """
        self.name = name
        self._db = database
        self._open_encoder = open_encoder

    def load(
        self,
        *,
        submissions: Path | None = None,
        reviewers: Path | None = None,
        archives: Path | None = None,
        bids: Path | None = None,
        conflicts: Path | None = None,
        quotas: Path | None = None,
        affiliations: Path | None = None,
        relations: Path | None = None,
        institutions: Path | None = None,
        year: int | None = None,
    ) -> venue_import.ImportSummary:
        """Load files into the graph; `matching.io` describes their formats.

        All files are read before anything is written. Loading the same files again changes nothing.

        Args:
            submissions: Submissions.
            reviewers: Reviewers.
            archives: Folder of OpenReview's archives, which contain reviewers with their papers.
            bids: Bids; they replace all stored bids.
            conflicts: Declared conflicts; they replace all stored ones.
            quotas: Minimum and maximum loads of reviewers.
            affiliations: Institutions of people; they replace all stored ones.
            relations: Relations of people; they replace all stored ones.
            institutions: Aliases and parents of institutions; they replace all stored ones.
            year: Year of the venue, for conflicts.

        Returns:
            Numbers of imported records, and the ids that the graph does not know.

        Raises:
            InputError: A file cannot be used.
            GraphError: A reviewer is unknown; see `graph.reviewing.import_venue`.
        """
        ignored: list[str] = []
        places: dict[object, str] = {}
        archived = read_archives(archives) if archives else None
        people = read_reviewers(reviewers, ignored, places) if reviewers else []
        if archived:
            listed = {person.id for person in people}
            people += [person for person in archived.reviewers if person.id not in listed]
        stored = self._stored_reviewers() if reviewers or quotas else []
        people = with_stored_ids(people, stored, places)
        if quotas:
            bounds = read_quotas(quotas, ignored, places)
            people = with_quotas(people or stored, bounds, places)
        papers = read_submissions(submissions, ignored) if submissions else []
        all_bids = read_bids(bids, ignored, places) if bids else None
        declared = read_submission_conflicts(submissions) if submissions else []
        declared += read_conflicts(conflicts, ignored, places) if conflicts else []
        newcomers = [new_author(person) for person in people if "@" in person.id]
        if archived:
            known = find_authors(self._db, [person.id for person in archived.reviewers])
            owners = archive_owners(self._db, [paper.id for paper in archived.papers])
            archived = archived.with_authors(known).with_owners(owners)
            newcomers += archived.authors
        summary = venue_import.import_venue(
            self._db,
            self.name,
            submissions=papers,
            reviewers=people,
            bids=all_bids,
            conflicts=declared if declared or conflicts else None,
            newcomers=newcomers,
            archived=archived.papers if archived else (),
            year=year,
            memberships=read_memberships(affiliations, ignored) if affiliations else None,
            relations=read_relations(relations, ignored) if relations else None,
            institutions=read_institutions(institutions, ignored) if institutions else None,
            places=places,
        )
        summary.ignored = tuple(ignored)
        return summary

    def remove(self) -> None:
        """Remove the venue from the graph; papers of the literature stay."""
        venue_removal.remove_venue(self._db, self.name)

    def scores(
        self, settings: ScoreSettings | None = None, *, progress: Progress = silent
    ) -> VenueScores:
        """Score all submissions and reviewers, and store a summary of the affinities.

        See `matching.affinity.scoring`; the library query `uncovered_submissions` and the page of
        the venue read the summary.
        """
        scores = self._score_all(settings, progress)
        self._store_summary(scores.submissions, scores.reviewers, scores.affinity, scores.spaces)
        return scores

    def conflicts(self, conflict_years: int = CONFLICT_YEARS) -> Iterator[Conflict]:
        """Yield the conflicts of interest; see `graph.reviewing.find_conflicts`."""
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
            reviewer: Id of the reviewer.
            settings: Settings of the affinities.
            conflict_years: Years for which common papers and affiliations are a conflict.
            progress: Called with running counts.

        Raises:
            InputError: The venue does not have the reviewer or the submission.
        """
        scores = self._score_all(settings, progress)
        rows, columns = scores.rows, scores.columns
        if submission not in rows or reviewer not in columns:
            kind, name = (
                ("submission", submission) if submission not in rows else ("reviewer", reviewer)
            )
            raise InputError(
                f"the venue {self.name!r} has no {kind} {name!r}",
                "use the ids of the venue's lists",
            )
        row, column = rows[submission], columns[reviewer]
        papers = scores.supporting_papers(row, column)
        titles = read_titles(self._db, [key for key, _ in papers])
        conflicts = find_conflicts(
            self._db, self.name, conflict_years=conflict_years, submissions=[submission]
        )
        return MatchExplanation(
            float(scores.affinity[row, column]),
            tuple(
                SupportingPaper(key, titles[key], evidence.similarity, evidence.weight)
                for key, evidence in papers
            ),
            next(find_paths(self._db, self.name, [(reviewer, submission)]), None),
            tuple(conflict for conflict in conflicts if conflict.reviewer == reviewer),
        )

    def reviewers(self) -> list[venue_data.VenueReviewer]:
        """Return the reviewers of the venue."""
        return venue_data.read_reviewers(self._db, self.name)

    def assigned(self, name: str = REVIEWER) -> list[Assigned]:
        """Return the stored assignment with this name."""
        return assignments.read_assigned(self._db, self.name, name)

    def assignments(self) -> dict[str, int]:
        """Return the numbers of reviews of the stored assignments, by name."""
        return assignments.list_assignments(self._db, self.name)

    def remove_assignment(self, name: str) -> None:
        """Remove a stored assignment with its settings.

        Raises:
            InputError: The venue has no assignment with this name.
        """
        self._require_assignment(name)
        assignments.write_assigned(self._db, self.name, [], name)
        write_settings(self._db, self.name, None, name)

    def check(
        self,
        settings: AssignSettings | None = None,
        *,
        conflict_years: int = CONFLICT_YEARS,
        locked: Collection[Pair] = (),
        forbidden: Collection[Pair] = (),
    ) -> DemandCheck:
        """Check demands before affinities are computed; nothing is stored.

        Args:
            settings: Demands on the assignment; `min_affinity` is not checked.
            conflict_years: Years for which common papers and affiliations are a conflict.
            locked: Pairs that must be assigned.
            forbidden: Pairs that must not be assigned.

        Returns:
            The demands of each track, and the error of `assign`, if there is one.
        """
        used = VenueSettings(
            replace(settings or AssignSettings(), min_affinity=None, bid_weight=1.0),
            conflict_years=conflict_years,
        )
        problem = self._problem(
            used, None, silent, locked=locked, forbidden=forbidden, with_affinity=False
        )
        try:
            problem.assign()
        except InputError as error:
            return DemandCheck(tuple(problem.track_demands()), error)
        return DemandCheck(tuple(problem.track_demands()))

    def assign(
        self,
        settings: AssignSettings | None = None,
        scoring: ScoreSettings | None = None,
        *,
        name: str | None = None,
        scores: Path | None = None,
        conflict_years: int = CONFLICT_YEARS,
        locked: Collection[Pair] = (),
        forbidden: Collection[Pair] = (),
        replace: bool = False,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> list[Assigned]:
        """Assign people of a role to submissions, and store the assignment and its settings.

        Args:
            name: Name of the assignment, by default the role.
            settings: Demands on the assignment.
            scoring: Settings of the affinities.
            scores: A file of affinities, which are used instead of computed ones.
            conflict_years: Years for which common papers and affiliations are a conflict.
            locked: Pairs that must be assigned.
            forbidden: Pairs that must not be assigned.
            replace: Replace the stored assignment with this name.
            dry_run: Store nothing.
            progress: Called with running counts.

        Returns:
            The assigned pairs.

        Raises:
            InputError: No assignment meets all demands (the message has the reasons in numbers), or
                the graph has an assignment with this name and `replace` is false.
        """
        used = VenueSettings(
            settings or AssignSettings(),
            scoring or ScoreSettings(),
            conflict_years,
            scores.name if scores else None,
        )
        name = name or used.assignment.role
        if not (replace or dry_run) and (present := self.assigned(name)):
            raise InputError(
                f"the graph has an assignment {name!r} of {self.name!r} already, with"
                f" {len(present):,} reviews",
                "replace it with --replace, give another --name, or update it:"
                f" specter-graph match reassign {self.name}",
            )
        problem = self._problem(used, scores, progress, locked=locked, forbidden=forbidden)
        pairs = problem.assign()
        return pairs if dry_run else self._store(pairs, used, name)

    def reassign(
        self,
        *,
        name: str = REVIEWER,
        scores: Path | None = None,
        forbidden: Collection[Pair] = (),
        removed_reviewers: Collection[str] = (),
        only_add: bool = False,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> list[Assigned]:
        """Assign again with as few changes as possible, by the settings of the last assignment.

        Locked pairs stay, except the pairs of removed reviewers.

        Args:
            name: Name of the assignment.
            scores: A file of affinities, required if `assign` had one.
            forbidden: Pairs that must not be assigned.
            removed_reviewers: Reviewers to remove.
            only_add: Keep all assigned pairs except the pairs of removed reviewers, and only add
                missing reviews, as for emergency reviews.
            dry_run: Store nothing.
            progress: Called with running counts.

        Returns:
            The assigned pairs.

        Raises:
            InputError: No assignment meets all demands, or `scores` is missing.
        """
        self._require_assignment(name)
        used = self.settings(name)
        if used.scores_file and not scores:
            raise InputError(
                f"the assignment {name!r} of {self.name!r} has the affinities of a file,"
                f" {used.scores_file}",
                "give the file again, with all submissions and reviewers: --scores FILE",
            )
        used = replace(used, scores_file=scores.name if scores else None)
        present = self.assigned(name)
        remaining = [pair for pair in present if pair.reviewer not in removed_reviewers]
        locked = {(pair.reviewer, pair.submission) for pair in remaining if pair.locked}
        fixed = {(pair.reviewer, pair.submission) for pair in remaining} if only_add else locked
        problem = self._problem(
            used,
            scores,
            progress,
            locked=fixed,
            forbidden=forbidden,
            removed_reviewers=removed_reviewers,
        )
        pairs = [
            replace(pair, locked=(pair.reviewer, pair.submission) in locked)
            for pair in problem.reassign(present)
        ]
        return pairs if dry_run else self._store(pairs, used, name)

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
            removed: The reviewer to remove, None to only add one.
            added: The reviewer to add, None to only remove one.
            name: Name of the assignment.

        Raises:
            InputError: The venue has no assignment with this name, `removed` is not assigned, or
                `added` is unknown or already assigned.
        """
        return self._evaluate_change(self.assigned(name), submission, removed, added, name)

    def change(
        self,
        submission: str,
        *,
        removed: str | None = None,
        added: str | None = None,
        name: str = REVIEWER,
    ) -> PairChange:
        """Replace a reviewer of a submission, and return the cost; see `evaluate_change`.

        The added pair is locked, so that `reassign` keeps it.

        Raises:
            InputError: The change is impossible, for example because of a certain conflict.
        """
        assigned = self.assigned(name)
        change = self._evaluate_change(assigned, submission, removed, added, name)
        if not change.is_possible:
            reasons = "; ".join(each.text for each in change.violations if each.forbidden)
            raise InputError(f"the change is impossible: {reasons}", "choose another reviewer")
        pairs = {pair.reviewer: pair for pair in assigned if pair.submission == submission}
        assignment_changes.change_assigned(
            self._db,
            self.name,
            submission,
            None if removed is None else pairs[removed],
            None if added is None else Assigned(added, submission, change.gained, locked=True),
            name,
        )
        return change

    def changes(self, name: str = REVIEWER) -> list[assignment_changes.AssignmentChange]:
        """Return the changes of an assignment since it was made, the oldest first."""
        return assignment_changes.read_changes(self._db, self.name, name)

    def undo(self, name: str = REVIEWER) -> assignment_changes.AssignmentChange:
        """Undo the last change of an assignment; raise GraphError if there is none."""
        return assignment_changes.undo_change(self._db, self.name, name)

    def settings(self, name: str = REVIEWER) -> "VenueSettings":
        """Return the settings of the assignment with this name, or the default ones."""
        stored = read_settings(self._db, self.name, name)
        return _SETTINGS.validate_json(stored) if stored else VenueSettings()

    def report(
        self,
        path: Path,
        *,
        name: str = REVIEWER,
        show_conflict_evidence: bool = False,
        progress: Progress = silent,
    ) -> None:
        """Write a page about a stored assignment; see `matching.assignment_report`."""
        used = self.settings(name)
        scores = self._scores(used, progress)
        problem = venue_problem(
            self._db,
            self.name,
            scores.submissions,
            scores.reviewers,
            scores.affinity,
            self.conflicts(used.conflict_years),
            used.assignment,
        )
        pairs = self.assigned(name)
        paths = {
            (path.reviewer, path.submission): path
            for path in find_paths(
                self._db, self.name, [(pair.reviewer, pair.submission) for pair in pairs]
            )
        }
        titles = read_titles(
            self._db, [*scores.papers, *(id_ for path in paths.values() for id_ in path.papers)]
        )
        page = build_report(self.name, problem, pairs, scores, paths, titles)
        write_report(page, path, evidence=show_conflict_evidence)

    def _evaluate_change(
        self,
        assigned: Sequence[Assigned],
        submission: str,
        removed: str | None,
        added: str | None,
        name: str,
    ) -> PairChange:
        if not assigned and not self.changes(name):
            self._require_assignment(name)
        used = self.settings(name)
        conflicts = find_conflicts(
            self._db, self.name, conflict_years=used.conflict_years, submissions=[submission]
        )
        return evaluate_change(
            self._db,
            self.name,
            score_submissions(
                self._db, self.name, [submission], used.scoring, used.assignment.role
            ),
            conflicts,
            used.assignment,
            assigned,
            removed=removed,
            added=added,
            others=self._people_after(used.assignment, self.reviewers()),
            scores_file=used.scores_file,
        )

    def _score_all(self, settings: ScoreSettings | None, progress: Progress) -> VenueScores:
        return score_venue(
            self._db, self.name, settings or ScoreSettings(), self._open_encoder, progress
        )

    def _store_summary(
        self,
        submissions: Sequence[Submission],
        people: Sequence[venue_data.VenueReviewer],
        affinity: Vectors,
        spaces: Sequence[str] = (),
    ) -> None:
        """Store a summary of the affinities of the people with the role of a reviewer."""
        columns = [person.reviewer.role == REVIEWER for person in people]
        if any(columns):
            keys = [submission.id for submission in submissions]
            assignments.write_score_summary(self._db, self.name, keys, affinity[:, columns], spaces)

    def _problem(
        self,
        settings: "VenueSettings",
        scores: Path | None,
        progress: Progress,
        *,
        locked: Collection[Pair] = (),
        forbidden: Collection[Pair] = (),
        removed_reviewers: Collection[str] = (),
        with_affinity: bool = True,
    ) -> VenueProblem:
        role = settings.assignment.role
        everyone = venue_data.read_reviewers(self._db, self.name)
        others = self._people_after(settings.assignment, everyone)
        if scores or not with_affinity:
            submissions = venue_data.read_submissions(self._db, self.name)
            reviewers = venue_data.read_reviewers(self._db, self.name, role)
            affinity = np.zeros((len(submissions), len(reviewers)), np.float32)
        if scores:
            all_affinity = read_scores(
                scores, [record.id for record in submissions], [record.id for record in everyone]
            )
            if role == REVIEWER:
                self._store_summary(submissions, everyone, all_affinity)
            affinity = all_affinity[:, [person.reviewer.role == role for person in everyone]]
        elif with_affinity:
            computed = self._scores(settings, progress)
            if role == REVIEWER:
                self._store_summary(
                    computed.submissions, computed.reviewers, computed.affinity, computed.spaces
                )
            submissions, reviewers = computed.submissions, computed.reviewers
            affinity = computed.affinity
        return venue_problem(
            self._db,
            self.name,
            submissions,
            reviewers,
            affinity,
            self.conflicts(settings.conflict_years),
            settings.assignment,
            from_file=scores is not None,
            locked=locked,
            forbidden=forbidden,
            removed_reviewers=removed_reviewers,
            others=others,
        )

    def _people_after(
        self, settings: AssignSettings, everyone: Sequence[venue_data.VenueReviewer]
    ) -> list[tuple[venue_data.VenueReviewer, str]]:
        """Return the people of the earlier assignment with their submissions, who count too."""
        if settings.after is None:
            return []
        self._require_assignment(settings.after)
        people = {person.id: person for person in everyone}
        return [(people[pair.reviewer], pair.submission) for pair in self.assigned(settings.after)]

    def _scores(self, settings: "VenueSettings", progress: Progress) -> VenueScores:
        """Score the people of the role of an assignment."""
        scoring, role = settings.scoring, settings.assignment.role
        return score_venue(self._db, self.name, scoring, self._open_encoder, progress, role)

    def _require_assignment(self, name: str) -> None:
        if name not in (existing := self.assignments()):
            names = ", ".join(existing) or "none"
            raise InputError(
                f"{self.name!r} has no assignment {name!r}; its assignments are: {names}",
                f"make it: specter-graph match assign {self.name} --name {name!r}",
            )

    def _store(self, pairs: list[Assigned], settings: "VenueSettings", name: str) -> list[Assigned]:
        assignments.write_assigned(self._db, self.name, pairs, name)
        write_settings(self._db, self.name, _SETTINGS.dump_json(settings).decode(), name)
        return pairs

    def _stored_reviewers(self) -> list[Reviewer]:
        """Return the reviewers that the venue has, none if the venue is new."""
        if all(venue.name != self.name for venue in venue_data.list_venues(self._db)):
            return []
        return [member.reviewer for member in self.reviewers()]
