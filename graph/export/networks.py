"""Networks for bibliometric programs: co-citation, coupling, co-authors and keywords.

Two items are linked by the number of papers that have both of them. With B, the matrix of papers
and items, the weights of cited papers, authors and keywords are B'B, and those of papers that share
references (bibliographic coupling, Kessler 1963; co-citation, Small 1973) are BB'.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import orjson

from specter_graph.core.atomic_files import check_parent, complete_file, unknown_suffix
from specter_graph.core.errors import extra, require_choice, require_counts, require_paths
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.export.graphml_writer import NOT_XML
from specter_graph.graph.export.references import invert_name
from specter_graph.graph.export.source import Selection, StoredPaper, read_papers, select

if TYPE_CHECKING:
    import networkx
    from scipy import sparse

NetworkKind = Literal["co-citation", "coupling", "co-author", "keyword"]
KINDS: tuple[NetworkKind, ...] = get_args(NetworkKind)
SUFFIXES = (".gexf", ".graphml", ".net", ".json")
"""GEXF and GraphML for Gephi and NetworkX, Pajek, and VOSviewer's JSON."""


@dataclass(slots=True)
class NetworkItem:
    """A node of a network.

    Attributes:
        id: The id of a paper or an author, or `scheme:id` of a keyword.
        label: A name to show: "Smith (2001)" for a paper.
        title: The title of a paper, the name of an author or a keyword.
        papers: The number of selected papers that have the item; of a paper in a network of
            coupling, its references.
        year: The mean year of these papers; of a paper in coupling or co-citation, its own.
    """

    id: str
    label: str
    title: str
    papers: int
    year: float | None = None


@dataclass(frozen=True, slots=True)
class NetworkExport:
    """The written file, and the counts of the network in it."""

    path: str
    kind: str
    papers: int
    items: int
    links: int
    seconds: float


@dataclass(slots=True)
class Network:
    """The items of a network, and its links as (item, item, weight) with the smaller item first."""

    items: list[NetworkItem]
    links: list[tuple[int, int, int]]
    papers: int = 0


def export_network(
    db: Database,
    path: Path | str,
    kind: NetworkKind,
    *,
    min_papers: int = 5,
    min_weight: int = 2,
    field: str | None = None,
    around: str | None = None,
    hops: int = 1,
    list: str | None = None,
    progress: Progress = silent,
) -> NetworkExport:
    """Write a network of the graph, or of papers that are selected as in `export_graph`.

    Args:
        db: The graph.
        path: A file whose suffix is in SUFFIXES.
        kind: The linked items: papers that are cited together, papers with common references,
            authors of the same papers, or keywords (labels of all schemes) of the same papers.
        min_papers: The minimum number of papers of an item (of references, for coupling).
        min_weight: The minimum weight of a link; items without a link are left out.
        field: Id or name of a field.
        around: Id of a paper.
        hops: Maximum number of citations between `around` and a paper.
        list: Name of a reading list.
        progress: Called with the number of papers.

    Raises:
        InputError: The suffix or the kind is unknown, or a minimum is not an integer.
        GraphError: The graph has no papers, or lacks the field, the paper or the list.
    """
    started = time.monotonic()
    require_paths('graph.export_network("network.json", "co-author")', path=path)
    path = Path(path)
    if path.suffix not in SUFFIXES:
        raise unknown_suffix(path, SUFFIXES)
    require_choice("kind of network", kind, KINDS)
    require_counts(0, min_papers=min_papers, min_weight=min_weight)
    check_parent(path)
    require_papers(db)
    read = _read_incidence(db, kind, select(db, field, around, hops, list), progress)
    network = _link_items(db, kind, read, min_papers, min_weight)
    with complete_file(path) as unfinished:
        if path.suffix == ".json":
            unfinished.write_bytes(
                orjson.dumps(vosviewer(network, kind), option=orjson.OPT_INDENT_2)
            )
        else:
            _write_graph(network, unfinished, path.suffix)
    return NetworkExport(
        path=str(path),
        kind=kind,
        papers=network.papers,
        items=len(network.items),
        links=len(network.links),
        seconds=time.monotonic() - started,
    )


@dataclass(slots=True)
class _Incidence:
    """The pairs of papers and items; `names` has the names of authors and keywords."""

    papers: list[str] = field(default_factory=list)
    years: list[int | None] = field(default_factory=list)
    items: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)

    def matrix(self) -> "sparse.csr_matrix":
        """Return papers x items, each pair once."""
        from scipy import sparse

        ones = np.ones(len(self.rows), dtype=np.int64)
        shape = (len(self.papers), len(self.items))
        matrix = sparse.csr_matrix((ones, (self.rows, self.columns)), shape=shape)
        matrix.data[:] = 1
        return matrix


def _read_incidence(
    db: Database, kind: NetworkKind, selection: Selection, progress: Progress
) -> _Incidence:
    read = _Incidence()
    done = 0
    for ids in selection.pages(db):
        for paper in read_papers(db, ids, ("title", "year")):
            if paper.stub and not paper.citations:
                continue
            number = len(read.papers)
            read.papers.append(paper.id)
            read.years.append(paper.values["year"])
            for key, name in _list_items(paper, kind):
                read.rows.append(number)
                read.columns.append(read.items.setdefault(key, len(read.items)))
                read.names.setdefault(key, name)
        done += len(ids)
        progress("papers", done, None)
    return read


