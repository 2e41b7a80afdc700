"""Search: filters, and rankings that combine words, vectors and citations.

`build_request` builds a `SearchRequest` from a query and papers; `search` returns hits with their
reasons.
"""
