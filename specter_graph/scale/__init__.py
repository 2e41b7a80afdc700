"""Work on many machines with Ray; see docs/scale.md. No other package imports Ray."""

from specter_graph.scale.ray_workers import RayWorkers

__all__ = ["RayWorkers"]
