// Returns the papers that match a full-text query best (BM25) and pass the filters.
//
// parameters:
//   $words STRING: the words, in Lucene's syntax
//   $limit INTEGER: number of candidates from the index
// returns:
//   found MAP: seen, the number of papers from the index, and hits, maps of id, title and score, the
//     best first
CALL db.index.fulltext.queryNodes('fulltext_papers', $words, {limit: $limit}) YIELD node AS near, score
WITH CASE WHEN NOT near:Stub AND {{filters}} THEN near END AS near, score
WITH near, near.id AS id, score
ORDER BY score DESC, id
RETURN {
  seen: count(*),
  hits: collect(CASE WHEN near IS NOT NULL THEN {id: id, title: near.title, score: score} END)
} AS found
