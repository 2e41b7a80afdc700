"""The benchmarks that need no corpus of one's own, one after the other.

    python bench/run.py

Longer ones are bench/memory.py (a load of two million papers) and bench/kills.py (loads that are
killed). For the others see bench/hepph.py (quality, on a corpus given to it) and bench/full.py
(full fine-tuning); each says in its first lines how it is run.
"""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent

if __name__ == "__main__":
    for name in ("parse", "load", "bulk", "triplets"):
        print(f"== {name}", flush=True)
        subprocess.run([sys.executable, FOLDER / f"{name}.py"], check=True)
