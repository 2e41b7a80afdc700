"""What all forms need."""

from pydantic import BeforeValidator

EMPTY = BeforeValidator(lambda value: None if value == "" else value)
"""A form sends its empty fields, too."""
