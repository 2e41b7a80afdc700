// Returns the scored papers of a split: those with a number of references, or a sample of them.
//
// All records of a merged paper must be in the split. Its own sample key is the smallest of
// theirs, so only the largest must be checked.
//
// parameters:
//   $smallest INTEGER: the smallest sample key of the split
//   $below INTEGER: sample keys of the split are smaller
//   $fewest INTEGER: the smallest number of references with a record
//   $most INTEGER: the largest number
//   $limit INTEGER: papers in the sample
// returns:
//   ids LIST<STRING>: ids of papers, in order
MATCH (paper:Paper&!Stub)
WHERE $smallest <= paper.sample_key < $below
  AND NOT EXISTS { (paper)<-[:DESCRIBES]-(member:SourceRecord) WHERE member.sample_key >= $below }
  AND $fewest <= COUNT { (paper)-[:CITES]->(:Paper&!Stub) } <= $most
WITH paper
ORDER BY {{sample order of paper}}
LIMIT $limit
WITH paper.id AS id
ORDER BY id
RETURN collect(id) AS ids
