// Returns a paper with its text, authors, fields and counts, without its vectors.
//
// parameters:
//   $id STRING: the paper, or a record that was merged into it
// returns:
//   id STRING: the paper
//   stub BOOLEAN: true if only the id is known, from the papers that cite it
//   title STRING: its title, null for a stub
//   abstract STRING: its abstract, may be null
//   year INTEGER: its year, may be null
//   language STRING: its language, may be null
//   venue STRING: the name of its venue, may be null
//   doi STRING: its DOI, may be null
//   arxiv_id STRING: its id at arXiv, may be null
//   pubmed_id STRING: its id at PubMed, may be null
//   url STRING: its URL, may be null
//   retracted BOOLEAN: true if a source says that it was retracted
//   authors LIST<MAP>: id and name, in order
//   fields LIST<STRING>: names of its fields
//   references INTEGER: number of papers that it cites
//   citations INTEGER: number of papers that cite it
//   citations_by_year LIST<MAP>: year, and number of papers of this year that cite it
//   spaces LIST<STRING>: the spaces in which it has a vector
OPTIONAL MATCH (own:Paper {id: $id})
OPTIONAL MATCH (:SourceRecord {id: $id})-[:DESCRIBES]->(into:Paper)
WITH coalesce(own, into) AS paper LIMIT 1
WHERE paper IS NOT NULL
RETURN paper.id AS id, paper:Stub AS stub, paper.title AS title, paper.abstract AS abstract,
       paper.year AS year, paper.language AS language,
       [(paper)-[:PUBLISHED_IN]->(venue) | venue.name][0] AS venue,
       paper.doi AS doi, paper.arxiv_id AS arxiv_id, paper.pubmed_id AS pubmed_id,
       paper.url AS url, coalesce(paper.retracted, false) AS retracted,
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
       COLLECT {
         MATCH (paper)<-[:CITES]-(citing:Paper)
         WHERE citing.year IS NOT NULL
         WITH citing.year AS year, count(*) AS papers ORDER BY year
         RETURN {year: year, papers: papers}
       } AS citations_by_year,
       COLLECT {
         MATCH (space:EmbeddingSpace)
         WHERE space.dimension IS NOT NULL AND paper[space.property] IS NOT NULL
         RETURN space.property ORDER BY space.property
       } AS spaces
