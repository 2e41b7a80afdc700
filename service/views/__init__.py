"""Results of routes and pages, read from the graph."""
