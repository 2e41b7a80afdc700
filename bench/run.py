"""The benchmarks that need no corpus of one's own, one after the other; takes about 15 minutes.

    python bench/run.py

For the others see bench/hepph.py (quality, on a corpus given to it) and bench/full.py (full
fine-tuning); each says in its first lines how it is run.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    for name in ("load", "triplets"):
        print(f"== {name}", flush=True)
        subprocess.run([sys.executable, HERE / f"{name}.py"], check=True)
