// Write the records of papers; leave alone those that carry the same record already.
//
// Setting `draw` first locks the paper, so that two processes that load the same record do not
// both take it for new. A property that the record lacks is removed.
//
// parameters:
//   $papers LIST<MAP>: id, draw, record (a digest of all that the record says), properties
// returns:
//   id STRING: a paper that was written
//   replaced BOOLEAN: it had another record before
UNWIND $papers AS row
MERGE (p:Paper {id: row.id})
SET p.draw = row.draw
WITH p, row, p.record AS before
WHERE before IS NULL OR before <> row.record
SET p += row.properties, p.record = row.record
REMOVE p:Stub
RETURN p.id AS id, before IS NOT NULL AS replaced
