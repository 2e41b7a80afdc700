"""Graph algorithms: PageRank, communities, nearest papers, FastRP, topics, and citations as arrays.

Each function takes a database, writes properties, relationships, an embedding space or topics, and
returns a summary. The Graph Data Science library (GDS) of the server runs the algorithms, through
its client `graphdatascience`, which takes a second to import.
"""
