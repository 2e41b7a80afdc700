"""ReviewVenue: reviewer matching for one conference or journal issue, each method one step."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.graph import reviewing as venues
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import PaperEncoder
from specter_graph.graph.reviewing.conflicts import YEARS
from specter_graph.loaders.review_records import Assigned, Conflict, Reviewer
from specter_graph.matching.affinity.scoring import ScoreSettings, VenueScores, score
from specter_graph.matching.assignment.venue_assignment import (
    AssignSettings,
    Pair,
    VenueProblem,
    venue_problem,
)
from specter_graph.matching.io import (
    read_archives,
    read_bids,
    read_conflicts,
    read_quotas,
    read_reviewers,
    read_submissions,
    with_quotas,
)
from specter_graph.matching.io.tables import read_scores
from specter_graph.matching.report import build_report, write_report


@dataclass(frozen=True, slots=True)
class Speaking:
    """A paper of a reviewer that speaks for a pair."""

    id: str
    title: str
    similarity: float
    weight: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Why a reviewer fits a submission, and what speaks against it.

    `paths` are None where neither citations nor topics connect the two.
    """

    affinity: float
    papers: tuple[Speaking, ...]
    paths: venues.Paths | None
    conflicts: tuple[Conflict, ...]

    @property
    def connections(self) -> dict[str, list[str]]:
        """The paths in words, those that there are."""
        if self.paths is None:
            return {}
        told = {
            "papers of the reviewer that the submission cites": [*self.paths.cited],
            "papers that both cite": [shared for shared, _ in self.paths.shared],
            "papers between": [f"{middle} -> {end}" for middle, end in self.paths.two_hops],
            "topics in common": [*self.paths.topics],
        }
        return {what: entries for what, entries in told.items() if entries}


@dataclass(frozen=True, slots=True)
class VenueSettings:
    """The settings of a scoring and assignment; the venue stores those of the last one."""

    assignment: AssignSettings = field(default_factory=AssignSettings)
    scoring: ScoreSettings = field(default_factory=ScoreSettings)
    conflict_years: int = YEARS


_SETTINGS = TypeAdapter(VenueSettings)


