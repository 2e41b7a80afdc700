"""Library queries and the user's own Cypher."""
