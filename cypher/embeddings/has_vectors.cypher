// Returns the papers with these ids, and the spaces in which they have no vector.
//
// parameters:
//   $ids LIST<STRING>: ids of papers; they may be unknown
//   $spaces LIST<STRING>: names of embedding spaces
// returns:
//   papers LIST<MAP>: of each id
//     id, the given one;
//     paper, the id of the paper, which differs for a merged paper; null for an unknown id;
//     stub, true if it has no record; null for an unknown id;
//     without, the spaces in which it has no vector
UNWIND $ids AS id
OPTIONAL MATCH (own:Paper {id: id})
OPTIONAL MATCH (:SourceRecord {id: id})-[:DESCRIBES]->(into:Paper)
WITH id, coalesce(own, into) AS paper
RETURN collect({
  id: id, paper: paper.id, stub: paper:Stub,
  without: [space IN $spaces WHERE paper[space] IS NULL]
}) AS papers
