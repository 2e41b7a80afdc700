// Returns the papers of a small venue, field or author that match words best (BM25).
//
// parameters:
//   $queries LIST<STRING>: in Lucene's syntax, the words and the beginnings of some texts: together
//     the queries match all papers that pass the filters and have the words, and perhaps others
//   $k INTEGER: maximum number of papers
// returns:
//   hits LIST<MAP>: id, title and score, the best first
{{start}}
WHERE {{others}}
WITH collect(near) AS passing
UNWIND $queries AS words
CALL db.index.fulltext.queryNodes('fulltext_papers', words) YIELD node AS near, score
WHERE near IN passing AND NOT near:Stub
WITH near, max(score) AS score
WITH near, near.id AS id, score
ORDER BY score DESC, id
LIMIT $k
RETURN collect({id: id, title: near.title, score: score}) AS hits
