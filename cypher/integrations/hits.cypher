// The beginning of a retriever query: the hits with their scores.
//
// The end is `papers_and_citations` or `documents`.
//
// parameters:
//   $hits LIST<MAP>: id STRING, score FLOAT
// returns:
//   node NODE: a paper
//   score FLOAT: its score
UNWIND $hits AS hit
MATCH (node:Paper {id: hit.id})
WITH node, hit.score AS score
