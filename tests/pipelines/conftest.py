"""The papers of the encoder's tests."""

import pytest

from tests.encoder.small_corpus import topic_papers


@pytest.fixture(scope="session")
def papers():
    """Return 80 papers, 20 per topic."""
    return topic_papers()
