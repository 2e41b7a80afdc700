// Returns the papers that a set of papers cites most, and the papers that cite the most of the set.
//
// parameters:
//   $ids LIST<STRING>: the set
//   $k INTEGER: maximum number of papers of each kind
// returns:
//   kind STRING: prior for cited papers, derivative for citing ones
//   id STRING: a paper, perhaps of the set
//   title STRING: its title
//   year INTEGER: its year, may be null
//   citations INTEGER: number of papers in the graph that cite it
//   links INTEGER: number of papers of the set that it is cited by, or cites
CALL () {
  UNWIND $ids AS id
  MATCH (:Paper {id: id})-[:CITES]->(other:Paper&!Stub)
  WITH other, count(*) AS links
  WITH other, links, COUNT { (other)<-[:CITES]-() } AS citations
  ORDER BY links DESC, citations DESC, other.id LIMIT $k
  RETURN 'prior' AS kind, other, links, citations
UNION ALL
  UNWIND $ids AS id
  MATCH (:Paper {id: id})<-[:CITES]-(other:Paper&!Stub)
  WITH other, count(*) AS links ORDER BY links DESC, other.id LIMIT $k
  RETURN 'derivative' AS kind, other, links, COUNT { (other)<-[:CITES]-() } AS citations
}
RETURN kind, other.id AS id, other.title AS title, other.year AS year, citations, links
ORDER BY kind DESC, links DESC, citations DESC, id
