// Papers by how often they are cited.
//
// parameters:
//   $ids LIST<STRING>: papers
// returns:
//   papers LIST<STRING>: ids, the most cited first
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH id, COUNT { (paper)<-[:CITES]-() } AS citations
ORDER BY citations DESC, id
RETURN collect(id) AS papers
