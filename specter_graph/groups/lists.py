"""The group `graph.lists`: reading lists with notes, tags and citation keys."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from specter_graph.core.errors import GraphError
from specter_graph.graph.embeddings.spaces import first_space, get_space
from specter_graph.graph.maintenance import reading_lists
from specter_graph.graph.maintenance.reading_lists import ReadingListChange
from specter_graph.graph.queries.library_queries import paper_rows
from specter_graph.graph.search.hits import SearchHit
from specter_graph.graph.search.missing_references import BibliographyMatch
from specter_graph.graph.search.search_filters import FilterOptions, make_filters
from specter_graph.groups import Group, Method
from specter_graph.groups.spaces import Spaces
from specter_graph.search import SearchOptions, match_bibliography, search


class Lists(Group):
    """The reading lists of a graph."""

    list = Method(reading_lists.list_lists)
    create = Method(reading_lists.create_list)
    delete = Method(reading_lists.delete_list)
    add = Method(reading_lists.add_to_list)
    remove = Method(reading_lists.remove_from_list)
    entries = Method(reading_lists.list_entries)
    export = Method(reading_lists.export_list)

    def add_bibliography(
        self, name: str, file: Path | str, *, note: str | None = None, tags: Sequence[str] = ()
    ) -> tuple[ReadingListChange, BibliographyMatch]:
        """Add the papers of a bibliography that are in the graph, with their citation keys.

        Args:
            name: The list.
            file: The bibliography: BibTeX, RIS, CSL or another format of `loaders`.
            note: A note on each of these papers.
            tags: Tags of each of these papers.

        Returns:
            The change of the list, and the entries that match no paper.

        Raises:
            GraphError: The list is not in the graph.
            InputError: The file cannot be read.
        """
        reading_lists.require_list(self.database, name)  # matching a long file takes minutes
        matched = match_bibliography(self.database, file)
        change = reading_lists.add_to_list(
            self.database, name, matched.ids, note=note, tags=tags, keys=matched.keys
        )
        return change, matched

    def recommend(
        self, name: str, *, k: int = 10, space: str | None = None, **filters: Unpack[FilterOptions]
    ) -> Sequence[SearchHit]:
        """Find papers that are similar to those of a reading list, and not in it.

        Args:
            name: The list.
            k: The number of papers.
            space: The embedding space, by default `specter`, `base` or `static`, the first
                that the graph has.
            **filters: Conditions on the papers, such as `since=1998`; see `FilterOptions`.

        Raises:
            GraphError: The list or the space is not in the graph, or no paper of the list has a
                record and a vector.
        """
        entries = reading_lists.list_entries(self.database, name)
        like = [entry.id for entry in entries if entry.title]
        if not like:
            raise GraphError(
                f"the list {name!r} has no paper with a record",
                f"specter-graph lists add {name!r} ID",
            )
        space = get_space(self.database, space).name if space else first_space(self.database)
        if space:
            papers = paper_rows(self.database, like, [space])
            like = [paper["paper"] for paper in papers if not paper["without"]]
            if not like:
                raise GraphError(
                    f"no paper of the list {name!r} has a vector", "specter-graph embed"
                )
        own = make_filters(**filters)
        own = replace(own, exclude=(*own.exclude, *(entry.id for entry in entries)))
        embed = Spaces(self.database).embed_text
        options = SearchOptions(k, space, like=like, filters=own)
        return list(search(self.database, embed, options=options))
