"""Every query that specter-graph sends, one .cypher file each.

The header of a file describes the result, the parameters and the columns::

    // One sentence about the result.
    //
    // Further sentences, if necessary.
    //
    // purpose: explore, recommend, review, assess or maintain; in the library
    // parameters:
    //   $ids LIST<STRING>: ids of papers
    // returns:
    //   id STRING: the paper

A statement that takes a reproducible random sample says ``ORDER BY {{sample order of paper}}``:
the sample keys times a constant, modulo 2^31 - 1, then the ids. The sample keys themselves would
order the held-out papers, which have the smallest keys, before all others.

The files in `library/` are for users (`specter-graph query`); the others are for the program.
`statement` takes the name of a file, such as "library/missing_references", and returns a
`Statement`.
"""

from specter_graph.cypher.statements import Column, Parameter, Statement, library, statement

__all__ = ["Column", "Parameter", "Statement", "library", "statement"]
