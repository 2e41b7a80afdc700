"""Every query that specter-graph sends, one .cypher file each.

The header of a file says what it answers, its parameters and its columns::

    // One sentence: what it answers.
    //
    // More, if more is to be said.
    //
    // purpose: explore, recommend, review, assess or maintain; in the library
    // parameters:
    //   $ids LIST<STRING>: ids of papers
    // returns:
    //   id STRING: the paper

A statement that takes a reproducible random sample says ``ORDER BY {{sample order of paper}}``:
the sample keys times a constant, modulo 2^31 - 1, then the ids. The sample keys themselves would
order the held-out papers, which have the smallest keys, before all others.

The files in `library/` are for users (`specter-graph query`), the others serve the program. In:
the name of a file, such as "library/missing_references". Out: a `Statement`.
"""

from specter_graph.cypher.statements import Column, Parameter, Statement, library, statement

__all__ = ["Column", "Parameter", "Statement", "library", "statement"]
