// Some papers, and who cites whom among them.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   papers LIST<MAP>: id, title, year and citations of each, in the order of ids
//   citations LIST<LIST<STRING>>: the ids of who cites and who is cited
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
