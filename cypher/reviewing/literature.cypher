// A page of papers with their authors and references, for the proxy of reviewer matching.
//
// parameters:
//   $after STRING: the last id of the page before, '' for the first
//   $limit INTEGER: papers a page
// returns:
//   id STRING: the paper, in order
//   year INTEGER: its year
//   published STRING: its date, may be null
//   authors LIST<STRING>: the ids of its authors, in their order
//   references LIST<STRING>: the ids of the papers that it cites
MATCH (paper:Paper&!Stub)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after AND paper.year IS NOT NULL
WITH paper ORDER BY paper.id LIMIT $limit
RETURN paper.id AS id, paper.year AS year, paper.published AS published,
  COLLECT {
    MATCH (paper)<-[wrote:WROTE]-(author:Author) RETURN author.id ORDER BY wrote.position
  } AS authors,
  COLLECT { MATCH (paper)-[:CITES]->(cited:Paper) RETURN cited.id ORDER BY cited.id } AS references
ORDER BY id
