"""`python -m specter_graph` is the command line."""

from specter_graph.cli import main

main()
