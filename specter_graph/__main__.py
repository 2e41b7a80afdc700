"""`specter-graph`, and `python -m specter_graph`, are the command line."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line, also while its modules are imported."""
    try:
        from specter_graph.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
