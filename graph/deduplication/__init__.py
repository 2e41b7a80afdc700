"""Combine papers that are the same, after loading: `merge` is the module to start with."""
