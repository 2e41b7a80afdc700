// Sets the sample keys of papers and of their source records.
//
// parameters:
//   $rows LIST<MAP>: id, sample_key
UNWIND $rows AS row
MATCH (paper:Paper {id: row.id})
SET paper.sample_key = row.sample_key
WITH paper, row
MATCH (record:SourceRecord)-[:DESCRIBES]->(paper)
SET record.sample_key = row.sample_key
