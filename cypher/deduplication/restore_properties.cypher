// Set the properties of restored papers that say which loads and which records they are from.
//
// parameters:
//   $papers LIST<MAP>: id, load, abstract_version, references_version
UNWIND $papers AS row
MATCH (p:Paper {id: row.id})
SET p.load = row.load, p.abstract_version = row.abstract_version,
  p.references_version = row.references_version
