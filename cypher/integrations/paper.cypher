// Returns a paper with its authors and citations, without vectors.
//
// parameters:
//   $id STRING: the paper
//   $k INTEGER: maximum number of references, and of citing papers
// returns:
//   id STRING: the paper
//   title STRING: its title; null for a stub
//   abstract STRING: its abstract
//   year INTEGER: its year
//   venue STRING: its venue
//   doi STRING: its DOI
//   url STRING: its web page
//   retracted BOOLEAN: true if a source says that it was retracted
//   authors LIST<STRING>: names, in order
//   references INTEGER: number of papers that it cites
//   citations INTEGER: number of papers that cite it
//   cites LIST<MAP>: id, title and year of its most cited references
//   cited_by LIST<MAP>: id, title and year of the most cited papers that cite it
MATCH (paper:Paper {id: $id})
RETURN paper.id AS id, paper.title AS title, paper.abstract AS abstract, paper.year AS year,
       [(paper)-[:PUBLISHED_IN]->(venue) | venue.name][0] AS venue,
       paper.doi AS doi, paper.url AS url, coalesce(paper.retracted, false) AS retracted,
       COLLECT {
         MATCH (author:Author)-[wrote:WROTE]->(paper)
         WITH author, wrote ORDER BY wrote.position
         RETURN author.name
       } AS authors,
       COUNT { (paper)-[:CITES]->() } AS references,
       COUNT { (paper)<-[:CITES]-() } AS citations,
       COLLECT {
         MATCH (paper)-[:CITES]->(cited:Paper&!Stub)
         WITH cited ORDER BY COUNT { (cited)<-[:CITES]-() } DESC, cited.id LIMIT $k
         RETURN cited {.id, .title, .year}
       } AS cites,
       COLLECT {
         MATCH (paper)<-[:CITES]-(citing:Paper)
         WITH citing ORDER BY COUNT { (citing)<-[:CITES]-() } DESC, citing.id LIMIT $k
         RETURN citing {.id, .title, .year}
       } AS cited_by
