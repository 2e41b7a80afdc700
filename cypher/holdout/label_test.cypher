// Label papers as test papers.
//
// parameters:
//   $ids LIST<STRING>: ids of papers
// returns:
//   labelled INTEGER: how many papers carry the label by this
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
SET paper:Test
RETURN count(*) AS labelled
