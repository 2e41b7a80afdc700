"""Export of the graph, or of a part of it, to a file or a folder."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from specter_graph.core.atomic_files import check_file, check_new_folder, unknown_suffix
from specter_graph.core.errors import InputError, require_paths, text_list
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import get_space
from specter_graph.graph.export.source import Source, select


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of an export.

    Attributes:
        module: The module that writes it.
        suffix: Suffix of the path.
        is_folder: True if the format is a folder.
        has_vectors: True if the format supports the vectors of embedding spaces.
        is_text: True if the format can be compressed, with the suffix .gz or .zst.
    """

    module: str
    suffix: str
    is_folder: bool = False
    has_vectors: bool = False
    is_text: bool = True

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of a path, also of a compressed file."""
        compressed = (f"{self.suffix}.gz", f"{self.suffix}.zst") if self.is_text else ()
        return (self.suffix, *compressed)


FORMATS = {
    "jsonl": ExportFormat("corpus_writers", ".jsonl", has_vectors=True),
    "parquet": ExportFormat(
        "corpus_writers", ".parquet", is_folder=True, has_vectors=True, is_text=False
    ),
    "graphml": ExportFormat("graphml_writer", ".graphml"),
    "pyg": ExportFormat("pyg_writer", ".pt", has_vectors=True, is_text=False),
    "bibtex": ExportFormat("references", ".bib"),
    "ris": ExportFormat("references", ".ris"),
    "csl": ExportFormat("references", ".json"),
}
"""Formats by name; `write_NAME` in its module writes a format."""


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """Counts of the written papers with records, stubs, and citations.

    Formats without stubs exclude stubs and their citations.
    """

    path: str
    format: str
    papers: int
    stubs: int
    citations: int
    seconds: float


def export_graph(
    db: Database,
    path: Path | str,
    *,
    field: str | None = None,
    around: str | None = None,
    hops: int = 1,
    list: str | None = None,
    spaces: Sequence[str] = (),
    progress: Progress = silent,
) -> ExportSummary:
    """Export the graph, or papers about a field or near a paper, with the citations among them.

    The path is created when the export is complete. An existing file is replaced; an existing
    folder is not.

    Args:
        db: The graph.
        path: The file or folder, with the suffix of a format in FORMATS.
        field: Id or name of a field.
        around: Id of a paper.
        hops: Maximum number of citations between `around` and an exported paper.
        list: Name of a reading list.
        spaces: Embedding spaces whose vectors are exported.
        progress: Called with the number of papers.

    Raises:
        InputError: The path or the format is invalid.
        GraphError: The field, paper, list or space is not in the graph.
    """
    started = time.monotonic()
    require_paths('graph.export("papers.jsonl")', path=path)
    path, spaces = Path(path), text_list("spaces", spaces)
    name = check_export(path, spaces)
    recorded = [get_space(db, space) for space in spaces]
    selection = select(db, field, around, hops, list)
    counts = stats(db)
    total = counts.papers + counts.stubs if selection.ids is None else len(selection.ids)
    source = Source(db, selection, recorded, lambda stage, done, _: progress(stage, done, total))
    # A writer is imported when it is used, because torch and pyarrow take time to import.
    module = import_module(f"specter_graph.graph.export.{FORMATS[name].module}")
    getattr(module, f"write_{name}")(source, path)
    return ExportSummary(
        path=str(path),
        format=name,
        papers=source.papers_written,
        stubs=source.stubs_written,
        citations=source.citations_written,
        seconds=time.monotonic() - started,
    )


def check_export(path: Path, spaces: Sequence[str] = ()) -> str:
    """Return the format for the suffix of a path.

    Raises:
        InputError: `export_graph` would reject these arguments.
    """
    name = path.name
    format = next((key for key, form in FORMATS.items() if name.endswith(form.suffixes)), None)
    if format is None:
        raise unknown_suffix(path, (form.suffix for form in FORMATS.values()))
    if spaces and not FORMATS[format].has_vectors:
        suffixes = ", ".join(form.suffix for form in FORMATS.values() if form.has_vectors)
        raise InputError(
            f"{format} does not support vectors", f"leave out the spaces, or use one of {suffixes}"
        )
    if FORMATS[format].is_folder:
        check_new_folder(path)
    else:
        check_file(path)
    return format
