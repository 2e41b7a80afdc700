"""Bulk loading of an entire corpus into an empty local server with Neo4j's importer.

The graph is the same as after `graph.loading.loader`, in a fraction of the time. Several processes
read the shards of the corpus into tables (`parse`, `columns`). The tables are resolved to one
graph, which is written to files and imported (`importer`). `load.bulk_load` runs these steps and
replaces the data of the instance.
"""
