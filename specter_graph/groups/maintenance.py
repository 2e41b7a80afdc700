"""The group `graph.maintenance`: updates, merges and deletions."""

from pathlib import Path

from specter_graph.graph.deduplication import merge as merging
from specter_graph.graph.deduplication import merge_authors as author_merges
from specter_graph.graph.maintenance import delete
from specter_graph.graph.maintenance import update as updates
from specter_graph.groups import Group, Method


class Maintenance(Group):
    """Updates, merges and deletions."""

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

        return author_merges.merge_authors(self.database, read_author_groups(Path(file)))
