"""Triplets on disk, as memory-mapped columns: a training holds none of them in memory."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from specter_graph.encoder.triplets import Indexing, TripletRows, TripletTable

_COLUMNS: dict[str, type[np.generic]] = {
    "query": np.int64,
    "positive": np.int64,
    "negative": np.int64,
    "hard": np.bool_,
}
_ABOUT = "about.json"


def store_triplets(folder: Path, triplets: TripletTable, indexing: Indexing) -> TripletRows:
    """Write triplets as rows of the corpus, a batch at a time, and open them.

    The folder gets a file of plain numbers for each column; what was there is replaced.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as files:
        columns = [files.enter_context((folder / name).open("wb")) for name in _COLUMNS]
        for batch in indexing.batches(triplets):
            for file, values in zip(columns, batch, strict=True):
                file.write(values.tobytes())
    about = {"digest": indexing.digest, "left_out": indexing.left_out}
    (folder / _ABOUT).write_text(json.dumps(about))
    return stored_triplets(folder)


def stored_triplets(folder: Path) -> TripletRows:
    """Open what `store_triplets` wrote."""
    columns: dict[str, Any] = {name: _opened(folder / name, k) for name, k in _COLUMNS.items()}
    return TripletRows(**columns, **json.loads((folder / _ABOUT).read_text()))


def _opened(file: Path, kind: type[np.generic]) -> npt.NDArray[Any]:
    return np.memmap(file, kind, "r") if file.stat().st_size else np.empty(0, kind)
