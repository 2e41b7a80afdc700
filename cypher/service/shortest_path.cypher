// Returns one of the shortest citation paths between two papers, in either direction.
//
// Only its ends may be stubs.
//
// parameters:
//   $from STRING: the first paper
//   $to STRING: the last paper
// returns:
//   ids LIST<STRING>: the papers
//   titles LIST<STRING>: their titles
//   steps LIST<STRING>: cites, or cited by, from each paper to the next
MATCH (end:Paper)
WHERE end.id IN [$from, $to]
WITH collect(end) AS ends
WITH [end IN ends WHERE end.id = $from][0] AS from, [end IN ends WHERE end.id = $to][0] AS to
MATCH path = SHORTEST 1 (from) (()-[:CITES]-(next:Paper WHERE NOT next:Stub OR next.id = $to)){1,8} (to)
WITH nodes(path) AS papers, relationships(path) AS citations
RETURN [each IN papers | each.id] AS ids, [each IN papers | each.title] AS titles,
       [i IN range(0, size(citations) - 1) |
         CASE startNode(citations[i]) WHEN papers[i] THEN 'cites' ELSE 'cited by' END] AS steps
