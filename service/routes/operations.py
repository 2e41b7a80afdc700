"""Routes for those who run the service: health and metrics."""

from fastapi import APIRouter, Request, Response
from starlette.responses import JSONResponse

from specter_graph.service.models import Health, Live
from specter_graph.service.web.dependencies import TheBackend
from specter_graph.service.web.monitor import Metrics

router = APIRouter(tags=["operations"])


@router.get("/healthz/live")
def live() -> Live:
    """Whether the service works: whoever reads this knows."""
    return Live(live=True)


@router.get("/healthz/ready", responses={503: {"model": Health}})
@router.get("/healthz", responses={503: {"model": Health}}, include_in_schema=False)
async def ready(request: Request, backend: TheBackend) -> Response:
    """Whether the database answers and a slot is free, or will be."""
    is_ready = backend.monitor.is_up and not request.state.slots_are_stuck
    health = Health(live=True, ready=is_ready)
    return JSONResponse(health.model_dump(), 200 if health.ready else 503)


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """Count requests, seconds, who waits and how texts are batched, as Prometheus reads it."""
    counted: Metrics = request.app.state.metrics
    return Response(counted.text(), media_type=counted.media_type)
