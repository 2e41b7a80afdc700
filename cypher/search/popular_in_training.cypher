// Papers by how often papers cite them that are neither held out nor passed over.
//
// Apart from `popular`, which only asks for degrees: in one statement both would be counted.
//
// parameters:
//   $ids LIST<STRING>: papers
//   $passed LIST<STRING>: papers whose citations do not count
// returns:
//   papers LIST<STRING>: ids, the most cited first
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WITH id, COUNT {
  MATCH (paper)<-[:CITES]-(citing:!Test&!Validation)
  WHERE NOT citing.id IN $passed
} AS citations
ORDER BY citations DESC, id
RETURN collect(id) AS papers
