"""The group `graph.maintenance`: updates, missing data from web services, merges and deletions."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from specter_graph.core.errors import InputError, extra, text_list
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.deduplication import merge as merging
from specter_graph.graph.deduplication import merge_authors as author_merges
from specter_graph.graph.maintenance import delete
from specter_graph.graph.maintenance import update as updates
from specter_graph.groups import Group, Method
from specter_graph.loaders.corpus import WEB_SOURCES
from specter_graph.settings import Settings

if TYPE_CHECKING:
    from specter_graph.loaders.paper_sources import PaperSource
    from specter_graph.pipelines.enrich import EnrichPart, EnrichPlan, EnrichSummary

_DAY = 24 * 3_600


class Maintenance(Group):
    """Updates, missing data from web services, merges and deletions."""

    delete_vanished = Method(updates.delete_vanished)
    update = Method(updates.update)
    delete_papers = Method(delete.delete_papers)
    delete_corpus = Method(delete.delete_corpus)
    delete_readers = Method(delete.delete_readers)
    count_corpus = Method(delete.count_corpus)
    clear = Method(delete.clear)
    preview_merge = Method(merging.preview)
    merge_status = Method(merging.merge_status)
    merge = Method(merging.merge)

    def merge_authors(self, file: Path | str) -> author_merges.AuthorMergeSummary:
        """Merge authors by a list of ids of the same person; see `loaders.author_merges`."""
        from specter_graph.loaders.author_merges import read_author_groups

        return author_merges.merge_authors(self.database, read_author_groups(file))

    def enrich(
        self,
        parts: "Iterable[EnrichPart]" = (),
        sources: Iterable[str] = (),
        *,
        list: str | None = None,
        max_papers: int | None = None,
        mailto: str | None = None,
        max_age: float = 30,
        report: Path | str | None = None,
        progress: Progress = silent,
    ) -> "EnrichSummary":
        """Look up missing parts of papers in web services, load them, and merge them.

        All answers are stored in the cache folder: an interrupted call, repeated, asks nothing
        twice. The keys and addresses of the services are in `Settings`.

        Args:
            parts: "abstracts", "identifiers", "references" (these three by default), and "citing":
                the papers that cite a paper.
            sources: Names of sources, by default `WEB_SOURCES` of `loaders.corpus`; the first that
                has a part counts.
            list: Only papers of this reading list.
            max_papers: Maximum number of papers for which a request is sent.
            mailto: Your e-mail address, which is sent to the services, by default OPENALEX_EMAIL.
            max_age: Days after which a stored answer is asked again.
            report: File for all merged papers and all conflicts, as JSON Lines; see `merge`.
            progress: Called with the number of papers.

        Returns:
            The counts. A source that does not answer is left out, and the others are used.

        Raises:
            GraphError: The list is not in the graph.
            InputError: A source is unknown, or the report cannot be written.
        """
        from specter_graph.pipelines.enrich import enrich

        with _open_sources(sources, mailto, max_age) as opened:
            return enrich(
                self.database,
                opened,
                parts,
                list=list,
                max_papers=max_papers,
                report=report,
                progress=progress,
            )

    def preview_enrich(
        self,
        parts: "Iterable[EnrichPart]" = (),
        sources: Iterable[str] = (),
        *,
        list: str | None = None,
        max_papers: int | None = None,
        max_age: float = 30,
    ) -> "EnrichPlan":
        """Count the papers that lack parts, and the requests that `enrich` would send for them.

        The arguments are those of `enrich`. Nothing is sent or changed.
        """
        from specter_graph.pipelines.enrich import preview

        with _open_sources(sources, None, max_age) as opened:
            return preview(self.database, opened, parts, list=list, max_papers=max_papers)


@contextmanager
def _open_sources(
    names: Iterable[str], mailto: str | None, max_age: float
) -> "Iterator[list[PaperSource]]":
    """Open sources with the addresses and keys of the settings."""
    with extra("formats"):
        from specter_graph.loaders.http_client import AnswerCache

    names = [*dict.fromkeys(text_list("sources", names))] or [*WEB_SOURCES]
    if unknown := [name for name in names if name not in WEB_SOURCES]:
        raise InputError(f"unknown source {unknown[0]!r}", f"use one of: {', '.join(WEB_SOURCES)}")
    settings = Settings()
    access = settings.web_access(mailto)
    cache = AnswerCache(settings.specter_graph_cache / "answers.sqlite", max_age * _DAY)
    try:
        yield [access.open(name, cache) for name in names]
    finally:
        cache.close()
