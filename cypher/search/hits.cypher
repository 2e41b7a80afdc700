// Returns the displayed properties of papers.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   id STRING: a paper
//   stub BOOLEAN: true if only the id is known, from the papers that cite it
//   title STRING: its title, null for a stub
//   year INTEGER: its year, may be null
//   abstract STRING: its abstract, may be null
//   authors LIST<STRING>: names, in order
//   venue STRING: the name of its venue, may be null
//   citations INTEGER: number of papers that cite it
//   doi STRING: its DOI, may be null
//   arxiv_id STRING: its id at arXiv, may be null
//   pubmed_id STRING: its id at PubMed, may be null
//   url STRING: its URL, may be null
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper:Stub AS stub, paper.title AS title, paper.year AS year,
       paper.abstract AS abstract,
       COLLECT {
         MATCH (author:Author)-[wrote:WROTE]->(paper)
         WITH author, wrote ORDER BY wrote.position, author.id
         RETURN coalesce(author.name, author.id)
       } AS authors,
       [(paper)-[:PUBLISHED_IN]->(venue) | coalesce(venue.name, venue.id)][0] AS venue,
       COUNT { (paper)<-[:CITES]-() } AS citations,
       paper.doi AS doi, paper.arxiv_id AS arxiv_id, paper.pubmed_id AS pubmed_id,
       paper.url AS url
