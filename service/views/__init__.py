"""Build the answers of routes and pages from the graph."""
