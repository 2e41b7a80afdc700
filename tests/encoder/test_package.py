import subprocess
import sys


def test_reading_an_encoder_loads_neither_trainer_nor_network():
    code = (
        "import sys; from specter_graph import Encoder; Encoder.base();"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers', 'sklearn',"
        " 'datasets') if m in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "[]"
