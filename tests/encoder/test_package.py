import subprocess
import sys


def test_reading_an_encoder_loads_neither_trainer_nor_network():
    code = (
        "import sys; from specter_graph import Encoder; Encoder.base();"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers', 'sklearn',"
        " 'datasets') if m in sys.modules])"
    )
    reported = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert reported.stdout.strip() == "[]"
