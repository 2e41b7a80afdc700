"""Export of the graph, or of a part of it, to a file or a folder."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from specter_graph.core.atomic_files import check_new_folder, check_parent
from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.export.selection import select
from specter_graph.graph.export.source import Source
from specter_graph.graph.stats import stats


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its module in this package and the suffix that selects it.

    Attributes:
        module: Name of the module; its function is `write_MODULE`.
        suffix: Suffix of the path.
        folder: True if the format is a folder.
        vectors: True if the format supports the vectors of embedding spaces.
    """

    module: str
    suffix: str
    folder: bool = False
    vectors: bool = False

    @property
    def write(self) -> Callable[[Source, Path], None]:
        """The function that writes a source to a path; importing its module may take time."""
        module = import_module(f"specter_graph.graph.export.{self.module}")
        write: Callable[[Source, Path], None] = getattr(module, f"write_{self.module}")
        return write


FORMATS = {
    "jsonl": ExportFormat("jsonl", ".jsonl", vectors=True),
    "parquet": ExportFormat("parquet", ".parquet", folder=True, vectors=True),
    "graphml": ExportFormat("graphml", ".graphml"),
    "pyg": ExportFormat("pyg", ".pt", vectors=True),
    "bibtex": ExportFormat("bibtex", ".bib"),
}


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
    form: str | None = None,
    *,
    field: str | None = None,
    around: str | None = None,
    hops: int = 1,
    spaces: Sequence[str] = (),
    progress: Progress = silent,
) -> ExportSummary:
    """Export the graph, or papers about a field or near a paper, with the citations among them.

    The path is created when the export is complete. An existing file is replaced; an existing
    folder is not.

    Args:
        db: The graph.
        path: The file or folder.
        form: A key of FORMATS; default: by the suffix of the path.
        field: Id or name of a field.
        around: Id of a paper.
        hops: Maximum number of citations between `around` and an exported paper.
        spaces: Embedding spaces whose vectors are exported.
        progress: Called with the number of papers.

    Raises:
        InputError: The path or the format is invalid.
        GraphError: The field, paper or space is not in the graph.
    """
    started = time.monotonic()
    path = Path(path)
    name = form or format_of(path)
    check_export(path, name, spaces)
    recorded = [find_space(db, each) for each in spaces]
    selection = select(db, field, around, hops)
    counts = stats(db)
    total = counts.papers + counts.stubs if selection.ids is None else len(selection.ids)
    source = Source(db, selection, recorded, lambda stage, done, _: progress(stage, done, total))
    FORMATS[name].write(source, path)
    return ExportSummary(
        path=str(path),
        format=name,
        papers=source.papers_written,
        stubs=source.stubs_written,
        citations=source.citations_written,
        seconds=time.monotonic() - started,
    )


def format_of(path: Path) -> str:
    """Return the format for the suffix of a path.

    Raises:
        InputError: The suffix is unknown.
    """
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    for form, each in FORMATS.items():
        if name.endswith(each.suffix):
            return form
    raise InputError(
        f"{path} has no known suffix, so its format is unknown", f"add --as {'|'.join(FORMATS)}"
    )


def check_export(path: Path, form: str, spaces: Sequence[str] = ()) -> None:
    """Raise InputError if `export_graph` would reject these arguments."""
    if form not in FORMATS:
        raise InputError(f"unknown format {form!r}", f"use one of {', '.join(FORMATS)}")
    if spaces and not FORMATS[form].vectors:
        carriers = ", ".join(name for name, each in FORMATS.items() if each.vectors)
        raise InputError(
            f"{form} does not support vectors", f"remove --space, or use --as {carriers}"
        )
    if FORMATS[form].folder:
        check_new_folder(path)
    else:
        check_parent(path)
        if path.is_dir():
            raise InputError(f"{path} is a folder", f"name a file: {form} is a single file")
