// Returns papers and the citations among them.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   papers LIST<MAP>: id, title, year and citations of each, in the order of ids
//   citations LIST<LIST<STRING>>: pairs of ids, the citing and the cited paper
MATCH (paper:Paper) WHERE paper.id IN $ids
WITH paper ORDER BY paper.id
WITH collect(paper) AS papers
RETURN [each IN papers | each {.id, .title, .year, citations: COUNT { (each)<-[:CITES]-() }}]
         AS papers,
       COLLECT {
         UNWIND papers AS citing
         MATCH (citing)-[:CITES]->(cited)
         WHERE cited IN papers
         WITH citing, cited ORDER BY citing.id, cited.id
         RETURN [citing.id, cited.id]
       } AS citations
