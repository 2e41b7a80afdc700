// The most cited stubs: papers whose records would add the most to the graph.
//
// Reads all stubs, which takes 20 to 60 ms for 10,000 and more than 0.2 seconds for 100,000.
//
// purpose: maintain
// parameters:
//   $k INTEGER = 10: number of stubs
// returns:
//   id STRING: a stub
//   citations INTEGER: number of its citations
MATCH (stub:Stub)
WITH stub, COUNT { (stub)<-[:CITES]-() } AS citations
ORDER BY citations DESC, stub.id
LIMIT $k
RETURN stub.id AS id, citations
ORDER BY citations DESC, id
