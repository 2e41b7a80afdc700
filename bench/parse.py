"""Measure the speed of reading JSON Lines into validated records on one core.

    python bench/parse.py [--papers 50000] [--rounds 7] [--json FILE]

The records are those of bench/bulk.py, about 1.2 KB each. `json.loads` and `orjson.loads` are
measured on the same lines. Times are processor times; the best and the median round are reported.
No server is needed.
"""

import gc
import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import orjson
from corpus import write_jsonl

from specter_graph.loaders import open_corpus


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a function."""
    started = time.process_time()
    work()
    return time.process_time() - started


@click.command()
@click.option("--papers", default=50_000, show_default=True, help="Number of papers.")
@click.option("--rounds", default=7, show_default=True, help="Runs of each function.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(papers: int, rounds: int, output: Path | None) -> None:
    """Measure the three functions and print their speeds."""
    with TemporaryDirectory() as name:
        [packed] = write_jsonl(Path(name), papers, 10 * papers, 1)
        path = packed.with_suffix("")
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        size = path.stat().st_size / 1e6
        lines = path.read_bytes().splitlines()

        def read() -> None:
            for _ in open_corpus("jsonl", path).read(()):
                pass

        def parse(loads: Callable[[bytes], object]) -> None:
            for line in lines:
                loads(line)

        gc.set_threshold(200_000)  # as in a load
        functions: dict[str, Callable[[], object]] = {
            "open_corpus": read,
            "json.loads": lambda: parse(json.loads),
            "orjson.loads": lambda: parse(orjson.loads),
        }
        runs = {name: [seconds(work) for _ in range(rounds)] for name, work in functions.items()}
    figures = {
        "MB": size,
        "MB/s": {name: size / min(times) for name, times in runs.items()},
        "median MB/s": {name: size / sorted(times)[rounds // 2] for name, times in runs.items()},
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
