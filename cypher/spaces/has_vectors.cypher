// Says of papers whether they are there and in which spaces they have no vector.
//
// parameters:
//   $ids LIST<STRING>: ids, perhaps of papers
//   $spaces LIST<STRING>: names of embedding spaces
// returns:
//   id STRING: the id
//   known BOOLEAN: whether there is a paper of that id
//   stub BOOLEAN: whether it has no record; null where there is no paper
//   without LIST<STRING>: spaces in which it has no vector
UNWIND $ids AS id
OPTIONAL MATCH (paper:Paper {id: id})
RETURN id, paper IS NOT NULL AS known, paper:Stub AS stub,
       [space IN $spaces WHERE paper[space] IS NULL] AS without
