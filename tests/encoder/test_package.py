import subprocess
import sys

import pytest

import specter_graph.encoder as encoder


def test_importing_the_package_loads_no_heavy_library():
    code = (
        "import sys, specter_graph.encoder;"
        "print([m for m in ('torch', 'transformers', 'sklearn', 'pyarrow') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_reading_an_encoder_loads_neither_trainer_nor_network():
    code = (
        "import sys; from specter_graph.encoder import Encoder, read_record; Encoder.base();"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers', 'sklearn',"
        " 'datasets') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("name", encoder.__all__)
def test_every_name_of_the_package_is_there(name):
    assert getattr(encoder, name).__name__ == name


def test_another_name_is_not():
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        encoder.nothing_of_the_kind  # noqa: B018
