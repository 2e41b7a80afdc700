"""The routes of /v1, which programs ask."""

from typing import Any

from specter_graph.service.models import Problem

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": said, "content": {"application/problem+json": {}}}
    for status, said in {
        400: "What is asked cannot be answered.",
        404: "The graph does not have it.",
        422: "A parameter does not fit.",
        429: "Too many requests: again after Retry-After seconds.",
        503: "The database does not answer: again after Retry-After seconds.",
        504: "It took longer than it may.",
    }.items()
}
