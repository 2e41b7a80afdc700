"""Reading speed: from a file of JSON to checked records, on one core, beside json.loads alone.

    python bench/parse.py [--papers 50000] [--rounds 7] [--json FILE]

The records are those of bench/bulk.py too, about 1.2 KB each. Both are done in turn, and the best
round of each counts: what slows one down is the machine. Processor time, the server not involved.
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
    """Processor time."""
    started = time.process_time()
    work()
    return time.process_time() - started


@click.command()
@click.option("--papers", default=50_000, show_default=True)
@click.option("--rounds", default=7, show_default=True)
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, rounds: int, output: Path | None) -> None:
    """Measure all three and print them."""
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
        ways: dict[str, Callable[[], object]] = {
            "load jsonl": read,
            "json.loads alone": lambda: parse(json.loads),
            "orjson.loads alone": lambda: parse(orjson.loads),
        }
        runs = {way: [seconds(work) for _ in range(rounds)] for way, work in ways.items()}
    figures = {
        "MB": size,
        "MB/s": {way: size / min(each) for way, each in runs.items()},
        "median MB/s": {way: size / sorted(each)[rounds // 2] for way, each in runs.items()},
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if output:
        output.write_text(text + "\n")


if __name__ == "__main__":
    main()
