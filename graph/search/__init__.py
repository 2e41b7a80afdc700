"""Search: filters, and rankings that combine words, vectors and citations.

`build_question` builds a `Question` from a query and papers; `search` returns hits with their
reasons.
"""
