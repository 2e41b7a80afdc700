// Sets the loads and record versions of restored papers.
//
// parameters:
//   $papers LIST<MAP>: id, load, abstract_version, references_version
UNWIND $papers AS row
MATCH (p:Paper {id: row.id})
SET p.load = row.load, p.abstract_version = row.abstract_version,
  p.references_version = row.references_version
