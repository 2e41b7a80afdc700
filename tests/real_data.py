"""Real corpora beside the checkout; tests that need them are skipped without them."""

from pathlib import Path

import pytest

REAL_DATA = Path(__file__).parents[2] / "shared/data"
needs_real_data = pytest.mark.skipif(
    not REAL_DATA.is_dir(), reason="the real corpora are not beside this checkout"
)
