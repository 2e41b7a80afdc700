"""Parsers of JSON, CSV, XML, Parquet and LaTeX, and of values, independent of the sources."""
