// Returns a page of the papers with a record that are not held out, each with its references.
//
// Papers are identified by node numbers: ids would take ten times the bytes.
//
// parameters:
//   $after STRING: the last id of the previous page, '' for the first
//   $limit INTEGER: papers per page
//   $held_out INTEGER: papers with a smaller sample key are held out
// returns:
//   ids LIST<STRING>: ids of papers, in order
//   nodes LIST<INTEGER>: their node numbers
//   cited LIST<LIST<INTEGER>>: the node numbers of the papers that each cites
MATCH (paper:Paper&!Stub)
USING INDEX SEEK paper:Paper(id)
WHERE paper.id > $after AND paper.sample_key >= $held_out
WITH paper, paper.id AS id
ORDER BY id
LIMIT $limit
RETURN
  collect(id) AS ids,
  collect(id(paper)) AS nodes,
  collect([(paper)-[:CITES]->(cited) | id(cited)]) AS cited