class ReviewVenue:
    """Who is to review what, at a venue that lives in a graph.

    venue = graph.venue("ICLR-2027")
    venue.load(submissions=Path("submissions.json"), archives=Path("archives"))
    venue.assign(AssignSettings(per_submission=3, maximum=6))
    venue.report(Path("report.html"))
    """

    def __init__(
        self, database: Database, name: str, open_encoder: Callable[[str], PaperEncoder]
    ) -> None:
        """`open_encoder` opens the model of a space."""
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
        year: int | None = None,
    ) -> venues.Landed:
        """Bring files into the graph; see `matching.io`, and `graph.reviewing.land`.

        All files are read before anything is written. The same again changes nothing.
        """
        ignored: list[str] = []
        found = read_archives(archives) if archives else None
        people = read_reviewers(reviewers, ignored) if reviewers else []
        if found:
            named = {each.id for each in people}
            people += [each for each in found.reviewers if each.id not in named]
        if quotas:
            people = with_quotas(people or self._reviewers(), read_quotas(quotas, ignored))
        papers = read_submissions(submissions, ignored) if submissions else []
        told_bids = read_bids(bids, ignored) if bids else None
        declared = read_conflicts(conflicts, ignored) if conflicts else None
        if found:
            known = venues.owners(self._db, [paper.id for paper in found.papers])
            found = found.also_by(known)
            venues.land_archives(self._db, found.papers)
        landed = venues.land(
            self._db,
            self.name,
            submissions=papers,
            reviewers=people,
            bids=told_bids,
            conflicts=declared,
            newcomers=found.authors if found else (),
            year=year,
        )
        landed.ignored_columns = tuple(ignored)
        return landed

    def remove(self) -> None:
        """Take the venue out of the graph; papers of the literature stay."""
        venues.remove_venue(self._db, self.name)

    def scores(
        self, settings: ScoreSettings | None = None, *, progress: Progress = silent
    ) -> VenueScores:
        """The affinity of every submission and reviewer; see `matching.affinity.scoring`."""
        return score(self._db, self.name, settings or ScoreSettings(), self._open_encoder, progress)

    def conflicts(self, years: int = YEARS) -> Iterator[Conflict]:
        """The conflicts of interest; see `graph.reviewing.find_conflicts`."""
        return venues.find_conflicts(self._db, self.name, years=years)

    def explain(
        self,
        submission: str,
        reviewer: str,
        settings: ScoreSettings | None = None,
        *,
        years: int = YEARS,
        progress: Progress = silent,
    ) -> Fit:
        """Why a reviewer fits a submission; raises InputError where the venue lacks one of them."""
        scores = self.scores(settings, progress=progress)
        rows, columns = scores.rows, scores.columns
        if submission not in rows or reviewer not in columns:
            what = (
                f"submission {submission!r}" if submission not in rows else f"reviewer {reviewer!r}"
            )
            raise InputError(
                f"the venue {self.name!r} has no {what}", "name both as the venue's lists do"
            )
        row, column = rows[submission], columns[reviewer]
        found = scores.because(row, column)
        titles = venues.titles_of(self._db, [key for key, _ in found])
        against = venues.find_conflicts(self._db, self.name, years=years, only=[submission])
        return Fit(
            float(scores.affinity[row, column]),
            tuple(
                Speaking(key, titles[key], match.similarity, match.weight) for key, match in found
            ),
            next(venues.paths(self._db, self.name, [(reviewer, submission)]), None),
            tuple(each for each in against if each.reviewer == reviewer),
        )

    def assigned(self) -> list[Assigned]:
        """Who is to review what, as last assigned."""
        return venues.assigned(self._db, self.name)

    def assign(
        self,
        settings: AssignSettings | None = None,
        scoring: ScoreSettings | None = None,
        *,
        scores: Path | None = None,
        years: int = YEARS,
        locked: Collection[Pair] = (),
        forbidden: Collection[Pair] = (),
        replace: bool = False,
        progress: Progress = silent,
    ) -> list[Assigned]:
        """Assign reviewers to submissions, and store the assignment and its settings.

        Args:
            settings: What the assignment must meet.
            scoring: How affinities are computed.
            scores: A file of affinities, which are used instead.
            years: Years for which common papers and affiliations are a conflict.
            locked: Pairs that must be assigned.
            forbidden: Pairs that must not be assigned.
            replace: Replace the stored assignment.
            progress: Called with running counts.

        Raises:
            InputError: There is no such assignment, with the reasons in counts; or the graph has an
                assignment, and `replace` is false.
        """
        if not replace and (present := self.assigned()):
            raise InputError(
                f"the graph has an assignment of {self.name!r} already, with {len(present):,}"
                " reviews",
                f"overwrite it with --replace, or keep what can be kept of it: specter-graph match"
                f" reassign {self.name}",
            )
        used = VenueSettings(settings or AssignSettings(), scoring or ScoreSettings(), years)
        problem = self._problem(used, scores, progress, locked=locked, forbidden=forbidden)
        return self._store(problem.assign(), used)

    def reassign(
        self,
        *,
        scores: Path | None = None,
        forbidden: Collection[Pair] = (),
        without: Collection[str] = (),
        progress: Progress = silent,
    ) -> list[Assigned]:
        """Assign again with as few changes as possible, by the settings of the last assignment.

        Locked pairs stay, except those of removed reviewers.

        Args:
            scores: A file of affinities, which are used instead of computed ones.
            forbidden: Pairs that must not be assigned.
            without: Reviewers to remove.
            progress: Called with running counts.
        """
        present = self.assigned()
        locked = {
            (each.reviewer, each.submission)
            for each in present
            if each.locked and each.reviewer not in without
        }
        used = self.settings()
        problem = self._problem(
            used, scores, progress, locked=locked, forbidden=forbidden, without=without
        )
        return self._store(problem.change(present), used)

    def settings(self) -> "VenueSettings":
        """Return the settings of the last scoring and assignment, or the default ones."""
        stored = venues.read_settings(self._db, self.name)
        return _SETTINGS.validate_json(stored) if stored else VenueSettings()

    def report(self, path: Path, *, evidence: bool = False, progress: Progress = silent) -> None:
        """Write a page about the stored assignment, by its settings; see `matching.report`."""
        used = self.settings()
        scores = self.scores(used.scoring, progress=progress)
        problem = venue_problem(
            self._db,
            self.name,
            scores.submissions,
            scores.reviewers,
            scores.affinity,
            self.conflicts(used.conflict_years),
            used.assignment,
        )
        titles = venues.titles_of(self._db, scores.papers)
        page = build_report(self.name, problem, self.assigned(), scores, titles)
        write_report(page, path, evidence=evidence)

    def _problem(
        self,
        settings: "VenueSettings",
        scores: Path | None,
        progress: Progress,
        *,
        locked: Collection[Pair] = (),
        forbidden: Collection[Pair] = (),
        without: Collection[str] = (),
    ) -> VenueProblem:
        if scores:
            submissions = venues.submissions(self._db, self.name)
            reviewers = venues.reviewers(self._db, self.name)
            affinity = read_scores(
                scores, [each.id for each in submissions], [each.id for each in reviewers]
            )
        else:
            found = self.scores(settings.scoring, progress=progress)
            submissions, reviewers, affinity = found.submissions, found.reviewers, found.affinity
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
            without=without,
        )

    def _store(self, pairs: list[Assigned], settings: "VenueSettings") -> list[Assigned]:
        venues.write_assigned(self._db, self.name, pairs)
        venues.write_settings(self._db, self.name, _SETTINGS.dump_json(settings).decode())
        return pairs

    def _reviewers(self) -> list[Reviewer]:
        return [each.reviewer for each in venues.reviewers(self._db, self.name)]
