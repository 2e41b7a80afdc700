"""Several processes that train one model together, as `torchrun` and `accelerate` start them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

_PATIENCE = timedelta(days=1)
"""How long the others wait for the first one, which mines and judges alone."""


def processes() -> int:
    """How many there are; 1 where nobody started several."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first() -> bool:
    """Whether this is the one that mines, writes and prints."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def first_goes_ahead() -> Iterator[None]:
    """Run the block in the first process, then in the others, which find what it wrote."""
    if processes() == 1:
        yield
        return
    with _together().main_process_first():
        yield


def wait_for_all() -> None:
    """Go on when every process has come here."""
    if processes() > 1:
        _together().wait_for_everyone()


def agreed(decision: bool) -> bool:
    """What the first process decides, in all of them."""
    if processes() == 1:
        return decision
    import torch

    told = torch.tensor(decision, device=_together().device)
    torch.distributed.broadcast(told, 0)
    return bool(told.item())


def _together() -> Any:  # noqa: ANN401
    from accelerate import PartialState

    from specter_graph.encoder.device import best_device

    return PartialState(cpu=best_device().type == "cpu", timeout=_PATIENCE)
