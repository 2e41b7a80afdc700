"""A local Neo4j with Graph Data Science as a child process: no Docker, no Java needed."""
