// The papers whose title and abstract match words best (BM25), of those that pass the filters.
//
// parameters:
//   $words STRING: the words, in Lucene's syntax
//   $most INTEGER: how many to ask the index for
// returns:
//   hits LIST<MAP>: id and title, the best first
CALL db.index.fulltext.queryNodes('fulltext_papers', $words, {limit: $most}) YIELD node AS near, score
WHERE NOT near:Stub AND {{filters}}
WITH near, near.id AS id, score
ORDER BY score DESC, id
RETURN collect({id: id, title: near.title}) AS hits
