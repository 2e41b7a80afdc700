// Set the properties of restored papers that say which loads and which records they are from.
//
// parameters:
//   $papers LIST<MAP>: id, load, abstract_record, references_record
UNWIND $papers AS row
MATCH (p:Paper {id: row.id})
SET p.load = row.load, p.abstract_record = row.abstract_record,
  p.references_record = row.references_record
