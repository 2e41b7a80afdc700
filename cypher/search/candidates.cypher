// Returns the signals of the candidates of a search, and of papers that the best candidates cite.
//
// Only the citations of the best papers are followed, from the citing side, so that the
// time does not depend on the number of citations of a paper.
//
// parameters:
//   $ids LIST<STRING>: the candidates
//   $best LIST<STRING>: the best candidates
//   $vector LIST<FLOAT>: the vector of the query; null for none
//   $space STRING: the embedding space; null for none
//   $compared LIST<STRING>: candidates whose similarity is known
//   $min_citing INTEGER: number of best candidates that must cite another paper to add it
// returns:
//   papers LIST<LIST>: id; title; the best candidates that cite it; similarity, 1 / (1 + squared
//     distance) to the vector, null without vectors or if it is known
CALL () {
  UNWIND $ids AS id
  MATCH (near:Paper {id: id})
  RETURN near, null AS citing
  UNION ALL
  UNWIND $best AS id
  MATCH (best:Paper {id: id})-[:CITES]->(near:Paper)
  USING INDEX SEEK best:Paper(id)  // without it, a new database with old statistics is scanned
  RETURN near, id AS citing
}
WITH near, count(*) - count(citing) AS found, collect(citing) AS cited_by
WHERE found > 0 OR (size(cited_by) >= $min_citing AND NOT near:Stub AND {{filters}})
RETURN collect([
  near.id, near.title, cited_by,
  CASE WHEN NOT near.id IN $compared
    THEN vector.similarity.euclidean(near[$space], $vector) END
]) AS papers
