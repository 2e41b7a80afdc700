"""Integrations with other libraries; each needs the extra of the same name, if there is one.

`graphrag` and `langchain` are retrievers for neo4j-graphrag and LangChain, `mcp_server` serves
language models, `notebook` shows tables, frames and graphs, and `graph_data_science` (no extra)
projects the citations for Neo4j's GDS client. All take an open `LiteratureGraph` and return objects
of those libraries. Vectors are returned only on request.
"""
