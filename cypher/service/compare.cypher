// Compares two papers by citations, authors, fields, venue and vectors.
//
// parameters:
//   $a STRING: a paper
//   $b STRING: another
//   $spaces LIST<STRING>: names of embedding spaces
// returns:
//   a_cites_b BOOLEAN: true if the first cites the second
//   b_cites_a BOOLEAN: true if the second cites the first
//   references MAP: shared, the number of papers that both cite; all, that of the papers that at
//     least one of them cites; share, their ratio; and papers, maps of id, title and year of at
//     most 50 papers that both cite, the most cited first
//   citations MAP: the same of the papers that cite both, or at least one of them
//   authors LIST<STRING>: the names of the common authors
//   fields LIST<STRING>: the names of the common fields
//   venue STRING: the common venue, null if there is none
//   similarities LIST<FLOAT>: 1 / (1 + squared distance) by space, null if a vector is missing
MATCH (a:Paper {id: $a})
MATCH (b:Paper {id: $b})
WITH a, b,
     COLLECT { MATCH (a)-[:CITES]->(both:Paper)<-[:CITES]-(b) RETURN DISTINCT both } AS cited,
     COLLECT { MATCH (a)<-[:CITES]-(both:Paper)-[:CITES]->(b) RETURN DISTINCT both } AS citing
WITH *,
     COUNT { (a)-[:CITES]->() } + COUNT { (b)-[:CITES]->() } - size(cited) AS all_cited,
     COUNT { (a)<-[:CITES]-() } + COUNT { (b)<-[:CITES]-() } - size(citing) AS all_citing
RETURN EXISTS { (a)-[:CITES]->(b) } AS a_cites_b,
       EXISTS { (b)-[:CITES]->(a) } AS b_cites_a,
       {
         shared: size(cited), all: all_cited,
         share: CASE all_cited WHEN 0 THEN 0.0 ELSE toFloat(size(cited)) / all_cited END,
         papers: COLLECT {
           UNWIND cited AS each
           WITH each ORDER BY COUNT { (each)<-[:CITES]-() } DESC, each.id LIMIT 50
           RETURN each {.id, .title, .year}
         }
       } AS references,
       {
         shared: size(citing), all: all_citing,
         share: CASE all_citing WHEN 0 THEN 0.0 ELSE toFloat(size(citing)) / all_citing END,
         papers: COLLECT {
           UNWIND citing AS each
           WITH each ORDER BY COUNT { (each)<-[:CITES]-() } DESC, each.id LIMIT 50
           RETURN each {.id, .title, .year}
         }
       } AS citations,
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
