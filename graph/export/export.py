"""Writes the graph, or a part of it, to a file or a folder in one of several formats."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.core.files import check_new_folder, check_parent
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.export.selection import select
from specter_graph.graph.export.source import Source
from specter_graph.graph.stats import stats


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format: its module here, the function in it, and the suffix that asks for it.

    `vectors` says that it carries those of embedding spaces.
    """

    module: str
    suffix: str
    folder: bool = False
    vectors: bool = False

    @property
    def write(self) -> Callable[[Source, Path], None]:
        """The function that writes a source to a path; its module is imported here."""
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
    """What was written: papers with records, stubs, and citations among all of them.

    Formats without stubs leave these, and the citations of them, out.
    """

    path: str
    format: str
    papers: int
    stubs: int
    citations: int
    seconds: float


def export_graph(
    db: Database,
    path: Path,
    form: str | None = None,
    *,
    field: str | None = None,
    around: str | None = None,
    hops: int = 1,
    spaces: Sequence[str] = (),
    progress: Progress = silent,
) -> ExportSummary:
    """Export the graph, or the papers about a field or around a paper and the citations of these.

    `form` is one of FORMATS, by default the one whose suffix the path has. `spaces` are embedding
    spaces whose vectors are wanted. The path appears when it is complete; a file is replaced, a
    folder never. Raises InputError for a path or a format that cannot be used, GraphError when the
    graph has no such field, paper or space.
    """
    started = time.monotonic()
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
    """The format that the name of a path asks for; raises InputError when it asks for none."""
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    for form, each in FORMATS.items():
        if name.endswith(each.suffix):
            return form
    raise InputError(
        f"{path} does not say which format it is to have", f"add --as {'|'.join(FORMATS)}"
    )


def check_export(path: Path, form: str, spaces: Sequence[str] = ()) -> None:
    """Raise InputError now for what `export_graph` would refuse after it has read the graph."""
    if form not in FORMATS:
        raise InputError(f"there is no format {form!r}", f"known formats: {', '.join(FORMATS)}")
    if spaces and not FORMATS[form].vectors:
        carriers = ", ".join(name for name, each in FORMATS.items() if each.vectors)
        raise InputError(f"{form} carries no vectors", f"leave --space out, or --as {carriers}")
    if FORMATS[form].folder:
        check_new_folder(path)
    else:
        check_parent(path)
        if path.is_dir():
            raise InputError(f"{path} is a folder", f"{form} is one file: name it")
