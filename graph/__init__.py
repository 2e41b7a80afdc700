"""Records and vectors to and from Neo4j: the only room that opens a driver.

In: `loaders.records`, arrays of vectors. Out: texts, triplets, edges, rows. The first argument of
every function is a `Database`; every statement comes from the cypher room.
"""
