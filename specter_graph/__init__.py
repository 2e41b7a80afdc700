"""specter-graph: citation-informed document embeddings on a Neo4j literature graph."""
