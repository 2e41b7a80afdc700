"""A whole corpus into an empty local server: neo4j-admin import in place of transactions.

In: what `graph.loading.loader` takes. Out: the same graph, in a fraction of the time. The way:
parts of the corpus are read by several processes into tables (`parse`, `columns`, `workers`); the
tables are resolved to one graph (`resolve`), which is written to files (`files`), imported
(`importer`), and put in the place of the instance's data (`load.bulk_load`).
"""
