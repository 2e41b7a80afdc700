// Two papers by everything that the graph says of both.
//
// parameters:
//   $a STRING: a paper
//   $b STRING: another
//   $spaces LIST<STRING>: names of embedding spaces
// returns:
//   a_cites_b BOOLEAN: whether the first cites the second
//   b_cites_a BOOLEAN: whether the second cites the first
//   references LIST<MAP>: id, title and year of what both cite, the most cited first, 50 at most
//   shared_references INTEGER: how many papers both cite
//   all_references INTEGER: how many papers one of them cites
//   citing LIST<MAP>: id, title and year of what cites both, the most cited first, 50 at most
//   shared_citations INTEGER: how many papers cite both
//   all_citations INTEGER: how many papers cite one of them
//   authors LIST<STRING>: the names of those who wrote both
//   fields LIST<STRING>: the names of what both are about
//   venue STRING: where both were published, null where that is not the same
//   similarities LIST<FLOAT>: 1 / (1 + squared distance) by space, null without both vectors
MATCH (a:Paper {id: $a})
MATCH (b:Paper {id: $b})
WITH a, b,
     COLLECT { MATCH (a)-[:CITES]->(both:Paper)<-[:CITES]-(b) RETURN DISTINCT both } AS cited,
     COLLECT { MATCH (a)<-[:CITES]-(both:Paper)-[:CITES]->(b) RETURN DISTINCT both } AS citing
RETURN EXISTS { (a)-[:CITES]->(b) } AS a_cites_b,
       EXISTS { (b)-[:CITES]->(a) } AS b_cites_a,
       COLLECT {
         UNWIND cited AS each
         WITH each ORDER BY COUNT { (each)<-[:CITES]-() } DESC, each.id LIMIT 50
         RETURN each {.id, .title, .year}
       } AS references,
       size(cited) AS shared_references,
       COUNT { (a)-[:CITES]->() } + COUNT { (b)-[:CITES]->() } - size(cited) AS all_references,
       COLLECT {
         UNWIND citing AS each
         WITH each ORDER BY COUNT { (each)<-[:CITES]-() } DESC, each.id LIMIT 50
         RETURN each {.id, .title, .year}
       } AS citing,
       size(citing) AS shared_citations,
       COUNT { (a)<-[:CITES]-() } + COUNT { (b)<-[:CITES]-() } - size(citing) AS all_citations,
       COLLECT {
         MATCH (a)<-[:WROTE]-(author:Author)-[:WROTE]->(b)
         WITH DISTINCT coalesce(author.name, author.id) AS name ORDER BY name
         RETURN name
       } AS authors,
       COLLECT {
         MATCH (a)-[:ABOUT]->(field:Field)<-[:ABOUT]-(b)
         WITH DISTINCT coalesce(field.name, field.id) AS name ORDER BY name
         RETURN name
       } AS fields,
       [(a)-[:PUBLISHED_IN]->(venue)<-[:PUBLISHED_IN]-(b) | venue.name][0] AS venue,
       [space IN $spaces | CASE WHEN a[space] IS NOT NULL AND b[space] IS NOT NULL
         THEN vector.similarity.euclidean(a[space], b[space]) END] AS similarities
