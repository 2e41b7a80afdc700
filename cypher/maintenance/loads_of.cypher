// Returns the loads that wrote the records of papers, and the retracted ones of these papers.
//
// parameters:
//   $ids LIST<STRING>: ids of papers or SourceRecords
// returns:
//   loads LIST<INTEGER>: the loads
//   retracted LIST<STRING>: ids of papers
UNWIND $ids AS id
OPTIONAL MATCH (p:Paper {id: id})
OPTIONAL MATCH (m:SourceRecord {id: id})
WITH id, p, coalesce(m.load, p.load) AS load
RETURN collect(DISTINCT load) AS loads,
  collect(CASE WHEN p.retracted THEN id END) AS retracted
