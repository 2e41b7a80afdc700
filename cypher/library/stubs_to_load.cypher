// The stubs that papers near a text cite most: the records to load next for a subject.
//
// purpose: maintain
// parameters:
//   $text TEXT: the subject
//   $space SPACE = null: the embedding space, by default specter, base or static
//   $k INTEGER = 10: number of stubs
//   $candidates INTEGER = 200: number of the nearest papers to consider
// returns:
//   id STRING: a stub
//   weight FLOAT: the sum of the scores of the near papers that cite it
//   near_citations INTEGER: the number of these papers
//   citations INTEGER: number of all its citations
{{$candidates nearest to $vector in $space}}
MATCH (near)-[:CITES]->(stub:Stub)
WITH stub, sum(score) AS weight, count(near) AS near_citations
ORDER BY weight DESC, stub.id
LIMIT $k
RETURN stub.id AS id, weight, near_citations, COUNT { (stub)<-[:CITES]-() } AS citations
ORDER BY weight DESC, id
