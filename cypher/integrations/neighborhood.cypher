// The papers around a paper and the citations among them, without vectors.
//
// parameters:
//   $id STRING: the paper
//   $near LIST<STRING>: additional papers
//   $k INTEGER: number of the most cited references, and of the most cited citing papers
// returns:
//   papers LIST<MAP>: id, title, year and citations of each
//   citations LIST<LIST<STRING>>: the ids of the citing and the cited paper
MATCH (paper:Paper {id: $id})
WITH [paper] +
     COLLECT {
       MATCH (paper)-[:CITES]->(cited:Paper&!Stub)
       RETURN cited ORDER BY COUNT { (cited)<-[:CITES]-() } DESC, cited.id LIMIT $k
     } +
     COLLECT {
       MATCH (paper)<-[:CITES]-(citing:Paper)
       RETURN citing ORDER BY COUNT { (citing)<-[:CITES]-() } DESC, citing.id LIMIT $k
     } +
     COLLECT { MATCH (near:Paper) WHERE near.id IN $near RETURN near } AS around
UNWIND around AS each
WITH DISTINCT each ORDER BY each.id
WITH collect(each) AS papers
RETURN [each IN papers | each {.id, .title, .year, citations: COUNT { (each)<-[:CITES]-() }}]
         AS papers,
       COLLECT {
         UNWIND papers AS citing
         MATCH (citing)-[:CITES]->(cited)
         WHERE cited IN papers
         RETURN [citing.id, cited.id]
       } AS citations
