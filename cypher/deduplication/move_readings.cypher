// Take away readings of papers whose ids mean others now, to make them anew.
//
// Of a paper that is its own again only those that name it by other ids.
//
// parameters:
//   $nodes INTEGER: papers looked at
//   $rows INTEGER: readings taken away
// returns:
//   reader STRING: the reader
//   kind STRING: VIEWED or READ
//   paper STRING: the id of the paper
//   properties MAP: those of the reading
MATCH (n:Unsettled&!Stub)
WITH n LIMIT $nodes
MATCH (n)<-[v:VIEWED|READ]-(r:Reader)
WHERE n:Merged OR v.named IS NOT NULL
WITH n, v, r LIMIT $rows
WITH n.id AS paper, r.id AS reader, type(v) AS kind, v, properties(v) AS properties
DELETE v
RETURN reader, kind, paper, properties
