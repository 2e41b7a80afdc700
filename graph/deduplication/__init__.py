"""Makes one paper of what several sources tell of it, after loading.

In: a graph into which corpora were loaded, and which sources to prefer. Out: the same graph with
papers that are the same made one, and a report of what was merged and what was not. `merge` says
how it is done; `aside`, `into` and `tellings` are what loading needs to know of it.
"""
