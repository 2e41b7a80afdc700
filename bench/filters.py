"""Count the database hits of searches that filter by venue or field.

    python bench/filters.py [--papers 200000] [--citations 2000000] --instance filters

CLEARS the instance and loads generated records with random vectors of 64 dimensions; 240 of the
papers are in a rare venue. --keep uses the graph of an earlier run. Database hits do not depend on
the load of the machine.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import click
import numpy as np
from corpus import random_corpus

from specter_graph.cli.options import open_graph
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.search.fulltext import fulltext_search
from specter_graph.graph.search.search_filters import Filters
from specter_graph.graph.search.vector_search import nearest, similar
from specter_graph.loaders.records import Paper, Venue

RARE = 240
SPACE = EmbeddingSpace("specter", "base", 64, "", "", "random", sees_edges=False)
RARE_TEXTS = """
MATCH (:Venue {id: 'rare workshop'})<-[:PUBLISHED_IN]-(paper)
RETURN toLower(paper.title + ' ' + paper.abstract) AS text
"""


class ProfilingDatabase(Database):
    """Database that counts the database hits of all statements that it reads."""

    hits = 0

    def read(self, text: str, **parameters: object) -> list[dict[str, Any]]:
        """Profile a statement."""
        version = "CYPHER 25 " if text.startswith("CYPHER 25 ") else ""
        profiled = f"{version}PROFILE {text.removeprefix(version)}"
        result = self.driver.execute_query(profiled, parameters, database_=self.name)
        ProfilingDatabase.hits += _hits(result.summary.profile or {})
        return [record.data() for record in result.records]

    def value(self, text: str, **parameters: object) -> Any:  # noqa: ANN401
        """Profile a statement, and return the only value of its result."""
        return next(iter(self.read(text, **parameters)[0].values()))


def _hits(plan: dict[str, Any]) -> int:
    return plan.get("dbHits", 0) + sum(map(_hits, plan.get("children", ())))


def corpus(papers: int, citations: int) -> Iterator[Paper]:
    """Yield the generated corpus, with RARE of its papers in the rare workshop."""
    interval = papers // RARE
    rare = Venue("rare workshop", "Rare Workshop")
    for number, paper in enumerate(random_corpus(papers, citations)):
        yield (
            replace(paper, venue=rare)
            if number % interval == 0 and number < RARE * interval
            else paper
        )


@click.command()
@click.option("--papers", default=200_000, show_default=True, help="Number of papers.")
@click.option("--citations", default=2_000_000, show_default=True, help="Citations.")
@click.option("--instance", default="filters", show_default=True, help="Local instance.")
@click.option("--keep", is_flag=True, help="Use the graph of an earlier run.")
def main(papers: int, citations: int, instance: str, keep: bool) -> None:
    """Load the graph and print a line for each search."""
    with open_graph(instance, create=True) as graph:
        if not keep:
            graph.maintenance.clear()
            graph.load(corpus(papers, citations))
            vectors = np.random.default_rng(0).normal(size=(papers, 64)).astype(np.float32)
            write_space(graph.database, SPACE, [f"p{n}" for n in range(papers)], vectors)
        db = ProfilingDatabase(graph.database.driver, graph.database.name)
        texts = [row["text"] for row in graph.database.read(RARE_TEXTS)]
        counts = Counter(word for text in texts for word in set(text.rstrip(".").split()))
        word = min(counts, key=lambda each: (abs(counts[each] - 4), each))
        vector = np.random.default_rng(5).normal(size=64).astype(np.float32)
        for filters in (
            Filters(venue="Rare Workshop"),
            Filters(venue="venue 7"),
            Filters(field="field 3"),
        ):
            name = filters.venue or filters.field
            print_search(
                f"nearest, {name}", lambda f=filters: nearest(db, vector, "specter", 10, f)
            )
            print_search(
                f"similar, {name}", lambda f=filters: similar(db, "p100", "specter", 10, f)
            )
            print_search(
                f"words {word!r}, {name}", lambda f=filters: fulltext_search(db, [word], 10, f)
            )
        print(f"{counts[word]} papers of the rare workshop have the word {word!r}")


def print_search(title: str, search: Callable[[], list[Any]]) -> None:
    """Print the number of results of a search and its database hits."""
    ProfilingDatabase.hits = 0
    results = len(search())
    print(f"{title:35} {results:3} papers {ProfilingDatabase.hits:10,} db hits", flush=True)


if __name__ == "__main__":
    main()