def _link_items(
    db: Database, kind: NetworkKind, read: _Incidence, min_papers: int, min_weight: int
) -> Network:
    """Return the network of the frequent items that have a strong link."""
    from scipy import sparse

    matrix = read.matrix()
    if kind == "coupling":
        matrix = matrix.T.tocsr()
    keys = read.papers if kind == "coupling" else [*read.items]
    counts = np.asarray(matrix.sum(axis=0)).ravel()
    frequent = np.flatnonzero(counts >= min_papers)
    chosen = matrix[:, frequent].tocsc()
    weights = sparse.triu(chosen.T @ chosen, k=1).tocoo()
    strong = weights.data >= min_weight
    pairs = np.stack([weights.row[strong], weights.col[strong]], axis=1)
    linked, links = np.unique(pairs, return_inverse=True)
    links = links.reshape(pairs.shape)
    items = [
        NetworkItem(key := keys[at], read.names.get(key, key), read.names.get(key, key), int(n))
        for at, n in ((frequent[place], counts[frequent[place]]) for place in linked)
    ]
    if kind in ("coupling", "co-citation"):
        _describe_papers(db, items)
    else:
        known = np.array([np.nan if year is None else year for year in read.years], dtype=float)
        for item, place in zip(items, linked, strict=True):
            of_item = known[chosen[:, place].indices]
            if not np.isnan(of_item).all():
                item.year = round(float(np.nanmean(of_item)), 2)
    weighted = zip(links, weights.data[strong], strict=True)
    edges = [(int(first), int(second), int(weight)) for (first, second), weight in weighted]
    return Network(items, edges, len(read.papers))


def _list_items(paper: StoredPaper, kind: NetworkKind) -> Iterator[tuple[str, str]]:
    """Yield the id and the name of each item of a paper."""
    if kind in ("co-citation", "coupling"):
        yield from ((citation["cited"], citation["cited"]) for citation in paper.citations)
    elif kind == "co-author":
        yield from ((author["id"], author["name"]) for author in paper.authors)
    else:
        for label in paper.fields:
            yield f"{label['scheme']}:{label['id']}", label["name"] or label["id"]


def _describe_papers(db: Database, items: Sequence[NetworkItem]) -> None:
    """Set title, label and year of papers."""
    by_id = {item.id: item for item in items}
    for paper in read_papers(db, by_id, ("title", "year")):
        item = by_id[paper.id]
        item.year = paper.values["year"]
        item.title = paper.values["title"] or item.id
        if paper.authors:
            name = invert_name(paper.authors[0]["name"]).partition(", ")[0]
            item.label = f"{name} ({item.year})" if item.year else name
        else:
            item.label = item.title[:50]


def vosviewer(network: Network, kind: NetworkKind) -> dict[str, Any]:
    """Return a network in VOSviewer's JSON."""
    counts, strengths = Counter[int](), Counter[int]()
    for first, second, weight in network.links:
        counts.update((first, second))
        strengths.update({first: weight, second: weight})
    items: list[dict[str, Any]] = [
        {
            "id": place + 1,
            "label": item.label,
            "description": item.title,
            "weights": {
                "References" if kind == "coupling" else "Documents": item.papers,
                "Links": counts[place],
                "Total link strength": strengths[place],
            },
        }
        | ({"scores": {"Avg. pub. year": item.year}} if item.year is not None else {})
        for place, item in enumerate(network.items)
    ]
    links = [
        {"source_id": first + 1, "target_id": second + 1, "strength": weight}
        for first, second, weight in network.links
    ]
    return {"network": {"items": items, "links": links}}


def to_networkx(network: Network, *, unique_labels: bool = False) -> "networkx.Graph[str]":
    """Return a NetworkX graph, whose nodes are ids, or labels made unique by the ids."""
    with extra("formats"):
        import networkx

    used: set[str] = set()
    graph: networkx.Graph[str] = networkx.Graph()
    names = []
    for item in network.items:
        name = NOT_XML.sub("\N{REPLACEMENT CHARACTER}", item.id)
        if unique_labels:
            name = item.label.replace('"', "'")
            while name in used:
                name = f"{name} {item.id}".replace('"', "'")
            used.add(name)
        names.append(name)
        label, title = (NOT_XML.sub("", text) for text in (item.label, item.title))
        values: dict[str, Any] = {"label": label, "title": title, "papers": item.papers}
        if item.year is not None:
            values["year"] = float(item.year)
        graph.add_node(name, **({} if unique_labels else values))
    for first, second, weight in network.links:
        graph.add_edge(names[first], names[second], weight=weight)
    return graph


def _write_graph(network: Network, path: Path, suffix: str) -> None:
    with extra("formats"):
        from networkx import write_gexf, write_graphml, write_pajek

    write = {".gexf": write_gexf, ".graphml": write_graphml, ".net": write_pajek}[suffix]
    write(to_networkx(network, unique_labels=suffix == ".net"), path)
