"""Export to tensors for PyTorch Geometric, in one file in torch's format.

| key | | |
|---|---|---|
| ids | list of n strings | the papers with records, in the order of their ids |
| x | (n, d) float32 | their vectors, several spaces concatenated; zeros if there is no vector |
| x_mask | (n,) bool | true if the paper has all vectors |
| edge_index | (2, m) int64 | citing (row 0) and cited papers (row 1) |
| y | (n,) int64 | the class: the paper's most frequent field; -1 for none |
| classes | list of strings | the fields, "scheme:id" |
| label_index | (2, l) int64 | every field of every paper: paper, class |
| year | (n,) int64 | -1 if unknown |
| train_mask, val_mask, test_mask | (n,) bool | the split for the hold-out of the spaces, else 0.1 |

Without spaces there are no x and x_mask. All tensors are held in memory.
"""

from array import array
from pathlib import Path
from typing import Any

import numpy as np
import torch

from specter_graph.core.atomic_files import complete_file
from specter_graph.graph.embeddings.spaces import usual_holdout
from specter_graph.graph.export.source import Source, StoredPaper
from specter_graph.graph.split import split_keys


def write_pyg(source: Source, path: Path) -> None:
    """Write the tensors; the graph is read twice."""
    with complete_file(path) as unfinished:
        papers = _Papers(source)
        tensors = papers.tensors()
        tensors["edge_index"] = _read_edges(source, papers.numbers)
        source.citations_written = tensors["edge_index"].shape[1]
        with unfinished.open("wb") as file:  # given a path, torch would write its name into it
            torch.save(tensors, file)


class _Papers:
    """A builder that collects the data of papers one after another."""

    def __init__(self, source: Source) -> None:
        self.numbers: dict[str, int] = {}
        self._spaces = source.spaces
        self._vectors = array("f")
        self._has_vectors = array("b")
        self._years = array("q")
        self._splits = array("b")
        self._classes: dict[str, int] = {}
        self._labels = array("q")  # paper, class, paper, class, ...
        self._below = split_keys("validation", usual_holdout(source.spaces))
        names = [space.name for space in source.spaces]
        for paper in source.papers("year", "sample_key", *names, stubs=False):
            self._add(paper)

    def _add(self, paper: StoredPaper) -> None:
        number = self.numbers.setdefault(paper.id, len(self.numbers))
        year = paper.values["year"]
        self._years.append(-1 if year is None else year)
        self._splits.append(sum(paper.values["sample_key"] < below for below in self._below))
        for field in paper.fields:
            name = f"{field['scheme']}:{field['id']}"
            label = self._classes.setdefault(name, len(self._classes))
            self._labels.extend((number, label))
        parts = [paper.values[space.name] for space in self._spaces]
        self._has_vectors.append(None not in parts)
        for space, part in zip(self._spaces, parts, strict=True):
            self._vectors.extend([0.0] * space.dimension if part is None else part)

    def tensors(self) -> dict[str, Any]:
        """Return all tensors except the edges."""
        splits = torch.tensor(self._splits, dtype=torch.int8)
        label_index = torch.tensor(self._labels, dtype=torch.int64).reshape(-1, 2).T.contiguous()
        tensors: dict[str, Any] = {
            "ids": list(self.numbers),
            "y": self._choose_classes(label_index),
            "classes": list(self._classes),
            "label_index": label_index,
            "year": torch.tensor(self._years, dtype=torch.int64),
            "train_mask": splits == 0,
            "val_mask": splits == 1,
            "test_mask": splits == 2,
        }
        if self._spaces:
            dimension = sum(space.dimension for space in self._spaces)
            tensors["x"] = torch.from_numpy(np.asarray(self._vectors)).reshape(-1, dimension)
            tensors["x_mask"] = torch.tensor(self._has_vectors, dtype=torch.bool)
        return tensors

    def _choose_classes(self, label_index: torch.Tensor) -> torch.Tensor:
        """Return each paper's most frequent field; among equals, the one that occurred first."""
        papers, labels = label_index.numpy()
        counts = np.bincount(labels, minlength=len(self._classes))
        y = np.full(len(self.numbers), -1)
        # The last assignment wins, so rare fields come first, and among equals the later ones.
        order = np.lexsort((-labels, counts[labels]))
        y[papers[order]] = labels[order]
        return torch.from_numpy(y)


def _read_edges(source: Source, numbers: dict[str, int]) -> torch.Tensor:
    ends = array("q")
    for paper in source.papers(stubs=False):
        for citation in paper.citations:
            if paper.id in numbers and citation["cited"] in numbers:
                ends.extend((numbers[paper.id], numbers[citation["cited"]]))
    return torch.tensor(ends, dtype=torch.int64).reshape(-1, 2).T.contiguous()
