"""Doors from the ecosystem's own libraries to the graph; each needs the extra that it names.

`graphrag` and `langchain` retrieve with neo4j-graphrag and LangChain, `mcp_server` answers language
models, `notebook` shows tables, frames and pictures, `graph_data_science` (no extra) hands the
citations to Neo4j's own client. In: an open `LiteratureGraph`. Out: objects of those libraries.
None of them returns a vector unless it is asked for one.
"""
