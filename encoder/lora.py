"""Low-rank adapters: few weights are trained beside frozen ones, then merged into them."""

from typing import TYPE_CHECKING, Any

import pydantic

from specter_graph.core.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class LoraSettings(pydantic.BaseModel):
    """W x becomes W x + (alpha / rank) B A x (Hu et al. 2022, section 4.1), W frozen.

    A is (rank, d_in), B is (d_out, rank) and begins at 0.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    rank: int = pydantic.Field(default=8, ge=1)
    alpha: float = pydantic.Field(default=16.0, gt=0)
    dropout: float = pydantic.Field(default=0.0, ge=0, lt=1, description="of what A reads")
    targets: list[str] = pydantic.Field(
        default=["query", "value"], min_length=1, description="names of the linear layers"
    )


def add_adapters(network: Any, settings: LoraSettings, seed: int) -> None:  # noqa: ANN401
    """Put adapters into a Transformer and freeze all else; raises ModelError without a target."""
    import torch
    from peft import LoraConfig, inject_adapter_in_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=settings.targets,
    )
    linear = {
        name.rsplit(".", 1)[-1]
        for name, module in network.named_modules()
        if isinstance(module, torch.nn.Linear)
    }
    if lost := set(settings.targets) - linear:
        raise ModelError(
            f"the base has no linear layer {', '.join(sorted(lost))} for an adapter",
            f"--set lora.targets=[NAME,...] of {', '.join(sorted(linear))}",
        )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        inject_adapter_in_model(config, network)


def merge_adapters(trained: "SentenceTransformer", plain: "SentenceTransformer") -> None:
    """Add the adapters of a model to the weights of the base it was made of: W + (alpha/r) B A."""
    import torch
    from peft.tuners.lora import LoraLayer

    with torch.no_grad():
        for name, module in trained.named_modules():
            if isinstance(module, LoraLayer):
                weight = plain.get_submodule(name).weight
                weight += module.get_delta_weight("default").to(weight.device)
