// Which loads wrote the records of some papers, and which of these are retracted.
//
// parameters:
//   $ids LIST<STRING>: ids of papers, perhaps of SourceRecords
// returns:
//   loads LIST<INTEGER>: names of the loads
//   retracted LIST<STRING>: ids of papers
UNWIND $ids AS id
OPTIONAL MATCH (p:Paper {id: id})
OPTIONAL MATCH (m:SourceRecord {id: id})
WITH id, p, coalesce(m.load, p.load) AS load
RETURN collect(DISTINCT load) AS loads,
  collect(CASE WHEN p.retracted THEN id END) AS retracted
