"""Run a query of the library, or one of the user's."""
