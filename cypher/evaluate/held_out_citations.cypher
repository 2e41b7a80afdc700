// For each held-out paper: the training papers it cites, that cite it, that are cited with it.
//
// Training papers have a record and are not held out. Two papers are cited together when some
// paper cites both.
//
// parameters:
//   $ids LIST<STRING>: ids of held-out papers
//   $hidden STRING: a label; papers that have it are passed over as citing both, null for none
// returns:
//   id STRING: the held-out paper
//   cites LIST<STRING>: ids of training papers, in no order
//   cited_by LIST<STRING>: likewise
//   cocited LIST<STRING>: likewise
UNWIND $ids AS id
MATCH (query:Paper {id: id})
RETURN query.id AS id,
       COLLECT {
         MATCH (query)-[:CITES]->(cited:Paper&!Stub&!Test&!Validation)
         RETURN cited.id
       } AS cites,
       COLLECT {
         MATCH (query)<-[:CITES]-(citing:Paper&!Stub&!Test&!Validation)
         RETURN citing.id
       } AS cited_by,
       COLLECT {
         MATCH (query)<-[:CITES]-(citing:Paper)
         WHERE $hidden IS NULL OR NOT $hidden IN labels(citing)
         MATCH (citing)-[:CITES]->(other:Paper&!Stub&!Test&!Validation)
         RETURN DISTINCT other.id
       } AS cocited
