// A paper as the service shows it: its text, who wrote it, what is counted, without its vectors.
//
// parameters:
//   $id STRING: the paper
//   $spaces LIST<STRING>: names of embedding spaces
// returns:
//   id STRING: the paper
//   stub BOOLEAN: whether only the id is known, from the papers that cite it
//   title STRING: its title, null for a stub
//   abstract STRING: its abstract, may be null
//   year INTEGER: its year, may be null
//   language STRING: its language, may be null
//   venue STRING: the name of where it was published, may be null
//   doi STRING: its DOI, may be null
//   arxiv_id STRING: its id at arXiv, may be null
//   pubmed_id STRING: its id at PubMed, may be null
//   url STRING: where it can be read, may be null
//   authors LIST<MAP>: id and name, in order
//   fields LIST<STRING>: names of what it is about
//   references INTEGER: how many papers it cites
//   citations INTEGER: how many papers cite it
//   spaces LIST<STRING>: the spaces that it has a vector in
MATCH (paper:Paper {id: $id})
RETURN paper.id AS id, paper:Stub AS stub, paper.title AS title, paper.abstract AS abstract,
       paper.year AS year, paper.language AS language,
       [(paper)-[:PUBLISHED_IN]->(venue) | venue.name][0] AS venue,
       paper.doi AS doi, paper.arxiv_id AS arxiv_id, paper.pubmed_id AS pubmed_id,
       paper.url AS url,
       COLLECT {
         MATCH (author:Author)-[wrote:WROTE]->(paper)
         WITH author, wrote ORDER BY wrote.position, author.id
         RETURN author {.id, .name}
       } AS authors,
       COLLECT {
         MATCH (paper)-[:ABOUT]->(field:Field)
         WITH DISTINCT coalesce(field.name, field.id) AS name ORDER BY name
         RETURN name
       } AS fields,
       COUNT { (paper)-[:CITES]->() } AS references,
       COUNT { (paper)<-[:CITES]-() } AS citations,
       [space IN $spaces WHERE paper[space] IS NOT NULL] AS spaces
