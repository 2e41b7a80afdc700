"""Routes: the API under /v1 (`*_routes`) and the web pages (`*_pages`)."""

from typing import Any

from specter_graph.service.models import ProblemDetails

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "model": ProblemDetails,
        "description": description,
        "content": {"application/problem+json": {}},
    }
    for status, description in {
        400: "The request cannot be answered.",
        404: "The graph does not contain it.",
        422: "A parameter is invalid.",
        429: "Too many requests; try again after Retry-After seconds.",
        503: "The database does not answer; try again after Retry-After seconds.",
        504: "The request exceeded the time limit.",
    }.items()
}
