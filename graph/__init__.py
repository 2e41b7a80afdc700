"""Reading from and writing to Neo4j; the only package that opens a driver.

It stores `loaders.records` and arrays of vectors, and returns texts, triplets, edges and rows. The
first argument of every function is a `Database`. All statements are in the cypher package.
"""
