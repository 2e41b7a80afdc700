// Note that merged papers say what their sources tell.
//
// parameters:
//   $ids LIST<STRING>: the papers
UNWIND $ids AS id
MATCH (p:Paper {id: id})
REMOVE p:Unwritten
