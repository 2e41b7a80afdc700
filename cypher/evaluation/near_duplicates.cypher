// Returns, for each of some papers, the papers that share at least 60 % of their references with it.
//
// The share is the Jaccard index over all references. Such papers share 60 % of the references of
// each, so only papers that cite one of the least cited others need to be compared.
//
// parameters:
//   $ids LIST<STRING>: ids of papers
//   $held_out INTEGER: near-duplicates have at least this sample key
//   $references INTEGER: papers with fewer references have no near-duplicates
// returns:
//   id STRING: a paper with near-duplicates
//   near_duplicates LIST<STRING>: ids of papers with a record, unordered
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH paper, COUNT { (paper)-[:CITES]->() } AS own
WHERE own >= $references
CALL (paper, own) {
  MATCH (paper)-[:CITES]->(cited)
  WITH own, cited
  ORDER BY COUNT { (cited)<-[:CITES]-() }, cited.id
  WITH own, collect(cited) AS cited
  UNWIND cited[..own - (3 * own + 4) / 5 + 1] AS rare
  MATCH (rare)<-[:CITES]-(other:Paper&!Stub)
  WHERE other.sample_key >= $held_out AND other <> paper
  WITH DISTINCT own, cited, other, COUNT { (other)-[:CITES]->() } AS others
  WHERE 3 * own <= 5 * others AND 3 * others <= 5 * own
  WITH own, others, other,
       COUNT { MATCH (other)-[:CITES]->(shared) WHERE shared IN cited } AS both
  WHERE 5 * both >= 3 * (own + others - both)
  RETURN collect(other.id) AS near_duplicates
}
WITH paper, near_duplicates
WHERE size(near_duplicates) > 0
RETURN paper.id AS id, near_duplicates
