"""The OpenAPI document: errors, forms and descriptions for people and generators of clients."""

import re
from typing import Any

from fastapi import FastAPI

from specter_graph.service.auth import PUBLIC_PATH
from specter_graph.service.models import ProblemDetails

PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": ProblemDetails, "description": description}
    for status, description in {
        400: "The request cannot be answered.",
        403: "A page of another site sent the request, or the API key has not the scope write.",
        404: "The graph does not contain the requested item.",
        422: "A parameter is invalid.",
        429: "Too many requests; try again after Retry-After seconds.",
        500: "An unexpected error; the output of the service has the details.",
        503: "The database does not answer; try again after Retry-After seconds.",
        504: "The request exceeded the time limit.",
    }.items()
}
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)
_OF_BODIES = {"408": "The body did not arrive in time.", "413": "The body is too large."}


class DescribedService(FastAPI):
    """An application whose OpenAPI document describes errors and forms to generated clients."""

    def openapi(self) -> dict[str, Any]:
        """Return the document; FastAPI assigns the media types of the result also to errors."""
        if self.openapi_schema:
            return self.openapi_schema
        document = super().openapi()
        models = document["components"]["schemas"]
        for model in models.values():
            _describe_fields(model)
        live = document["paths"][PUBLIC_PATH]["get"]
        live.pop("security", None)
        live["responses"].pop("401", None)
        operations = [each for path in document["paths"].values() for each in path.values()]
        for operation in operations:
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _without_null(parameter["schema"])
            body, responses = operation.get("requestBody"), operation["responses"]
            if body:
                responses |= {
                    status: {**responses["400"], "description": description}
                    for status, description in _OF_BODIES.items()
                }
            if body and (form := body["content"].get("multipart/form-data")):
                _describe_form(models[form["schema"]["$ref"].rpartition("/")[2]]["properties"])
        for response in (each for one in operations for each in one["responses"].values()):
            for content in response.get("content", {}).values():
                if content.get("schema", {}).get("$ref") == "#/components/schemas/ProblemDetails":
                    response["content"] = {"application/problem+json": content}
        return document


def _describe_fields(model: dict[str, Any]) -> None:
    """Move the description of each attribute from the docstring of a model to its field."""
    summary, _, attributes = model.get("description", "").partition("\n\nAttributes:\n")
    for name, text in _ATTRIBUTE.findall(attributes):
        description = " ".join(text.split()).replace("None", "null")
        model["properties"][name].setdefault("description", description)
    if summary:
        model["description"] = summary.replace("None", "null")


def _describe_form(fields: dict[str, Any]) -> None:
    """Give files the format by which generators know them."""
    for name, field in fields.items():
        fields[name] = _without_null(field)
        file = fields[name].get("items", fields[name])
        if "contentMediaType" in file:
            file["format"] = "binary"


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value without null, which forms and URLs would send as a text."""
    for value in schema.get("anyOf", ()):
        if value["type"] != "null":
            return {**{key: schema[key] for key in schema if key != "anyOf"}, **value}
    return schema
