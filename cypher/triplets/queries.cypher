// Returns the scored papers of a split: those with enough references, or a sample of them.
//
// All records of a merged paper must be in the split. Its own sample key is the smallest of
// theirs, so only the largest must be checked.
//
// parameters:
//   $smallest INTEGER: the smallest sample key of the split
//   $below INTEGER: sample keys of the split are smaller
//   $references INTEGER: the smallest number of references with a record
//   $limit INTEGER: papers in the sample
// returns:
//   ids LIST<STRING>: ids of papers, in order
MATCH (paper:Paper&!Stub)
WHERE $smallest <= paper.sample_key < $below
  AND NOT EXISTS { (paper)<-[:DESCRIBES]-(member:SourceRecord) WHERE member.sample_key >= $below }
  AND COUNT { (paper)-[:CITES]->(:Paper&!Stub) } >= $references
WITH paper
ORDER BY {{sample order of paper}}
LIMIT $limit
WITH paper.id AS id
ORDER BY id
RETURN collect(id) AS ids
