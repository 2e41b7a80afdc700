"""Run the benchmarks that need no corpus of your own.

    python bench/run.py

Longer benchmarks are bench/memory.py (a load of two million papers) and bench/kills.py (loads that
are killed). bench/hepph.py (quality) and bench/full.py (full fine-tuning) need a corpus. The
docstring of each script has its command.
"""

import subprocess
import sys
from pathlib import Path

import click

FOLDER = Path(__file__).parent


@click.command()
def main() -> None:
    """Run the benchmarks one after the other."""
    for name in ("parse", "load", "bulk", "triplets"):
        print(f"== {name}", flush=True)
        subprocess.run([sys.executable, FOLDER / f"{name}.py"], check=True)


if __name__ == "__main__":
    main()
