"""What all of them share, and errors."""

from pydantic import BaseModel, ConfigDict

EXAMPLE = "hep-ph/9901001"


class Model(BaseModel):
    """Made of records of the other rooms as they are."""

    model_config = ConfigDict(from_attributes=True)


class Brief(Model):
    """A paper in a list; `title` is null where only the id is known."""

    id: str
    title: str | None
    year: int | None


class Problem(BaseModel):
    """An error (RFC 9457); `hint` says what to do."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    hint: str | None = None
