// Compares two papers by citations, authors, fields, venue and vectors.
//
// parameters:
//   $a STRING: a paper
//   $b STRING: another
//   $spaces LIST<STRING>: names of embedding spaces
// returns:
//   a_cites_b BOOLEAN: true if the first cites the second
//   b_cites_a BOOLEAN: true if the second cites the first
//   references LIST<MAP>: id, title and year of at most 50 papers that both cite, the most
//     cited first
//   shared_references INTEGER: number of papers that both cite
//   all_references INTEGER: number of papers that at least one of them cites
//   citing LIST<MAP>: id, title and year of at most 50 papers that cite both, the most cited
//     first
//   shared_citations INTEGER: number of papers that cite both
//   all_citations INTEGER: number of papers that cite at least one of them
//   authors LIST<STRING>: the names of the common authors
//   fields LIST<STRING>: the names of the common fields
//   venue STRING: the common venue, null if there is none
//   similarities LIST<FLOAT>: 1 / (1 + squared distance) by space, null if a vector is missing
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
