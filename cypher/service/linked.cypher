// Returns the papers that are linked with given papers by co-citation and bibliographic coupling.
//
// Each count is divided by the square root of the paper's citations or references, so that papers
// with many of them are not ranked first. At most 500 citing papers of each paper are read.
//
// parameters:
//   $ids LIST<STRING>: the given papers
//   $k INTEGER: maximum number of papers
// returns:
//   papers LIST<MAP>: id; cocited, the number of papers that cite it together with a given one;
//     coupled, the number of references in common with the given ones; in order
CALL () {
  UNWIND $ids AS id
  MATCH (given:Paper {id: id})
  CALL (given) {
    MATCH (given)<-[:CITES]-(citing:Paper)
    RETURN citing LIMIT 500
  }
  MATCH (citing)-[:CITES]->(near:Paper&!Stub)
  RETURN near, count(DISTINCT citing) AS cocited, 0 AS coupled
UNION ALL
  UNWIND $ids AS id
  MATCH (given:Paper {id: id})-[:CITES]->(cited:Paper)
  WITH DISTINCT cited
  CALL (cited) {
    MATCH (cited)<-[:CITES]-(near:Paper&!Stub)
    RETURN near LIMIT 500
  }
  RETURN near, 0 AS cocited, count(*) AS coupled
}
WITH near, sum(cocited) AS cocited, sum(coupled) AS coupled
WHERE NOT near.id IN $ids
WITH near, cocited, coupled ORDER BY cocited + coupled DESC, near.id LIMIT 500
WITH near, cocited, coupled,
     cocited / sqrt(COUNT { (near)<-[:CITES]-() } + 1)
       + coupled / sqrt(COUNT { (near)-[:CITES]->() } + 1) AS weight
ORDER BY weight DESC, near.id LIMIT $k
RETURN collect({id: near.id, cocited: cocited, coupled: coupled}) AS papers
