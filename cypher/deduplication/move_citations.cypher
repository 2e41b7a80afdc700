// Take away citations of papers whose ids mean others now, to make them anew.
//
// Of a paper that is its own again only those that name it by other ids.
//
// parameters:
//   $nodes INTEGER: papers looked at
//   $rows INTEGER: citations taken away
// returns:
//   citing STRING: the citing paper
//   cited STRING: the id of the cited paper
//   properties MAP: those of the citation
MATCH (n:Unsettled&!Stub)
WITH n LIMIT $nodes
MATCH (n)<-[c:CITES]-(p:Paper)
WHERE n:Merged OR c.named IS NOT NULL
WITH n, c, p LIMIT $rows
WITH n.id AS cited, p.id AS citing, c, properties(c) AS properties
DELETE c
RETURN citing, cited, properties
