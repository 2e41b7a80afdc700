"""Load files of providers into Neo4j, and compare the counts of the load with the files.

    python bench/real_files.py FOLDER [--instance real-files] [--json FILE]

CLEARS the local instance before each format. FOLDER has a folder for each format, such as `bibtex`
and `jats`, with files at any depth. The script runs `load auto` on each folder, and checks that

- records = new + changed + unchanged + duplicates + filtered + rejected;
- records are the items of a second reading of the files;
- the papers in Neo4j are the distinct ids of the papers of this reading.
"""

import json
from collections import Counter
from pathlib import Path

import click

from specter_graph.core.errors import InputError
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders import open_corpus
from specter_graph.loaders.corpus import Corpus
from specter_graph.loaders.records import EndOfFile, Filtered, Paper, Reject, UnknownKey


def count_items(corpus: Corpus) -> tuple[int, int]:
    """Return the number of records in the files, and of papers with distinct ids."""
    records, papers = 0, set()
    for item in corpus:
        if isinstance(item, EndOfFile | UnknownKey):
            continue
        records += not (isinstance(item, Reject) and item.repaired)
        if isinstance(item, Paper) and not isinstance(item, Filtered):
            papers.add(item.id)
    return records, len(papers)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--instance", default="real-files", show_default=True, help="Local instance.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(folder: Path, instance: str, output: Path | None) -> None:
    """Load each folder, print its counts, and fail if a count differs."""
    table, total = {}, Counter[str]()
    with LiteratureGraph.open(instance=instance) as graph:
        for path in sorted(each for each in folder.iterdir() if each.is_dir()):
            try:
                corpus = open_corpus("auto", path)
            except InputError:
                click.echo(f"{path.name}: no file in a known format")
                continue
            graph.maintenance.clear()
            summary = graph.load(corpus, rejects=Path("real-files.rejects.jsonl"))
            records, papers = count_items(corpus)
            names = ("new", "changed", "unchanged", "duplicates", "filtered", "rejected")
            counts = {name: getattr(summary, name) for name in names}
            stored = graph.stats().papers
            is_equal = summary.records == records == sum(counts.values()) and stored == papers
            row = {"files": len(corpus.files), "skipped": len(corpus.skipped), "records": records}
            table[path.name] = row | counts | {"papers in Neo4j": stored, "equal": is_equal}
            total.update(table[path.name])
            click.echo(f"{path.name}: {json.dumps(table[path.name])}")
    total["equal"] = all(row["equal"] for row in table.values())
    click.echo(f"all: {json.dumps(total)}")
    if output:
        output.write_text(json.dumps(table | {"all": total}, indent=1))
    if not total["equal"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
